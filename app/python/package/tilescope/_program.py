# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds and runs the program."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any


class Error(RuntimeError):
    """What the program refused, in its own line. `exit_code` as page "commands" lists them."""

    def __init__(self, line: str, exit_code: int = 3) -> None:
        super().__init__(line)
        self.exit_code = exit_code


def program() -> str:
    """The path of `tilescope`."""
    here = Path(__file__).absolute()
    named = os.environ.get("TILESCOPE_PROGRAM")
    beside = [named] if named else []
    # An installation: PREFIX/lib/python3/dist-packages/tilescope; a build: python/package/tilescope.
    beside += [str(here.parents[depth] / "bin" / "tilescope") for depth in (4, 3) if depth < len(here.parents)]
    for each in beside + [shutil.which("tilescope")]:
        if each and os.access(each, os.X_OK):
            return each
    raise Error("the program tilescope is not found; put it on the PATH, or name it in TILESCOPE_PROGRAM")


def run(*arguments: object, accept: tuple[int, ...] = (0,)) -> str:
    """What the program prints."""
    done = subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode not in accept:
        lines = [line for line in done.stderr.strip().splitlines() if line.startswith("tilescope:")]
        raise Error((lines or done.stderr.strip().splitlines() or ["tilescope failed"])[-1].removeprefix("tilescope: "),
                    done.returncode)
    return done.stdout


def document(*arguments: object, accept: tuple[int, ...] = (0,)) -> Any:
    return json.loads(run(*arguments, "--format", "json", accept=accept))
