# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.while_loop in a graph that a session runs on the host: it makes steps as long as the condition holds, as TensorFlow does on a CPU."""
import itertools

from . import compiler, lowering
from .. import failures
from ..dtypes import TensorShape
from ..structure import flatten, pack_like
from ..tensors import graph

REFUSED = {"minimize", "keras", "compared", "ctc_loss", "gradients", "enqueue", "repeat", "compiled"}  # what a session has a program of its own for


def may_be(here):
    """Whether a session would go through a loop of this graph itself: outside of functions and of the scope of an IPU."""
    of_session = here.above is None and not here.of_tape and not hasattr(here, "traced") or getattr(here, "of_host_loop", False)
    return of_session and not graph.executing_eagerly() and not here.guards and "IPU" not in here.device.upper()


def made(name, cond, body, loop_vars, shape_invariants=None):
    """The values after such a loop."""
    outer = graph.current()
    tensors = [graph.symbolic(each) for each in flatten(loop_vars)]
    dims = [each.dims for each in tensors] if shape_invariants is None else [TensorShape(each).dims_ for each in flatten(shape_invariants)]
    inner = compiler.inner_graph(outer)
    inner.of_loop = inner.of_host_loop = True
    inner.of_program = outer.of_program
    with inner.as_default():
        arguments = [inner.add("argument", [], {"index": i}, [(each.dtype, each_dims)], "while/Merge").outputs[0]
                     for i, (each, each_dims) in enumerate(zip(tensors, dims))]
        values = pack_like(loop_vars, arguments)
        test = graph.symbolic(cond(*values))
        given = body(*values)
        outputs = [graph.symbolic(each) for each in flatten(given if isinstance(given, (list, tuple, dict)) else [given])]
    _check(arguments, outputs)
    found = next((op.kind for op in inner.operations_ if op.kind in REFUSED), None)
    if found is not None:
        raise failures.refused(f"{name} of a session whose body has layers, gradients or programs of its own", "give it maximum_iterations")
    ends = lowering.reachable([test, *outputs], lambda op: op.graph is inner)
    around = [each for op in ends for each in op.inputs if each.op.graph is not inner]
    op = outer.add("while", [*tensors, *around], {"test": test, "outputs": outputs, "body": inner},
                   [(each.dtype, each_dims) for each, each_dims in zip(tensors, dims)], "while/Exit")
    return pack_like(loop_vars, op.outputs)


def _check(arguments, outputs):
    """Errors: TensorFlow's, where a step gives other than it takes."""
    if len(arguments) != len(outputs):
        raise ValueError(f"The body of the loop takes {len(arguments)} values and gives {len(outputs)} back")
    for before, after in zip(arguments, outputs):
        if before.dtype != after.dtype:
            raise TypeError(f"Input tensor {before.name!r} enters the loop with type {before.dtype.name}, but has type {after.dtype.name} after one "
                            "iteration.")
        if not before.shape.is_compatible_with(after.shape) or before.dims is not None and None not in before.dims and before.dims != after.dims:
            raise ValueError(f"Input tensor {before.name!r} enters the loop with shape {before.shape}, but has shape {after.shape} after one iteration. "
                             "To allow the shape to vary across iterations, use the `shape_invariants` argument of tf.while_loop to specify a less-"
                             "specific shape.")


def run(op, step_of, around):
    """The values after the loop `op`. `step_of`: (what is `around`, the body, its arguments, the number of the step) to what gives its values."""
    attributes = op.attributes
    values = [around.value(each) for each in op.inputs[:len(attributes["outputs"])]]
    for number in itertools.count():
        step = step_of(around, attributes["body"], values, number)
        if not step.value(attributes["test"]):
            return values
        values = [step.value(each) for each in attributes["outputs"]]
