# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.cond, tf.case and tf.while_loop. A program of the device has neither: what is known when it is made decides at once, of
two branches both are computed and one is taken, and a loop is unrolled."""
import contextlib

import numpy as np

from . import failures, graph, host, operations
from .operations import known, known_or_none
from .structure import flatten, pack_like
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

    def _node(self, here, tensor, **more):
        return graph.Operation(here, "identity", [tensor], {"all": [graph.symbolic(self.pred)], "is_taken": self.is_taken, **more},
                               [(tensor.dtype, tensor.dims)], "Switch").outputs[0]


def seen_within(here, kind, inputs):
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
def branch(pred, is_taken, of="tf.cond"):
    """Within it a branch is made. Both are computed, so that neither may have an effect but to assign to variables."""
    here = graph.current()
    before = len(here.operations_)
    with here.with_(guards=(*here.guards, Guard(pred, is_taken))):
        yield
    if any(op.kind in ("minimize", "enqueue", "dequeue", "repeat", "compiled") for op in here.operations_[before:]):
        raise failures.refused(f"{of} of branches that minimize, enqueue, take elements of data sets or loop", "both branches are computed; "
                               f"let them give values, and do that with what {of} gives")
    if any(op.kind == "keras" and op.attributes["training"] and '"BatchNormalization"' in op.attributes["document"]
           for op in here.operations_[before:]):
        raise failures.refused(f"{of} with a BatchNormalization that trains in a branch", "both branches are computed, and it would take "
                               "the batch into account in each; call it before, and choose between what is made of that")


def tell_of_both(of="tf.cond"):
    host.tell_once(f"tilescope: {of} computes both branches on the device, which one alone would not cost")


def _branch(function, pred, is_taken):
    """What a branch gives."""
    with branch(pred, is_taken):
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


def cond(pred, true_fn=None, false_fn=None, name=None, strict=False, fn1=None, fn2=None):
    """tf.cond: the branch that is taken, or where only the device knows, both and a choice between their values."""
    true_fn, false_fn = true_fn or fn1, false_fn or fn2
    decided = bool(graph.convert(pred).value) if graph.values_at_hand() else known_or_none(pred)
    if decided is not None:
        return true_fn() if decided else false_fn()
    made, here = [_branch(true_fn, pred, True), _branch(false_fn, pred, False)], graph.current()
    if not here.guards and not here.of_program:  # a session runs what is fetched: the next one may run without this one
        here.guarded.clear()
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


def unrolled(name, remedy, cond, body, loop_vars, maximum_iterations):
    most = None if maximum_iterations is None else int(known(maximum_iterations))
    values, steps = pack_like(loop_vars, [_as_known(each) for each in flatten(loop_vars)]), 0
    while most is None or steps < most:
        more = known_or_none(cond(*values))
        if more is None:
            raise failures.refused(f"{name} whose number of steps the device decides", remedy)
        if not more:
            break
        if steps == MOST_STEPS and not graph.executing_eagerly():
            raise failures.refused(f"{name} of more than {MOST_STEPS} steps", remedy)
        made = body(*values)
        values = pack_like(loop_vars, [_as_known(each) for each in
                                       flatten(made if isinstance(made, (list, tuple)) else [made])])
        steps += 1
    if steps and not graph.executing_eagerly():
        host.tell_once(f"tilescope: {name} is unrolled")
    if graph.executing_eagerly():
        return values
    return pack_like(loop_vars, [each if is_array(each) else graph.symbolic(each) for each in flatten(values)])


REMEDY = "it is unrolled; use ipu.loops.repeat with a number of steps"


def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True,
               swap_memory=False, maximum_iterations=None, name=None):
    """tf.while_loop of TensorFlow 2."""
    return unrolled("tf.while_loop", REMEDY, cond, body, loop_vars, maximum_iterations)


def while_loop_1(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True,
                 swap_memory=False, name=None, maximum_iterations=None, return_same_structure=False):
    """That of TensorFlow 1, which gives a single value as such."""
    made = unrolled("tf.while_loop", REMEDY, cond, body, loop_vars, maximum_iterations)
    return made[0] if len(made) == 1 and not return_same_structure else made


def ipu_while_loop(condition, body, inputs=None, infeed_queue=None, maximum_iterations=None, use_while_v1=True):
    """ipu.loops.while_loop."""
    if infeed_queue is not None:
        raise failures.refused("ipu.loops.while_loop(infeed_queue=…)", "use ipu.loops.repeat with a number of steps")
    inputs = [] if inputs is None else list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    made = unrolled("ipu.loops.while_loop", REMEDY, condition, body, inputs, maximum_iterations)
    return made[0] if len(made) == 1 else made


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
