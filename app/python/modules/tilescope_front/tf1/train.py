# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.train and tf.layers of TensorFlow 1."""
from . import losses as losses_1
from ..optimizers import hyper, session_slots as session_slots, updates, own_updates
from ..tracing import graph_variables as variables, gradients, variable_scopes
from ..tensors import graph
from .. import failures, names, naming, scopes
from ..operations import activations, elementary as operations, initializers, keras_initializers, nn as nn_operations, random as random_operations
from ..configured import bind, signature_of


class Optimizer(own_updates.OfTensorFlow1):
    """An optimiser: the engine differentiates the loss and updates the variables. Scripts derive wrappers from it."""

    parameters = "use_locking=False, name=None"

    def __init__(self, *args, **kwargs):
        self.settings = bind(type(self).__name__, signature_of(self.parameters), args, kwargs)
        self._name, self._use_locking = self.settings.get("name"), bool(self.settings.get("use_locking"))
        self._slots, self._non_slot_dict, self._deferred_slot_restorations = {}, {}, {}  # which wrappers hand on
        for name in ("use_locking", "name"):
            self.settings.pop(name, None)

    def get_name(self):
        return self._name

    def workload(self):
        raise NotImplementedError(f"{type(self).__name__} has no update of its own")

    def variables(self):
        """What it keeps in this graph, by name."""
        return session_slots.all_of(self)

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
            return self.apply_gradients(self.compute_gradients(loss, var_list), global_step, **_given(name))
        return self._counted(updates.minimize(self, loss, var_list), global_step, name)

    def compute_gradients(self, loss, var_list=None, gate_gradients=None, aggregation_method=None,
                          colocate_gradients_with_ops=False, grad_loss=None):
        """(gradient, variable) for each variable; the gradient is None where the loss does not depend on it."""
        listed, used = updates.trained_by(loss, var_list)
        found = dict(zip(map(id, used), gradients.gradients_of(loss, used)))
        return [(found.get(id(v)), v) for v in listed]

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        return self._counted(updates.apply_gradients(self, grads_and_vars), global_step, name)

    def _counted(self, update, global_step, name):
        """The update by its name, with the number of steps that it raises."""
        if not isinstance(update, graph.Operation):
            return update
        scope = graph.current().unique(name or self.get_name() or type(self).__name__)
        update.name = scope if global_step is None else scope + "/update"
        if global_step is None:
            return update
        raised = global_step.assign_add(1)
        if graph.current().above is None and "IPU" in (getattr(global_step, "device", None) or graph.current().device).upper():
            from .. import host
            host.log("WARNING", "the global_step is on the IPU: a program of its own raises it between the steps, for "
                     "which the engine is swapped; make it under tf.device(\"cpu\")")
            raised.op.attributes["swaps_engine"] = True
        return graph.group(update, raised, name=scope + "/")


def _given(name):
    """The name of an update where a script gives one: its own optimisers may take none."""
    return {} if name is None else {"name": name}


def _rate(settings, **names_):
    return {ours: hyper.number_of(theirs, settings[theirs]) for ours, theirs in names_.items()}


class IpuOptimizer(Optimizer):
    """ipu.optimizers.IpuOptimizer: what forwards to the optimiser that it wraps."""

    def __init__(self, opt, name=None):
        super().__init__(name=name)
        self._optimizer = opt

    def compute_gradients(self, loss, var_list=None, **kwargs):
        return self._optimizer.compute_gradients(loss, var_list=var_list, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        pairs = list(grads_and_vars)
        return own_updates.by_assignments(pairs, lambda: self._optimizer.apply_gradients(pairs, global_step, **_given(name)))

    def get_slot(self, var, slot_name=None, name=None):
        return self._optimizer.get_slot(var, slot_name, name)

    def get_slot_names(self):
        return self._optimizer.get_slot_names()

    def variables(self):
        return self._optimizer.variables()


class CrossReplicaOptimizer(IpuOptimizer):
    """ipu.optimizers.CrossReplicaOptimizer: the mean of the replicas' gradients."""

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        with gradients.exchanged(replicated=True):
            return super().apply_gradients(grads_and_vars, global_step, name)


class GradientAccumulationOptimizerV2(IpuOptimizer):
    """Of ipu.optimizers: an update after each `num_mini_batches` steps of a loop."""

    def __init__(self, opt, num_mini_batches, offload_weight_update_variables=None,
                 replicated_optimizer_state_sharding=False, dtype=None, reduction_method="sum", name=None):
        super().__init__(opt, name)
        if num_mini_batches < 1:
            raise ValueError(f"num_mini_batches must be a positive number, got {num_mini_batches}.")
        self.settings_ = {"accumulation": int(num_mini_batches),
                          "reduction": getattr(reduction_method, "name", str(reduction_method)).lower(),
                          "places": gradients.state_places(offload_weight_update_variables,
                                                           replicated_optimizer_state_sharding)}

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        with gradients.exchanged(**self.settings_):
            return super().apply_gradients(grads_and_vars, global_step, name)


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
        return [(gradient if gradient is None else self._mapped(gradient, variable), variable)
                for gradient, variable in super().compute_gradients(loss, var_list, **kwargs)]

    def _mapped(self, gradient, variable):
        """Of a variable that a shard or a stage of a pipeline has, there."""
        here = graph.current()
        readers = [op for op in here.operations_ if op.shard >= 0 and any(
            each.op.kind == "read" and each.op.attributes["variable"] is variable for each in op.inputs)]
        with here.with_(shard=readers[0].shard if readers else here.shard):
            return self.mapping(gradient, variable)


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
        return {"name": "rmsprop", "centered": bool(self.settings["centered"]), **_rate(self.settings, learning_rate="learning_rate", rho="decay",
                                           momentum="momentum", epsilon="epsilon"), "tf1": True}


class AdagradOptimizer(Optimizer):
    parameters = "learning_rate, initial_accumulator_value=0.1, use_locking=False, name='Adagrad'"

    def workload(self):
        return {"name": "adagrad", **_rate(self.settings, learning_rate="learning_rate",
                                           initial_accumulator_value="initial_accumulator_value"), "tf1": True}


class AdadeltaOptimizer(Optimizer):
    parameters = "learning_rate=0.001, rho=0.95, epsilon=1e-08, use_locking=False, name='Adadelta'"

    def workload(self):
        return {"name": "adadelta", **_rate(self.settings, learning_rate="learning_rate", rho="rho", epsilon="epsilon")}


class FtrlOptimizer(Optimizer):
    parameters = ("learning_rate, learning_rate_power=-0.5, initial_accumulator_value=0.1, l1_regularization_strength=0.0, "
                  "l2_regularization_strength=0.0, use_locking=False, name='Ftrl', accum_name=None, linear_name=None, "
                  "l2_shrinkage_regularization_strength=0.0, beta=None")

    def workload(self):
        strengths = {name: name for name in ("learning_rate_power", "initial_accumulator_value", "l1_regularization_strength",
                                             "l2_regularization_strength", "l2_shrinkage_regularization_strength")}
        return {"name": "ftrl", "beta": float(self.settings["beta"] or 0),
                **_rate(self.settings, learning_rate="learning_rate", **strengths)}


class ExponentialMovingAverage:
    """tf.train.ExponentialMovingAverage: apply() makes a shadow of each variable, and what moves it by 1 - decay."""

    def __init__(self, decay, num_updates=None, zero_debias=False, name="ExponentialMovingAverage"):
        if zero_debias:
            raise failures.refused("tf.train.ExponentialMovingAverage(zero_debias=True)", "begin with the variable's values")
        self.decay, self.num_updates, self.name, self.shadows = decay, num_updates, name, {}

    def apply(self, var_list=None):
        moved, decay = [], self.decay
        if self.num_updates is not None:  # not more than (1 + n) / (10 + n)
            n = operations.cast(self.num_updates, "float32")
            decay = operations.minimum(operations.divide(operations.add(n, 1.0), operations.add(n, 10.0)), float(decay))
        for variable in variables.trainable_variables() if var_list is None else var_list:
            if variable not in self.shadows:
                self.shadows[variable] = self._shadow(variable)
            shadow = self.shadows[variable]
            apart = operations.subtract(shadow, variable)
            moved.append(shadow.assign_sub(operations.multiply(apart, operations.subtract(1.0, decay))))
        return None if graph.executing_eagerly() else graph.group(*moved, name=self.name)

    def _shadow(self, variable):
        if not isinstance(variable, variables.GraphVariable) and (graph.executing_eagerly() or hasattr(graph.current(), "traced")):
            from ..tracing import functions
            name = f"{variable.name.partition(':')[0]}/{self.name}"
            return functions.EagerVariable(variable.first_values(), trainable=False, name=name)
        first = variable.first if hasattr(variable, "first") else variable.first_values()
        return variables.get_variable(f"{variable.key}/{self.name}", list(variable.dims), variable.dtype, first, trainable=False,
                                      use_resource=getattr(variable, "resource", True))

    def average(self, var):
        return self.shadows.get(var)

    def average_name(self, var):
        return f"{var.key}/{self.name}"


OPTIMIZERS = {made.__name__: made for made in (
    Optimizer, GradientDescentOptimizer, MomentumOptimizer, AdamOptimizer, RMSPropOptimizer, AdagradOptimizer,
    AdadeltaOptimizer, FtrlOptimizer, ExponentialMovingAverage)}


def _keras_names():
    """Of Keras' layers in the graph, whose weights are beside the variables."""
    calls = [op.attributes for each in {graph.current(), graph.current().outermost()} for op in each.operations_ if op.kind == "keras"]
    return {layer.name for call in calls for layer in ([call["layer"]] if "layer" in call else call["model"].leaves())}


def _layer_name(name, base):
    """That of a layer's scope; the default is none that a layer of Keras has."""
    return variable_scopes.unused(base, _keras_names() if not variable_scopes.get_variable_scope().name else ()) if name is None else name


_bias_add, _max_pool, _avg_pool, _batch_normalization, _fused_batch_norm, _dropout = (naming.as_listed(function, f"nn.{path}") for function, path in (
    (nn_operations.bias_add, "bias_add"), (nn_operations.max_pool, "max_pool"), (nn_operations.avg_pool, "avg_pool"),
    (nn_operations.batch_normalization, "batch_normalization"), (nn_operations.batch_normalization, "fused_batch_norm"), (random_operations.dropout, "dropout")))


def _activated(values, activation):
    return values if activation is None else activations.KIND.get(activation)(values)


def _refuse(layer, **settings):
    for name, value in settings.items():
        if value is not None:
            raise failures.refused(f"tf.layers.{layer}({name}=…)", "compute it from what the layer gives, or use a Keras layer")


def _weight(name, shape, dtype, initializer, *more, **settings):
    """A variable of a layer, whose initialiser may have the name that Keras gives it."""
    if isinstance(initializer, str):
        initializer = keras_initializers.KIND.get(initializer)
    return variables.get_variable(name, shape, dtype, initializer, *more, **settings)


def _biased(y, use_bias, initializer, regularizer, trainable, order="NHWC"):
    """The values with a variable for each of their channels added, where they are to have one."""
    if not use_bias:
        return y
    channels = y.dims[1 if order == "NCHW" else -1]
    bias = _weight("bias", [channels], y.dtype, initializer or initializers.INITIALIZERS["zeros"](), regularizer, trainable)
    return _bias_add(y, bias, order)


def dense(inputs, units, activation=None, use_bias=True, kernel_initializer=None, bias_initializer=None,
          kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
          bias_constraint=None, trainable=True, name=None, reuse=None):
    x = graph.symbolic(inputs)
    _refuse("dense", activity_regularizer=activity_regularizer, kernel_constraint=kernel_constraint, bias_constraint=bias_constraint)
    with variable_scopes.variable_scope(_layer_name(name, "dense"), reuse=reuse):
        kernel = _weight("kernel", [x.dims[-1], units], x.dtype, kernel_initializer, kernel_regularizer, trainable)
        y = operations.matmul(x, kernel)
        return _activated(_biased(y, use_bias, bias_initializer, bias_regularizer, trainable), activation)


def conv2d(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last",
           dilation_rate=(1, 1), activation=None, use_bias=True, kernel_initializer=None, bias_initializer=None,
           kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
           bias_constraint=None, trainable=True, name=None, reuse=None):
    x = graph.symbolic(inputs)
    size = [kernel_size] * 2 if isinstance(kernel_size, int) else list(kernel_size)
    _refuse("conv2d", activity_regularizer=activity_regularizer, kernel_constraint=kernel_constraint, bias_constraint=bias_constraint)
    with variable_scopes.variable_scope(_layer_name(name, "conv2d"), reuse=reuse):
        order = "NCHW" if data_format == "channels_first" else "NHWC"
        channels = x.dims[1 if order == "NCHW" else -1]
        kernel = _weight("kernel", size + [channels, filters], x.dtype, kernel_initializer, kernel_regularizer, trainable)
        y = nn_operations.conv2d(x, kernel, strides, padding, order, dilation_rate)
        return _activated(_biased(y, use_bias, bias_initializer, bias_regularizer, trainable, order), activation)


def max_pooling2d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
    with scopes.name_scope(name or "max_pooling2d"):
        return _max_pool(inputs, pool_size, strides, padding, data_format=data_format)


def average_pooling2d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
    with scopes.name_scope(name or "average_pooling2d"):
        return _avg_pool(inputs, pool_size, strides, padding, data_format=data_format)


def _known_truth(value):
    """Whether something holds; None where a session feeds it."""
    if value is None or isinstance(value, (bool, int)):
        return bool(value)
    known = operations.known_or_none(value)
    return None if known is None else bool(known)


def _chosen(condition, x, y):
    """One of two values of a shape, which may be open, by a truth value that is fed."""
    x = graph.convert(x)
    share = operations.cast(condition, x.dtype)
    made = operations.add(operations.multiply(x, share), operations.multiply(y, operations.subtract(1.0, share)))
    if graph.is_symbolic(made):
        made.set_shape(x.shape)
    return made


def batch_normalization(inputs, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer=None, gamma_initializer=None,
                        moving_mean_initializer=None, moving_variance_initializer=None, beta_regularizer=None, gamma_regularizer=None,
                        beta_constraint=None, gamma_constraint=None, training=False, trainable=True, name=None, reuse=None, renorm=False,
                        renorm_clipping=None, renorm_momentum=0.99, fused=None, virtual_batch_size=None, adjustment=None):
    """Statistics of the batch in training, whose moving averages are updated by what UPDATE_OPS has; else those. All variables are of the
    inputs' type: where Keras takes float32 for float16, IPU TensorFlow does not (its _param_dtype, in r1.15 and r2.6), nor does this."""
    x = graph.symbolic(inputs)
    _refuse("batch_normalization", beta_constraint=beta_constraint, gamma_constraint=gamma_constraint, renorm=renorm or None,
            virtual_batch_size=virtual_batch_size, adjustment=adjustment)
    place = operations.axis_of(axis[0] if isinstance(axis, (list, tuple)) else axis, len(x.dims))
    others, shape = [i for i in range(len(x.dims)) if i != place], [x.dims[place]]
    ends = initializers.INITIALIZERS["zeros"](), initializers.INITIALIZERS["ones"]()
    with variable_scopes.variable_scope(_layer_name(name, "batch_normalization"), reuse=reuse):
        gamma = _weight("gamma", shape, x.dtype, gamma_initializer or ends[1], gamma_regularizer, trainable) if scale else None
        beta = _weight("beta", shape, x.dtype, beta_initializer or ends[0], beta_regularizer, trainable) if center else None
        averages = [_weight(f"moving_{what}", shape, x.dtype, given or first, trainable=False) for what, given, first in zip(
            ("mean", "variance"), (moving_mean_initializer, moving_variance_initializer), ends)]
        mean, variance = averages
        chosen = _known_truth(training)
        fused = fused is not False and len(x.dims) in (4, 5) and place in (1, len(x.dims) - 1)
        if chosen is not False:
            found = nn_operations.moments(x, others)
            kept = found[0], nn_operations.of_population(found[1], x, place) if fused else found[1]
            share = 1 - momentum if chosen else operations.multiply(operations.cast(training, x.dtype), 1 - momentum)  # none where what is fed says so
            for average, value in zip(averages, kept):
                moved = average.assign_sub(operations.multiply(operations.subtract(average, value), share))
                graph.current().add_to_collection("update_ops", moved)
            mean, variance = found if chosen else (_chosen(training, value, average) for value, average in zip(found, averages))
        if place != len(x.dims) - 1:
            along = [-1] + [1] * (len(x.dims) - 1 - place)
            mean, variance, beta, gamma = (None if each is None else operations.reshape(each, along) for each in (mean, variance, beta, gamma))
        return (_fused_batch_norm if fused else _batch_normalization)(x, mean, variance, beta, gamma, epsilon)


def flatten(inputs, name=None, data_format="channels_last"):
    x = graph.symbolic(inputs)
    with scopes.name_scope(name or "flatten"):
        return operations.reshape(x, [x.dims[0], -1])


def dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False, name=None):
    chosen = _known_truth(training)
    with scopes.name_scope(name or "dropout"):
        if chosen is None:
            return _chosen(training, _dropout(inputs, rate, noise_shape, seed), graph.symbolic(inputs))
        return _dropout(inputs, rate, noise_shape, seed) if chosen else graph.symbolic(inputs)


LAYERS = {f.__name__: f for f in (dense, conv2d, max_pooling2d, average_pooling2d, batch_normalization, flatten, dropout)}


class GraphKeys:
    GLOBAL_VARIABLES, TRAINABLE_VARIABLES, LOCAL_VARIABLES = variables.GLOBAL, variables.TRAINABLE, variables.LOCAL
    LOSSES, UPDATE_OPS, REGULARIZATION_LOSSES = "losses", "update_ops", "regularization_losses"
    SUMMARIES, GLOBAL_STEP, MODEL_VARIABLES, TRAIN_OP = "summaries", "global_step", "model_variables", "train_op"
    ACTIVATIONS, MOVING_AVERAGE_VARIABLES, TRAINABLE_RESOURCE_VARIABLES = "activations", "moving_average_variables", "trainable_resource_variables"
    WEIGHTS, BIASES, INIT_OP, SAVERS = "weights", "biases", "init_op", "savers"


def add_names(module):
    names.module(module + ".train", OPTIMIZERS)
    names.module(module + ".losses", losses_1.LOSSES)
    names.module(module + ".layers", LAYERS)
    names.module(module, GraphKeys=GraphKeys)
