# SPDX-License-Identifier: GPL-3.0-or-later
"""Tilescope from Python: profiles of IPU workloads as tables, arrays, figures and pictures.

    import tilescope
    report = tilescope.profile("samples/keras_mnist.json", estimate=True, output="run.tilescope")
    report.figure("step time")                      # 2615.6, in the unit of report.figures()
    report["memory.max_tile_bytes"]                 # as budgets and `tilescope report --format json` name it
    report.table("operation_cost")                  # columns as NumPy arrays
    report.frame("operation_cost")                  # the same for pandas
    report.tiles("memory", "total")                 # bytes of every tile
    report.memory_picture()                         # SVG, which a notebook shows
    tilescope.compare("base.tilescope", report)     # what changed
    report.check({"limits": [{"metric": "memory.max_tile_bytes", "max": 400000}]})

It reads files and starts the program `tilescope`, which is found beside the package, in $TILESCOPE_PROGRAM or on the
PATH. Failures are tilescope.Error with the program's own line.
"""
try:
    import numpy as _numpy  # noqa: F401
except ModuleNotFoundError:
    raise ImportError("tilescope needs NumPy: install Debian's python3-numpy, or numpy with pip") from None

from ._program import Error, program
from ._profile import profile
from ._report import Comparison, Figure, Report, Verdict, compare, open
from ._pictures import Picture

__all__ = ["Comparison", "Error", "Figure", "Picture", "Report", "Verdict", "compare", "open", "profile", "program"]
