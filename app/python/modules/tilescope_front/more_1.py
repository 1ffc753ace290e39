# SPDX-License-Identifier: GPL-3.0-or-later
"""More of TensorFlow 1: layers of one and three dimensions, recurrent networks in both directions, metrics that are counted, rates,
templates and what scripts ask of variables and collections."""
import os

import numpy as np

from . import (array_operations, checks, graph, layers_1, math_more, names, nn_more, nn_operations, operations, random_operations, rare_names,
               rnn_1, saving_1, train_1, variables)
from .operations import add, cast, constant, divide, expand_dims, multiply, reduce_mean, reduce_sum, subtract
from .structure import flatten as leaves

MATH = operations.MATH


# tf.layers

def _convolutional(base, rank, convolve):
    def layer(inputs, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", dilation_rate=1, activation=None, use_bias=True,
              kernel_initializer=None, bias_initializer=None, kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
              kernel_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):
        train_1._refuse(base, activity_regularizer=activity_regularizer, kernel_constraint=kernel_constraint, bias_constraint=bias_constraint,
                        data_format=None if data_format == "channels_last" else data_format)
        x = graph.symbolic(inputs)
        size = [kernel_size] * rank if isinstance(kernel_size, int) else list(kernel_size)
        with variables.variable_scope(train_1._layer_name(name, base), reuse=reuse):
            kernel = variables.get_variable("kernel", size + [x.dims[-1], filters], x.dtype, kernel_initializer, kernel_regularizer, trainable)
            y = convolve(x, kernel, strides, padding.upper(), dilations=dilation_rate)
            if use_bias:
                zeros = bias_initializer or variables.INITIALIZERS["zeros"]()
                y = add(y, variables.get_variable("bias", [filters], x.dtype, zeros, bias_regularizer, trainable))
        return train_1._activated(y, activation)
    layer.__name__ = base
    return layer


def separable_conv2d(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last", dilation_rate=(1, 1), depth_multiplier=1,
                     activation=None, use_bias=True, depthwise_initializer=None, pointwise_initializer=None, bias_initializer=None,
                     depthwise_regularizer=None, pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                     depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):
    """tf.layers.separable_conv2d: a filter for each channel, and then one of single pixels."""
    train_1._refuse("separable_conv2d", activity_regularizer=activity_regularizer, depthwise_constraint=depthwise_constraint,
                    pointwise_constraint=pointwise_constraint, bias_constraint=bias_constraint,
                    data_format=None if data_format == "channels_last" else data_format)
    x = graph.symbolic(inputs)
    size = [kernel_size] * 2 if isinstance(kernel_size, int) else list(kernel_size)
    with variables.variable_scope(train_1._layer_name(name, "separable_conv2d"), reuse=reuse):
        depthwise = variables.get_variable("depthwise_kernel", size + [x.dims[-1], depth_multiplier], x.dtype, depthwise_initializer,
                                           depthwise_regularizer, trainable)
        pointwise = variables.get_variable("pointwise_kernel", [1, 1, x.dims[-1] * depth_multiplier, filters], x.dtype, pointwise_initializer,
                                           pointwise_regularizer, trainable)
        steps = [1, *([strides] * 2 if isinstance(strides, int) else strides), 1]
        y = nn_operations.separable_conv2d(x, depthwise, pointwise, steps, padding.upper(), rate=dilation_rate)
        if use_bias:
            zeros = bias_initializer or variables.INITIALIZERS["zeros"]()
            y = add(y, variables.get_variable("bias", [filters], x.dtype, zeros, bias_regularizer, trainable))
    return train_1._activated(y, activation)


def _pooling(base, pool, orders):
    def layer(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
        return pool(inputs, pool_size, strides, padding.upper(), data_format=orders[data_format == "channels_first"])
    layer.__name__ = base
    return layer


_1D, _3D = ("NWC", "NCW"), ("NDHWC", "NCDHW")
LAYERS = {each.__name__: each for each in (
    _convolutional("conv1d", 1, nn_operations.conv1d), _convolutional("conv3d", 3, math_more.conv3d), separable_conv2d,
    _pooling("max_pooling1d", nn_more.NN["max_pool1d"], _1D), _pooling("average_pooling1d", nn_more.NN["avg_pool1d"], _1D),
    _pooling("max_pooling3d", math_more.max_pool3d, _3D), _pooling("average_pooling3d", math_more.avg_pool3d, _3D))}
CLASSES = {kind: type(kind, (layers_1.Layer,), {"function": staticmethod(LAYERS[base]), "base": base, "__doc__": f"tf.layers.{base} as a class"})
           for kind, base in (("Conv1D", "conv1d"), ("Conv3D", "conv3d"), ("SeparableConv2D", "separable_conv2d"), ("MaxPooling1D", "max_pooling1d"),
                              ("AveragePooling1D", "average_pooling1d"), ("MaxPooling3D", "max_pooling3d"), ("AveragePooling3D", "average_pooling3d"))}


# tf.nn

def bidirectional_dynamic_rnn(cell_fw, cell_bw, inputs, sequence_length=None, initial_state_fw=None, initial_state_bw=None, dtype=None,
                              parallel_iterations=None, swap_memory=False, time_major=False, scope=None):
    """((outputs forwards, backwards), (states forwards, backwards)): the second reads each sequence from its end."""
    x = graph.symbolic(inputs)
    along, batch = (0, 1) if time_major else (1, 0)

    def turned(each):
        if sequence_length is None:
            return array_operations.reverse(each, [along])
        return rare_names.reverse_sequence(each, sequence_length, along, batch)
    with variables.variable_scope(scope or "bidirectional_rnn"):
        with variables.variable_scope("fw") as inner:
            outputs, state = rnn_1.dynamic_rnn(cell_fw, x, sequence_length, initial_state_fw, dtype, time_major=time_major, scope=inner)
        with variables.variable_scope("bw") as inner:
            back, last = rnn_1.dynamic_rnn(cell_bw, turned(x), sequence_length, initial_state_bw, dtype, time_major=time_major, scope=inner)
    return (outputs, turned(back)), (state, last)


# tf.metrics: (the value so far, what adds this step and gives the new value)

def _kept(name, shape=()):
    return saving_1.local(name, shape)


def _share(part, whole):
    """part / whole, and 0 where that is 0."""
    return operations.divide_no_nan(part, whole)


def _weighed(holds, weights):
    holds = cast(holds, "float32")
    return holds if weights is None else multiply(holds, operations.broadcast_together(cast(weights, "float32"), holds)[0])


_OF = {"true_positives": (True, True), "false_positives": (False, True), "false_negatives": (True, False), "true_negatives": (False, False)}


def _both(labels, predictions, kind):
    yes = [MATH["not_equal"](cast(each, "float32"), 0.0) for each in (labels, predictions)]
    held = [each if wanted else MATH["logical_not"](each) for each, wanted in zip(yes, _OF[kind])]
    return operations.logical_and(*held)


def _counting(kind):
    def metric(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
        count = _kept(f"{name or kind}/count")
        return operations.identity(count), count.assign_add(reduce_sum(_weighed(_both(labels, predictions, kind), weights)))
    metric.__name__ = kind
    return metric


def _ratio(kind, other):
    def metric(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
        found = [_counting(each)(labels, predictions, weights, name=f"{name or kind}/{each}") for each in ("true_positives", other)]
        (good, more_good), (bad, more_bad) = found
        return _share(good, add(good, bad)), _share(more_good, add(more_good, more_bad))
    metric.__name__ = kind
    return metric


def auc(labels, predictions, weights=None, num_thresholds=200, metrics_collections=None, updates_collections=None, curve="ROC", name=None,
        summation_method="trapezoidal", thresholds=None):
    """The area under the curve through points at thresholds between 0 and 1, by trapezoids."""
    if summation_method != "trapezoidal" or curve not in ("ROC", "PR"):
        from . import failures
        raise failures.refused(f"tf.metrics.auc(curve={curve!r}, summation_method={summation_method!r})", "take the curve 'ROC' or 'PR' by trapezoids")
    between = [(i + 1) / (num_thresholds - 1) for i in range(num_thresholds - 2)] if thresholds is None else sorted(thresholds)
    limits = constant(np.float32([-1e-7, *between, 1 + 1e-7])[:, None])
    above = MATH["greater"](expand_dims(operations.reshape(cast(predictions, "float32"), [-1]), 0), limits)
    yes = expand_dims(MATH["not_equal"](cast(operations.reshape(labels, [-1]), "float32"), 0.0), 0)
    of_samples = None if weights is None else expand_dims(operations.reshape(operations.broadcast_together(
        cast(weights, "float32"), cast(labels, "float32"))[0], [-1]), 0)

    def area(tp, fp, fn, tn):
        if curve == "ROC":
            x, y = divide(fp, add(add(fp, tn), 1e-6)), divide(add(tp, 1e-6), add(add(tp, fn), 1e-6))
        else:
            x, y = divide(add(tp, 1e-6), add(add(tp, fn), 1e-6)), divide(add(tp, 1e-6), add(add(tp, fp), 1e-6))
        return reduce_sum(multiply(subtract(x[:-1], x[1:]), multiply(add(y[:-1], y[1:]), 0.5)))
    before, after = [], []
    for kind in ("true_positives", "false_positives", "false_negatives", "true_negatives"):
        label, prediction = _OF[kind]
        holds = operations.logical_and(*operations.broadcast_together(yes if label else MATH["logical_not"](yes),
                                                                      above if prediction else MATH["logical_not"](above)))
        kept = _kept(f"{name or 'auc'}/{kind}", (len(between) + 2,))
        before.append(operations.identity(kept))
        after.append(kept.assign_add(reduce_sum(_weighed(holds, of_samples), -1)))
    return area(*before), area(*after)


def root_mean_squared_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    found = saving_1.mean_squared_error(labels, predictions, weights, name=name or "root_mean_squared_error")
    return tuple(MATH["sqrt"](each) for each in found)


def mean_relative_error(labels, predictions, normalizer, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean of how far predictions are off, over a normalizer; 0 where that is 0."""
    return saving_1.mean(_share(MATH["abs"](subtract(cast(labels, "float32"), predictions)), operations.broadcast_to(
        cast(normalizer, "float32"), list(graph.convert(predictions).dims))), weights, name=name or "mean_relative_error")


def percentage_below(values, threshold, weights=None, metrics_collections=None, updates_collections=None, name=None):
    return saving_1.mean(cast(MATH["less"](values, float(threshold)), "float32"), weights, name=name or "percentage_below_threshold")


def _classes(labels, num_classes):
    """[classes, samples]: whether each sample is of each class."""
    return MATH["equal"](expand_dims(operations.reshape(cast(labels, "int32"), [-1]), 0), constant(np.arange(num_classes, dtype=np.int32)[:, None]))


def mean_per_class_accuracy(labels, predictions, num_classes, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """(the mean of the shares of each class that are right, the shares with this step)."""
    prefix = name or "mean_accuracy"
    total, right = _kept(f"{prefix}/total", (num_classes,)), _kept(f"{prefix}/count", (num_classes,))
    of_class = _classes(labels, num_classes)
    hits = MATH["equal"](operations.reshape(cast(labels, "int32"), [-1]), operations.reshape(cast(predictions, "int32"), [-1]))
    weights = None if weights is None else operations.reshape(weights, [-1])
    all_of = total.assign_add(reduce_sum(_weighed(of_class, weights), 1))
    good = right.assign_add(reduce_sum(multiply(_weighed(of_class, weights), cast(hits, "float32")), 1))
    return reduce_mean(_share(operations.identity(right), operations.identity(total))), _share(good, all_of)


def mean_iou(labels, predictions, num_classes, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """(the mean over classes that are there of both over either, the matrix of labels by predictions with this step)."""
    matrix = _kept(f"{name or 'mean_iou'}/total_confusion_matrix", (num_classes, num_classes))
    of_label = _weighed(_classes(labels, num_classes), None if weights is None else operations.reshape(weights, [-1]))
    of_prediction = cast(_classes(predictions, num_classes), "float32")
    update = matrix.assign_add(operations.matmul(of_label, operations.transpose(of_prediction, [1, 0])))
    now = operations.identity(matrix)
    both = array_operations.diag_part(now)
    either = subtract(add(reduce_sum(now, 0), reduce_sum(now, 1)), both)
    there = reduce_sum(cast(MATH["not_equal"](either, 0.0), "float32"))
    return _share(reduce_sum(_share(both, either)), there), update


METRICS = {each.__name__: each for each in (
    *map(_counting, _OF), _ratio("precision", "false_positives"), _ratio("recall", "false_negatives"), auc, root_mean_squared_error,
    mean_relative_error, percentage_below, mean_per_class_accuracy, mean_iou)}


# tf.train

def natural_exp_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """rate exp(-decay_rate step / decay_steps)."""
    share = divide(cast(global_step, "float32"), float(decay_steps))
    share = MATH["floor"](share) if staircase else share
    return multiply(MATH["exp"](multiply(share, -float(decay_rate))), learning_rate)


def linear_cosine_decay(learning_rate, global_step, decay_steps, num_periods=0.5, alpha=0.0, beta=0.001, name=None):
    """rate ((alpha + 1 - t) (1 + cos(2 pi periods t)) / 2 + beta), t from 0 to 1."""
    t = divide(operations.minimum(cast(global_step, "float32"), float(decay_steps)), float(decay_steps))
    wave = multiply(add(MATH["cos"](multiply(t, float(2 * np.pi * num_periods))), 1.0), 0.5)
    return multiply(add(multiply(subtract(1.0 + alpha, t), wave), beta), learning_rate)


def init_from_checkpoint(ckpt_dir_or_file, assignment_map):
    """Variables begin with what a checkpoint has: {its name or scope/: a variable, its name or scope/}."""
    reader, known = saving_1.CheckpointReader(ckpt_dir_or_file), {each.key: each for each in variables.of_graph(variables.GLOBAL)}
    for theirs, ours in (assignment_map.items() if isinstance(assignment_map, dict) else assignment_map):
        if not isinstance(ours, str):
            pairs = [(theirs, each) for each in (ours if isinstance(ours, (list, tuple)) else [ours])]
        elif theirs.endswith("/") and ours.endswith("/"):
            before = theirs.lstrip("/")
            pairs = [(before + key[len(ours.lstrip("/")):], each) for key, each in known.items() if key.startswith(ours.lstrip("/"))]
        else:
            pairs = [(theirs, known[ours])] if ours in known else []
        if not pairs:
            raise ValueError(f"Assignment map with scope or name {ours} has no variables of this graph.")
        for name, variable in pairs:
            values = reader.arrays.get(name)
            if values is None:
                raise ValueError(f"Tensor {name} is not found in {ckpt_dir_or_file} checkpoint {sorted(reader.arrays)[:3]}")
            if tuple(values.shape) != tuple(variable.dims):
                raise ValueError(f"Shape of variable {variable.name} ({tuple(variable.dims)}) doesn't match with shape of tensor {name} "
                                 f"({list(values.shape)}) from checkpoint reader.")
            variable.first = values


TRAIN = {"natural_exp_decay": natural_exp_decay, "linear_cosine_decay": linear_cosine_decay, "init_from_checkpoint": init_from_checkpoint,
         "checkpoint_exists": lambda checkpoint_prefix: os.path.exists(str(checkpoint_prefix) + ".npz"),
         "global_step": lambda sess, global_step_tensor: int(sess.run(global_step_tensor)),
         "assert_global_step": lambda global_step_tensor: None}


# tf

class _Template:
    """A function whose variables are those of its first call."""

    def __init__(self, name, function, settings):
        self.name, self.function, self.settings, self.scope = name, function, settings, None

    def __call__(self, *args, **kwargs):
        given = {**self.settings, **kwargs}
        if self.scope is None:
            with variables.variable_scope(None, default_name=self.name) as self.scope:
                return self.function(*args, **given)
        with variables.variable_scope(self.scope, reuse=True):
            return self.function(*args, **given)

    variable_scope = property(lambda self: self.scope)
    variables = global_variables = property(lambda self: [] if self.scope is None else [
        each for key, each in graph.current().outermost().variables.items() if key.startswith(self.scope.name + "/")])
    trainable_variables = property(lambda self: [each for each in self.variables if each.trainable])


def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None, **kwargs):
    made = _Template(unique_name_ or name_, func_, kwargs)
    if create_scope_now_:
        with variables.variable_scope(None, default_name=made.name) as made.scope:
            made.scope = variables.VariableScope(made.scope.name, made.scope, None, variables.AUTO_REUSE, None, custom_getter_, None, None)
    return made


def _finite(tensor, message):
    """As it is; InvalidArgumentError where its values are known and not all of them are finite."""
    x = graph.convert(tensor)
    if not graph.is_symbolic(x) and not np.isfinite(x.value).all():
        from . import errors
        what = " and ".join(each for each, holds in (("Inf", np.isinf(x.value).any()), ("NaN", np.isnan(x.value).any())) if holds)
        raise errors.InvalidArgumentError(message=f"{message} : Tensor had {what} values")
    return operations.identity(x)


def _rank_check(holds, text):
    def check(x, rank, data=None, summarize=None, message=None, name=None):
        dims, wanted = graph.convert(x).dims, [operations.whole(each) for each in leaves(rank)]
        if dims is not None and not holds(len(dims), wanted):
            shown = wanted if len(wanted) > 1 else wanted[0]
            raise ValueError(f"{message or ''} Tensor must have rank {text} {shown}. Received rank {len(dims)}, shape {graph.convert(x).shape}".strip())
        return graph.group()
    return check


def assert_type(tensor, tf_type, message=None, name=None):
    if graph.convert(tensor).dtype != graph.as_dtype(tf_type):
        raise TypeError(f"{message or ''} Tensor must be of type {graph.as_dtype(tf_type).name}".strip())
    return graph.group()


def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0, validate_indices=True, name=None):
    places = graph.convert(sparse_indices)
    if len(places.dims) < 2:
        places = operations.reshape(places, [-1, 1])
    values = graph.convert(sparse_values)
    values = values if values.dims else operations.broadcast_to(values, [places.dims[0]])
    filled = operations.fill(operations.wholes(output_shape), operations.cast(default_value, values.dtype))
    return array_operations.TOP_MORE["tensor_scatter_nd_update"](filled, places, values)


def _add_to_collections(names_, value):
    for each in [names_] if isinstance(names_, str) else names_:
        graph.current().add_to_collection(each, value)


TOP = {
    "make_template": make_template, "check_numerics": lambda tensor, message, name=None: _finite(tensor, message),
    "verify_tensor_all_finite": lambda t=None, msg=None, name=None, x=None, message=None: _finite(t if x is None else x, msg or message),
    "add_check_numerics_ops": lambda: graph.group(), "assert_type": assert_type, "assert_scalar": lambda tensor, name=None, message=None:
    checks.assert_rank(tensor, 0, message=message) and graph.convert(tensor), "assert_rank_at_least": _rank_check(
        lambda own, wanted: own >= wanted[0], "at least"), "assert_rank_in": _rank_check(lambda own, wanted: own in wanted, "in"),
    "sparse_to_dense": sparse_to_dense, "tables_initializer": lambda name="init_all_tables": graph.group(), "all_variables": variables.global_variables,
    "arg_max": lambda input, dimension, output_type="int64", name=None: MATH["argmax"](input, dimension, output_type=output_type),
    "arg_min": lambda input, dimension, output_type="int64", name=None: array_operations.argmin(input, dimension),
    "to_int64": lambda x, name=None: cast(x, "int64"), "to_double": lambda x, name=None: cast(x, "float64"),
    "multinomial": lambda logits, num_samples, seed=None, name=None, output_dtype="int64": random_operations.categorical(
        logits, num_samples, output_dtype, seed), "scatter_sub": lambda ref, indices, updates, use_locking=None, name=None:
    array_operations.TOP_1["scatter_add"](ref, indices, MATH["negative"](updates)), "add_to_collections": _add_to_collections,
    "get_collection_ref": lambda key: graph.current().collections.setdefault(key, []), "model_variables": lambda scope=None:
    variables.get_collection("model_variables", scope), "moving_average_variables": lambda scope=None: variables.get_collection(
        "moving_average_variables", scope), "uniform_unit_scaling_initializer": lambda factor=1.0, seed=None, dtype="float32":
    variables.INITIALIZERS["variance_scaling"](scale=float(factor)**2, mode="fan_in", distribution="uniform", seed=seed),
    "dimension_value": lambda dimension: getattr(dimension, "value", dimension), "executing_eagerly_outside_functions": graph.executing_eagerly}


def add_names():
    one = "tensorflow.compat.v1"
    names.module(one + ".layers", LAYERS, CLASSES)
    names.module(one + ".nn", bidirectional_dynamic_rnn=bidirectional_dynamic_rnn)
    names.module("tensorflow.python.ops.rnn", bidirectional_dynamic_rnn=bidirectional_dynamic_rnn)
    names.module(one + ".metrics", METRICS)
    names.module(one + ".train", TRAIN)
    names.module(one, TOP)
    names.module("tensorflow.debugging", check_numerics=TOP["check_numerics"], assert_scalar=TOP["assert_scalar"],
                 assert_rank_at_least=TOP["assert_rank_at_least"], assert_rank_in=TOP["assert_rank_in"], assert_type=assert_type)
