# SPDX-License-Identifier: GPL-3.0-or-later
"""ipu_compiler.compile and ipu.loops: functions that become device programs of their own, as tracing/compiled.py has them run."""
from .. import failures, host
from ..operations import control_flow
from . import gradients, variable_scopes
from ..tensors import graph, known_values
from ..tensors.graph import GraphTensor, Operation
from ..structure import flatten, pack_like
from ..operations.tensor_arrays import is_array


EFFECTS = ("minimize", "assign", "enqueue")


def inner_graph(outer):
    """A graph for the body of a function: variables are those of the graph around it."""
    inner = graph.Graph()
    inner.above, inner.of_program, inner.in_order = outer, True, outer.in_order
    for name in ("traced", "observed"):  # of TensorFlow 2
        if name in outer.__dict__:
            inner.__dict__[name] = outer.__dict__[name]
    inner.device, inner.shard, inner.seed, inner.rounding = outer.device, outer.shard, outer.seed, outer.rounding
    inner.variable_scopes = list(outer.variable_scopes)
    return inner


def arguments_of(inner, tensors):
    return [inner.add("argument", [], {"index": i}, [(t.dtype, t.dims)], f"arg_{i}").outputs[0]
            for i, t in enumerate(tensors)]


def forget_assigned(outer, inner):
    """That a loop has been made: what the function had assigned before to variables that its body changes is not what they are."""
    for op in inner.operations_:
        for variable in known_values.changed_by(op):
            for known in (outer.__dict__.get("assigned", {}), outer.guarded):
                known.pop(variable, None)


def _traced(inner, function, arguments):
    with inner.as_default():
        returned = function(*arguments)
        leaves = [each for each in flatten(returned if returned is not None else []) if each is not None]
        return returned, [each if isinstance(each, (GraphTensor, Operation)) else graph.symbolic(each)
                          for each in leaves]


def _device_within(inner):
    """The IPU that the function itself, or the body of a loop in it, names; None where none does."""
    for op in inner.operations_:
        body = op.attributes.get("body")
        device = op.device if op.on_ipu else _device_within(body) if isinstance(body, graph.Graph) else None
        if device is not None:
            return device
    return None


def compile(computation, inputs=None):
    """Makes a function one device program: the list of its output tensors. The scope of the IPU is around it, or within the function."""
    outer = graph.current()
    if outer.above is not None:
        return _within(outer, computation, inputs)
    tensors = [graph.symbolic(each) for each in flatten(list(inputs or []))]
    inner, variables, opened = inner_graph(outer), set(outer.variables), dict(variable_scopes.opened())
    arguments = pack_like(list(inputs or []), arguments_of(inner, tensors))
    returned, leaves = _traced(inner, computation, arguments)
    outputs = [each for each in leaves if isinstance(each, GraphTensor)]
    device = outer.device if "IPU" in outer.device.upper() else _device_within(inner)
    if device is None:
        outer.keep_variables(variables)  # so that they are new where it is called once more, in a scope
        variable_scopes.open_again(opened)
        raise Exception("The computation is not placed on an IPU: call ipu_compiler.compile within "
                        "`with ipu.scopes.ipu_scope(\"/device:IPU:0\"):`")
    with outer.with_(device=device):
        op = outer.add("compiled", tensors, {"outputs": outputs, "leaves": leaves},
                       [(t.dtype, t.dims) for t in outputs], getattr(computation, "__name__", "computation"))
    if not outputs:
        return op
    if isinstance(returned, dict):
        return pack_like(returned, op.outputs)
    return list(op.outputs)


def _within(outer, computation, inputs):
    """What compile() gives in a function that is being compiled, as that of strategy.run(): a part of its program."""
    returned, leaves = _traced(outer, computation, list(inputs or []))
    if not any(isinstance(each, GraphTensor) for each in leaves):
        return graph.group(*leaves)
    return returned if isinstance(returned, dict) else [each for each in leaves if isinstance(each, GraphTensor)]


def repeat(n, body, inputs=None, infeed_queue=None, use_while_v1=True):
    """A loop on the device: `body` gets the values of the step before, and an element of the infeed queue."""
    return loop_of(n, body, inputs, infeed_queue, {})


def loop_of(n, body, inputs, infeed_queue, schedule):
    """`schedule`: of a pipeline, whose inputs stay as they are."""
    outer = graph.current()
    inputs = [] if inputs is None else list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    if outer.of_loop or outer.guards:
        return _nested(n, body, inputs, infeed_queue, schedule, "the body of a loop" if outer.of_loop else "a branch on a tensor")
    tensors = [graph.symbolic(each) for each in inputs]
    inner = inner_graph(outer)
    inner.of_loop, inner.micro_batches = True, schedule.get("accumulation", 0)
    arguments = arguments_of(inner, tensors)
    keywords = {}
    fed = []
    if infeed_queue is not None:
        with inner.as_default():
            element = infeed_queue.traced_element()
        fed = flatten(element)
        if isinstance(element, dict):
            keywords = element
        else:
            arguments = arguments + list(element if isinstance(element, tuple) else (element,))
    returned, leaves = _traced(inner, lambda *given: body(*given, **keywords), arguments)
    outputs = [each for each in leaves if isinstance(each, GraphTensor)]
    if not schedule:
        _check_handed_on(tensors, outputs)
    if hasattr(outer, "traced"):  # of TensorFlow 2, where what has an effect need not be returned
        leaves = leaves + [each for each in inner.operations_ if each.kind in EFFECTS and
                           not any(each is leaf for leaf in leaves)]
    forget_assigned(outer, inner)
    op = outer.add("repeat", tensors, {"n": _steps(n, outer), "leaves": leaves, "outputs": outputs, "fed": fed,
                                       "queue": infeed_queue, "schedule": schedule, "body": inner,
                                       "exchange": gradients.exchange()}, [(t.dtype, t.dims) for t in outputs], "repeat")
    if not outputs:
        return op
    return op.outputs[0] if len(outputs) == 1 else list(op.outputs)


def _steps(n, outer):
    """How many steps a loop makes; a tensor where an argument of a function of TensorFlow 1 says it, for which there is a program each."""
    n = graph.convert(n)
    known = known_values.known_or_none(n)
    if known is not None:
        return max(int(known), 0)
    if hasattr(outer, "traced") or outer.above is None:
        known_values.ask_for(n)
        raise _refused_steps(n)
    from . import lowering
    for each in lowering.reachable([n], lambda op: True):
        if each.kind in (*EFFECTS, "repeat", "keras") or each.control_inputs:
            raise _refused_steps(n)  # as what follows from an assignment
    host.tell_once("tilescope: note: ipu.loops.repeat() of a count that is fed: there is a program for each")
    return n


def _refused_steps(n):
    return failures.refused(f"ipu.loops.repeat() of {n.name} steps, which the program would work out itself", "give the count as an argument of the "
                            "function, or as a number")


def _check_handed_on(inputs, outputs):
    """That a step gives what the next one takes."""
    if len(outputs) < len(inputs):
        raise TypeError(f"the body of the loop takes {len(inputs)} inputs and gives {len(outputs)} back")
    for number, (given, made) in enumerate(zip(inputs, outputs)):
        if not is_array(given) and (given.dtype, given.dims) != (made.dtype, made.dims):
            raise TypeError(f"the body of the loop changes {getattr(given, 'name', f'input {number}')} from {given.dtype.name} {given.shape} "
                            f"to {made.dtype.name} {made.shape}")


def _nested(n, body, inputs, infeed_queue, schedule, where):
    """A loop in the body of another one, or in a branch: the engine has none, and its steps stand one after another."""
    if schedule:
        raise failures.refused(f"a pipeline in {where}", "give the pipeline a repeat_count")
    name = f"ipu.loops.repeat in {where}"
    if infeed_queue is not None:
        raise failures.refused(f"{name}, with an infeed queue", "give the queue to the loop around it")
    more = []  # than the next step takes: those of the last one

    def step(*values):
        made = [each for each in flatten(body(*values)) if each is not None]
        if any(isinstance(each, Operation) for each in made):
            raise failures.refused(f"{name} that gives an operation", "give it as one of the loop around it")
        made, taken = ([each if is_array(each) else graph.convert(each) for each in leaves] for leaves in (made, flatten(values)))
        _check_handed_on(taken, made)
        more[:] = made[len(taken):]
        return made[:len(taken)]
    steps = known_values.known_or_none(n)
    if steps is None:
        known_values.ask_for(n)
        raise failures.refused(f"{name} of steps that are not known before the program runs", "it is unrolled: give it a number")
    made = control_flow.unrolled(name, "it is unrolled; have a loop around it make more steps", lambda *values: True, step, inputs, int(steps))
    made += [graph.symbolic(each) for each in more]
    return made[0] if len(made) == 1 else made
