# SPDX-License-Identifier: GPL-3.0-or-later
"""ipu.keras of SDK 1 to 2.1: models that accumulate and pipeline by themselves."""
import contextlib

from .. import failures
from .layers import PipelineStage
from .model import Model, Sequential
from ..ipu.pipelining import STAGE_OPTIONS, check_serial

# What set_pipelining_options takes as well, but for what had to do with the layers' classes.
_PIPELINED = ("gradient_accumulation_dtype", "recomputation_mode", "offload_weight_update_variables", "offload_activations",
              "offload_gradient_accumulation_buffers", "replicated_optimizer_state_sharding", "replicated_weight_sharding",
              "offload_weights", "accumulate_outfeed", *STAGE_OPTIONS)
_OF_LAYERS = ("layer_replicas", "layer_replacement")


def _with_accumulation(base):
    """The model with `gradient_accumulation_count` among its settings, which SDK 1 calls `accumulation_count`: there, steps
    are of that many batches, and an engine run is of `steps_per_run` steps, or of the whole epoch."""
    class Accumulating(base):
        def __init__(self, *args, gradient_accumulation_count=1, gradient_accumulation_dtype=None, layer_replicas=None,
                     layer_replacement=False, accumulation_count=None, **kwargs):
            super().__init__(*args, **kwargs)
            self.batches_of_step = failures.count_of("accumulation_count", accumulation_count)
            count = self.batches_of_step or gradient_accumulation_count
            if count > 1:
                self.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=count)

        def compile(self, *args, steps_per_execution=None, **kwargs):
            super().compile(*args, steps_per_execution=steps_per_execution or self.accumulation, **kwargs)
            if self.batches_of_step and steps_per_execution is None:
                self.steps_per_execution = None  # all steps of an epoch

        def fit(self, x=None, y=None, *args, steps_per_epoch=None, steps_per_run=None, **kwargs):
            with self._in_runs_of(steps_per_run):
                return super().fit(x, y, *args, steps_per_epoch=self._batches(steps_per_epoch), **kwargs)

        def evaluate(self, x=None, y=None, *args, steps=None, steps_per_run=None, **kwargs):
            with self._in_runs_of(steps_per_run):
                return super().evaluate(x, y, *args, steps=self._batches(steps), **kwargs)

        def predict(self, x, *args, steps=None, steps_per_run=None, **kwargs):
            with self._in_runs_of(steps_per_run):
                return super().predict(x, *args, steps=self._batches(steps), **kwargs)

        def _batches(self, steps):
            return steps and steps * (self.batches_of_step or 1)

        @contextlib.contextmanager
        def _in_runs_of(self, steps):
            before = self.steps_per_execution
            self.steps_per_execution = self._batches(failures.count_of("steps_per_run", steps)) or before
            try:
                yield
            finally:
                self.steps_per_execution = before
    Accumulating.__name__ = base.__name__
    Accumulating.__doc__ = f"keras.{base.__name__} with gradient_accumulation_count"
    return Accumulating


def _pipelined(model, count, schedule, device_mapping, given):
    check_serial(given.pop("batch_serialization_iterations", 1))
    failures.check_arguments("a pipelined model", given, ("gradient_accumulation_count", "pipeline_schedule", "device_mapping",
                                                          *_PIPELINED, *_OF_LAYERS))
    model.set_pipelining_options(gradient_accumulation_steps_per_replica=count, pipeline_schedule=schedule,
                                 device_mapping=device_mapping,
                                 **{name: value for name, value in given.items() if name in _PIPELINED and value is not None})


class PipelineModel(_with_accumulation(Model)):
    """Layers in PipelineStage scopes, as a pipeline."""

    def __init__(self, *args, gradient_accumulation_count=None, pipeline_schedule=None, device_mapping=None, name=None,
                 inputs=None, outputs=None, **settings):
        super().__init__(*args, **{k: v for k, v in (("inputs", inputs), ("outputs", outputs), ("name", name)) if v is not None})
        _pipelined(self, gradient_accumulation_count, pipeline_schedule, device_mapping, settings)


class PipelineSequential(_with_accumulation(Sequential)):
    """A list of stages, each a list of layers."""

    def __init__(self, stages, gradient_accumulation_count=None, pipeline_schedule=None, device_mapping=None, name=None,
                 **settings):
        for number, layers in enumerate(stages):
            for layer in layers:
                layer.stage = number
        super().__init__([layer for layers in stages for layer in layers], name=name)
        _pipelined(self, gradient_accumulation_count, pipeline_schedule, device_mapping, settings)


NAMES = {"Model": _with_accumulation(Model), "Sequential": _with_accumulation(Sequential), "PipelineModel": PipelineModel,
         "PipelineSequential": PipelineSequential,
         "SequentialPipelineModel": PipelineSequential, "PipelineStage": PipelineStage}
