# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of libpva's that profiles of Tilescope have nothing for, and names that libpva has not either: asking for one is an error that
says why, or which name is the nearest."""
import difflib
from types import SimpleNamespace


def nearest(name, known):
    """What is said of a name that is not among `known`."""
    known = sorted(each for each in known if not each.startswith("_"))
    near = difflib.get_close_matches(name, known, 1)
    return f"the nearest that is there is {near[0]}" if near else "there are " + ", ".join(known)


class Lacking:
    """Base of libpva's classes: `_lacks` has the reason for each name that is not there."""

    _lacks = {}

    def __getattr__(self, name):
        if name in self._lacks:
            raise AttributeError(f"{type(self).__name__}.{name} is not in profiles of Tilescope: {self._lacks[name]}")
        if name.startswith("_"):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        raise AttributeError(f"{type(self).__name__}.{name} is not in pva: {nearest(name, dir(self))}")


class Names(Lacking, SimpleNamespace):
    """Values by names of libpva's."""

