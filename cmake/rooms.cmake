# SPDX-License-Identifier: GPL-3.0-or-later
# How every part of the tree is built: compiler settings, and one static library per room.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()

option(TILESCOPE_TESTS "Build the tests (needs GoogleTest and Qt Test)" ON)
option(TILESCOPE_BENCH "Build the benchmarks (needs Google Benchmark and Qt Test)" ON)
option(TILESCOPE_WERROR "Take warnings for errors: on in the presets, off for who builds with a compiler of their own" OFF)
set(TILESCOPE_SANITIZE "" CACHE STRING
    "Build with sanitizers: 'address' (and undefined behaviour) or 'thread'; nothing for none")
option(TILESCOPE_FUZZ "Build the fuzz targets too, with every room instrumented for libFuzzer (clang only)" OFF)
option(TILESCOPE_UNITY "Compile several sources of a room or a test program at once: less time from nothing, somewhat more after a change" ON)
option(TILESCOPE_TIDY "Run clang-tidy on every source file that is compiled" OFF)

find_program(CCACHE ccache)
if(CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

set(werror $<$<BOOL:${TILESCOPE_WERROR}>:-Werror>)
# What one source keeps to itself is no name that another hides, though they are compiled in one go.
set(shadow $<$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wshadow>)
add_library(tilescope_settings INTERFACE)
target_compile_options(tilescope_settings INTERFACE
    -Wall -Wextra -Wpedantic -Wno-missing-field-initializers ${shadow} -Wnon-virtual-dtor -Woverloaded-virtual ${werror} -fpch-preprocess)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(tilescope_settings INTERFACE -Wno-unused-command-line-argument -Wreserved-identifier)
else() # GCC 12 sees overlapping copies in std::string where there are none (GCC bug 105651)
    target_compile_options(tilescope_settings INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
endif()
if(TILESCOPE_SANITIZE)
    if(TILESCOPE_SANITIZE STREQUAL "address")
        set(sanitizers address,undefined)
        set(suppressions LSAN_OPTIONS=set:suppressions=${CMAKE_SOURCE_DIR}/cmake/leak_suppressions.txt:print_suppressions=0)
    elseif(TILESCOPE_SANITIZE STREQUAL "thread")
        set(sanitizers thread)
        # Qt starts programs by a fork that ends in them, from a process with threads.
        set(suppressions
            TSAN_OPTIONS=set:suppressions=${CMAKE_SOURCE_DIR}/cmake/race_suppressions.txt:die_after_fork=0)
    else()
        message(FATAL_ERROR "TILESCOPE_SANITIZE is '${TILESCOPE_SANITIZE}'; it may be 'address' or 'thread'")
    endif()
    target_compile_options(tilescope_settings INTERFACE -fsanitize=${sanitizers} -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
    target_link_options(tilescope_settings INTERFACE -fsanitize=${sanitizers})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # sees std::regex's states unset when it instruments them (GCC bug 105562)
        target_compile_options(tilescope_settings INTERFACE -Wno-maybe-uninitialized)
    endif()
    set(TILESCOPE_TEST_PROPERTIES ENVIRONMENT_MODIFICATION ${suppressions})
endif()
if(TILESCOPE_FUZZ)
    target_compile_options(tilescope_settings INTERFACE -fsanitize=fuzzer-no-link -UNDEBUG -D_GLIBCXX_ASSERTIONS)
endif()
if(TILESCOPE_TIDY)
    find_program(CLANG_TIDY clang-tidy REQUIRED)
    set(CMAKE_CXX_CLANG_TIDY ${CLANG_TIDY})
endif()

# The headers that nearly all sources of a kind include are compiled once for all of that kind: rooms of core/, rooms of
# ui/, tests of core/ and app/, tests of ui/. Who reuses them must be compiled alike, so each belongs to a target of the
# same sort. Sources still include what they use: the preset `tidy` compiles without.
set(qt_strictness QT_NO_KEYWORDS QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/headers.cpp CONTENT "// Only its headers count.\n")
function(tilescope_core_headers)
    add_library(tilescope_core_headers STATIC ${CMAKE_BINARY_DIR}/headers.cpp)
    target_link_libraries(tilescope_core_headers PRIVATE tilescope_settings)
    target_precompile_headers(tilescope_core_headers PRIVATE <algorithm> <array> <cmath> <filesystem> <functional> <map>
        <memory> <optional> <span> <string> <string_view> <tl/expected.hpp> <unordered_map> <variant> <vector>)
endfunction()

# tilescope_several_at_once(TARGET): its sources are compiled twelve in one go, as the headers take longer than they do.
function(tilescope_several_at_once target)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${TILESCOPE_UNITY} UNITY_BUILD_BATCH_SIZE 12)
    if(TILESCOPE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # takes an included source for a header
        target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
endfunction()

# What other rooms, Qt or SQLite work for is not faster for more than this, and compiled in two thirds of the time.
set(light_options $<$<CONFIG:Release>:-O1>)

# tilescope_room(NAME [ALONE] [SINGLY] [LIGHT] [FOLDERS folder...] [DEPENDS room...] [LINK library...])
# One static library tilescope_NAME of the .cpp files in the calling folder and in FOLDERS below it. What the room
# offers lies in include/NAME and is included as "NAME/header.h"; headers beside the sources are its own. A room's
# include root is its own too, so an include of a room that DEPENDS does not lead to does not compile. ALONE: compiled with
# options of its own, so without the headers that rooms share. SINGLY: its sources say the same names, each of its own family,
# so each is compiled by itself. LIGHT: nothing in it takes long.
function(tilescope_room name)
    cmake_parse_arguments(ROOM "ALONE;SINGLY;LIGHT" "" "FOLDERS;DEPENDS;LINK" ${ARGN})
    set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
    foreach(folder ${ROOM_FOLDERS})
        list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
    endforeach()
    file(GLOB sources CONFIGURE_DEPENDS ${patterns})
    add_library(tilescope_${name} STATIC ${sources})
    target_include_directories(tilescope_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include
        PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    list(TRANSFORM ROOM_DEPENDS PREPEND tilescope_)
    target_link_libraries(tilescope_${name} PUBLIC tilescope_settings ${ROOM_DEPENDS} ${ROOM_LINK})
    if(ROOM_LIGHT)
        target_compile_options(tilescope_${name} PRIVATE ${light_options})
    endif()
    if(NOT ROOM_ALONE AND NOT ROOM_SINGLY)
        tilescope_several_at_once(tilescope_${name})
    endif()
    if(NOT ROOM_ALONE)
        target_precompile_headers(tilescope_${name} REUSE_FROM tilescope_core_headers)
    endif()
endfunction()

function(tilescope_ui_headers)
    add_library(tilescope_ui_headers STATIC ${CMAKE_BINARY_DIR}/headers.cpp)
    target_link_libraries(tilescope_ui_headers PRIVATE tilescope_settings Qt6::Widgets)
    target_compile_definitions(tilescope_ui_headers PRIVATE ${qt_strictness})
    target_compile_options(tilescope_ui_headers PRIVATE ${light_options})
    target_precompile_headers(tilescope_ui_headers PRIVATE <QtWidgets> <string> <vector>)
endfunction()
set(test_options $<$<CONFIG:Release>:-O0>) # a test runs once: the time to compile it is worth more than its speed
function(tilescope_test_headers)
    add_executable(test_headers ${CMAKE_BINARY_DIR}/headers.cpp)
    target_link_libraries(test_headers PRIVATE tilescope_settings GTest::gtest GTest::gtest_main)
    target_precompile_headers(test_headers PRIVATE <gtest/gtest.h> <string> <vector>)
    add_executable(test_ui_headers ${CMAKE_BINARY_DIR}/headers.cpp)
    target_link_libraries(test_ui_headers PRIVATE tilescope_settings GTest::gtest GTest::gtest_main Qt6::Widgets)
    target_compile_definitions(test_ui_headers PRIVATE ${qt_strictness})
    target_precompile_headers(test_ui_headers PRIVATE <gtest/gtest.h> <QtWidgets> <string> <vector>)
    set_target_properties(test_headers test_ui_headers PROPERTIES # programs that nobody runs
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/headers)
    target_compile_options(test_headers PRIVATE ${test_options})
    target_compile_options(test_ui_headers PRIVATE ${test_options})
endfunction()

configure_file(${CMAKE_SOURCE_DIR}/tests/build_paths.h.in ${CMAKE_BINARY_DIR}/paths/build_paths.h)

# tilescope_test(NAME [FOLDERS folder...] [DEPENDS room...] [LINK library...] [MAIN file])
# One test program test_NAME of all *_test.cpp files in the calling folder and in FOLDERS below it, each test known to ctest.
# MAIN starts Qt.
function(tilescope_test name)
    cmake_parse_arguments(TEST "" "MAIN" "FOLDERS;DEPENDS;LINK" ${ARGN})
    set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
    foreach(folder ${TEST_FOLDERS})
        list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*_test.cpp)
    endforeach()
    file(GLOB sources CONFIGURE_DEPENDS ${patterns})
    if(NOT sources)
        return()
    endif()
    add_executable(test_${name} ${sources} ${TEST_MAIN})
    list(TRANSFORM TEST_DEPENDS PREPEND tilescope_)
    target_link_libraries(test_${name} PRIVATE tilescope_settings ${TEST_DEPENDS} ${TEST_LINK} GTest::gtest)
    target_include_directories(test_${name} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/paths)
    target_compile_options(test_${name} PRIVATE ${test_options})
    if(TEST_MAIN)
        target_precompile_headers(test_${name} REUSE_FROM test_ui_headers)
    else()
        target_link_libraries(test_${name} PRIVATE GTest::gtest_main)
        target_precompile_headers(test_${name} REUSE_FROM test_headers)
    endif()
    tilescope_several_at_once(test_${name})
    gtest_discover_tests(test_${name} TEST_PREFIX "${name}:" DISCOVERY_TIMEOUT 120
        PROPERTIES TIMEOUT 600 ENVIRONMENT "QT_QPA_PLATFORM=offscreen" ${TILESCOPE_TEST_PROPERTIES})
endfunction()
include(GoogleTest)

# tilescope_ui_room(NAME [DEPENDS room...] [LINK library...])
# The same for a folder of ui/: a static library tilescope_ui_NAME with Qt. What it offers lies in include/ui/NAME and is
# included as "ui/NAME/header.h"; the headers beside the sources are its own.
function(tilescope_ui_room name)
    cmake_parse_arguments(ROOM "" "" "DEPENDS;LINK" ${ARGN})
    set(here ${CMAKE_CURRENT_SOURCE_DIR})
    file(GLOB sources CONFIGURE_DEPENDS ${here}/*.cpp ${here}/*.h ${here}/include/ui/${name}/*.h)
    add_library(tilescope_ui_${name} STATIC ${sources})
    set_target_properties(tilescope_ui_${name} PROPERTIES AUTOMOC ON LINKER_LANGUAGE CXX)
    target_include_directories(tilescope_ui_${name} PUBLIC ${here}/include PRIVATE ${here})
    list(TRANSFORM ROOM_DEPENDS PREPEND tilescope_)
    target_link_libraries(tilescope_ui_${name} PUBLIC tilescope_settings ${ROOM_DEPENDS} ${ROOM_LINK} Qt6::Widgets)
    target_compile_definitions(tilescope_ui_${name} PUBLIC ${qt_strictness})
    target_compile_options(tilescope_ui_${name} PRIVATE ${light_options})
    tilescope_several_at_once(tilescope_ui_${name})
    target_precompile_headers(tilescope_ui_${name} REUSE_FROM tilescope_ui_headers)
endfunction()
