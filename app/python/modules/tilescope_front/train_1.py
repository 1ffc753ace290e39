# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.train, tf.losses and tf.layers of TensorFlow 1."""
from . import errors, failures, graph, names, operations, variables
from .keras_parts import bind, signature_of


class Optimizer:
    """An optimiser: the engine differentiates the loss and updates the variables."""

    parameters = ""

    def __init__(self, *args, **kwargs):
        self.settings = bind(type(self).__name__, signature_of(self.parameters), args, kwargs)
        for name in ("use_locking", "name"):
            self.settings.pop(name, None)

    def workload(self):
        raise NotImplementedError

    def minimize(self, loss, global_step=None, var_list=None, gate_gradients=None, aggregation_method=None,
                 colocate_gradients_with_ops=False, name=None, grad_loss=None):
        if var_list is not None:
            raise errors.UnimplementedError(message="minimize(var_list=…) is not there under tilescope run: make the "
                                            "other variables with trainable=False")
        op = graph.current().add("minimize", [graph.symbolic(loss)], {"optimizer": self.workload()}, [],
                                 name or type(self).__name__.replace("Optimizer", ""))
        if global_step is None:
            return op
        if "IPU" in graph.current().device.upper():
            from . import host
            host.log("WARNING", "the global_step is on the IPU: a program of its own raises it between the steps, for "
                     "which the engine is swapped; make it under tf.device(\"cpu\")")
        return graph.group(op, global_step.assign_add(1))

    def compute_gradients(self, loss, var_list=None, *args, **kwargs):
        """Gradients that apply_gradients takes: the engine works them out."""
        from .functions import Gradient
        return [(Gradient(loss, variable), variable) for variable in var_list or variables.trainable_variables()] or \
            [(Gradient(loss, None), None)]

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        from . import functions
        op = functions.apply_gradients(self, grads_and_vars)
        return op if global_step is None else graph.group(op, global_step.assign_add(1))


def _rate(settings, **names_):
    return {ours: _number(theirs, settings[theirs]) for ours, theirs in names_.items()}


def _number(name, value):
    """A setting that is known before the program runs."""
    value = graph.convert(value) if hasattr(value, "dims") else value
    if graph.is_symbolic(value):
        if value.op.kind != "constant":
            raise errors.UnimplementedError(message=f"the {name} of an optimizer is {value.name}, a tensor, which is not "
                                            "there under tilescope run: give a number")
        value = value.op.attributes["value"]
    return bool(value) if isinstance(value, bool) else float(value)


class CrossReplicaOptimizer(Optimizer):
    """ipu.optimizers.CrossReplicaOptimizer: on one replica the optimiser itself."""

    def __init__(self, opt, name="CrossReplicaOptimizer"):
        self.opt, self.settings = opt, {}

    def workload(self):
        return self.opt.workload()


class GradientAccumulationOptimizer(Optimizer):
    """Of ipu.optimizers, all of the kind: an update after each `num_mini_batches` steps of a loop."""

    def __init__(self, opt, num_mini_batches, *args, **kwargs):
        if num_mini_batches != 1:
            raise failures.refused(f"{type(self).__name__} outside of Keras and pipelines", "use "
                                   "set_gradient_accumulation_options of a Keras model, or pipelining_ops.pipeline")
        self.opt, self.settings = opt, {}

    def workload(self):
        return self.opt.workload()


class GradientDescentOptimizer(Optimizer):
    parameters = "learning_rate, use_locking=False, name='GradientDescent'"

    def workload(self):
        return {"name": "sgd", **_rate(self.settings, learning_rate="learning_rate"), "tf1": True}


class MomentumOptimizer(Optimizer):
    parameters = "learning_rate, momentum, use_locking=False, name='Momentum', use_nesterov=False"

    def workload(self):
        return {"name": "sgd", **_rate(self.settings, learning_rate="learning_rate", momentum="momentum",
                                       nesterov="use_nesterov"), "tf1": True}


class AdamOptimizer(Optimizer):
    parameters = "learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-08, use_locking=False, name='Adam'"

    def workload(self):
        return {"name": "adam", **_rate(self.settings, learning_rate="learning_rate", beta_1="beta1", beta_2="beta2",
                                        epsilon="epsilon"), "tf1": True}


class RMSPropOptimizer(Optimizer):
    parameters = ("learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False, centered=False, "
                  "name='RMSProp'")

    def workload(self):
        return {"name": "rmsprop", **_rate(self.settings, learning_rate="learning_rate", rho="decay",
                                           momentum="momentum", epsilon="epsilon"), "tf1": True}


class AdagradOptimizer(Optimizer):
    parameters = "learning_rate, initial_accumulator_value=0.1, use_locking=False, name='Adagrad'"

    def workload(self):
        return {"name": "adagrad", **_rate(self.settings, learning_rate="learning_rate",
                                           initial_accumulator_value="initial_accumulator_value"), "tf1": True}


OPTIMIZERS = {made.__name__: made for made in (GradientDescentOptimizer, MomentumOptimizer, AdamOptimizer,
                                               RMSPropOptimizer, AdagradOptimizer)}


def _mean(losses, weights):
    if weights != 1.0:
        losses = operations.multiply(losses, weights)
    loss = operations.reduce_mean(losses)
    graph.current().add_to_collection("losses", loss)
    return loss


def sparse_softmax_cross_entropy(labels, logits, weights=1.0, scope=None, loss_collection="losses", reduction=None):
    return _mean(operations.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits), weights)


def softmax_cross_entropy(onehot_labels, logits, weights=1.0, label_smoothing=0, scope=None,
                          loss_collection="losses", reduction=None):
    return _mean(operations.softmax_cross_entropy_with_logits(labels=onehot_labels, logits=logits), weights)


def mean_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection="losses", reduction=None):
    return _mean(operations.MATH["square"](operations.subtract(predictions, labels)), weights)


def absolute_difference(labels, predictions, weights=1.0, scope=None, loss_collection="losses", reduction=None):
    return _mean(operations.abs_(operations.subtract(predictions, labels)), weights)


LOSSES = {f.__name__: f for f in (sparse_softmax_cross_entropy, softmax_cross_entropy, mean_squared_error,
                                  absolute_difference)}


def _layer_name(name, base):
    here = graph.current()
    while getattr(here, "above", None) is not None:
        here = here.above
    scope = variables.get_variable_scope()
    if name is not None:
        return name
    full, number = base, 0
    while any(known.startswith(f"{scope.name}/{full}/" if scope.name else full + "/") for known in here.variables):
        number += 1
        full = f"{base}_{number}"
    return full


def _activated(values, activation):
    return values if activation is None else activation(values)


def dense(inputs, units, activation=None, use_bias=True, kernel_initializer=None, bias_initializer=None,
          kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
          bias_constraint=None, trainable=True, name=None, reuse=None):
    x = graph.symbolic(inputs)
    with variables.variable_scope(_layer_name(name, "dense"), reuse=reuse):
        kernel = variables.get_variable("kernel", [x.dims[-1], units], x.dtype, kernel_initializer)
        y = operations.matmul(x, kernel)
        if use_bias:
            zeros = bias_initializer or variables.INITIALIZERS["zeros"]()
            y = operations.add(y, variables.get_variable("bias", [units], x.dtype, zeros))
    return _activated(y, activation)


def conv2d(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last",
           dilation_rate=(1, 1), activation=None, use_bias=True, kernel_initializer=None, bias_initializer=None,
           kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
           bias_constraint=None, trainable=True, name=None, reuse=None):
    x = graph.symbolic(inputs)
    size = [kernel_size] * 2 if isinstance(kernel_size, int) else list(kernel_size)
    with variables.variable_scope(_layer_name(name, "conv2d"), reuse=reuse):
        kernel = variables.get_variable("kernel", size + [x.dims[-1], filters], x.dtype, kernel_initializer)
        if data_format == "channels_first":
            raise failures.refused("tf.layers.conv2d(data_format='channels_first')", "use channels_last, or tf.nn.conv2d")
        y = operations.conv2d(x, kernel, strides, padding, dilations=dilation_rate)
        if use_bias:
            zeros = bias_initializer or variables.INITIALIZERS["zeros"]()
            y = operations.add(y, variables.get_variable("bias", [filters], x.dtype, zeros))
    return _activated(y, activation)


def max_pooling2d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
    return operations.max_pool(inputs, pool_size, strides, padding, data_format=data_format)


def average_pooling2d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
    return operations.avg_pool(inputs, pool_size, strides, padding, data_format=data_format)


def batch_normalization(inputs, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, training=False,
                        trainable=True, name=None, reuse=None, fused=None, **unused):
    """Statistics of the batch in training, whose moving averages are updated by what UPDATE_OPS has; else those."""
    x = graph.symbolic(inputs)
    if axis not in (-1, len(x.dims) - 1) or unused:
        raise failures.refused("tf.layers.batch_normalization of another axis, or with initializers", "normalise the last "
                               "axis, and leave the initializers")
    ends = variables.INITIALIZERS["zeros"](), variables.INITIALIZERS["ones"]()
    shape = [x.dims[-1]]
    with variables.variable_scope(_layer_name(name, "batch_normalization"), reuse=reuse):
        gamma = variables.get_variable("gamma", shape, x.dtype, ends[1], trainable=trainable) if scale else None
        beta = variables.get_variable("beta", shape, x.dtype, ends[0], trainable=trainable) if center else None
        averages = [variables.get_variable(f"moving_{what}", shape, x.dtype, first, trainable=False)
                    for what, first in zip(("mean", "variance"), ends)]
    mean, variance = averages
    if training:
        mean, variance = operations.moments(x, list(range(len(x.dims) - 1)))
        for average, value in zip(averages, (mean, variance)):
            moved = operations.add(operations.multiply(average, momentum), operations.multiply(value, 1 - momentum))
            graph.current().add_to_collection("update_ops", average.assign(moved))
    return operations.batch_normalization(x, mean, variance, beta, gamma, epsilon)


def flatten(inputs, name=None, data_format="channels_last"):
    x = graph.symbolic(inputs)
    return operations.reshape(x, [x.dims[0], -1])


def dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False, name=None):
    return operations.dropout(inputs, rate=rate) if training else graph.symbolic(inputs)


LAYERS = {f.__name__: f for f in (dense, conv2d, max_pooling2d, average_pooling2d, batch_normalization, flatten, dropout)}


class GraphKeys:
    GLOBAL_VARIABLES, TRAINABLE_VARIABLES, LOCAL_VARIABLES = variables.GLOBAL, variables.TRAINABLE, variables.LOCAL
    LOSSES, UPDATE_OPS, REGULARIZATION_LOSSES = "losses", "update_ops", "regularization_losses"


def add_names(module):
    names.module(module + ".train", OPTIMIZERS)
    names.module(module + ".losses", LOSSES)
    names.module(module + ".layers", LAYERS)
    names.module(module, GraphKeys=GraphKeys)
