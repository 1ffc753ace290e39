# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that follow from constants alone while a graph is made, as shapes and numbers of steps have to."""
import numpy as np

from . import graph
from .graph import convert, is_symbolic

_DRAWN = ("dropout", "gaussian_noise")


def known_or_none(value, drawn=False):
    """The array of a value that follows from constants alone while a graph is made; None of any other. `drawn`: what is drawn
    in each step is known, too, as one draw."""
    tensor = convert(value)
    if not is_symbolic(tensor):
        return tensor.value
    order = _made_before(tensor.op, drawn)
    if order is None:
        return None
    made = {}

    def array_of(each):
        op = each.op
        return op.attributes["value"] if op.kind == "constant" else (made[op] if op in made else op.known)[each.value_index]
    for op in order:
        inputs = [array_of(each) for each in op.inputs]
        made[op] = inputs if op.kind == "identity" else graph.computed(op.kind, inputs, op.attributes)
        op.known = op.known if drawn else made[op]  # which a loop asks for again and again, of what its steps before have made
    return array_of(tensor)


def _made_before(op, drawn):
    """The operations that a value follows from and that are not worked out yet, in their order; None where one is of no constants."""
    from .. import host
    order, done, todo, begun = [], set(), [op], []
    while todo:
        each = todo[-1]
        if each in done or each.kind == "constant" or (each.known is not None and not drawn):
            done.add(todo.pop())
            continue
        if not each.inputs or each.kind not in host.operators() or (each.kind in _DRAWN and not drawn) or (each.is_unknown and not drawn):
            for one in begun:  # all that it takes part in
                one.is_unknown = one.is_unknown or (one not in done and not drawn)
            return None
        before = [tensor.op for tensor in each.inputs if tensor.op not in done]
        if before:
            begun.append(each)
            todo += before
        else:
            order.append(each)
            done.add(todo.pop())
    return order


class Unknown(ValueError):
    """A value has to be known while a graph is made. `arguments`: the numbers of the arguments of the function that it follows from;
    empty where something else decides it as well, or where they are no few whole numbers."""

    def __init__(self, tensor):
        super().__init__(f"{tensor.name} is not known before the program runs; shapes are static on the IPU")
        self.arguments = _arguments_of(tensor.op)


def _arguments_of(op):
    most = 16
    found, seen, todo = set(), set(), [op]
    while todo:
        each = todo.pop()
        if id(each) in seen or each.kind == "constant":
            continue
        seen.add(id(each))
        todo += [tensor.op for tensor in each.inputs]
        if each.kind == "argument":
            tensor = each.outputs[0]
            if each.graph.of_loop or not tensor.dtype.is_integer or None in tensor.dims or np.prod(tensor.dims) > most:
                return set()
            found.add(each.attributes["index"])
        elif not each.inputs:
            return set()
    return found


def ask_for(value):
    """Has a function of TensorFlow 2 traced again with the arguments that decide a value, where nothing else does."""
    unknown = Unknown(convert(value))
    if unknown.arguments and hasattr(graph.current(), "traced"):
        raise unknown


def known(value):
    """The same of a value that must be known: of a shape, a constant, or what is made of them."""
    array = known_or_none(value)
    if array is None:
        raise Unknown(convert(value))
    return array
