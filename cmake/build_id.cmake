# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -D SOURCES=folder -D OUTPUT=file -P build_id.cmake
# Writes a source file whose function gives a hash of all C++ sources in the folder, of their names and contents.
file(GLOB_RECURSE files RELATIVE ${SOURCES} ${SOURCES}/*.cpp ${SOURCES}/*.h)
list(SORT files)
set(all "")
foreach(name ${files})
    file(SHA256 ${SOURCES}/${name} hash)
    string(APPEND all "${name} ${hash}\n")
endforeach()
string(SHA256 id "${all}")
file(WRITE ${OUTPUT} "// Made by cmake/build_id.cmake.
#include \"compile/build_id.h\"

namespace tilescope::compile {

const char* build_id() {
    return \"${id}\";
}

} // namespace tilescope::compile
")
