# SPDX-License-Identifier: GPL-3.0-or-later
"""What tensors and variables are keys by."""


class Reference:
    """What ref() gives: a key of dictionaries and sets, of one tensor or variable."""

    def __init__(self, held):
        self.held = held

    def deref(self):
        return self.held

    def __eq__(self, other):
        return isinstance(other, Reference) and (self.held is other.held or hash(self.held) == hash(other.held))

    def __hash__(self):
        return hash(self.held)


class Referenced:
    """What has ref()."""

    def ref(self):
        return Reference(self)

    experimental_ref = ref
