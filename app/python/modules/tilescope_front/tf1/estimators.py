# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.estimator and ipu.ipu_estimator: a model_fn and an input_fn, whose loops run on the device."""
import collections
import contextlib
import inspect
import itertools
import math
import tempfile

import numpy as np

import tilescope_engine as engine

from . import saving as saving_1, session
from ..tracing import graph_variables as variables, gradients, compiler as ipu_compiler
from ..tensors import graph
from .. import host, instances, ipu_config, scopes
from ..data import pipelines as data
from ..ipu import pipelining
from ..structure import flatten, pack_like


class ModeKeys:
    TRAIN, EVAL, PREDICT = "train", "eval", "infer"


def _check_call(name, given, kinds):
    """That a function of the host and the tensors that it takes are given as such."""
    if given is None:
        return
    if not isinstance(given, tuple):
        raise TypeError(f"`{name}` must be a tuple")
    if len(given) != 2:
        raise ValueError(f"`{name}` must have two elements")
    if not callable(given[0]):
        raise TypeError(f"first element in `{name}` must be callable")
    if not isinstance(given[1], kinds):
        raise TypeError(f"second element in `{name}` must be a {' or '.join(each.__name__ for each in kinds)}")


class EstimatorSpec:
    """What a model_fn gives."""

    def __init__(self, mode, predictions=None, loss=None, train_op=None, eval_metric_ops=None, eval_metrics=None,
                 host_call=None, training_hooks=None, evaluation_hooks=None, prediction_hooks=None, export_outputs=None,
                 scaffold=None, training_chief_hooks=None):
        self.mode, self.predictions, self.loss, self.train_op = mode, predictions, loss, train_op
        self.eval_metric_ops, self.eval_metrics, self.host_call = eval_metric_ops, eval_metrics, host_call
        self.training_hooks, self.evaluation_hooks, self.prediction_hooks = training_hooks, evaluation_hooks, prediction_hooks
        for name, given, kinds in (("host_call", host_call, (list,)), ("eval_metrics", eval_metrics, (list, dict))):
            _check_call(name, given, kinds)
        if mode == ModeKeys.TRAIN and (loss is None or train_op is None):
            raise ValueError("EstimatorSpec must contain a loss and a train_op when training.")
        if mode == ModeKeys.EVAL and loss is None:
            raise ValueError("EstimatorSpec must contain a loss when evaluating.")
        if mode == ModeKeys.PREDICT and predictions is None:
            raise ValueError("EstimatorSpec must contain predictions when predicting.")


class IPURunConfig:
    def __init__(self, iterations_per_loop=1, ipu_options=None, num_replicas=1, num_shards=1, ordinal=0,
                 prefetch_depth=None, compile_summary=False, autosharding=False):
        if num_replicas * num_shards > 1 and ipu_options is None:
            raise ValueError("`IPURunConfig` needs `ipu_options` for several replicas or shards.")
        if autosharding:
            host.tell_once("tilescope: IPURunConfig(autosharding=True) has no effect here: place operations with ipu_shard")
        self.iterations_per_loop, self.ipu_options = iterations_per_loop, ipu_options
        self.num_replicas, self.num_shards = num_replicas, num_shards


class RunConfig:
    def __init__(self, ipu_run_config=None, master=None, model_dir=None, tf_random_seed=None, save_summary_steps=100,
                 save_checkpoints_steps=None, save_checkpoints_secs=None, session_config=None, keep_checkpoint_max=5,
                 keep_checkpoint_every_n_hours=10000, log_step_count_steps=100, train_distribute=None, device_fn=None,
                 protocol=None, eval_distribute=None, experimental_distribute=None,
                 experimental_max_worker_delay_secs=None, session_creation_timeout_secs=7200,
                 checkpoint_save_graph_def=True):
        self.ipu_run_config = ipu_run_config or IPURunConfig()
        self.model_dir, self.log_step_count_steps, self.tf_random_seed = model_dir, log_step_count_steps, tf_random_seed
        self.train_distribute, self.eval_distribute = train_distribute, eval_distribute


def _call(function, **given):
    """With those of the arguments that it takes."""
    takes = inspect.signature(function).parameters
    return function(**{name: value for name, value in given.items() if name in takes})


class IPUPipelineEstimatorSpec:
    """What a model_fn of a pipeline gives."""

    def __init__(self, mode, computational_stages, gradient_accumulation_count=None, eval_metrics_fn=None,
                 optimizer_function=None, device_mapping=None, loss_accumulator_dtype=None, training_hooks=None,
                 evaluation_hooks=None, prediction_hooks=None, reduction_method="SUM", **pipeline_op_kwargs):
        if mode == ModeKeys.TRAIN and (optimizer_function is None or gradient_accumulation_count is None):
            raise ValueError("IPUPipelineEstimatorSpec must contain `optimizer_function` and `gradient_accumulation_count` "
                             "when training.")
        if mode == ModeKeys.EVAL and eval_metrics_fn is None:
            raise ValueError("IPUPipelineEstimatorSpec must contain `eval_metrics_fn` when evaluating.")
        self.mode, self.stages, self.eval_metrics_fn = mode, computational_stages, eval_metrics_fn
        self.count, self.hooks = gradient_accumulation_count, training_hooks or evaluation_hooks or prediction_hooks or []
        self.settings = {"device_mapping": device_mapping, "reduction_method": reduction_method, **pipeline_op_kwargs}
        if mode == ModeKeys.TRAIN:
            self.settings.update(optimizer_function=optimizer_function, outfeed_loss=True)


class _InputContext:
    """tf.distribute.InputContext: which of the workers an input_fn makes data for."""

    num_input_pipelines, input_pipeline_id = property(lambda self: instances.count()), property(lambda self: instances.index())
    num_replicas_in_sync = property(lambda self: ipu_config.ipus()[0])


class _Ahead:
    """An iterator that can say whether it has so many elements more."""

    def __init__(self, elements):
        self.elements, self.held = elements, collections.deque()

    def has(self, count):
        self.held.extend(itertools.islice(self.elements, max(count - len(self.held), 0)))
        return len(self.held) >= count

    def __iter__(self):
        return self

    def __next__(self):
        return self.held.popleft() if self.held else next(self.elements)


class _Loop:
    """The program of one mode: a loop over an input_fn's data set, whose values come through a queue."""

    def __init__(self, estimator, mode, input_fn, iterations, of_all):
        self.graph, self.iterations = graph.Graph(), iterations
        self.graph.seed = estimator.config.tf_random_seed
        strategy = {ModeKeys.TRAIN: estimator.config.train_distribute, ModeKeys.EVAL: estimator.config.eval_distribute}.get(mode)
        self.room = contextlib.nullcontext if strategy else ipu_config.of_one_worker
        context = {"input_context": _InputContext()} if strategy else {}
        replicated = estimator.replicas > 1 or strategy is not None
        with self.graph.as_default(), self.room():
            dataset = _call(input_fn, mode=mode, params=estimator.params, config=estimator.config, **context)
            self.length = dataset._length
            if of_all and self.length == data.UNKNOWN:
                self.iterations = 1
            elif of_all and self.length > 0 and self.length % (iterations * estimator.replicas):
                self.iterations = math.gcd(iterations, self.length // estimator.replicas)  # to its end
            self.infeed, self.outfeed = pipelining.IPUInfeedQueue(dataset), pipelining.IPUOutfeedQueue()
            self.hooks, self.metrics, self.host_metrics, self.host_call = [], [], None, None
            with scopes.ipu_scope("/device:IPU:0"), gradients.exchanged(replicated=replicated):
                self.run = ipu_compiler.compile(self._function(estimator, mode))
            self.values = self.outfeed.dequeue()
            self._add_host_call()
            self.session = session.Session(graph=self.graph)
        self.session.weights, self.session.all_initialised = estimator.weights, True
        self.session.run(self.infeed.initializer)
        self.elements = self.infeed.running = _Ahead(self.infeed.running)

    def _function(self, estimator, mode):
        return lambda: ipu_compiler.repeat(self.iterations, self._body(estimator, mode), infeed_queue=self.infeed)

    def _body(self, estimator, mode):
        def body(*element, **named):
            features, labels = named or element[0], element[1] if len(element) > 1 else None
            spec = _call(estimator.model_fn, features=features, labels=labels, mode=mode, params=estimator.params,
                         config=estimator.config)
            self.hooks += getattr(spec, {"train": "training_hooks", "eval": "evaluation_hooks",
                                         "infer": "prediction_hooks"}[mode]) or []
            if mode == ModeKeys.PREDICT:
                return [self.outfeed.enqueue(spec.predictions)]
            given = {"loss": spec.loss}
            self.metrics, self.host_metrics = list(spec.eval_metric_ops or {}), None
            for name, (_, update) in (spec.eval_metric_ops or {}).items():
                given["metric " + name] = update
            if mode == ModeKeys.EVAL and spec.eval_metrics is not None:
                self.host_metrics, tensors = spec.eval_metrics
                self.host_form = tensors
                given.update({f"host {i}": each for i, each in enumerate(flatten(tensors))})
            if mode == ModeKeys.TRAIN and spec.host_call is not None:
                if self.iterations > 1:
                    raise ValueError("host_call is not allowed for iterations_per_loop > 1")
                self.host_call = spec.host_call
                given.update({f"call {i}": each for i, each in enumerate(spec.host_call[1])})
            leaves = [self.outfeed.enqueue(given)]
            return leaves + ([spec.train_op] if mode == ModeKeys.TRAIN else [])
        return body

    def _add_host_call(self):
        """What the host does after each step, with what the step has sent."""
        if self.host_call is not None:
            function, tensors = self.host_call
            self.host_call = [graph.placeholder(each.dtype, each.dims, f"host_call_{i}") for i, each in enumerate(map(graph.convert, tensors))]
            self.host_step = function(*self.host_call)
            if not isinstance(self.host_step, (graph.GraphTensor, graph.Operation)):
                raise TypeError(f"`host_call` return value must be Operation or Tensor, given: {self.host_step}")

    def _call_host(self, values):
        """With the values of the first replica."""
        rows = [values[f"call {i}"][0] for i in range(len(self.host_call))]
        rows = [row[0] if row.ndim > len(each.dims) else row for row, each in zip(rows, self.host_call)]
        self.session.run(self.host_step, dict(zip(self.host_call, rows)))

    def step(self):
        """One engine run: its values, step by step."""
        for hook in self.hooks:
            hook.before_run(None)
        with self.room():
            self.session.run(self.run)
        values = self.session.run(self.values)
        if self.host_call is not None:
            self._call_host(values)
        for hook in self.hooks:
            hook.after_run(None, None)
        return values

    def begin(self, hooks):
        self.hooks += list(hooks or [])
        for hook in self.hooks:
            hook.begin()
            hook.after_create_session(self.session, None)

    def end(self):
        for hook in self.hooks:
            hook.end(self.session)


class _PipelineLoop(_Loop):
    """The same of stages."""

    def _function(self, estimator, mode):
        spec = _call(estimator.model_fn, mode=mode, params=estimator.params, config=estimator.config)
        if not isinstance(spec, IPUPipelineEstimatorSpec):
            raise ValueError("`model_fn` must return `IPUPipelineEstimatorSpec`.")
        self.hooks += spec.hooks
        count = spec.count if mode == ModeKeys.TRAIN else self.iterations
        if self.iterations % count:
            raise ValueError(f"iterations_per_loop ({self.iterations}) must be a multiple of gradient_accumulation_count "
                             f"({count}).")
        self.host_metrics, self.predicts = spec.eval_metrics_fn if mode == ModeKeys.EVAL else None, mode == ModeKeys.PREDICT
        return lambda: pipelining.pipeline(spec.stages, count, repeat_count=self.iterations // count,
                                           infeed_queue=self.infeed, outfeed_queue=self.outfeed, **spec.settings)

    def step(self):
        values = super().step()
        if self.predicts:
            return values[0] if isinstance(values, (list, tuple)) and len(values) == 1 else values
        if self.host_metrics is not None:
            values = values if isinstance(values, (list, tuple)) else [values]
            self.host_form = list(values)
            return {f"host {i}": each for i, each in enumerate(values)}
        return values if isinstance(values, (dict, list, tuple)) else {"loss": values}


def _check_counts(**counts):
    for name, count in counts.items():
        if count is not None and count <= 0:
            raise ValueError(f"Must specify {name} > 0, given: {count}")


class IPUEstimator:
    """Trains, evaluates and predicts with a model_fn."""

    loop = _Loop

    def __init__(self, model_fn, model_dir=None, config=None, params=None, warm_start_from=None, train_batch_size=None,
                 eval_batch_size=None, predict_batch_size=None):
        if config is not None and not isinstance(config, RunConfig):
            raise ValueError("`config` must be provided with type `ipu_run_config.RunConfig`.")
        self.model_fn, self.config = model_fn, config or RunConfig()
        self.params, self.sizes = dict(params or {}), {ModeKeys.TRAIN: train_batch_size, ModeKeys.EVAL: eval_batch_size,
                                                       ModeKeys.PREDICT: predict_batch_size}
        self.model_dir = model_dir or self.config.model_dir
        if not self.model_dir:
            self.model_dir = tempfile.mkdtemp()
            host.log("WARNING", f"Using temporary folder as model directory: {self.model_dir}")
        self.weights, self.global_step = engine.Weights(), 0
        latest = saving_1.latest_checkpoint(self.model_dir)
        if latest:
            saving_1.read(self.weights, latest)
            self.global_step = int(latest.rpartition("-")[2])

    replicas = property(lambda self: self.config.ipu_run_config.num_replicas)

    def _loop(self, mode, input_fn, iterations, of_all=False, **counts):
        _check_counts(**counts)
        options = self.config.ipu_run_config.ipu_options
        if options is not None:
            ipu_config.configure_ipu_system(options)
        if self.sizes[mode] is not None:
            if self.sizes[mode] % self.replicas:
                raise ValueError(f"The batch size {self.sizes[mode]} is not a multiple of the {self.replicas} replicas.")
            self.params["batch_size"] = self.sizes[mode] // self.replicas
        return self.loop(self, mode, input_fn, iterations, of_all)

    def _runs(self, loop, steps):
        """As many as there are engine runs, of whole loops: `steps`, or to the end of the data."""
        if steps is None and loop.length == data.INFINITE:
            raise ValueError("`steps` must be given for a data set without an end.")
        if steps is None and loop.length == data.UNKNOWN:
            return itertools.takewhile(lambda _: loop.elements.has(loop.iterations * self.replicas), itertools.count())
        steps = loop.length // self.replicas // loop.iterations * loop.iterations if steps is None else steps
        if steps % loop.iterations:
            raise ValueError(f"steps ({steps}) must be evenly divisible by iterations_per_loop ({loop.iterations}).")
        return range(steps // loop.iterations)

    def train(self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None):
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        _check_counts(steps=steps, max_steps=max_steps)
        if max_steps is not None:
            steps = max_steps - self.global_step
            if steps <= 0:
                host.log("INFO", "Skipping training since max_steps has already saved.")
                return self
        loop = self._loop(ModeKeys.TRAIN, input_fn, self.config.ipu_run_config.iterations_per_loop)
        host.log("INFO", "Graph was finalized.")
        loop.begin(hooks)
        loss = None
        for _ in self._runs(loop, steps):
            loss = float(np.mean(loop.step()["loss"]))
            self.global_step += loop.iterations
            host.log("INFO", f"loss = {loss:.7g}, step = {self.global_step}")
        if loss is None:
            host.log("WARNING", "Training with estimator made no steps. Perhaps input is empty or misspecified: a loop takes "
                     f"{loop.iterations * self.replicas} elements (iterations_per_loop={loop.iterations} of {self.replicas} replicas).")
        loop.end()
        saving_1.write_all(self.weights, loop.graph, f"{self.model_dir}/model.ckpt-{self.global_step}", global_step=np.int64(self.global_step))
        host.log("INFO", f"Loss for final step: {loss}.")
        return self

    def evaluate(self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None):
        if checkpoint_path:
            saving_1.read(self.weights, checkpoint_path)
        most = self.config.ipu_run_config.iterations_per_loop
        loop = self._loop(ModeKeys.EVAL, input_fn, most if steps is None else min(steps, most), of_all=steps is None, steps=steps)
        self._forget_counts(loop)
        loop.begin(hooks)
        rows = [loop.step() for _ in self._runs(loop, steps)]
        loop.end()
        self._forget_counts(loop)
        if not rows:
            raise ValueError("the data set of evaluate() has no elements: let input_fn give one for each replica at the least")
        columns = {key: np.concatenate([row[key] for row in rows]) for key in rows[0]}
        found = {metric: float(columns["metric " + metric][-1].mean()) for metric in loop.metrics}
        if loop.host_metrics is not None:
            found.update(self._on_host(loop, [columns[f"host {i}"] for i in range(len(flatten(loop.host_form)))]))
        found.update(loss=float(columns["loss"].mean()) if "loss" in columns else found.get("loss"))
        if host.estimating():  # what has been made of values that are not computed says nothing
            found = dict.fromkeys(found, float("nan"))
        found["global_step"] = self.global_step
        host.log("INFO", f"Saving dict for global step {self.global_step}: "
                 + ", ".join(f"{key} = {found[key]:.7g}" for key in sorted(found)))
        return found

    def _forget_counts(self, loop):
        """What tf.metrics has counted is of one evaluation, and in no checkpoint."""
        with loop.graph.as_default():
            for variable in variables.local_variables():
                self.weights.erase(variable.key)

    @staticmethod
    def _on_host(loop, columns):
        """What a function of the script makes of all steps' values."""
        joined = [np.concatenate(list(each)) if each.ndim > 1 else each for each in map(np.asarray, columns)]
        with graph.Graph().as_default() as made:
            given = pack_like(loop.host_form, [graph.symbolic(each) for each in joined])
            metrics = loop.host_metrics(**given) if isinstance(given, dict) else loop.host_metrics(*given)
            with session.Session(graph=made) as running:
                running.run(variables.global_variables_initializer())
                running.run(variables.local_variables_initializer())
                return {key: float(np.mean(running.run(pair[1] if isinstance(pair, tuple) else pair)))
                        for key, pair in metrics.items()}

    def predict(self, input_fn, predict_keys=None, hooks=None, checkpoint_path=None, yield_single_examples=True,
                num_predictions=None):
        """Yields predictions, of examples or batches; `num_predictions`: how many at most."""
        if checkpoint_path:
            saving_1.read(self.weights, checkpoint_path)
        loop = self._loop(ModeKeys.PREDICT, input_fn, self.config.ipu_run_config.iterations_per_loop,
                          of_all=True, num_predictions=num_predictions)
        yield from itertools.islice(self._predictions(loop, predict_keys, hooks, yield_single_examples), num_predictions)

    def _predictions(self, loop, keys, hooks, single):
        loop.begin(hooks)
        for _ in itertools.count() if loop.length == data.INFINITE else self._runs(loop, None):
            values = loop.step()
            if keys is not None and isinstance(values, dict):
                chosen = {key: each for key, each in values.items() if key in ([keys] if isinstance(keys, str) else keys)}
                if not chosen:
                    raise ValueError(f"Expected to run at least one output from {list(values)}, provided {keys}.")
                values = chosen
            for i in range(loop.iterations):
                leaves = [each[i] for each in flatten(values)]
                if self.replicas > 1:
                    leaves = [np.concatenate(list(each)) for each in leaves]
                for k in range(len(leaves[0])) if single else [slice(None)]:
                    yield pack_like(values, [each[k] for each in leaves])
        loop.end()

    def latest_checkpoint(self):
        return saving_1.latest_checkpoint(self.model_dir)

    def get_variable_names(self):
        return [name for name, _ in saving_1.list_variables(self.model_dir)]

    def get_variable_value(self, name):
        return saving_1.load_variable(self.model_dir, name)[()]


class IPUPipelineEstimator(IPUEstimator):
    """The same with a model_fn that gives the stages of a pipeline."""

    loop = _PipelineLoop


class TrainSpec:
    def __init__(self, input_fn, max_steps=None, hooks=None, saving_listeners=None):
        self.input_fn, self.max_steps = input_fn, max_steps


class EvalSpec:
    def __init__(self, input_fn, steps=100, name=None, hooks=None, exporters=None, start_delay_secs=120,
                 throttle_secs=600):
        self.input_fn, self.steps = input_fn, steps


def train_and_evaluate(estimator, train_spec, eval_spec):
    estimator.train(train_spec.input_fn, max_steps=train_spec.max_steps)
    return estimator.evaluate(eval_spec.input_fn, eval_spec.steps), None


NAMES = {each.__name__: each for each in (ModeKeys, EstimatorSpec, TrainSpec, EvalSpec, train_and_evaluate)}
