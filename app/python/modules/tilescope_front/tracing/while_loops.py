# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.while_loop: a loop of the device, where the host can say how many steps it has."""
from . import counted_loops, found_loops, host_loops
from .. import failures
from ..operations import control_flow
from ..operations.tensor_arrays import is_array
from ..structure import flatten
from ..tensors import graph, known_values, repeated_steps


def _of_session(name, cond, body, loop_vars, shape_invariants):
    """A loop of a session is unrolled, where that can be; else the host goes through its steps."""
    here = graph.current()
    before = len(here.operations_)
    with repeated_steps.repeated() as begin:  # what its body makes, it makes once
        begin()
        try:
            return control_flow.unrolled(name, control_flow.REMEDY, cond, body, loop_vars, None)
        except failures.NotThere:
            if any(map(is_array, flatten(loop_vars))):
                raise
            del here.operations_[before:]
        begin()
        return host_loops.made(name, cond, body, loop_vars, shape_invariants)


def _counted_or_unrolled(name, cond, body, loop_vars, maximum_iterations, shape_invariants=None):
    """A loop in a function of TensorFlow 1 is the device's, where the host can say how many steps it has; others are unrolled."""
    if maximum_iterations is None and host_loops.may_be(graph.current()):
        return _of_session(name, cond, body, loop_vars, shape_invariants)
    if maximum_iterations is not None or not counted_loops.may_be(graph.current()):
        return control_flow.unrolled(name, control_flow.REMEDY, cond, body, loop_vars, maximum_iterations)
    with repeated_steps.repeated() as begin:  # what its body makes, it makes once
        begin()
        test = cond(*loop_vars)
        truth, made = control_flow.known_truth(test), None
        if truth is None and not control_flow.has_bound(test):
            made = counted_loops.made(cond, body, loop_vars)
        if made is None and not control_flow.has_bound(test) and (truth is None or truth and not found_loops.ends_known(cond, body, loop_vars)):
            begin()
            made = found_loops.made(cond, body, loop_vars)
        begin()
        return control_flow.unrolled(name, control_flow.REMEDY, cond, body, loop_vars, maximum_iterations) if made is None else made


def while_loop_2(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True, swap_memory=False, maximum_iterations=None,
                 name=None):
    """That of TensorFlow 2."""
    here = graph.current()
    if maximum_iterations is None and hasattr(here, "traced") and found_loops.may_be(here):
        with repeated_steps.repeated() as begin:
            begin()
            test = cond(*loop_vars)
            if control_flow.known_truth(test) is None and not control_flow.has_bound(test):
                for each in control_flow.parts_of(graph.symbolic(test)):
                    known_values.ask_for(each)
                begin()
                made = found_loops.made(cond, body, loop_vars)
                if made is not None:
                    return made
    return control_flow.unrolled("tf.while_loop", control_flow.REMEDY, cond, body, loop_vars, maximum_iterations)


def while_loop_1(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True,
                 swap_memory=False, name=None, maximum_iterations=None, return_same_structure=False):
    """That of TensorFlow 1, which gives a single value as such."""
    made = _counted_or_unrolled("tf.while_loop", cond, body, loop_vars, maximum_iterations, shape_invariants)
    return made[0] if len(made) == 1 and not return_same_structure else made


def ipu_while_loop(condition, body, inputs=None, infeed_queue=None, maximum_iterations=None, use_while_v1=True):
    """ipu.loops.while_loop."""
    inputs = [] if inputs is None else list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    if infeed_queue is not None:
        is_counted = maximum_iterations is None and counted_loops.may_be(graph.current())
        made = counted_loops.made(condition, body, inputs, infeed_queue) if is_counted else None
        if made is None:
            raise failures.refused("ipu.loops.while_loop(infeed_queue=…) that no counter ends at a bound", "use ipu.loops.repeat with a number of steps")
    else:
        made = _counted_or_unrolled("ipu.loops.while_loop", condition, body, inputs, maximum_iterations)
    return made[0] if len(made) == 1 else made
