# SPDX-License-Identifier: GPL-3.0-or-later
# `cpack --config build/release/CPackConfig.cmake -G DEB`: tilescope, without Qt; tilescope-gui; tilescope-sqlite.
# With `-G TGZ`: all of it in one folder that runs wherever it is unpacked.
set(CPACK_PACKAGE_NAME tilescope)
set(CPACK_PACKAGE_VENDOR Tilescope)
set(CPACK_PACKAGE_CONTACT "Tilescope <maintainers@tilescope.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Profiler for machine-learning models on simulated IPUs")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL tilescope gui sqlite)
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_TILESCOPE_PACKAGE_NAME tilescope)
get_property(python_packages GLOBAL PROPERTY TILESCOPE_PYTHON_PACKAGES) # app/python; none without `tilescope run`
set(CPACK_DEBIAN_TILESCOPE_PACKAGE_DEPENDS "${python_packages}")
set(CPACK_DEBIAN_GUI_PACKAGE_NAME tilescope-gui)
set(CPACK_DEBIAN_GUI_PACKAGE_DEPENDS "tilescope (= ${PROJECT_VERSION}), qt6-qpa-plugins, libqt6svg6")
set(CPACK_DEBIAN_GUI_PACKAGE_RECOMMENDS "fonts-inter, fonts-jetbrains-mono")
set(CPACK_DEBIAN_SQLITE_PACKAGE_NAME tilescope-sqlite)
set(CPACK_DEBIAN_SQLITE_PACKAGE_DEPENDS libsqlite3-0)
set(CPACK_COMPONENT_TILESCOPE_DESCRIPTION "Compiles models for simulated IPUs, runs and profiles them, and reads the profiles.")
set(CPACK_COMPONENT_GUI_DESCRIPTION "The window: memory, trace, pipeline and more of a profile.")
set(CPACK_COMPONENT_SQLITE_DESCRIPTION "Extension of SQLite that reads the tables of profiles.")
include(CPack)
