# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that follow from constants alone while a graph is made, as shapes and numbers of steps have to."""
import numpy as np

from . import graph
from .. import failures
from .graph import convert, is_symbolic

_DRAWN = ("dropout", "gaussian_noise")
_AS_GIVEN = ("identity", "assign")


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
        made[op] = inputs if op.kind in _AS_GIVEN else graph.computed(op.kind, inputs, op.attributes)
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
        is_made = each.inputs and (each.kind in _AS_GIVEN or each.kind in host.operators())
        if not is_made or (each.kind in _DRAWN and not drawn) or (each.is_unknown and not drawn):
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
    """A value has to be known while a graph is made. `settling`: the arguments of the function, by their numbers, and the variables that
    it follows from; empty where something else decides it as well, or where they are no few whole numbers."""

    def __init__(self, tensor):
        super().__init__(f"{tensor.name} is not known before the program runs; shapes are static on the IPU")
        self.settling = _settling(tensor.op)


Unknown.__module__, Unknown.__name__, Unknown.__qualname__ = "builtins", "ValueError", "ValueError"  # as scripts see it


def _settling(op):
    most = 16
    found, seen, todo = set(), set(), [(op, False)]
    while todo:
        each, is_whole = todo.pop()
        if id(each) in seen or each.kind == "constant":
            continue
        seen.add(id(each))
        is_whole = is_whole or each.kind == "cast" and each.outputs[0].dtype.is_integer
        todo += [(tensor.op, is_whole) for tensor in each.inputs]
        if each.kind in ("argument", "read"):
            tensor = each.outputs[0]
            is_count = tensor.dtype.is_integer or is_whole and each.kind == "argument" and tensor.dims == ()  # cast to a whole number
            if not is_count or None in tensor.dims or np.prod(tensor.dims) > most:
                return set()
            if each.kind == "argument" and each.graph.of_loop:
                return set()
            found.add(each.attributes["index"] if each.kind == "argument" else each.attributes["variable"])
        elif not each.inputs:
            return set()
    return found


def settled(variable):
    """What a variable has in a function of TensorFlow 2 that is traced for each of its values, before it changes it; None of any other."""
    here = graph.current()
    outer = here.outermost()
    of_function = outer.__dict__.get("settled", ())
    if variable not in of_function or variable in _changed_in(outer, here):
        return None
    of_function[variable] = of_function[variable] or here is not outer
    return graph.symbolic(variable.first_values())


def _all_of(*graphs):
    """These graphs, and those of the loops in them."""
    for each in graphs:
        yield each
        yield from _all_of(*(op.attributes["body"] for op in each.operations_ if op.kind == "repeat"))


def changed_by(op):
    """The variables that an operation changes."""
    return [op.attributes["variable"]] if op.kind == "assign" else (op.attributes["variables"] or []) if op.kind == "minimize" else []


def _changed_in(*graphs):
    return {each for one in _all_of(*graphs) for op in one.operations_ for each in changed_by(op)}


def check_settled(made):
    """Errors: refused where a loop of a function reads a variable as a constant, and the function changes it."""
    changed = _changed_in(made)
    for variable, is_in_loop in made.settled.items():
        if is_in_loop and variable in changed:
            raise failures.refused(f"a loop in the body of another one, of as many steps as {variable.name} says, which the function changes",
                                   "give the number as an argument of the function")


def ask_for(value):
    """Has a function of TensorFlow 2 traced again with the arguments and variables that decide a value, where nothing else does."""
    unknown = Unknown(convert(value))
    if unknown.settling and hasattr(graph.current(), "traced"):
        raise unknown


def known(value):
    """The same of a value that must be known: of a shape, a constant, or what is made of them."""
    array = known_or_none(value)
    if array is None:
        raise Unknown(convert(value))
    return array
