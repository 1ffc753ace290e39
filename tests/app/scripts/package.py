# SPDX-License-Identifier: GPL-3.0-or-later
"""The package tilescope on a profile that is the argument."""
import json
import os
import sqlite3
import subprocess
import sys

import numpy as np

import tilescope

report = tilescope.open(sys.argv[1])
raw = json.loads(subprocess.run([tilescope.program(), "report", sys.argv[1], "--format", "json"], check=True,
                                capture_output=True).stdout)
print(report["timing.step_us"] == raw["timing"]["step_us"] == report.figure("step time"))
print(report["layers." + raw["layers"][0]["name"] + ".cycles"] == raw["layers"][0]["cycles"])

total = report.tiles("memory", "total")
print(total.shape == (raw["target"]["tiles_per_ipu"],), total.max() == raw["memory"]["max_tile_bytes"],
      total.sum() == raw["memory"]["total_bytes"])
held = sqlite3.connect(sys.argv[1]).execute("SELECT metric, sum FROM tile_array WHERE entity = 'memory' AND ipu = 0").fetchall()
print(all(report.tiles("memory", metric).sum() == summed for metric, summed in held) and len(held) > 5)
variables = report.table("variable")
largest = int(variables["id"][variables["bytes"].argmax()])
print(report.tiles("variable", "bytes", largest).sum() >= variables["bytes"].max())

budget = {"limits": [{"metric": "memory.max_tile_bytes", "max": int(total.max())}, {"metric": "timing.step_us", "max": 0}]}
print([verdict.met for verdict in report.check(budget)])
same = tilescope.compare(report, report)
print(all(row["change"] in (0, None) for row in same.figures()), "step time" in same._repr_html_())
for picture in (report.memory_picture(), report.time_picture(), report.liveness_picture()):
    print(picture._repr_svg_().startswith("<svg"), picture.svg.endswith("</svg>"))
for wrong in (lambda: report.table("operatoin_cost"), lambda: report["timing.step_su"], lambda: tilescope.open("nothing"),
              lambda: report.tiles("memory", "totall"), lambda: report.memory_picture(9), lambda: tilescope.profile(5),
              lambda: tilescope.open(5)):
    try:
        wrong()
    except (KeyError, tilescope.Error) as error:
        print(str(error).partition("; there are always_live")[0])

dense = {"name": "dense", "model": {"keras": {"class_name": "Sequential", "config": {"name": "net", "layers": [
    {"class_name": "Dense", "config": {"name": "only", "units": 3, "batch_input_shape": [None, 5]}}]}}}}
made = tilescope.profile(dense, "made.tilescope", estimate=True, settings={"fit.batch_size": 8}, system="pod4")
print(made["run.workload"], made["run.status"], made["run.estimate"], int(made.sql("SELECT batch_size FROM run")["batch_size"][0]))

# Arrays of one's own: a batch of all of them, against NumPy.
x = np.random.default_rng(0).normal(size=(8, 5)).astype(np.float32)
y = np.arange(8) % 3
ones = dict(dense, model={"keras": {"class_name": "Sequential", "config": {"name": "net", "layers": [
    {"class_name": "Dense", "config": {"name": "only", "units": 3, "kernel_initializer": "ones", "batch_input_shape": [None, 5]}}]}}})
trained = tilescope.profile(ones, "own.tilescope", data=(x, y), workload={
    "compile": {"loss": "mean_squared_error", "optimizer": {"name": "sgd", "learning_rate": 0.0}}, "fit": {"batch_size": 4}})
wanted = ((x.sum(1, keepdims=True) - np.eye(3)[y]) ** 2).mean()
print(np.isclose(trained["result.epochs.-1.loss"], wanted, rtol=1e-5))
shown = tilescope.profile(sys.argv[2], estimate=True, output="shown.tilescope").figure("step time")
print(f"step time\")                      # {shown:.1f}, in the unit" in tilescope.__doc__)
without = "import sys; sys.modules['numpy'] = None; sys.path.insert(0, sys.argv[1]); import tilescope"
failed = subprocess.run([sys.executable, "-c", without, os.path.dirname(tilescope.__path__[0])], capture_output=True, text=True)
print(failed.stderr.splitlines()[-1])
help(tilescope.profile)
