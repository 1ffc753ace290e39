# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops over tf.range in functions that run as one program: what AutoGraph makes of them in TensorFlow. The body is run once,
in a graph of its own, which the device repeats; what it gives names of the function that have values before, the next step has."""
import ctypes
import dis
import inspect
import re
import sys

import numpy as np

from . import gradients, compiler as ipu_compiler
from ..tensors import graph
from .. import errors, failures, host
from ..operations.control_flow import MOST_STEPS
from ..tensors.graph import EagerTensor, Tensor
from .held import has_changed, held_by
from ..structure import flatten, pack_like
from ..operations.tensor_arrays import is_array
from .unset import NotYet, Unset, read

_NOTHING = object()
TAKEN = "__tilescope_taken__"  # what holds the branch that is made, of those on a tensor
LATER = "__tilescope_later__"  # a name of functions that conversions make, which are called where they are made, if at all
_KINDS = ("FAST", "DEREF", "CLOSURE")  # of instructions that read or set a name of the function
_OUTSIDE = {"STORE_ATTR": "an attribute", "DELETE_ATTR": "an attribute", "STORE_GLOBAL": "a global name", "DELETE_GLOBAL": "a global name"}
_ENDS = ("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT",
         "JUMP_ABSOLUTE")  # which the next instruction does not follow


def _touched(step):
    """(what an instruction does, to which name of the function), in order: from Python 3.13 on one does two."""
    if not any(kind in step.opname for kind in _KINDS):
        return []
    return list(zip(re.findall("LOAD|STORE|DELETE", step.opname), step.argval if isinstance(step.argval, tuple) else (step.argval,)))


class _Loop:
    """A loop of a function, by its instructions."""

    def __init__(self, steps, places, begin, handlers=()):
        """`steps`: of the function; `places`: their numbers, by where jumps go; `begin`: the number of that which takes the next
        of what is iterated; `handlers`: (first, end, number) of instructions and where they go on if they fail."""
        self.steps, self.places, self.begin, self.handlers = steps, places, begin, handlers
        end = places[steps[begin].argval]
        after = self._run_from(end, set())
        apart = {each for first, _, handler in handlers if begin < first < end for each in self._run_from(handler, set(after))}
        self.body = steps[begin + 1:end] + [steps[each] for each in sorted(apart - {*range(begin, end)})]
        self.names = {name for each in self.body for done, name in _touched(each) if done == "STORE"}
        self.number = next((name for done, name in _touched(self.body[0]) if done == "STORE"), None)

    def _next_of(self, number):
        """The numbers of the instructions that may follow one."""
        step = self.steps[number]
        jumps = step.opcode in dis.hasjrel or step.opcode in dis.hasjabs
        return ([self.places[step.argval]] if jumps else []) + ([number + 1] if step.opname not in _ENDS else [])

    def _failing(self, number):
        """Where an instruction goes on if it fails; what `with` does then is not told, as no name is read there."""
        return [handler for first, end, handler in self.handlers if first <= number < end]

    def _run_from(self, first, seen):
        """The numbers of the instructions that may run from one on, without those `seen` and what follows them alone."""
        found, rest = set(), [first]
        while rest:
            number = rest.pop()
            if number not in seen and number < len(self.steps):
                seen.add(number)
                found.add(number)
                rest += [*self._next_of(number), *self._failing(number)]
        return found

    def is_of_comprehension(self):
        """Whether its values go into a list that was begun before it: from Python 3.12 on comprehensions are loops of the
        function, of which each begins by putting the names aside that it sets."""
        open_here, before = 0, ""
        for each in self.body:
            begins = each.opname == "LOAD_FAST_AND_CLEAR" and before not in ("LOAD_FAST_AND_CLEAR", "MAKE_CELL")
            ends = each.opname in ("LIST_APPEND", "SET_ADD", "MAP_ADD") and each.arg > 1  # else a list with a star
            open_here, before = open_here + begins - ends, each.opname
            if open_here < 0:
                return True
        return False

    def _gives_in_branches(self, number, name):
        """Whether a name is given a value in branches on a tensor, which an instruction begins: one that leaves it as it was
        reads it."""
        step, after = self.steps[number], self.steps[number + 1:number + 2]
        return step.opname == "FOR_ITER" and any(("STORE", TAKEN) in _touched(each) for each in after) and any(
            ("STORE", name) in _touched(each) for each in self.steps[number + 1:self.places[step.argval]])

    def needs(self, name, left=True):
        """Whether a step may read a name before it sets it. `left`: whether that counts that a branch leaves it as it was."""
        rest, seen, branches = [self.begin + 1], {self.begin}, set()
        while rest:
            number = rest.pop()
            if number in branches:  # one of them has not set it
                if left:
                    return True
                rest.append(self.places[self.steps[number].argval])
            if number in seen or number >= len(self.steps):
                continue
            seen.add(number)
            rest += self._failing(number)  # before it has set a name
            step = self.steps[number]
            done = next((done for done, each in _touched(step) if each == name), None)
            if done == "LOAD":
                return True
            if done is not None:
                continue
            if self._gives_in_branches(number, name):
                branches.add(number)
                rest.append(number + 1)
                continue
            rest += self._next_of(number)
        return False


def _handlers(code, steps, places):
    """(first, end, number) of the instructions within `try`, and where they go on if they fail (from Python 3.11 on; before, an
    instruction jumps there)."""
    found = []
    for entry in getattr(dis.Bytecode(code), "exception_entries", ()):
        handler = places[entry.target]
        if not any(each.opname == "WITH_EXCEPT_START" for each in steps[handler:handler + 2]):
            found.append((places[entry.start], places[entry.end] if entry.end in places else len(steps), handler))
    return found


def loop_of(frame):
    """The loop that a function is about to begin over what it iterates; None where that is no statement `for`, or no loop of a
    device can be made of it: in a generator each step would have to wait."""
    code = frame.f_code
    if code.co_name.startswith("<") or code.co_flags & (inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR) or \
            (frame.f_globals.get("__package__") or "").split(".")[0] == __package__.split(".")[0]:
        return None
    steps, places = [], {}
    for each in dis.get_instructions(code):
        places[each.offset] = len(steps)
        if each.opname not in ("EXTENDED_ARG", "CACHE"):
            steps.append(each)
    here = places[frame.f_lasti]
    if [each.opname for each in steps[here:here + 2]] != ["GET_ITER", "FOR_ITER"]:
        return None
    found = _Loop(steps, places, here + 1, _handlers(code, steps, places))
    return None if found.is_of_comprehension() else found


def _shared(code):
    """Names of a function that others read when they are called."""
    for each in code.co_consts:
        if hasattr(each, "co_freevars"):
            at_once = LATER in each.co_varnames or each.co_name in ("<listcomp>", "<setcomp>", "<dictcomp>")
            yield from _shared(each) if at_once else each.co_freevars


def give(frame, values):
    """Sets names of a function that is running (until Python 3.13 f_locals is a copy of them, which is written back)."""
    names = frame.f_locals
    names.update(values)
    if sys.version_info < (3, 13):
        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))


def is_value(value):
    """Whether a loop may hand it on: tensors and numbers, in any nesting."""
    leaves = flatten(value)
    return bool(leaves) and all(isinstance(each, (Tensor, np.ndarray, np.generic, bool, int, float)) for each in leaves)


def _changes(what):
    return failures.refused(f"{what} that the body of a loop over tf.range changes", "its steps hand on what it gives names of its "
                            "function alone; give it one, or enqueue it")


def unrolled(numbers):
    """The numbers of a tf.range, one after another."""
    if len(numbers) > MOST_STEPS:
        raise failures.refused(f"a loop of {len(numbers)} steps over tf.range within a loop of the device, a branch on a tensor or a GradientTape, "
                               "or a list of as many", "it is unrolled; make the loop around it longer")
    with graph.current().with_(is_unrolled=True):
        yield from map(EagerTensor, numbers)


def over(numbers, frame):
    """What a function that begins to iterate a tf.range gets: its numbers, or one that stands for each, as a loop of the device
    has it: that is in no other one, in no branch on a tensor and in no open GradientTape."""
    here = graph.current()
    if here.open_tapes:
        host.tell_once("tilescope: a loop over tf.range within a GradientTape is unrolled")
        return unrolled(numbers)
    loop = loop_of(frame) if len(numbers) > 1 and not here.of_loop and not here.guards else None
    if loop is not None and any(is_array(value) for name, value in frame.f_locals.items() if name in loop.names):
        host.tell_once("tilescope: a loop over tf.range that changes a tf.TensorArray is unrolled")
        return unrolled(numbers)
    return unrolled(numbers) if loop is None else _on_device(numbers, frame, loop)


def _on_device(numbers, frame, loop):
    here, bound = graph.current(), dict(frame.f_locals)
    for each in loop.body:
        if each.opname in _OUTSIDE:
            raise _changes(_OUTSIDE[each.opname])
    shared = {*_shared(frame.f_code), *frame.f_code.co_freevars}
    handed = {name: value for name, value in bound.items() if name in loop.names and name != loop.number and not isinstance(
        value, (Unset, NotYet)) and (name in shared or loop.needs(name))}
    before = {name: value for name, value in handed.items() if is_value(value)}
    given = [graph.symbolic(numbers[0]), *(graph.symbolic(each) for value in before.values() for each in flatten(value))]
    inner = ipu_compiler.inner_graph(here)
    inner.of_loop, inner.of_range = True, True
    here.open_loops += 1
    held = held_by(frame, objects=False)
    with inner.as_default():
        index, *arguments = ipu_compiler.arguments_of(inner, given)
        rest = iter(arguments)
        packed = {name: pack_like(value, [next(rest) for _ in flatten(value)]) for name, value in before.items()}
        awaited = {name: Awaited(name, given, before, packed) for name, value in bound.items() if name in loop.names and isinstance(value, NotYet)}
        give(frame, packed | awaited)
        bound.update(packed | awaited)
        yield index
        found = frame.f_locals
        set_now = {name: value for name, value in found.items() if value is not bound.get(name, _NOTHING) and name != loop.number}
        lost = {name: value for name, value in set_now.items() if isinstance(value, Unset) and not loop.needs(name, left=False)}
        _check(loop, held, {name: value for name, value in handed.items() if name not in lost}, before, set_now)
        after = {name: value for name, value in found.items() if is_value(value) and (
            name in set_now or name in before or name == loop.number)}
        made = [index + (numbers[1] - numbers[0])]
        for name, value in before.items():
            made += handed_on(name, value, after.get(name, packed[name] if name in lost else None), given[len(made):])
        fresh = {name: value for name, value in after.items() if name not in before}
        made += [graph.symbolic(each) for value in fresh.values() for each in flatten(value)]
    here.open_loops -= 1
    ipu_compiler.forget_assigned(here, inner)
    op = here.add("repeat", given, {"n": len(numbers), "outputs": made, "leaves": None, "fed": [], "queue": None, "schedule": {},
                                    "body": inner, "exchange": gradients.exchange()}, [(t.dtype, t.dims) for t in made], "range")
    rest = iter(op.outputs[1:])
    give(frame, {name: pack_like(value, [next(rest) for _ in flatten(value)])
                  for name, value in {**{name: after.get(name, packed[name]) for name in before}, **fresh}.items()} | lost | {
                      name: NotYet() for name in awaited.keys() - before.keys() - fresh.keys()})


class Awaited(NotYet):
    """The same in the body of a loop of the device, which hands it on from where a step has given it: before that it is 0."""

    def __init__(self, name, given, before, packed):
        """`given`: the loop's inputs; `before`, `packed`: what names have before it and in a step, to which this one is added."""
        self.name, self.given, self.before, self.packed = name, given, before, packed
        self.outer, self.inner = given[0].graph, graph.current()

    def like(self, value):
        if self.name in self.packed or not is_value(value):
            return self.packed.get(self.name, value)
        tensors = [graph.convert(each) for each in flatten(value)]
        with self.outer.as_default():
            firsts = [graph.symbolic(np.zeros(each.dims, each.dtype.as_numpy_dtype)) for each in tensors]
        arguments = [self.inner.add("argument", [], {"index": len(self.given) + i}, [(each.dtype, each.dims)], self.name).outputs[0]
                     for i, each in enumerate(firsts)]
        self.given += firsts
        self.before[self.name], self.packed[self.name] = pack_like(value, firsts), pack_like(value, arguments)
        return self.packed[self.name]


def _check(loop, held, handed, before, set_now):
    """That a step has set nothing that the next one would need and does not get. `held`: what lists and dictionaries held before
    it; `handed`: what names had that it may read; `before`: those of tensors; `set_now`: what it gave names."""
    if has_changed(held):
        raise _changes("a list, a dictionary or a global name")
    for name, value in set_now.items():
        if name not in loop.names:
            raise _changes(f"'{name}' of the function around it")
        if name in handed and read(value) is value and name not in before:
            raise TypeError(f"'{name}' is {described(handed[name])} before the loop, but {described(value)} after one iteration: give "
                            "it tensors of the same dtypes and shapes before the loop")


def described(value):
    """What a person is told of a value."""
    if isinstance(value, Tensor):
        return f"a tensor of dtype {value.dtype.name} and shape {value.shape}"
    told = value is None or isinstance(value, (bool, int, float, str)) or (isinstance(value, (list, tuple, dict)) and not value)
    return repr(value) if told else f"a {type(value).__name__}"


def handed_on(name, before, after, given):
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


def wanted(loop, used):
    """Of a loop over tf.range: (the numbers of its outputs that are among the tensors `used`, what of its body its steps need)."""
    from . import compiled, functions
    if any(t.op.graph.of_range for t in used):
        raise failures.refused("a value of a loop over tf.range that is used after it, and was put into a list, a dictionary or an "
                               "attribute", "give it a name of the function, or enqueue it")
    kept = sorted({t.value_index for t in used if t.op is loop})
    body, outputs = loop.attributes["body"], loop.attributes["outputs"]
    chosen = {id(outputs[k]): outputs[k] for k in kept}
    effects = [op for op in body.operations_ if op.kind in ipu_compiler.EFFECTS] + functions.conditions_of(body.operations_)
    while True:
        handed = {id(outputs[k]): outputs[k] for k in compiled.states_in([*chosen.values(), *effects], body)}
        if handed.keys() <= chosen.keys():
            return kept, [*chosen.values(), *effects]
        chosen.update(handed)


def check_ended(here):
    """That a function left none of its loops before their end."""
    if here.open_loops:
        raise errors.UnimplementedError(message="a loop over tf.range that `break` or `return` ends is not there under tilescope run: "
                                        "the device makes all of its steps; choose with tf.where what counts")
