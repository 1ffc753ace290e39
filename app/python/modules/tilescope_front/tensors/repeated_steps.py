# SPDX-License-Identifier: GPL-3.0-or-later
"""What the steps of an unrolled loop name and make in common."""
import contextlib

from . import graph


class Repeated:
    """What the steps of an unrolled loop name and make: TensorFlow, which traces a body once, has it once."""

    def __init__(self):
        self.names, self.at = {}, {}  # of each kind, in order; how many of them the step has had
        self.made, self.now = set(), set()  # variables: of all steps, and those that the step has asked for

    def begin_step(self):
        self.at, self.now = {}, set()


@contextlib.contextmanager
def repeated():
    """Around the steps of an unrolled loop, each of which begins by calling what this gives."""
    stack = graph.current().outermost().__dict__.setdefault("repeated", [])
    stack.append(Repeated())
    try:
        yield stack[-1].begin_step
    finally:
        stack.pop()


def name_in_step(kind, make, around=None):
    """What `make` gives; in a step of an unrolled loop that of the first one."""
    stack = graph.current().outermost().__dict__.get("repeated", ()) if around is None else around
    if not stack:
        return make()
    known, at = stack[-1].names.setdefault(kind, []), stack[-1].at
    at[kind] = at.get(kind, -1) + 1
    if at[kind] == len(known):
        known.append(name_in_step(kind, make, stack[:-1]))
    return known[at[kind]]
