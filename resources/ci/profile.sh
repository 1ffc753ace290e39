#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# profile.sh WORKLOAD BUDGET [BASELINE]
# Profiles a workload, compares it with the baseline profile where there is one, and holds it to a budget. Ends with the
# code of `tilescope check`: 0, or 1 where a limit is broken. Leaves in the folder tilescope/
#   new.tilescope    the profile: next time's baseline, where this is the main branch
#   comment.md       verdicts and comparison, for a pull request
#   verdicts.xml     JUnit, for the page of test results
#   benchmark.json   name, unit and value of each judged figure, for dashboards
#   report.html      the report; pictures/ the views, where tilescope-gui is installed
# TILESCOPE_OPTIONS are options of `tilescope profile`; default: --estimate, which computes no values.
set -eu
workload=${1:?profile.sh WORKLOAD BUDGET [BASELINE]}
budget=${2:?profile.sh WORKLOAD BUDGET [BASELINE]}
baseline=${3:-}
out=tilescope
mkdir -p "$out"

# A run that is out of memory (4) or has diverged (1) leaves a profile, of which check has the verdict.
code=0
# shellcheck disable=SC2086 # options are words
tilescope profile "$workload" ${TILESCOPE_OPTIONS---estimate} --progress plain --overwrite -o "$out/new.tilescope" ||
    code=$?
case $code in
0 | 1 | 4) ;;
*) exit "$code" ;;
esac
tilescope report "$out/new.tilescope" --format html >"$out/report.html"
if command -v tilescope-gui >/dev/null; then
    QT_QPA_PLATFORM=offscreen tilescope-gui "$out/new.tilescope" --grab "$out/pictures"
fi

if [ -z "$baseline" ] || [ ! -e "$baseline" ]; then
    echo "There is no baseline yet: limits that are relative to it compare the profile with itself."
    baseline=$out/new.tilescope
fi
code=0
set -- "$out/new.tilescope" --budget "$budget" --baseline "$baseline" --junit "$out/verdicts.xml" \
    --markdown "$out/comment.md" --benchmark "$out/benchmark.json"
[ -z "${GITHUB_ACTIONS:-}" ] || set -- "$@" --github
tilescope check "$@" || code=$?
if [ "$code" -le 1 ] && [ "$baseline" != "$out/new.tilescope" ]; then
    # 1: one of the two did not complete, which the verdicts say of the new one
    tilescope compare "$baseline" "$out/new.tilescope" --format markdown >>"$out/comment.md" || [ $? = 1 ]
fi
exit "$code"
