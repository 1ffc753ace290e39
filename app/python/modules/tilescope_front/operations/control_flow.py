# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.cond, tf.case and tf.while_loop. A program of the device has neither: what is known when it is made decides at once, of
two branches both are computed and one is taken, and a loop is unrolled."""
import contextlib
import functools

import numpy as np

from . import elementary as operations
from .. import failures, host
from ..tensors import graph, known_values, repeated_steps
from .elementary import known, known_or_none
from ..structure import flatten, pack_like
from .tensor_arrays import is_array

MOST_STEPS = 1000


class Guard:
    """A branch that is being made: of which condition, whether it is made for that to hold, and what it sees of what is around it."""

    def __init__(self, pred, is_taken):
        self.pred, self.is_taken, self.begun, self.seen = pred, is_taken, next(graph.Graph.numbers), {}

    def seen_in(self, here, tensor):
        """A tensor of what is around the branch, as what is made in it has it: no gradient of a branch that is not taken goes on
        to it. Those that flow there are of 0, and what is infinite makes them nan."""
        if tensor not in self.seen:
            self.seen[tensor] = self._node(here, tensor)
        return self.seen[tensor]

    def given_to_layers(self, here, tensor):
        """The same for layers, whose weights they read by themselves: 0 where the branch is not taken, as their gradients are then."""
        return self._node(here, tensor, otherwise=0)

    @staticmethod
    def made_within(here, kind, attributes, inputs):
        """(attributes, inputs) of an operation that is made in branches."""
        return _with_condition(here, kind, attributes), _seen_within(here, kind, inputs)

    def _node(self, here, tensor, **more):
        return graph.Operation(here, "identity", [tensor], {"all": [graph.symbolic(self.pred)], "is_taken": self.is_taken, **more},
                               [(tensor.dtype, tensor.dims)], "Switch").outputs[0]


def _seen_within(here, kind, inputs):
    """The inputs of an operation that is made in branches, as those have them."""
    made = []
    for tensor in inputs:
        is_outside = tensor.op.kind == "read"  # of a variable, which is around all of them
        for guard in here.guards if tensor.dtype.is_floating and kind != "gradients" else ():
            is_outside = is_outside or tensor.op.number < guard.begun
            tensor = guard.seen_in(here, tensor) if is_outside else tensor
        made.append(here.guards[-1].given_to_layers(here, tensor) if kind == "keras" and tensor.dtype.is_floating else tensor)
    return made


def guarded(variable, value):
    """What a variable is assigned within branches of tf.cond, which are all computed: `value` where they are taken, else
    what it would have been assigned without it."""
    here = graph.current()
    guards, assigned = here.guards, here.guarded
    if not guards:
        assigned.pop(variable, None)
        return value
    former = assigned[variable] if variable in assigned else getattr(variable, "read_in_order", variable.tensor_of_variable)()
    value = graph.symbolic(value, like=variable)
    for guard in guards:
        value = taken(guard.pred, *((value, former) if guard.is_taken else (former, value)), "tf.cond")
    assigned[variable] = value
    return value


@contextlib.contextmanager
def branch(pred, is_taken, of="tf.cond", parts="branches", computed="both branches are"):
    """Within it a branch is made, or a step. All are computed; what has an effect has it where the branch is taken (counts())."""
    here = graph.current()
    before = len(here.operations_)
    with here.with_(guards=(*here.guards, Guard(pred, is_taken))):
        yield
    if any(op.kind in ("repeat", "compiled") for op in here.operations_[before:]):
        raise failures.refused(f"{of} of {parts} that loop on the device", f"{computed} computed; let them give values, and loop over "
                               f"what {of} gives")


_EFFECTS = ("minimize", "enqueue", "dequeue")


def _with_condition(here, kind, attributes):
    """The attributes of an operation that is made in branches, with whether it counts, where it has an effect."""
    if kind not in _EFFECTS and not (kind == "keras" and attributes["training"]):
        return attributes
    counted = counts(here)
    return {**attributes, "counts": counted, "all": [*attributes.get("all", ()), counted]}


def counts(here):
    """Whether all branches are taken that are being made: one truth value."""
    known, guards = here.__dict__.setdefault("counted_guards", {}), here.guards
    if guards not in known:
        with here.with_(guards=()):
            tests = [condition(graph.symbolic(guard.pred)) for guard in guards]
            known[guards] = functools.reduce(operations.logical_and, [
                test if guard.is_taken else operations.MATH["logical_not"](test) for guard, test in zip(guards, tests)])
    return known[guards]


def tell_of_both(of="tf.cond"):
    host.tell_once(f"tilescope: {of} computes both branches on the device, which one alone would not cost")


def _branch(function, pred, is_taken, of="tf.cond"):
    """What a branch gives."""
    with branch(pred, is_taken, of):
        made = function()
    return pack_like(made, [_after(each) if isinstance(each, graph.Operation) else each for each in flatten(made)])


def _after(operation):
    """A number in the place of an operation, which it comes after."""
    with graph.current().with_(control=(operation,)):
        return graph.symbolic(np.int32(0))


def taken(condition, a, b, name):
    a, b = graph.convert(a), graph.convert(b)
    if a.dtype != b.dtype or a.dims != b.dims:
        raise TypeError(f"the branches of {name} give {a.dtype.name} {a.shape} and {b.dtype.name} {b.shape}")
    if a.dims is None or None in a.dims:  # the condition as numbers of that shape
        if a.dims is None:
            raise ValueError(f"{name} whose branches give tensors of an open rank: give the placeholders shapes")
        ones = operations.cast(operations.ones_like(a), "float32")
        return operations.where(operations.greater(operations.multiply(ones, operations.cast(condition, "float32")), 0.5), a, b)
    return operations.where(operations.broadcast_to(condition, list(a.dims)), a, b)


def known_truth(test):
    """Whether a condition holds; None where only the device knows."""
    test = graph.convert(test) if hasattr(test, "tensor_of_variable") else test
    if not graph.is_symbolic(test) or graph.values_at_hand():
        return bool(test)
    value = known_or_none(test)
    if value is not None:
        return bool(value)
    if test.op.kind in ("logical_and", "logical_or"):
        decisive = test.op.kind == "logical_or"
        if decisive in [known_truth(each) for each in test.op.inputs]:
            return decisive
    return None


def parts_of(test):
    """A condition, and those that must hold with it."""
    return [test] + [part for each in test.op.inputs for part in parts_of(each)] if test.op.kind == "logical_and" else [test]


def has_bound(test):
    """Whether a condition, which the device finds, also asks for what is known, as of a counter: it may end when that does."""
    return getattr(test, "has_bound", False) or (graph.is_symbolic(test) and test.op.kind == "logical_and" and any(
        known_truth(each) is not None or has_bound(each) for each in test.op.inputs))


def condition(test):
    """A condition as a truth value. Errors: TypeError where it is more than one."""
    test = graph.convert(test)
    if test.dims != ():
        raise TypeError(f"a condition must be one truth value, and {test.name} has the shape {test.shape}: use tf.reduce_any or tf.reduce_all")
    return test if test.dtype.is_bool else operations.not_equal(test, operations.zeros_like(test))


def forget_branches():
    """That no branch is being made any more: what variables were assigned in them counts for what a session runs alone."""
    here = graph.current()
    if not here.guards and not here.of_program:  # a session runs what is fetched: the next one may run without this one
        here.guarded.clear()


def cond(pred, true_fn=None, false_fn=None, name=None, strict=False, fn1=None, fn2=None):
    """tf.cond: the branch that is taken, or where only the device knows, both and a choice between their values."""
    true_fn, false_fn = true_fn or fn1, false_fn or fn2
    decided = bool(graph.convert(pred).value) if graph.values_at_hand() else known_truth(pred)
    if decided is not None:
        return true_fn() if decided else false_fn()
    made = [_branch(true_fn, pred, True), _branch(false_fn, pred, False)]
    forget_branches()
    leaves = [flatten(each) for each in made]
    if len(leaves[0]) != len(leaves[1]):
        raise TypeError("true_fn and false_fn of tf.cond must give as many values")
    tell_of_both()
    return pack_like(made[0], [taken(pred, a, b, "tf.cond") for a, b in zip(*leaves)])


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """tf.case: the first branch whose condition holds; the last one, where there is no other."""
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not callable(pair[1]):
            raise TypeError(f"tf.case takes pairs (condition, function), and {pair!r} is none: write [(x > 0, lambda: y), …]")
    if not pairs:
        raise ValueError("tf.case needs one pair of a condition and a function at the least")
    if default is None:
        default = pairs.pop()[1]
    return _first_of(pairs, default)


def _first_of(pairs, otherwise):
    if not pairs:
        return otherwise()
    return cond(pairs[0][0], pairs[0][1], lambda: _first_of(pairs[1:], otherwise))


def switch_case(branch_index, branch_fns, default=None, name="switch_case"):
    """tf.switch_case: the branch of that number; the default, else the last one, where there is none."""
    numbered = dict(branch_fns) if isinstance(branch_fns, dict) or isinstance(branch_fns[0], (tuple, list)) else \
        dict(enumerate(branch_fns))
    return case([(operations.equal(branch_index, number), function) for number, function in sorted(numbered.items())], default)


def _as_known(value):
    """A tensor, as one of the host where its value is known: then the next step knows it, too."""
    if is_array(value):
        return value
    array = known_or_none(value)
    return graph.convert(value) if array is None else graph.EagerTensor(array)


class Steps:
    """The steps of an unrolled loop, which the device may not have to take. Each is made as if all before it counted, so that what
    Python knows of its values, as of a counter, is known; in the end those count that are of the last step that did."""

    def __init__(self, name, remedy, is_bounded=False):
        """`is_bounded`: whether the number of steps is, whatever the condition."""
        self.name, self.remedy, self.is_bounded = name, remedy, is_bounded
        self.before, self.alive, self.taken = [], None, 0  # (condition, values) of those that may not count; whether the next one does

    def goes_on(self, test, values, is_step=True, is_bounded=False):
        """Whether there is another step, or the rest of one, by its condition; `values`: those before it. `is_bounded`: whether
        something else ends the loop, too."""
        more = known_truth(test)
        if more is None:
            if not self.before and not (self.is_bounded or is_bounded or has_bound(test)):
                for each in parts_of(graph.symbolic(test)):
                    known_values.ask_for(each)
                raise failures.refused(f"{self.name} whose number of steps the device decides", self.remedy)
            test = condition(test)
            self.before.append((test, values))
            self.alive = test if self.alive is None else operations.logical_and(self.alive, test)
        elif not more:
            return False
        if is_step and self.taken == MOST_STEPS and not graph.values_at_hand():
            raise failures.refused(f"{self.name} of more than {MOST_STEPS} steps", self.remedy)
        self.taken += is_step
        return True

    def step(self):
        """A context in which a step is made."""
        return contextlib.nullcontext() if self.alive is None else branch(self.alive, True, self.name, "steps", "all steps are")

    def after(self, values, chosen):
        """The values after the loop, of those after its last step. `chosen`: (condition, values if it holds, others) to values."""
        if self.before:
            tell_of_all_steps(self.name)
        for test, others in reversed(self.before):
            values = chosen(test, values, others)
        return values


def tell_of_all_steps(of):
    host.tell_once(f"tilescope: {of} whose end the device finds makes all steps that it may have, and takes back those that do not count: "
                   "its time is that of all of them")


def most_steps(maximum_iterations):
    return int(known(maximum_iterations))


def unrolled(name, remedy, cond, body, loop_vars, maximum_iterations):
    most = None if maximum_iterations is None else most_steps(maximum_iterations)
    values, steps = pack_like(loop_vars, [_as_known(each) for each in flatten(loop_vars)]), Steps(name, remedy, most is not None)
    with repeated_steps.repeated() as begin_step:
        while (most is None or steps.taken < most) and steps.goes_on(cond(*values), values):
            begin_step()
            with steps.step(), graph.current().with_(is_unrolled=True):
                made = body(*values)
            values = pack_like(loop_vars, [_as_known(each) for each in
                                           flatten(made if isinstance(made, (list, tuple)) else [made])])
    if graph.executing_eagerly():
        return values
    if steps.taken:
        host.tell_once(f"tilescope: {name} is unrolled")

    def chosen(test, a, b):
        return pack_like(loop_vars, [one if one is other else one.chosen(test, other) if is_array(one) else taken(test, one, other, name)
                                     for one, other in zip(flatten(a), flatten(b))])
    values = steps.after(values, chosen)
    forget_branches()
    return pack_like(loop_vars, [each if is_array(each) else graph.symbolic(each) for each in flatten(values)])


REMEDY = "give it maximum_iterations, or a condition that a counter ends, too, as i < 10"


def stop_gradient(input, name=None):
    """tf.stop_gradient."""
    x = graph.convert(input)
    if not x.dtype.is_floating:
        return operations.identity(x, name)
    return graph.apply("stop_gradient", [x], None, name)[0]


def recompute_grad(f):
    """tf.recompute_grad: values are the same; IPUConfig.allow_recompute is what computes activations again."""
    return f


NAMES = {each.__name__: operations.lifted(each) for each in (stop_gradient,)} | {
    "cond": cond, "case": case, "switch_case": switch_case, "recompute_grad": recompute_grad}
