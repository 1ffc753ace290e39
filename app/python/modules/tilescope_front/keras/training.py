# SPDX-License-Identifier: GPL-3.0-or-later
"""compile, fit, evaluate and predict of Keras' models: workloads of the engine, whose programs are fed batch by
batch."""
import contextlib
import json
import operator

import numpy as np

import tilescope_engine as engine

from . import (
    callbacks as callback_classes, data as keras_data, lookup as keras_lookup, masks as keras_masks, metrics as keras_metrics,
    objects as keras_objects, open as keras_open, outputs as keras_outputs, placed as keras_placed, stages as keras_stages,
    stateful as keras_stateful, step as keras_step, tables as keras_tables)
from ..optimizers import own_constraints, slots
from .. import errors, failures, host, ipu_config
from ..ipu import pipelining
from ..tracing import gradients
from .loops import Loop
from .parts import METRICS, is_python, plain_name
from .progress import Progress
from ..structure import flatten
from ..operations import constraints

TOLD = 100  # epochs of an estimate without callbacks that are gone through one by one


class Training(keras_step.Steps, keras_stages.Assigned):
    """The part of a model that trains."""

    def begin_training(self):
        self.optimizer = None
        self.loss = None
        self.trains_ = {}  # by layer: whether compile() found it to be trained
        self.metrics_, self.metric_outputs_, self.metric_names_, self.unweighted_metrics_ = [], [], [], 0
        self.metrics_names = []  # of what the last loop has given
        self.loss_weights = None
        self.steps_per_execution = 1
        self.programs = {}
        self.step_plans = {}  # of each program of a step of the script's own: where the values are that it gives
        self.forms = {}  # of each program of a call or step of the script's own: how what it gives is nested
        self.queues = {}  # of each program: the outfeed queues that layers enqueue to
        self.counted = {}  # of each program: metrics made of counts, by the number of their fetch
        self.tables = {}  # of each program of the host: what its inputs point into
        self.pipelining = None
        self.stage_options = {}  # how the products of single stages are planned
        self.accumulation = 1
        self.prefetch_depth = pipelining.prefetch_depth_of(None)
        self.places = {}  # of the optimiser's state
        self.accumulates_outfeed = False  # of a pipeline: loss and metrics go to the host once for each update
        self.reduction = "sum"
        self.metric_reduction = "NONE"  # over replicas
        self.tells_steps = False  # callbacks, of each step and replica
        self.step_number, self.resets_ = 0, 0  # of the next step; how often the device's seed had been set by then
        self.epochs_done = 0
        self.seconds = 0.0
        self.stop_training = False
        self.evaluating_ = None  # the last loop of an evaluation
        self.stages_ = None
        from ..tensors import graph
        self.seed = graph.current().seed if graph.current().seed is not None else 1

    def compile(self, optimizer="rmsprop", loss=None, metrics=None, loss_weights=None, weighted_metrics=None,
                run_eagerly=None, steps_per_execution=None, **kwargs):
        failures.check_arguments("Model.compile()", kwargs, ("optimizer", "loss", "metrics", "loss_weights", "weighted_metrics",
                                                             "run_eagerly", "steps_per_execution"))
        if run_eagerly and self.on_ipu:
            raise RuntimeError("`run_eagerly` is not supported when running Keras models on the IPU.")
        keras_placed.check_compiled(self, [metrics, weighted_metrics])
        made = keras_objects.OPTIMIZERS.get(optimizer)
        if made is not self.optimizer:  # a new one begins anew
            own = {name for name, _, _ in self.variables_list()} if self.built else set()
            own |= keras_stateful.names_of_states(self)
            for name in self.store.names():
                if name not in own:
                    self.store.erase(name)
            slots.succeeds(made, self.optimizer)
            self.step_number, self.resets_ = 0, 0
        self.optimizer, self.loss, self.loss_weights = made, loss, loss_weights
        self.compiled_with_ = {"loss": loss, "metrics": metrics, "weighted_metrics": weighted_metrics, "loss_weights": loss_weights}
        slots.trains(made, self)
        listed, weighted = keras_metrics.of_outputs(metrics), keras_metrics.of_outputs(weighted_metrics)
        self.metrics_ = [_metric(each) for each, _ in listed + weighted]
        self.metric_outputs_ = [output for _, output in listed + weighted]  # that each is of, by name or number; None: all
        self.unweighted_metrics_ = len(listed)  # the first of them
        self.metric_names_ = keras_metrics.shown_names(self.metrics_, self.metric_outputs_, self.unweighted_metrics_)
        self.__dict__.pop("restores_", lambda optimizer: None)(made)
        self.compiled_loss, self.compiled_metrics = keras_step.CompiledLoss(self), keras_step.CompiledMetrics(self)
        self.steps_per_execution = int(steps_per_execution or 1)
        self.trains_ = {id(layer): layer.trainable for layer in self.all_layers()}
        self.programs = {}

    @contextlib.contextmanager
    def _as_compiled(self):
        """Within it those layers are trained that were to be when compile() was called."""
        now = [(layer, layer.trainable) for layer in self.all_layers()]
        for layer, trainable in now:
            layer._trainable = self.trains_.get(id(layer), trainable)
        self.variables_list()
        try:
            yield
        finally:
            for layer, trainable in now:
                layer._trainable = trainable

    # The methods that models made in an IPUStrategy have.

    def set_pipelining_options(self, gradient_accumulation_steps_per_replica=None, device_mapping=None,
                               accumulate_outfeed=None, gradient_accumulation_reduction_method="sum",
                               pipeline_schedule=None, recomputation_mode=None, offload_weight_update_variables=None,
                               replicated_optimizer_state_sharding=False, offload_activations=None, offload_weights=None,
                               replicated_weight_sharding=None, **kwargs):
        self._need_strategy("set_pipelining_options")
        count = failures.count_of("gradient_accumulation_steps_per_replica", gradient_accumulation_steps_per_replica)
        normalised = kwargs.pop("experimental_normalize_gradients", False)  # of SDK 2.4 and before: their mean
        names = pipelining.STAGE_OPTIONS
        self.stage_options = {name: kwargs.pop(name) for name in names if name in kwargs}
        failures.without_effect("Model.set_pipelining_options", kwargs, pipelining.WITHOUT_EFFECT + names)
        schedule = pipelining.member(pipelining.PipelineSchedule, pipeline_schedule, pipelining.PipelineSchedule.Grouped)
        mode = pipelining.member(pipelining.RecomputationMode, recomputation_mode)
        pipelining.piecewise(mode, schedule)
        self.pipelining = {"schedule": schedule.name}
        if mode is not None:
            self.pipelining["recomputation_mode"] = mode.name
        if device_mapping is not None:
            self.pipelining["device_mapping"] = list(device_mapping)
        self.accumulation = count or 1
        self.reduction = "mean" if normalised else pipelining.reduction_of(gradient_accumulation_reduction_method)
        self.places = gradients.state_places(offload_weight_update_variables, replicated_optimizer_state_sharding,
                                             offload_weights, replicated_weight_sharding)
        self.accumulates_outfeed = bool(accumulate_outfeed) and self.accumulation > 1
        if pipelining.offloads(offload_activations, schedule):
            self.places["offload_activations"] = True
        self.programs = {}

    def set_gradient_accumulation_options(self, gradient_accumulation_steps_per_replica=None,
                                          gradient_accumulation_reduction_method="sum",
                                          use_v2_gradient_accumulation_optimizer=False,
                                          offload_weight_update_variables=None,
                                          replicated_optimizer_state_sharding=False, **kwargs):
        self._need_strategy("set_gradient_accumulation_options")
        normalised = kwargs.pop("experimental_normalize_gradients", False)
        failures.without_effect("Model.set_gradient_accumulation_options", kwargs, ("dtype", "name", "verify_usage"))
        self.accumulation = failures.count_of("gradient_accumulation_steps_per_replica", gradient_accumulation_steps_per_replica) or 1
        self.places = gradients.state_places(offload_weight_update_variables, replicated_optimizer_state_sharding)
        self.reduction = "mean" if normalised else pipelining.reduction_of(gradient_accumulation_reduction_method)
        self.programs = {}

    def set_infeed_queue_options(self, **kwargs):
        self._need_strategy("set_infeed_queue_options")
        failures.check_arguments("set_infeed_queue_options()", kwargs, ("prefetch_depth", "optimise_latency", "data_to_prefetch"))
        self.prefetch_depth = pipelining.prefetch_depth_of(kwargs.get("prefetch_depth"))
        self.programs = {}

    def set_outfeed_queue_options(self, **kwargs):
        self._need_strategy("set_outfeed_queue_options")
        failures.check_arguments("set_outfeed_queue_options()", kwargs, ("buffer_depth", "optimise_latency", "io_batch_size"))

    def set_replication_options(self, replicated_metric_reduction_method="NONE"):
        self._need_strategy("set_replication_options")
        self.metric_reduction = pipelining.ReplicatedMetricReductionMethod.parse(replicated_metric_reduction_method).name

    def export_for_ipu_serving(self, export_dir, *args, **kwargs):
        raise failures.refused(f"keras.{type(self).__name__}.export_for_ipu_serving", "no model is exported for Serving; save a Keras file")

    def set_asynchronous_callbacks(self, asynchronous=False):
        self._need_strategy("set_asynchronous_callbacks")
        self.tells_steps = bool(asynchronous)

    def _need_strategy(self, method):
        if not self.on_ipu:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{method}': models have it that "
                                 "are made inside an IPUStrategy scope")

    # Workloads.

    def _workload(self, mode, batch, steps):
        """The document of one program; `steps`: of an execution, over all replicas."""
        document = {**self.to_dict(), "seed": self.seed, "device": "ipu" if self.on_ipu else "cpu"}
        stages = self._stages() if self.on_ipu else None
        if self.on_ipu:
            document.update(ipu_config.workload_part(self.products(stages)))
            document["ipu_config"].update(ipu_config.norms_part() if mode == "train" else {})
        document["fit"] = {"batch_size": batch, "epochs": 1, "prefetch_depth": self.prefetch_depth}
        settings = {"steps_per_execution": steps}
        if mode != "predict" and self.loss is not None:
            keys = self.output_keys()
            losses = keras_outputs.by_output(self.loss, keys, "loss")
            names = [plain_name(each) for each in self.loss] if isinstance(self.loss, (list, tuple)) else \
                {name: plain_name(each) for name, each in zip(self.output_names, losses) if each is not None} if isinstance(self.loss, dict) \
                else plain_name(self.loss)
            settings.update(loss=names, metrics=self._metrics(), optimizer=self.optimizer.workload())
            if getattr(self.loss, "from_logits", False):
                settings["from_logits"] = True
            if self.loss_weights is not None:
                shares = keras_outputs.by_output(self.loss_weights, keys, "loss_weights")
                settings["loss_weights"] = {name: each for name, each in zip(self.output_names, shares) if each is not None} \
                    if isinstance(self.loss_weights, dict) else self.loss_weights
        if stages:
            of_layers = self._stages_of_layers()
            layers = [(layer.name, min(of_layers[layer.name])) for layer in self._computing_layers()]
            firsts = {name: stage for (name, stage), (_, before) in zip(layers, [("", None), *layers]) if stage != before}
            document["pipeline"] = {**(self.pipelining or {"schedule": "Grouped"}), "stages": firsts,
                                    "gradient_accumulation_steps_per_replica":
                                        self.accumulation if mode == "train" else 1,
                                    **(self.places if mode == "train" else {})}
        elif mode == "train" and self.accumulation > 1:
            settings.update(gradient_accumulation_steps_per_replica=self.accumulation, **self.places)
        if mode == "train":
            settings["gradient_reduction"] = self.gradient_reduction()
        document["compile"] = settings
        return document

    def products(self, stages):
        """Rules for how the products of single stages are planned. `stages`: of the layers."""
        return pipelining.stage_rules(dict(self.stage_options), max(stages) + 1) if stages and self.pipelining else []

    def has_own_constraints(self):
        """Whether what it trains has constraints of the script's own, which its program applies after each update."""
        own = bool(own_constraints.own_of_layers(self.layers)) or any(constraints.is_own(getattr(each, "constraint", None)) for each in (
            *self.own_variables(), *(variable for layer in self.leaves() for variable in layer.own_variables())))
        if own and (self.accumulation > 1 or self.replicas() > 1):
            raise own_constraints.refused(f"a weight of {self.name}")
        return own

    def gradient_reduction(self):
        """What the gradients of micro-batches and of replicas become."""
        if self.sums_means():
            return "sum"
        of_replicas = getattr(self.optimizer, "reduction", None) or self.of_replicas
        if of_replicas is None or self.accumulation == 1:
            return of_replicas or self.reduction
        if self.reduction == "sum":
            raise errors.UnimplementedError(message="the mean of replicas whose accumulated gradients are summed is not there "
                                            "under tilescope run: accumulate with "
                                            "gradient_accumulation_reduction_method='mean'")
        return self.reduction

    def _metrics(self):
        """Names that the engine knows: "accuracy" as Keras resolves it by the loss."""
        loss = self.loss if not isinstance(self.loss, (list, tuple, dict)) else None
        kind = {"sparse_categorical_crossentropy": "sparse_categorical_accuracy",
                "categorical_crossentropy": "categorical_accuracy", "binary_crossentropy": "binary_accuracy"}
        resolved = kind.get(plain_name(loss)) if loss is not None else None
        known = _known_metrics()
        names = [plain_name(each) for each in self.metrics_]
        return ["accuracy" if name in ("accuracy", "acc") and "accuracy" in known else
                resolved if name in ("accuracy", "acc") and resolved else name for name in names]

    def _is_python(self, data):
        """Whether a program of the model is traced: no workload says what it does."""
        losses = flatten(self.loss) if self.loss is not None else []
        if data.own_step or self.loss is not None and self.sums_means():
            return True
        if self.on_ipu and self._stages() and any(len(each) > 1 for each in self._stages_of_layers().values()):
            return True  # a workload has one stage for each layer
        if self.loss is not None and (self.optimizer.is_python or self.has_own_constraints() or keras_masks.has_masked_outputs(self)):
            return True  # a workload has no weights of steps
        if any(each is not None for each in self.metric_outputs_) or len(set(self._metrics())) < len(self._metrics()):  # weighted and not, which a workload has once
            return True
        if self.loss is not None and len(self.output_names or ()) > 1 and sum(each is not None for each in keras_outputs.by_output(
                self.loss, self.output_keys(), "loss")) == 1:  # whose loss is shown beside the whole
            return True
        if self.loss is not None and (isinstance(data.label_structure, dict) or data.labels > 1):  # a workload has labels of one kind
            return True
        return self.traced or data.weighted or any(is_python(each) for each in losses + self.metrics_) or (
            self.loss is not None and any(_is_column(tensor.shape, labels) for tensor, labels in zip(
                self.outputs, data.sample_shapes[data.inputs:data.inputs + data.labels])))

    def replicas(self):
        if not self.on_ipu:
            return 1
        stages = self._all_stages()
        highest = max(self.pipelining.get("device_mapping", stages) if self.pipelining else stages) + 1 if stages else 1
        per_model = 1
        while per_model < highest:
            per_model *= 2
        ipus = ipu_config.ipus()[0]
        if ipus % per_model:
            raise ValueError(f"The model has been assigned to {per_model} IPUs, and the device has {ipus}: it must have "
                             "a multiple of that.")
        return ipus // per_model

    def _all_stages(self):
        """The stages of its layers, and those that its own call names; None where there are none."""
        stages = self._stages() if self.on_ipu else None
        return self._traced_stages() if stages is None and self.on_ipu and self.traced else stages

    def _traced_stages(self):
        """The stages that a model's own call names."""
        from . import traced as keras_traced
        if self.subclassed and (self.example_ is None or not self.has_call):
            return None
        example = self.example_ or keras_traced.Example(
            [(tuple(keras_open.closed(t.layer)[1:]), t.dtype.as_numpy_dtype) for t in self.inputs], self.input)
        return sorted(set(keras_traced.Traced(self, example, "predict", self.example_batch(), scratch=True).stages)) or None

    def _program(self, mode, batch, steps, samples, data=None):
        settings = json.dumps([each.workload() for each in self.step_optimizers()]) if mode == "train" else ""  # which the script may change
        key = (mode, batch, steps, data is not None and (data.labels, data.weighted, len(data.sample_shapes), data.own_step), settings,
               ipu_config.changes(), keras_open.close(self, [] if data is None else data.sample_shapes))
        if key not in self.programs:
            if self.on_ipu:
                ipu_config.tell_attached()
            self.variables_list()
            with self._as_compiled():
                self.programs[key] = self._made_program(mode, batch, steps, samples, data)
        return self.programs[key]

    def _made_program(self, mode, batch, steps, samples, data):
        if mode == "train" and self.pipelining:
            pipelining.check_schedule(pipelining.PipelineSchedule[self.pipelining["schedule"]],
                                      self.pipelining.get("device_mapping"))
        self._check_iterations(mode, steps)
        if mode == "train" and data is not None and data.own_step and self.extended:
            host.tell_once(f"tilescope: note: on hardware Keras refuses {type(self).__name__}.train_step within an IPUStrategy; make that "
                           "with enable_keras_extensions=False there")
        keras_stateful.check(self)
        keras_lookup.check_norms(self, self.replicas() if mode == "train" else 1)
        if data is not None and self._is_python(data):
            from .traced import program
            return program(self, data, mode, batch, steps)
        label, summed = (slots.begin(self.optimizer, self.store), self.accumulates_outfeed) if mode == "train" else ("", False)
        made = host.loaded(host.run().load_keras(json.dumps(self._workload(mode, batch, steps)), mode, samples, summed, label, self.store))
        self.tables[id(made)] = [] if self.on_ipu else keras_tables.of_calls(self)
        return made

    def _check_iterations(self, mode, steps):
        """A pipeline's micro-batches: of an update, else of an execution, which has `steps` over all replicas."""
        stages = self._all_stages()
        if stages and max(stages) > 0:
            schedule = (self.pipelining or {"schedule": "Grouped"})["schedule"]
            count = self.accumulation if mode == "train" else steps // self.replicas()
            pipelining.check_iterations(pipelining.PipelineSchedule[schedule], max(stages) + 1, count, mode == "train")

    # Loops.

    @keras_placed.runs
    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose="auto", callbacks=None, validation_split=0.0,
            validation_data=None, shuffle=True, class_weight=None, sample_weight=None, initial_epoch=0,
            steps_per_epoch=None, validation_steps=None, validation_batch_size=None, validation_freq=1,
            max_queue_size=10, workers=1, use_multiprocessing=False):
        if self.optimizer is None:
            raise RuntimeError("You must compile your model before training/testing. Use `model.compile(optimizer, "
                               "loss)`.")
        verbose, epochs = 1 if verbose == "auto" else int(verbose), operator.index(epochs)
        if not 0 <= validation_split < 1:
            raise ValueError(f"`validation_split` must be between 0 and 1, received: {validation_split}")
        if validation_split:
            (x, y, sample_weight), validation_data = keras_data.split_off(x, y, sample_weight, validation_split)
        data = keras_data.Feeder(x, y, batch_size, failures.count_of("steps_per_epoch", steps_per_epoch), epochs, shuffle, self, "fit",
                                 sample_weight, class_weight)
        self._build_for(data)
        loop = Loop(self, "train", data, self.accumulation, epochs)
        if not callbacks and not host.estimating():  # which may end it before
            engine.check_epochs(epochs - initial_epoch, loop.steps * loop.replicas, f"{self.name}.fit(epochs={epochs})")
        history = callback_classes.History()
        every = callback_classes.List(callbacks, history, self, {"epochs": epochs, "steps": loop.steps,
                                                                 "verbose": verbose})
        self.stop_training = False
        every.call("on_train_begin", {})
        logs, self.evaluating_ = {}, None

        def validate():
            given = keras_step.unpack_x_y_sample_weight(tuple(validation_data) if isinstance(validation_data, list) else validation_data)
            return self.evaluate(given[0], given[1], validation_batch_size or batch_size, verbose=0,
                                 sample_weight=given[2] if len(given) > 2 else None, steps=validation_steps,
                                 callbacks=every, return_dict=True)
        told = epochs if callbacks or not host.estimating() else min(epochs, initial_epoch + TOLD)
        for epoch in range(initial_epoch, told):
            if self.steps_per_execution == 1 and self.on_ipu:
                host.log("INFO", f"The model `{self.name}` has been configured with only 1 steps per execution. Consider "
                         "increasing the value for the `steps_per_execution` argument passed to the `compile()` method "
                         "to improve performance.")
            if verbose and epochs > 1:
                print(f"Epoch {epoch + 1}/{epochs}", flush=True)
            every.call("on_epoch_begin", epoch, {})
            bar = Progress(loop.steps, verbose, lambda: self.seconds)
            logs = loop.run(self.epochs_done, bar, every)
            self.epochs_done += 1
            if validation_data is not None and keras_data.is_validated(epoch + 1, validation_freq):
                values = validate()
                logs.update({f"val_{name}": value for name, value in values.items()})
            every.call("on_epoch_end", epoch, logs)
            bar.end(loop.steps, list(logs.items()))
            if self.stop_training:
                break
        if told < epochs and not self.stop_training:
            host.tell_once(f"tilescope: note: estimated epochs are alike: those after the first {TOLD} are recorded at once")
            loop.repeat(self.epochs_done, epochs - told)
            self.epochs_done += epochs - told
            validations = 0 if validation_data is None else keras_data.validations(told, epochs, validation_freq)
            if validations and self.evaluating_ is None:
                validate()
                validations -= 1
            if validations and self.evaluating_ is not None:
                self.evaluating_.repeat(self.epochs_done - validations, validations)
        every.call("on_train_end", logs)
        self.history = history
        return history

    @keras_placed.runs
    def evaluate(self, x=None, y=None, batch_size=None, verbose=1, sample_weight=None, steps=None, callbacks=None,
                 max_queue_size=10, workers=1, use_multiprocessing=False, return_dict=False):
        data = keras_data.Feeder(x, y, batch_size, steps, 1, False, self, "evaluate", sample_weight)
        self._build_for(data)
        self.evaluating_ = loop = Loop(self, "evaluate", data, 1)
        every = callbacks if isinstance(callbacks, callback_classes.List) else \
            callback_classes.List(callbacks, None, self, {"steps": loop.steps})
        bar = Progress(loop.steps, verbose, lambda: self.seconds)
        every.call("on_test_begin", {})
        logs = loop.run(max(self.epochs_done - 1, 0), bar, every)
        every.call("on_test_end", logs)
        bar.end(loop.steps, list(logs.items()))
        values = list(logs.values())
        return logs if return_dict else values[0] if len(values) == 1 else values

    @keras_placed.runs
    def predict(self, x, batch_size=None, verbose=0, steps=None, callbacks=None, max_queue_size=10, workers=1,
                use_multiprocessing=False):
        data = keras_data.Feeder(x, None, batch_size, steps, 1, False, self, "predict")
        self._build_for(data)
        loop = Loop(self, "predict", data, 1)
        every = callback_classes.List(callbacks, None, self, {"steps": loop.steps})
        bar = Progress(loop.steps, verbose, lambda: self.seconds)
        every.call("on_predict_begin", {})
        loop.run(max(self.epochs_done - 1, 0), bar, every)
        every.call("on_predict_end", {})
        bar.end(loop.steps, [])
        return loop.outputs_of()

    def used_of(self, arrays):
        """Of what a step is given, inputs first, what its program takes: no input that no output needs."""
        if self.subclassed or len(self.inputs) == 1:
            return arrays
        if self.__dict__.get("needed_", (None, ()))[0] is not self.outputs:
            from . import model as keras_model
            needed = {id(layer) for layer, _ in keras_model.calls_of(self.outputs)}
            self.needed_ = self.outputs, self.traced or [id(each.layer) in needed for each in self.inputs]
        needed = self.needed_[1]
        return arrays if needed is True else [each for i, each in enumerate(arrays) if i >= len(needed) or needed[i]]

    def predict_now(self, arrays):
        """The outputs of one batch, in their form: all replicas have it, as often as a pipeline has stages."""
        self.build([None] + list(np.shape(arrays[0])[1:]))
        batch = int(np.shape(arrays[0])[0])
        data = keras_data.Feeder(list(arrays), None, batch, 1, 1, False, self, "predict")
        data.input_structure = self.example_.input_structure if self.example_ else data.input_structure
        data.own_step = False  # this is a call of the model, as predict_step may be one
        times = self.replicas() * (max(self._all_stages() or [0]) + 1)
        program = self._program("predict", batch, times, times, data)
        keras_tables.check(self.tables[id(program)], arrays)
        for number in range(times):
            program.step(number, [np.asarray(a) for a in self.used_of(arrays)])
        outputs = [program.fetched(i) for i in range(len(program.fetches))]
        self.seconds += program.end_execution(0, 0, times, [])
        return self.in_form(outputs, self.forms.get(id(program)))

    @keras_placed.runs
    def train_on_batch(self, x, y=None, sample_weight=None, class_weight=None, reset_metrics=True, return_dict=False):
        data = keras_data.Feeder(x, y, len(flatten(x)[0]), 1, 1, False, self, "fit", sample_weight, class_weight)
        self._build_for(data)
        logs = Loop(self, "train", data, self.accumulation).run(self.epochs_done, None, None)
        self.epochs_done += 1
        values = list(logs.values())
        return logs if return_dict else values[0] if len(values) == 1 else values

    def test_on_batch(self, x, y=None, sample_weight=None, reset_metrics=True, return_dict=False):
        return self.evaluate(x, y, len(flatten(x)[0]), verbose=0, sample_weight=sample_weight, return_dict=return_dict)

    def predict_on_batch(self, x):
        return self.predict(x, batch_size=len(flatten(x)[0]))

    def _build_for(self, data):
        if self.subclassed and self.example_ is None:
            from . import traced as keras_traced
            types = list(zip(data.sample_shapes, data.sample_dtypes))[:data.inputs]
            self.example_ = keras_traced.Example(types, data.input_structure)
        if not self.built:
            self.build([None] + list(data.sample_shapes[0]))


def _metric(given):
    """A metric that has a state, of its name."""
    from .counts import COUNTED
    if getattr(given, "__name__", given) == "sparse_top_k_categorical_accuracy":  # which the engine has not
        return METRICS["SparseTopKCategoricalAccuracy"]()
    return COUNTED[given]() if isinstance(given, str) and given in COUNTED else given


def _is_column(output, labels):
    """Whether Keras compares an output [batch, …, 1] without its last extent: with labels of one rank less."""
    return len(output) > 2 and output[-1] == 1 and max(len(labels), 1) == len(output) - 2


def _known_metrics():
    return engine.metric_names()
