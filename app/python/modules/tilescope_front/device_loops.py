# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops over tf.range in functions that run as one program: what AutoGraph makes of them in TensorFlow. The body is run once,
in a graph of its own, which the device repeats; what it gives names of the function that have values before, the next step has."""
import ctypes
import dis
import sys

import numpy as np

from . import errors, failures, gradients, graph, ipu_compiler, lowering
from .graph import EagerTensor, GraphTensor, Tensor
from .structure import flatten, pack_like

MOST_STEPS = 64  # of loops whose steps stand one after another
_STORES = {"STORE_FAST", "STORE_DEREF"}


def _assigned(frame):
    """(the names that the body of a loop assigns which a frame is about to begin, that of its number); None where it is no
    statement of a loop."""
    steps = {each.offset: each for each in dis.get_instructions(frame.f_code)}
    here = steps.get(frame.f_lasti)
    if here is None or here.opname != "FOR_ITER" or frame.f_code.co_name.startswith("<") and frame.f_code.co_name != "<lambda>":
        return None
    stores = [each for offset, each in sorted(steps.items()) if here.offset < offset < here.argval and each.opname in _STORES]
    return {each.argval for each in stores}, stores[0].argval if stores else None


def _give(frame, values):
    """Sets names of a function that is running (until Python 3.13 f_locals is a copy of them, which is written back)."""
    names = frame.f_locals
    names.update(values)
    if sys.version_info < (3, 13):
        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))


def _is_value(value):
    """Whether a loop may hand it on: tensors and numbers, in any nesting."""
    leaves = flatten(value)
    return bool(leaves) and all(isinstance(each, (Tensor, np.ndarray, np.generic, bool, int, float)) for each in leaves)


def over(numbers):
    """The numbers of a tf.range, one after another, or one that stands for each, as a loop of the device has it."""
    here, frame = graph.current(), sys._getframe(1)
    assigned = _assigned(frame)
    if len(numbers) < 2 or here.of_loop or assigned is None:
        if len(numbers) > MOST_STEPS:
            raise failures.refused(f"a loop of {len(numbers)} steps over tf.range within a loop of the device, or a list of as many",
                                   "it is unrolled; make the loop around it longer")
        yield from map(EagerTensor, numbers)
        return
    names, number = assigned
    before = {name: value for name, value in frame.f_locals.items() if name in names and name != number and _is_value(value)}
    given = [graph.symbolic(numbers[0]), *(graph.symbolic(each) for value in before.values() for each in flatten(value))]
    inner = ipu_compiler.inner_graph(here)
    inner.of_loop, inner.of_range = True, True
    here.open_loops += 1
    with inner.as_default():
        index, *arguments = ipu_compiler.arguments_of(inner, given)
        rest = iter(arguments)
        _give(frame, {name: pack_like(value, [next(rest) for _ in flatten(value)]) for name, value in before.items()})
        yield index
        after = {name: value for name, value in frame.f_locals.items() if name in names and _is_value(value)}
        made = [index + (numbers[1] - numbers[0])]
        for name, value in before.items():
            made += _handed_on(name, value, after.get(name), given[len(made):])
        fresh = {name: value for name, value in after.items() if name not in before}
        made += [graph.symbolic(each) for value in fresh.values() for each in flatten(value)]
    here.open_loops -= 1
    op = here.add("repeat", given, {"n": len(numbers), "outputs": made, "leaves": None, "fed": [], "queue": None, "schedule": {},
                                    "body": inner, "exchange": gradients.exchange()}, [(t.dtype, t.dims) for t in made], "range")
    rest = iter(op.outputs[1:])
    _give(frame, {name: pack_like(value, [next(rest) for _ in flatten(value)])
                  for name, value in {**{name: after[name] for name in before}, **fresh}.items()})


def _handed_on(name, before, after, given):
    """What the next step has of a name: tensors of the same types. Errors: TypeError."""
    leaves = [] if after is None else flatten(after)
    if len(leaves) != len(flatten(before)):
        raise TypeError(f"'{name}' is another structure after a step of the loop than before it")
    leaves = [graph.symbolic(each) for each in leaves]
    for first, leaf in zip(given, leaves):
        if (first.dtype, first.dims) != (leaf.dtype, leaf.dims):
            raise TypeError(f"'{name}' has dtype {first.dtype.name} and shape {first.shape} before the loop, but dtype {leaf.dtype.name} "
                            f"and shape {leaf.shape} after one iteration")
    return leaves


def wanted(loop, leaves):
    """Of a loop over tf.range: (the numbers of its outputs that `leaves` need, what of its body its steps need)."""
    needed = lowering.reachable(leaves, lambda op: True)
    used = [t for t in [*leaves, *(t for op in needed for t in op.inputs)] if isinstance(t, GraphTensor)]
    if any(t.op.graph.of_range for t in used):
        raise failures.refused("a value of a loop over tf.range that is used after it, and was put into a list, a dictionary or an "
                               "attribute", "give it a name of the function, or enqueue it")
    kept = sorted({t.value_index for t in used if t.op is loop})
    body, outputs = loop.attributes["body"], loop.attributes["outputs"]
    chosen = {id(outputs[k]): outputs[k] for k in kept}
    effects = [op for op in body.operations_ if op.kind in ipu_compiler.EFFECTS]
    while True:
        handed = {id(outputs[k]): outputs[k] for k in ipu_compiler.states_in([*chosen.values(), *effects], body)}
        if handed.keys() <= chosen.keys():
            return kept, [*chosen.values(), *effects]
        chosen.update(handed)


def check_ended(here):
    """That a function left none of its loops before their end."""
    if here.open_loops:
        raise errors.UnimplementedError(message="a loop over tf.range that `break` or `return` ends is not there under tilescope run: "
                                        "the device makes all of its steps; choose with tf.where what counts")
