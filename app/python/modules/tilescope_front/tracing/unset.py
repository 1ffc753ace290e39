# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of a converted function that branches have given no one value: who reads one is told."""


class Unset:
    """What such a name has. `error`: what its reader gets."""

    def __init__(self, name, error=None):
        self.error = error or UnboundLocalError(f"'{name}' must be given a value in both branches of an `if` on a tensor, or before it")


def read(value):
    """What a name has. Errors: that of an Unset."""
    if type(value) is Unset:
        raise value.error
    return value


class NotYet:
    """What a name has that a `return` in a branch gives a value, and that is read only where it has."""

    def like(self, value):
        """What stands for it beside a value that it is not taken for: that."""
        return value
