# SPDX-License-Identifier: GPL-3.0-or-later
"""The package tilescope on copies of a profile, the first argument: with other names, and as a killed run leaves one."""
import os
import shutil
import sqlite3
import sys

import numpy as np

import tilescope

os.mkdir("copies")
total = tilescope.open(sys.argv[1]).tiles("memory", "total")
for name in ("run#1", "run%41", "what?", "a b'c"):
    shutil.copy(sys.argv[1], f"copies/{name}.tilescope")
    report = tilescope.open(f"copies/{name}.tilescope")
    print(np.array_equal(report.tiles("memory", "total"), total), "run" in report.tables())

# What a run has told last is in the log beside its profile.
shutil.copy(sys.argv[1], "grown.tilescope")
writer = sqlite3.connect("grown.tilescope")
writer.execute("PRAGMA journal_mode = WAL").fetchone()
writer.execute("UPDATE run SET status = 'running'")
writer.execute("CREATE TABLE told(what)")
writer.commit()
for ending in ("", "-wal"):
    shutil.copy("grown.tilescope" + ending, "copies/killed.tilescope" + ending)
before = sorted(os.listdir("copies"))
report = tilescope.open("copies/killed.tilescope")
print(np.array_equal(report.tiles("memory", "total"), total), "told" in report.tables(), report["run.status"])
del report
print(sorted(os.listdir("copies")) == before, os.path.getsize("copies/killed.tilescope-wal") > 0)
