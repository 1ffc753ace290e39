# SPDX-License-Identifier: GPL-3.0-or-later
# What `cmake --install` puts where: `tilescope` with its kernels, the window with what a desktop wants to know of it,
# the SQLite extension. Components: tilescope, gui, sqlite.
include(GNUInstallDirs)
set(own_libraries ${CMAKE_INSTALL_LIBDIR}/tilescope)

install(TARGETS tilescope tilescope_kernels_baseline tilescope_kernels_v3 tilescope_kernels_v4
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tilescope
    LIBRARY DESTINATION ${own_libraries} COMPONENT tilescope)
install(TARGETS tilescope-gui RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT gui)
install(TARGETS tilescope_sqlite LIBRARY DESTINATION ${own_libraries} COMPONENT sqlite)
file(RELATIVE_PATH from_programs ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/tilescope)
set_target_properties(tilescope PROPERTIES INSTALL_RPATH "$ORIGIN/${from_programs}")

install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tilescope)
install(DIRECTORY resources/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tilescope FILES_MATCHING PATTERN *.md)
install(DIRECTORY samples DESTINATION ${CMAKE_INSTALL_DATADIR}/tilescope COMPONENT tilescope)
install(DIRECTORY resources/ci DESTINATION ${CMAKE_INSTALL_DATADIR}/tilescope COMPONENT tilescope)
install(FILES resources/workload.schema.json resources/budget.schema.json
    DESTINATION ${CMAKE_INSTALL_DATADIR}/tilescope COMPONENT tilescope)

# Manual pages and completion, from the help of the programs that were built.
set(shell_files ${CMAKE_BINARY_DIR}/shell)
install(CODE "execute_process(COMMAND \${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:tilescope> -D WINDOW=$<TARGET_FILE:tilescope-gui>
    -D OUTPUT=${shell_files} -P ${CMAKE_SOURCE_DIR}/cmake/shell_files.cmake COMMAND_ERROR_IS_FATAL ANY)" ALL_COMPONENTS)
install(DIRECTORY ${shell_files}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT tilescope
    PATTERN tilescope-gui.1 EXCLUDE
    PATTERN "*.part" EXCLUDE) # being written by an installation beside this one
install(FILES ${shell_files}/man1/tilescope-gui.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT gui)
install(FILES ${shell_files}/tilescope.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME tilescope COMPONENT tilescope)
install(FILES ${shell_files}/_tilescope DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT tilescope)
install(FILES ${shell_files}/tilescope.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
    COMPONENT tilescope)

set(id org.tilescope.tilescope)
install(FILES resources/desktop/${id}.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT gui)
install(FILES resources/desktop/${id}.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo COMPONENT gui)
install(FILES resources/desktop/${id}.mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages
    RENAME ${id}.xml COMPONENT gui)
install(FILES resources/desktop/${id}.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps COMPONENT gui)
