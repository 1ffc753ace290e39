# SPDX-License-Identifier: GPL-3.0-or-later
"""The sessions of TensorFlow 1 that are open as the default one, each within the one before."""
OPEN = []


def default():
    if not OPEN:
        raise ValueError("Cannot evaluate tensor using `eval()`: No default session is registered.")
    return OPEN[-1]
