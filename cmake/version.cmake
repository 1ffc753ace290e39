# SPDX-License-Identifier: GPL-3.0-or-later
# Writes OUTPUT, the one source file that knows the version: VERSION of the project, and where SOURCE is a repository
# with git at hand, the commit that is built ("0.1.0+1a2b3c4d5e", "….dirty" with changes). The file is written only when
# that changes, so that nothing is compiled for nothing. Run at each build.
set(version ${VERSION})
if(EXISTS ${SOURCE}/.git)
    execute_process(COMMAND git -C ${SOURCE} describe --tags --always --dirty=.dirty --abbrev=10 --exclude=*
        OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    execute_process(COMMAND git -C ${SOURCE} describe --tags --exact-match --match=v${VERSION} --dirty=.dirty
        OUTPUT_VARIABLE release OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE unreleased)
    if(NOT failed AND (unreleased OR NOT release STREQUAL v${VERSION}))
        string(APPEND version "+${commit}")
    endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
// Written by cmake/version.cmake.
#include "app/version.h"

namespace tilescope::app {

const char* const version = "@version@";

} // namespace tilescope::app
]] @ONLY)
