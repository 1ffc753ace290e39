# SPDX-License-Identifier: GPL-3.0-or-later
"""The process that runs the script: what the command was told, and the engine's session."""
import functools
import logging
import sys
import time

import tilescope_engine as engine

options = {}
_script_run = None
_said = set()


def begin(given, script, flag):
    """`flag` gives the value of one of TF_POPLAR_FLAGS, or None."""
    global _script_run
    options.update(given, script=script)
    settings = engine.Settings()
    settings.script = script
    settings.output = given["output"]
    settings.data_folder = given["data_folder"]
    settings.cache = given["cache"] or flag("executable_cache_path") or ""
    settings.label = given["label"]
    settings.set = given["set"]
    settings.estimate = given["estimate"]
    settings.overwrite = given["overwrite"]
    wanted = flag("show_progress_bar")
    settings.bars = given["progress"] == "auto" and (wanted == "true" or (wanted != "false" and sys.stderr.isatty()))
    if settings.estimate:
        tell("tilescope: note: an estimate computes no values: what the script fetches is nan, whole numbers are 0")
    _script_run = engine.ScriptRun(settings, note)


def run():
    """The engine's session of this script."""
    return _script_run


@functools.cache
def operators():
    """The names of the engine's operators."""
    return frozenset(_script_run.operators())


def estimating():
    return options["estimate"]


_gained = 0.0  # seconds by which the script's clock is ahead of this machine's


def passed(wall, simulated):
    """A device program took `wall` seconds here; for the script it is the simulated time that has passed."""
    global _gained
    _gained += simulated - wall


def set_clock():
    """The script's clock: this machine's, with the simulated time in the place of what simulating takes."""
    real_time, real_counter = time.time, time.perf_counter
    time.time = lambda: real_time() + _gained
    time.perf_counter = lambda: real_counter() + _gained


def note(level, message):
    if "instance" in options:
        return
    if level in ("warning", "error"):
        tell(f"tilescope: {level}: {message}")
    elif level == "note" and options["progress"] != "none":
        tell_once(f"tilescope: note: {message}")
    elif level == "attached":
        tell_once(f"Poplar version: none; Tilescope {engine.version} simulates it and the IPUs")
        tell(message)


def loaded(program):
    """A program that has been compiled: what IPU TensorFlow logs of it."""
    if program.on_ipu:
        tell_once("Compiled cluster using XLA!  This line is logged at most once for the lifetime of the process.")
    return program


def tell(line):
    sys.stdout.flush()
    line = f"[instance {options['instance']}] {line}" if "instance" in options else line
    print(line, file=sys.stderr, flush=True)


def tell_once(line):
    if line not in _said and not options.get("instance"):  # the first instance says it
        _said.add(line)
        tell(line)


class _Lines(logging.Handler):
    """Tells what is logged."""

    def emit(self, record):
        tell(self.format(record))


@functools.cache
def logger():
    """The logger "tensorflow": a script shows warnings and what is above."""
    made, lines = logging.getLogger("tensorflow"), _Lines()
    lines.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
    made.addHandler(lines)
    made.setLevel(logging.WARNING)
    made.propagate = False
    return made


def log(level, message):
    """A line of that logger."""
    logger().log(getattr(logging, level), "%s", message)


def system_for(ipus):
    """The system that a workload runs on: the one that was asked for, or the smallest with so many IPUs."""
    if options["system"]:
        return options["system"]
    for name, size in (("ipu", 1), ("pod4", 4), ("pod16", 16), ("pod64", 64)):
        if ipus <= size:
            return name
    return "pod256"
