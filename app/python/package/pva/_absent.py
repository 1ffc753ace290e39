# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of libpva's that profiles of Tilescope have nothing for: asking for one is an error that says why."""


class Lacking:
    """Base of a class of libpva's that lacks names: `_lacks` has the reason for each."""

    _lacks = {}

    def __getattr__(self, name):
        if name in self._lacks:
            raise AttributeError(f"{type(self).__name__}.{name} is not in profiles of Tilescope: {self._lacks[name]}")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

