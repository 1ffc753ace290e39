# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.train, tf.losses and tf.layers of TensorFlow 1."""
from . import errors, failures, gradients, graph, lowering, names, operations, variables
from .keras_parts import bind, signature_of


class Optimizer:
    """An optimiser: the engine differentiates the loss and updates the variables. Scripts derive wrappers from it."""

    parameters = "use_locking=False, name=None"

    def __init__(self, *args, **kwargs):
        self.settings = bind(type(self).__name__, signature_of(self.parameters), args, kwargs)
        self._name = self.settings.get("name")
        for name in ("use_locking", "name"):
            self.settings.pop(name, None)

    def get_name(self):
        return self._name

    def workload(self):
        raise NotImplementedError(f"{type(self).__name__} has no update of its own")

    def rate_tensor(self):
        """The learning rate where it is computed."""
        rate = self.settings.get("learning_rate")
        rate = rate() if callable(rate) else rate
        if not hasattr(rate, "dims"):
            return None
        rate = graph.symbolic(rate)
        return None if rate.op.kind == "constant" else rate

    def minimize(self, loss, global_step=None, var_list=None, gate_gradients=None, aggregation_method=None,
                 colocate_gradients_with_ops=False, name=None, grad_loss=None):
        own = type(self)
        if own.compute_gradients is not Optimizer.compute_gradients or own.apply_gradients is not Optimizer.apply_gradients:
            return self.apply_gradients(self.compute_gradients(loss, var_list), global_step)
        return _counted(gradients.minimize(self, loss, name or own.__name__.replace("Optimizer", ""), var_list), global_step)

    def compute_gradients(self, loss, var_list=None, gate_gradients=None, aggregation_method=None,
                          colocate_gradients_with_ops=False, grad_loss=None):
        """(gradient, variable) for each variable; the gradient is None where the loss does not depend on it."""
        reached = lowering.reachable([graph.symbolic(loss)], lambda op: True)
        read = {op.attributes["variable"] for op in reached if op.kind == "read"}
        of_layers = [v for model in dict.fromkeys(op.attributes["model"] for op in reached if op.kind == "keras")
                     for v in model.trainable_variables]
        listed = list(var_list) if var_list is not None else variables.trainable_variables() + of_layers
        used = [v for v in listed if v in read or not isinstance(v, variables.GraphVariable)]
        found = dict(zip(map(id, used), gradients.gradients_of(loss, used)))
        return [(found.get(id(v)), v) for v in listed]

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        return _counted(gradients.apply_gradients(self, grads_and_vars), global_step)


def _counted(update, global_step):
    if global_step is None:
        return update
    if "IPU" in graph.current().device.upper():
        from . import host
        host.log("WARNING", "the global_step is on the IPU: a program of its own raises it between the steps, for "
                 "which the engine is swapped; make it under tf.device(\"cpu\")")
    return graph.group(update, global_step.assign_add(1))


def _rate(settings, **names_):
    return {ours: _number(theirs, settings[theirs]) for ours, theirs in names_.items()}


def _number(name, value):
    """A setting that is known before the program runs; 1 for a learning rate that is computed."""
    value = value() if callable(value) else value
    value = graph.convert(value) if hasattr(value, "dims") else value
    if graph.is_symbolic(value):
        if value.op.kind != "constant" and name != "learning_rate":
            raise errors.UnimplementedError(message=f"the {name} of an optimizer is {value.name}, a tensor, which is not "
                                            "there under tilescope run: give a number")
        value = value.op.attributes["value"] if value.op.kind == "constant" else 1
    return bool(value) if isinstance(value, bool) else float(value)


class IpuOptimizer(Optimizer):
    """ipu.optimizers.IpuOptimizer: what forwards to the optimiser that it wraps."""

    def __init__(self, opt, name=None):
        super().__init__(name=name)
        self._optimizer = opt

    def compute_gradients(self, loss, var_list=None, **kwargs):
        return self._optimizer.compute_gradients(loss, var_list=var_list, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        return self._optimizer.apply_gradients(grads_and_vars, global_step)


class CrossReplicaOptimizer(IpuOptimizer):
    """ipu.optimizers.CrossReplicaOptimizer: the mean of the replicas' gradients."""

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        with gradients.exchanged(replicated=True):
            return super().apply_gradients(grads_and_vars, global_step)


class GradientAccumulationOptimizerV2(IpuOptimizer):
    """Of ipu.optimizers: an update after each `num_mini_batches` steps of a loop."""

    def __init__(self, opt, num_mini_batches, offload_weight_update_variables=None,
                 replicated_optimizer_state_sharding=False, dtype=None, reduction_method="sum", name=None):
        super().__init__(opt, name)
        if num_mini_batches < 1:
            raise ValueError(f"num_mini_batches must be a positive number, got {num_mini_batches}.")
        self.settings_ = {"accumulation": int(num_mini_batches),
                          "reduction": getattr(reduction_method, "name", str(reduction_method)).lower()}

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        with gradients.exchanged(**self.settings_):
            return super().apply_gradients(grads_and_vars, global_step)


class GradientAccumulationOptimizer(GradientAccumulationOptimizerV2):
    """The older one, for SGD and momentum."""

    def __init__(self, opt, num_mini_batches, verify_usage=True, name=None):
        super().__init__(opt, num_mini_batches, name=name)


class CrossReplicaGradientAccumulationOptimizerV2(GradientAccumulationOptimizerV2):
    """The same, and the replicas exchange what they have added up."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.settings_["replicated"] = True


class CrossReplicaGradientAccumulationOptimizer(GradientAccumulationOptimizer):
    """The same of the older one."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.settings_["replicated"] = True


class MapGradientOptimizer(IpuOptimizer):
    """Of ipu.optimizers: gradients as a function of them and their variables gives them."""

    def __init__(self, wrapped_optimizer, gradient_mapping_function, name="MapGradientOptimizer"):
        super().__init__(wrapped_optimizer, name)
        self.mapping = gradient_mapping_function

    def compute_gradients(self, loss, var_list=None, **kwargs):
        return [(gradient if gradient is None else self.mapping(gradient, variable), variable)
                for gradient, variable in super().compute_gradients(loss, var_list, **kwargs)]


class ShardedOptimizer(IpuOptimizer):
    """ipu.optimizers.ShardedOptimizer: gradients are where the operations are, here in any case."""


WRAPPERS = {made.__name__: made for made in (
    IpuOptimizer, CrossReplicaOptimizer, GradientAccumulationOptimizerV2, GradientAccumulationOptimizer,
    CrossReplicaGradientAccumulationOptimizerV2, CrossReplicaGradientAccumulationOptimizer, MapGradientOptimizer,
    ShardedOptimizer)}


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


OPTIMIZERS = {made.__name__: made for made in (Optimizer, GradientDescentOptimizer, MomentumOptimizer, AdamOptimizer,
                                               RMSPropOptimizer, AdagradOptimizer)}


def _mean(losses, weights):
    if weights != 1.0:
        losses = operations.multiply(losses, weights)
    loss = operations.reduce_mean(losses)
    graph.current().add_to_collection("losses", loss)
    return loss


def sparse_softmax_cross_entropy(labels, logits, weights=1.0, scope=None, loss_collection="losses", reduction=None):
    labels, logits = graph.convert(labels), graph.convert(logits)
    if len(logits.dims) == len(labels.dims) + 2 and logits.dims[-1] == 1:  # as TensorFlow takes off what is one too many
        logits = operations.squeeze(logits, [-1])
    elif len(logits.dims) == len(labels.dims) and labels.dims[-1] == 1:
        labels = operations.squeeze(labels, [-1])
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
