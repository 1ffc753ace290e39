# SPDX-License-Identifier: GPL-3.0-or-later
"""Which stage of a pipeline each call of a layer is in: what PipelineStage scopes say, and what a script sets."""
import contextlib

from .layers import InputLayer


class ModelLayerPipelineStageAssignment:
    """The stage of one call of a layer, which a script may set. `node_index`: which of the layer's calls it is."""

    is_nested_model = False

    def __init__(self, layer, node_index, pipeline_stage=None):
        self.layer, self.node_index, self.pipeline_stage = layer, node_index, pipeline_stage
        self.reads = None  # the layers that the call reads, where they are not those of Keras' tensors

    @property
    def inbound_layers(self):
        return [tensor.layer for tensor in self.layer.calls[self.node_index].inputs] if self.reads is None else list(self.reads)

    def __str__(self):
        return f"Layer: {self.layer.name} (node index {self.node_index}) is assigned to pipeline stage: {self.pipeline_stage}"


class FunctionalLayerPipelineStageAssignment(ModelLayerPipelineStageAssignment):
    """The same in a model of layers that are connected."""


class SequentialLayerPipelineStageAssignment:
    """The stage of a layer of a Sequential model."""

    is_nested_model = False

    def __init__(self, layer, pipeline_stage=None):
        self.layer, self.pipeline_stage = layer, pipeline_stage

    def __str__(self):
        return f"Layer: {self.layer.name} is assigned to pipeline stage: {self.pipeline_stage}"


class NestedModelPipelineStageAssignment:
    """The stages of the layers of a model that another one calls."""

    is_nested_model = True

    def __init__(self, nested_model, node_index, pipeline_stage_assignments):
        self.nested_model, self.node_index = nested_model, node_index
        self.pipeline_stage_assignments = list(pipeline_stage_assignments)

    layer = property(lambda self: self.nested_model)

    def __str__(self):
        return (f"Model: {self.nested_model.name} (node index {self.node_index}) has the following pipeline stage assignments:" +
                "".join(f"\n  {each}" for each in self.pipeline_stage_assignments))


class FunctionalNestedModelPipelineStageAssignment(NestedModelPipelineStageAssignment):
    """The same in a model of layers that are connected."""


class SequentialNestedModelPipelineStageAssignment(NestedModelPipelineStageAssignment):
    """The same in a Sequential model."""

    def __init__(self, nested_model, pipeline_stage_assignments):
        super().__init__(nested_model, 0, pipeline_stage_assignments)

    def __str__(self):
        return (f"Model: {self.nested_model.name} has the following pipeline stage assignments:" +
                "".join(f"\n  {each}" for each in self.pipeline_stage_assignments))


NAMES = {kind.__name__: kind for kind in (
    ModelLayerPipelineStageAssignment, FunctionalLayerPipelineStageAssignment, SequentialLayerPipelineStageAssignment,
    NestedModelPipelineStageAssignment, FunctionalNestedModelPipelineStageAssignment,
    SequentialNestedModelPipelineStageAssignment)}


def _in_order(calls):
    """Calls of layers as Keras runs them: the further from the outputs, the earlier. `calls`: each after those that it reads."""
    made = {id(tensor): id(call) for _, call in calls for tensor in call.outputs}
    depths, of_layers = {}, {}
    for layer, call in reversed(calls):
        depth = max(depths.get(id(call), 0), of_layers.get(id(layer), 0))
        depths[id(call)] = of_layers[id(layer)] = depth
        for tensor in call.inputs:
            before = made[id(tensor)]
            depths[before] = max(depth + 1, depths.get(before, 0))
    places = {each: number for number, each in enumerate(depths)}
    return sorted(calls, key=lambda each: (-depths[id(each[1])], places[id(each[1])]))


def _flat(stages):
    """The stages of all layers, those of models within in their place."""
    return [each for stage in stages for each in (_flat(stage) if isinstance(stage, list) else [stage])]


class Assigned:
    """The part of a model that knows the stages of its layers."""

    def _sequential(self):
        from . import model as keras_model
        return isinstance(self, keras_model.Sequential)

    def _computing_layers(self):
        return [layer for layer in self.layers if not isinstance(layer, InputLayer)]

    def _calls(self):
        """(layer, call, what it reads) of each call that has a stage, as they run; a Sequential model has its layers, and None
        for calls."""
        if self._sequential():
            return [(layer, None, None) for layer in self._computing_layers()]
        if self.subclassed:
            return [(layer, None, reads) for layer, reads, _ in self._traced_calls()]
        from . import model as keras_model
        return [(layer, call, None) for layer, call in _in_order(keras_model.calls_of(self.all_outputs())) if call.inputs]

    def _traced_calls(self):
        """The layers that a model's own call() calls, each as often as it does, with what they read and their stages."""
        from . import traced as keras_traced
        if self.example_ is None:
            raise RuntimeError(f"The model {self.name} is not built: call build(), or the model on data, before its pipeline stage "
                               "assignment is read or set.")
        traced = keras_traced.Traced(self, self.example_, "predict", 2, scratch=True)
        return traced.called

    def _expects(self, layer, call):
        """The stage of a call that nobody has set: that of its PipelineStage scope, or of the layer's."""
        if self._sequential():
            return next((each.stage for each in layer.calls if each.stage is not None), layer.stage)
        stage = layer.stage if call is None else call.stage
        return layer._stages() if stage is None and isinstance(layer, Assigned) and not layer.subclassed else stage

    def get_pipeline_stage_assignment(self):
        stages = [stage for _, _, stage in self._traced_calls()] if self.stages_ is None and self.subclassed else self.stages_
        made, counts = [], {}
        for number, (layer, call, reads) in enumerate(self._calls()):
            index = counts[id(layer)] = counts.get(id(layer), -1) + 1
            index = index if call is None else layer.calls.index(call)
            stage = stages[number] if stages is not None else self._expects(layer, call)
            made.append(self._assignment(layer, index, reads, stage))
        return made

    def _assignment(self, layer, index, reads, stage):
        prefix = "Sequential" if self._sequential() else "" if self.subclassed else "Functional"
        where = () if self._sequential() else (index,)
        if hasattr(layer, "set_pipeline_stage_assignment") and not layer.subclassed:
            with layer._staged(stage if isinstance(stage, list) else None):
                inner = layer.get_pipeline_stage_assignment()
            if stage is not None and not isinstance(stage, list):
                for each in inner:
                    each.pipeline_stage = stage
            return NAMES[f"{prefix}NestedModelPipelineStageAssignment"](layer, *where, inner)
        made = NAMES[f"{prefix or 'Model'}LayerPipelineStageAssignment"](layer, *where, stage)
        made.reads = reads
        return made

    def set_pipeline_stage_assignment(self, pipeline_stage_assignment):
        self._need_strategy("set_pipeline_stage_assignment")
        stages = self._checked(pipeline_stage_assignment)
        self._check_order(stages)
        self.stages_ = stages
        self.programs = {}

    def _checked(self, given):
        """The stages that assignments say. Errors: they are not of the model's calls."""
        if not isinstance(given, list):
            raise ValueError("`pipeline_stage_assignment` needs to be a list.")
        calls = self._calls()
        if len(given) != len(calls):
            raise ValueError(f"The length of the provided `pipeline_stage_assignment` ({len(given)}) does not match the number of layers "
                             f"in the graph ({len(calls)}). Each layer needs to be assigned a pipeline stage (excluding input layers).")
        stages = []
        for each, (layer, call, _) in zip(given, calls):
            if isinstance(each, int) and self._sequential():
                each = self._assignment(layer, 0, None, each)
            wanted = type(self._assignment(layer, 0 if call is None else layer.calls.index(call), None, None))
            if type(each) is not wanted:  # pylint: disable=unidiomatic-typecheck
                raise ValueError(f"The pipeline stage assignment for layer {layer.name} in {self.name} must be an instance of "
                                 f"`{wanted.__name__}`. Instead the assignment was of type {type(each).__name__}.")
            if each.layer is not layer:
                raise ValueError(f"The order of `pipeline_stage_assignment` does not match the post-order generated from the graph "
                                 f"({each.layer.name} != {layer.name}).")
            if each.is_nested_model:
                stages.append(layer._checked(each.pipeline_stage_assignments))
                continue
            if each.pipeline_stage is None:
                where = "" if self._sequential() else f" with node_index {each.node_index}"
                raise ValueError(f"Layer {layer.name}{where} has not been assigned a pipeline stage in `pipeline_stage_assignment`.")
            stages.append(int(each.pipeline_stage))
        return stages

    def _check_order(self, stages):
        """Errors: a call reads what a later stage gives, or no layer is in a stage before the last."""
        flat = _flat(stages)
        if self._sequential():
            for layer, stage, before in zip(self._computing_layers(), stages, [[0], *stages]):
                first, last = _flat([stage])[0], _flat([before])[-1]
                if first not in (last, last + 1):
                    raise ValueError(f"Layer {layer.name} has been assigned to pipeline stage {first}, however the previous layer in the "
                                     f"Sequential model was assigned to pipeline stage {last}. A layer in a Sequential model can only "
                                     "be assigned to the same pipeline stage as the previous layer or to the next pipeline stage.")
        elif not self.subclassed:
            latest = {}
            for (layer, call, _), stage in zip(self._calls(), stages):
                first, last = (_flat([stage])[i] for i in (0, -1))
                if any(latest.get(id(tensor), 0) > first for tensor in call.inputs):
                    raise ValueError(f"Layer {layer.name} in pipeline stage {first} has a dependency from a pipeline stage which has not yet "
                                     "been executed. Layers can only use outputs from current or previous pipeline stages.")
                latest.update((id(tensor), last) for tensor in call.outputs)
        missing = sorted(set(range(max(flat, default=0) + 1)) - set(flat))
        if missing:
            raise RuntimeError(f"Layers in model {self.name} have no pipeline stage {missing[0]}, and some have {max(flat)}: pipeline stages "
                               "are numbered from 0 on, without gaps.")

    def reset_pipeline_stage_assignment(self):
        self.stages_, self.pipelining = None, None
        self.programs = {}

    def print_pipeline_stage_assignment_summary(self, line_length=None, print_fn=None):
        from .summary import print_row
        plain = self._sequential()
        width, show = line_length or (60 if plain else 89), print_fn or print
        heads, shares = (["Layer (type)", "Pipeline Stage"], [.5, 1.]) if plain else \
            (["Layer (type) (node index)", "Input Layers", "Pipeline Stage"], [.4, .8, 1.])
        ends = [int(width * share) for share in shares]

        def rows(assignments):
            for number, each in enumerate(assignments):
                if each.is_nested_model:
                    show(f'Nested Model: "{each.nested_model.name}"')
                    show("-" * width)
                    rows(each.pipeline_stage_assignments)
                    continue
                name = f"{each.layer.name} ({type(each.layer).__name__})"
                if plain:
                    print_row([name, each.pipeline_stage], ends, show)
                else:
                    reads = [layer.name for layer in getattr(each, "inbound_layers", [])] or [""]
                    print_row([f"{name} ({getattr(each, 'node_index', 0)})", reads[0], each.pipeline_stage], ends, show)
                    for more in reads[1:]:
                        print_row(["", more, ""], ends, show)
                last = number == len(assignments) - 1 or assignments[number + 1].is_nested_model
                show(("=" if last else "_") * width)

        show(f'Model: "{self.name}"')
        show("_" * width)
        print_row(heads, ends, show)
        show("=" * width)
        rows(self.get_pipeline_stage_assignment())

    @contextlib.contextmanager
    def _staged(self, stages):
        """Within it, the stages of this model's layers are those that a model around it has for them; None: its own."""
        before = self.stages_
        self.stages_ = before if stages is None else stages
        try:
            yield
        finally:
            self.stages_ = before

    def _stages(self):
        """The stage of each call, as they run; None for a model without, or whose own call() says them."""
        if self.stages_ is not None:
            return _flat(self.stages_)
        if self.subclassed:
            return None
        calls = self._calls()
        stages = [self._expects(layer, call) for layer, call, _ in calls]
        if all(stage is None for stage in stages):
            return None
        for (layer, _, _), stage in zip(calls, stages):
            if stage is None:
                raise ValueError(f"Layer {layer.name} of model {self.name} has no pipeline stage assigned to it.")
        return stages

    def _stages_of_layers(self):
        """By the name of each layer, the stages that its calls are in."""
        stages = self.stages_ if self.stages_ is not None else [self._expects(layer, call) for layer, call, _ in self._calls()]
        found = {}
        for (layer, _, _), stage in zip(self._calls(), stages):
            found.setdefault(layer.name, set()).update(_flat([stage]))
        return found

    def stage_of(self, layer, call):
        """The stage of a layer's call: the one that was set, or that of the block that it was made in; those of its layers, of a
        model within."""
        if not self.stages_:
            return call.stage
        if self._sequential():
            return self.stages_[self._computing_layers().index(layer)]
        return next(stage for (_, each, _), stage in zip(self._calls(), self.stages_) if each is call)
