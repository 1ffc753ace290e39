# SPDX-License-Identifier: GPL-3.0-or-later
"""The strategies whose scopes are open."""
import contextlib

_open = []
_opened = False


def current():
    return _open[-1] if _open else None


def ever_opened():
    """Whether the script has opened the scope of one."""
    return _opened


def replicas():
    """How many replicas add up what they compute."""
    return current().num_replicas_in_sync if _open else 1


@contextlib.contextmanager
def opened(strategy):
    global _opened
    _opened = True
    _open.append(strategy)
    try:
        yield strategy
    finally:
        _open.pop()
