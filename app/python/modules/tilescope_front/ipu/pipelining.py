# SPDX-License-Identifier: GPL-3.0-or-later
"""Infeed and outfeed queues, and the enumerations of pipelines."""
import contextlib
import enum
import itertools
import threading
import time

import numpy as np
import tilescope_engine as engine

from .. import errors, failures, host, ipu_config
from ..data import pipelines as data
from ..tracing import gradients
from ..tensors import graph
from ..optimizers import own_updates
from ..dtypes import TensorSpec, as_dtype
from ..structure import flatten, pack_like


def in_stage(layer, stage):
    """What a call of a layer makes within it is in this stage, or in these of the layers of a model; None: where it is."""
    from .. import scopes
    return contextlib.nullcontext() if stage is None else layer._staged(stage) if isinstance(stage, list) else scopes.ipu_shard(stage)


class PipelineSchedule(enum.Enum):
    Grouped, Interleaved, Sequential = range(3)


class RecomputationMode(enum.Enum):
    Auto, RecomputeThenBackpropagate, RecomputeAndBackpropagateInterleaved = range(3)


def member(kind, given, default=None):
    """A member of an enumeration, given as such or by its name."""
    if given is None or isinstance(given, kind):
        return default if given is None else given
    if given in kind.__members__:
        return kind[given]
    raise ValueError(f"there is no {kind.__name__} {given!r}; use {', '.join(kind.__members__)}")


def check_iterations(schedule, stages, iterations, trains):
    """Refuses micro-batches that do not fill the slots in which they follow each other, as IPU TensorFlow's compiler does
    (pipeline_visitor.cc): twice as many as stages under Grouped, which has their backward passes as well, as many under
    Interleaved."""
    overlap = engine.pipeline_overlap(schedule.name, stages, trains)
    if iterations % overlap or iterations < 1:
        raise errors.FailedPreconditionError(message=f"The number of iterations of the pipeline must be a multiple of {overlap}, but it "
                                             f"is {iterations}. This number might be called `gradient_accumulation_count`, "
                                             "`gradient_accumulation_steps_per_replica` or `steps_per_execution` depending on the API used.")


def check_schedule(schedule, mapping):
    """Refuses stages of a training on one device where IPU TensorFlow does."""
    if schedule is PipelineSchedule.Interleaved and len(set(mapping or [])) < len(mapping or []):
        raise NotImplementedError("The pipelining schedule 'Interleaved' does not currently support multiple pipeline "
                                  "stages on the same device for training graphs. Please use a different pipeline "
                                  "schedule.")


def piecewise(mode, schedule):
    """Whether stages are computed again piece by piece, from their checkpoints. Errors: a mode that the schedule has
    not (driver/tools/pipeline_util.cc)."""
    mode = mode or RecomputationMode.Auto
    if mode is RecomputationMode.Auto:
        return schedule is PipelineSchedule.Sequential
    interleaved = mode is RecomputationMode.RecomputeAndBackpropagateInterleaved
    if schedule is (PipelineSchedule.Interleaved if interleaved else PipelineSchedule.Sequential):
        name = "Recompute_and_backpropagate_interleaved" if interleaved else "Recompute_then_backpropagate"
        raise errors.UnimplementedError(message=f"Pipeline schedule {schedule.name} does not support '{name}' "
                                        "recomputation mode.")
    return interleaved


def check_serial(iterations):
    if iterations != 1:
        raise failures.refused(f"a pipeline with batch_serialization_iterations={iterations}", "leave it at 1, and raise the "
                               "gradient accumulation instead")


def offloads(activations, schedule):
    """Whether a pipeline's stashes lie in streaming memory; in turns, stages have none."""
    return bool(activations) and schedule is not PipelineSchedule.Sequential


def recomputation_checkpoint(tensors, name=None):
    """The same tensors, which are kept where activations are computed again."""
    def kept(each):
        if not isinstance(each, graph.GraphTensor):
            return each
        return each.op.graph.add("recomputation_checkpoint", [each], {}, [(each.dtype, each.dims)],
                                 name or "recomputation_checkpoint").outputs[0]
    return pack_like(tensors, [kept(each) for each in flatten(tensors)])


class IPUOutfeedMode(enum.Enum):
    ALL, LAST = "all", "get_last"


class _Method(enum.Enum):
    """A way to make one of several, by member or name."""

    @classmethod
    def parse(cls, method):
        if isinstance(method, cls):
            return method
        if isinstance(method, str) and method.upper() in cls.__members__:
            return cls[method.upper()]
        raise ValueError(f"Cannot parse {method} as one of {', '.join(cls.__members__)}.")


class GradientAccumulationReductionMethod(_Method):
    SUM, MEAN, RUNNING_MEAN = range(3)


def reduction_of(method):
    """What the engine calls it."""
    return GradientAccumulationReductionMethod.parse(method).name.lower()


class ReplicatedMetricReductionMethod(_Method):
    NONE, LIST, SUM, MEAN = range(1, 5)


def prefetch_depth_of(given):
    """Batches that the host may be ahead, by default three."""
    if given is not None and not 0 < given <= 255:
        raise ValueError(f"prefetch_depth must be between 1 and 255, got {given}")
    return given or 3


class IPUInfeedQueue:
    """A data set that a loop on the device reads, one element for each step."""

    def __init__(self, dataset, *older, device_ordinal=None, prefetch_depth=None, optimise_latency=False,
                 feed_name=None, replication_factor=1, data_to_prefetch=1):
        self.prefetch_depth = prefetch_depth_of(prefetch_depth)
        if not dataset.flat_specs():
            raise ValueError("The data set of an infeed queue has no elements.")
        for spec in dataset.flat_specs():
            if not spec.shape.is_fully_defined():
                raise ValueError(f"Datasets containing tensors with unknown shapes such as {spec.shape} are not "
                                 "supported: use `batch(size, drop_remainder=True)`.")
        self.dataset, self.running = dataset, None
        if graph.executing_eagerly():
            self.restart(None)
        self.initializer = graph.current().add("iterator_init", [], {"iterator": self}, [], "infeed_initializer")
        self.deleter = graph.group()

    number_of_tuple_elements = property(lambda self: len(self.dataset.flat_specs()))

    def restart(self, step):
        self.running = data.Bound(self.dataset, step)

    def traced_element(self):
        return self.dataset.element_of("dequeue", {"queue": self}, "infeed_dequeue")

    def __iter__(self):
        return self

    __next__ = traced_element

    def next_element(self):
        if self.running is None:
            raise RuntimeError("The infeed queue has not been initialised: run its `initializer` first.")
        element = next(self.running, None)
        if element is None:
            raise RuntimeError("Infeed dataset iterator out of range: there are no more elements; use `repeat()`.")
        return element

    def put_back(self, elements):
        """Takes elements that come next again."""
        self.running = itertools.chain(elements, self.running)


class IPUOutfeedQueue:
    """What a loop on the device gives back, step by step."""

    def __init__(self, *older, outfeed_mode=None, device_ordinal=None, buffer_depth=3, optimise_latency=False,
                 feed_name=None, replication_factor=None, io_batch_size=1):
        self.mode = outfeed_mode or next((o for o in older if isinstance(o, IPUOutfeedMode)), IPUOutfeedMode.ALL)
        self.structure, self.specs, self.received, self.replicas = None, [], [], 1
        self.graph = None  # that it is enqueued in
        self.summed, self.sums = 1, []  # how many steps are added up, and what was enqueued since the last sum
        self.deleter = graph.group()

    enqueued = property(lambda self: self.structure is not None)

    def enqueue(self, tensors):
        if self.structure is not None and self.graph is graph.current():
            raise ValueError("The outfeed queue has already been enqueued to in this graph.")
        leaves = [graph.symbolic(each) for each in flatten(tensors)]
        self.structure, self.graph = tensors, graph.current()
        self.specs = [TensorSpec(each.dims, each.dtype) for each in leaves]
        return graph.current().add("enqueue", leaves, {"queue": self}, [], "outfeed_enqueue")

    def receive(self, arrays, replicas):
        """What a step enqueued; of several replicas stacked."""
        self.replicas = replicas
        arrays = [graph.typed(each, spec) for each, spec in zip(arrays, self.specs)]
        if self.summed > 1:
            self.sums.append(arrays)
            if len(self.sums) < self.summed:
                return
            arrays, self.sums = [_sum(column) for column in zip(*self.sums)], []
        self.received = [arrays] if self.mode is IPUOutfeedMode.LAST else self.received + [arrays]

    def dequeue(self, wait_for_completion=False):
        if self.structure is None:
            raise ValueError("Trying to dequeue an outfeed which has not been enqueued.")
        if graph.executing_eagerly():
            return pack_like(self.structure, [graph.EagerTensor(each) for each in self.take()])
        lead = () if self.mode is IPUOutfeedMode.LAST else (None,)
        types = [(spec.dtype, lead + tuple(spec.shape)) for spec in self.specs]
        op = graph.current().add("outfeed_dequeue", [], {"queue": self}, types, "outfeed_dequeue")
        return pack_like(self.structure, op.outputs)

    def __iter__(self):
        """Of TensorFlow 2: what each step has enqueued, one after the other."""
        if not graph.executing_eagerly() or self.mode is IPUOutfeedMode.LAST:
            raise RuntimeError("IPUOutfeedQueue can only be iterated over in eager mode, and not in mode LAST.")
        if not self.received and threading.current_thread() is not threading.main_thread():
            time.sleep(0.001)  # for the device, which the main thread waits for
        rows, self.received = self.received, []
        return iter([pack_like(self.structure, [graph.EagerTensor(each) for each in row]) for row in rows])

    def take(self):
        """What has come since the last time."""
        rows, self.received = self.received, []
        if self.mode is IPUOutfeedMode.LAST:
            if not rows:
                raise errors.FailedPreconditionError(
                    message="Trying to get the last value from an outfeed queue before it was executed. Make sure the outfeed dequeue "
                            "TensorFlow operation is executed after the enqueue to the outfeed has completed.")
            return rows[0]
        of_replicas = (self.replicas,) if self.replicas > 1 else ()
        return [np.stack(column) if rows else np.zeros((0,) + of_replicas + tuple(spec.shape), spec.dtype.as_numpy_dtype)
                for column, spec in zip(zip(*rows) if rows else self.specs, self.specs)]


class ScopedIPUOutfeedQueue(IPUOutfeedQueue):
    """One whose deletion is up to Python, of TensorFlow 2."""

    def __init__(self, outfeed_mode=None, device_ordinal=None, buffer_depth=3, optimise_latency=False):
        if not graph.executing_eagerly():
            raise RuntimeError("ScopedIPUOutfeedQueue can only be used in eager mode.")
        super().__init__(outfeed_mode=outfeed_mode, device_ordinal=device_ordinal, buffer_depth=buffer_depth,
                         optimise_latency=optimise_latency)


def _sum(arrays):
    """Of the micro-batches, as the device adds them up."""
    from .. import host
    total = arrays[0]
    for each in arrays[1:]:
        total = host.run().compute("add", [total, each], {})[0]
    return total


class OptimizerFunctionOutput:
    """What an optimizer_function gives: the optimiser and the loss."""

    def __init__(self, opt, loss, compute_gradients_args=None, compute_gradients_kwargs=None,
                 apply_gradients_args=None, apply_gradients_kwargs=None, variables=None, tape=None,
                 gradient_capture_context=None, captured_gradient_outfeed=None):
        self.opt, self.loss, self.variables, self.tape = opt, loss, variables, tape
        self.compute_args = (compute_gradients_args or (), compute_gradients_kwargs or {})
        self.apply_args = (apply_gradients_args or (), apply_gradients_kwargs or {})


def _update(made):
    """The operation of what an optimizer_function gives."""
    if hasattr(made.opt, "compute_gradients"):
        pairs = list(made.opt.compute_gradients(made.loss, *made.compute_args[0], **made.compute_args[1]))
        return own_updates.by_assignments(pairs, lambda: made.opt.apply_gradients(pairs, *made.apply_args[0], **made.apply_args[1]))
    if made.variables is None and made.tape is None:
        raise RuntimeError("OptimizerFunctionOutput needs `variables` and a `tape` with an optimizer of Keras.")
    return made.opt.minimize(made.loss, made.variables or made.tape.watched_variables())


class PipelineStageOptions:
    def __init__(self, convolution_options=None, matmul_options=None, slice_options=None):
        self.convolution_options, self.matmul_options = convolution_options, matmul_options
        for key in {**(convolution_options or {}), **(matmul_options or {})}.keys() - ipu_config.PLANNED:
            host.tell_once(f"tilescope: PipelineStageOptions: {key} has no effect here")
        if slice_options:
            host.tell_once("tilescope: PipelineStageOptions(slice_options=…) has no effect here")


STAGE_OPTIONS = ("forward_propagation_stages_poplar_options", "backward_propagation_stages_poplar_options",
                 "weight_update_poplar_options")


def stage_rules(given, stages):
    """Takes the options for the products of single stages out of a pipeline's arguments: rules as a workload has them
    (ipu_config.products). `stages`: how many there are."""
    rules = []
    for name, of in zip(STAGE_OPTIONS, ("forward", "backward")):
        options = given.pop(name, None)
        if options is None:
            continue
        if not isinstance(options, (list, tuple)):
            raise TypeError(f"{name} must be a list of PipelineStageOptions, one for each stage.")
        if len(options) != stages:
            raise ValueError(f"{name} has {len(options)} entries for {stages} stages: give one for each.")
        for stage, each in enumerate(options):
            rules += _rules(name, each, {"stages": [stage], "passes": [of]})
    update = given.pop(STAGE_OPTIONS[2], None)
    return rules + ([] if update is None else _rules(STAGE_OPTIONS[2], update, {"passes": ["update"]}))


def _rules(name, options, where):
    if not isinstance(options, PipelineStageOptions):
        raise TypeError(f"{name} is made of PipelineStageOptions, not of {type(options).__name__}.")
    of_kinds = {"convolutions": options.convolution_options, "matmuls": options.matmul_options}
    planned = {kind: ipu_config.planning(given or {}) for kind, given in of_kinds.items()}
    return [{"of": kind, **where, **rule} for kind, rule in planned.items() if rule]


def _check(stages, count, outfeed_queue, device_mapping, outfeed_loss, optimizer_function, accumulates, mask):
    if not isinstance(stages, (list, tuple)):
        raise TypeError("computational_stages argument needs to be a list or a tuple.")
    if count is None:
        raise ValueError("gradient_accumulation_count must be specified.")
    if len(stages) < 2:
        raise ValueError("Pipeline requires at least two computational stages.")
    if device_mapping is not None and len(device_mapping) != len(stages):
        raise ValueError(f"Each stage must be mapped to an IPU: {len(device_mapping)} mappings != {len(stages)} stages")
    if outfeed_loss and optimizer_function is None:
        raise ValueError("An optimizer_function must be provided when outfeed_loss is True.")
    if mask is not None and (outfeed_loss or optimizer_function is None):
        raise ValueError("outfeed_mask needs an optimizer_function, and cannot be set together with outfeed_loss.")
    if accumulates and (outfeed_queue is None or outfeed_queue.mode is IPUOutfeedMode.LAST):
        raise ValueError("accumulate_outfeed needs an outfeed_queue in mode ALL.")


# Of pipeline(): what says how it is compiled, or where weights and activations lie.
WITHOUT_EFFECT = ("offload_gradient_accumulation_buffers",
                  "continuous_weight_updates", "gradient_accumulation_dtype",
                  "gradient_accumulation_for_captured_grads", "name")


def _unmasked(values, mask):
    """The outputs that are enqueued: those whose mask is False."""
    if mask is None:
        return values
    if len(mask) != len(values):
        raise ValueError(f"outfeed_mask has {len(mask)} values, the last computational stage {len(values)} outputs.")
    return tuple(value for value, left_out in zip(values, mask) if not left_out)


def _of_sums(values, dtype):
    """The outputs as the device adds them up: `dtype` is a type, or gives that of an output; None keeps its own."""
    from ..operations import elementary as operations
    wanted = [each.dtype if dtype is None else as_dtype(dtype(each) if callable(dtype) else dtype)
              for each in values]
    for each, of_sum in zip(values, wanted):
        if not of_sum.is_floating:
            raise TypeError(f"accumulate_outfeed adds up float16 and float32: {each.name} is of {each.dtype.name}, its sum of "
                            f"{of_sum.name}; cast it, or set accumulate_outfeed_dtype")
    return tuple(operations.cast(each, of_sum) for each, of_sum in zip(values, wanted))


def pipeline(computational_stages, gradient_accumulation_count=None, gradient_accumulation_dtype=None,
             gradient_accumulation_for_captured_grads=True, repeat_count=1, batch_serialization_iterations=1,
             inputs=None, infeed_queue=None, outfeed_queue=None, optimizer_function=None, device_mapping=None,
             pipeline_schedule=None, recomputation_mode=None, outfeed_loss=False, accumulate_outfeed=False,
             accumulate_outfeed_dtype=None, outfeed_mask=None, reduction_method="SUM",
             offload_weight_update_variables=None, replicated_optimizer_state_sharding=False, offload_weights=None,
             replicated_weight_sharding=None, offload_activations=None, name=None, **others):
    """A pipeline of functions, each a stage of its own: an operation that trains or infers."""
    from ..tracing import compiler as ipu_compiler
    from .. import scopes
    if isinstance(gradient_accumulation_dtype, (int, np.integer)):  # where SDKs to 2.2 have the count of repetitions
        if gradient_accumulation_for_captured_grads is not True or repeat_count != 1:
            raise TypeError("pipeline() takes what follows the count of repetitions by name: SDKs have it in other orders")
        repeat_count = gradient_accumulation_dtype
    products = stage_rules(others, len(computational_stages) if isinstance(computational_stages, (list, tuple)) else 0)
    failures.without_effect("pipeline", others, WITHOUT_EFFECT)
    check_serial(batch_serialization_iterations)
    _check(computational_stages, gradient_accumulation_count, outfeed_queue, device_mapping, outfeed_loss,
           optimizer_function, accumulate_outfeed, outfeed_mask)
    schedule = member(PipelineSchedule, pipeline_schedule, PipelineSchedule.Grouped)
    mode = member(RecomputationMode, recomputation_mode)
    if optimizer_function is not None:
        check_schedule(schedule, device_mapping)

    def body(*given, **named):
        values = given
        for stage, compute in enumerate(computational_stages):
            with scopes.ipu_shard(stage):
                values = compute(*values, **(named if stage == 0 else {}))
                values = tuple(values) if isinstance(values, (list, tuple)) else () if values is None else (values,)
        values = tuple(each for each in values if not isinstance(each, graph.Operation))
        with scopes.ipu_shard(len(computational_stages) - 1):
            leaves = []
            if optimizer_function is not None:
                made = optimizer_function(*values)
                leaves.append(_update(made))
                values = (made.loss,) if outfeed_loss else _unmasked(values, outfeed_mask)
            if accumulate_outfeed:
                values = _of_sums([graph.symbolic(each) for each in values], accumulate_outfeed_dtype)
            if outfeed_queue is not None and values:
                alone = len(values) == 1 and (outfeed_loss or optimizer_function is None)
                leaves.append(outfeed_queue.enqueue(values[0] if alone else values if optimizer_function is None else list(values)))
            elif values and outfeed_queue is None:
                raise ValueError("The last computational stage has tensor outputs, but no outfeed_queue was provided.")
        return leaves

    mapping = [] if device_mapping is None else [int(ipu) for ipu in device_mapping]
    count = int(gradient_accumulation_count)
    check_iterations(schedule, len(computational_stages), count, optimizer_function is not None)
    if outfeed_queue is not None:
        outfeed_queue.summed = count if accumulate_outfeed else 1
    reduction = GradientAccumulationReductionMethod.parse(reduction_method).name.lower()
    places = gradients.state_places(offload_weight_update_variables, replicated_optimizer_state_sharding, offload_weights,
                                    replicated_weight_sharding)
    with gradients.exchanged(accumulation=count, reduction=reduction, places=places):
        return ipu_compiler.loop_of(count * int(repeat_count), body, inputs, infeed_queue,
                                    {"pipeline": schedule.name, "accumulation": count, "stage_ipus": mapping,
                                     "recompute_piecewise": piecewise(mode, schedule),
                                     "offload_activations": offloads(offload_activations, schedule),
                                     "products": products})
