# SPDX-License-Identifier: GPL-3.0-or-later
# Writes into OUTPUT what shells and man know of PROGRAM and WINDOW, made from their own help: man1/*.1, tilescope.bash,
# _tilescope (zsh), tilescope.fish.
file(MAKE_DIRECTORY ${OUTPUT}/man1)
execute_process(COMMAND ${PROGRAM} manual --all ${OUTPUT}/man1 COMMAND_ERROR_IS_FATAL ANY)
foreach(pair bash=tilescope.bash zsh=_tilescope fish=tilescope.fish)
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 shell)
    list(GET pair 1 name)
    execute_process(COMMAND ${PROGRAM} completion ${shell} OUTPUT_FILE ${OUTPUT}/${name} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -E env QT_QPA_PLATFORM=offscreen ${WINDOW} --help
    OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\\" "\\e" help "${help}")
string(REPLACE "-" "\\-" help "${help}")
file(WRITE ${OUTPUT}/man1/tilescope-gui.1 ".TH \"tilescope-gui\" 1 \"\" \"Tilescope\" \"Tilescope\"
.SH NAME
tilescope\\-gui \\- look at profiles of models on simulated IPUs
.SH DESCRIPTION
.nf
${help}.fi
.SH SEE ALSO
\\fBtilescope\\fR(1)
")
