# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of Keras whose program is being traced."""
import contextlib

_owner = None


def owner():
    """The outermost one; None where none is."""
    return _owner


@contextlib.contextmanager
def owned_by(model):
    """What is made within it belongs to this model, or to the one around it."""
    global _owner
    before, _owner = _owner, _owner or model
    try:
        yield
    finally:
        _owner = before
