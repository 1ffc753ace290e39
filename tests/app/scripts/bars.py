# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs what its arguments say on a terminal, and prints what stays there of the bars of compilations."""
import os
import pty
import re
import subprocess
import sys

ours, theirs = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdin=theirs, stdout=theirs, stderr=theirs)
os.close(theirs)
shown = b""
while True:
    try:
        shown += os.read(ours, 65536)
    except OSError:  # the last one that writes to it has ended
        break
assert child.wait() == 0, shown
for line in shown.decode().split("\n"):
    last = line.rstrip("\r").split("\r")[-1]
    if "%" in line:
        print(re.sub(r"Elapsed: [\d:.]+", "Elapsed", last).rstrip())
