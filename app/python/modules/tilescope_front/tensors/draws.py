# SPDX-License-Identifier: GPL-3.0-or-later
"""What tells one draw from the next, of all that a script draws."""
import contextlib
import zlib

from . import graph

_count = 0
_fixed = None  # a seed from which alone all follows that is drawn, and how much that was
_of_seed = {}  # how many draws each seed of an operation has had


def salt():
    """A number of its own for each operation that draws; as large as the engine has them."""
    global _count
    if _fixed is not None:
        _fixed[1] += 1
        return zlib.crc32(repr(_fixed).encode()) % 2**24
    _count += 1
    return ((graph.current().seed or 0) * 65537 + _count) % 2**24


@contextlib.contextmanager
def of_seed(seed):
    """Within it all that the host draws follows from a seed alone."""
    global _fixed
    before, _fixed = _fixed, [tuple(seed), 0]
    try:
        yield
    finally:
        _fixed = before


def salt_of(seed):
    """The number of the operations of one seed."""
    return ((graph.current().seed or 0) * 65537 + int(seed) * 7919 + 2**23) % 2**24


def name(seed=None):
    """A name of its own for each array that is drawn on the host: operations with a seed count by themselves."""
    if seed is None:
        return f"random_{salt()}"
    key = str(seed)
    _of_seed[key] = _of_seed.get(key, -1) + 1
    return f"seed_{key}_{_of_seed[key]}"


def set_seed(seed):
    """tf.random.set_seed: from here on is drawn what was drawn after it before."""
    global _count
    graph.current().seed = int(seed)
    if graph.executing_eagerly():
        _count = 0
        _of_seed.clear()


_of_device = {"resets": 0, "seed": 0}


def reset_ipu_seed(seed, device="/device:IPU:0", cpu_device="cpu", experimental_identical_replicas=False):
    """ipu.utils': from here on programs of the device drop and round as they did after it before, those that are compiled as well."""
    from .. import host
    if experimental_identical_replicas:
        host.tell_once("tilescope: reset_ipu_seed(experimental_identical_replicas=True) has no effect here: replicas that compute "
                       "the same are computed once")
    _of_device.update(resets=_of_device["resets"] + 1, seed=int(seed))


def resets():
    """How often the device's seed has been set."""
    return _of_device["resets"]


def first_step(multiple=1):
    """The number of the first step after that, a multiple of those of an update: what a step draws depends on its number."""
    seed = _of_device["seed"]
    return (1 + (seed ^ seed >> 17) % 2**17) * 2**22 * multiple if resets() else 0
