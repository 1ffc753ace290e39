# SPDX-License-Identifier: GPL-3.0-or-later
"""Initialisers, regularisers, constraints, losses, metrics and optimisers of Keras: their names and settings, which the
engine knows what to do with."""
import inspect
import re


def snake_case(name):
    name = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


def signature_of(parameters):
    """The signature of "units, activation=None"."""
    return inspect.signature(eval(f"lambda {parameters}: None", {}))  # pylint: disable=eval-used


def bind(kind, signature, args, kwargs):
    """The arguments of a call by name, with the defaults; a wrong one is Python's own TypeError."""
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        unexpected = re.search(r"unexpected keyword argument '(\w+)'", str(error))
        if unexpected:
            from . import failures
            raise failures.not_there(unexpected.group(1), list(signature.parameters),
                                     f"the argument of {kind}:") from None
        raise TypeError(f"{kind}.__init__(): {error}") from None
    bound.apply_defaults()
    return dict(bound.arguments)


def plain(value):
    """A setting as Keras writes it into JSON: objects by class and settings, functions by name."""
    if hasattr(value, "document"):
        return value.document()
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if hasattr(value, "as_numpy_dtype"):
        return value.name
    if callable(value):
        return {"abs_": "abs"}.get(value.__name__, value.__name__)
    if hasattr(value, "item"):
        return value.item()
    return value


class Configured:
    """An object that is its class' name and its settings."""

    parameters = ""

    def __init__(self, *args, **kwargs):
        self.settings = bind(type(self).__name__, signature_of(self.parameters), args, kwargs)

    def get_config(self):
        return {key: plain(value) for key, value in self.settings.items()}

    @classmethod
    def from_config(cls, config):
        return cls(**config)

    def document(self):
        return {"class_name": type(self).__name__,
                "config": {key: value for key, value in self.get_config().items() if value is not None}}


def family(base, table, doc):
    """Classes by name, from their parameters."""
    made = {}
    for name, parameters in table.items():
        made[name] = type(name, (base,), {"parameters": parameters, "__doc__": f"{doc} {name}({parameters})",
                                          "__signature__": signature_of(parameters)})
    return made


class Initializer(Configured):
    def __call__(self, shape, dtype=None, **unused):
        from . import graph, variables
        from .dtypes import TensorShape, as_dtype
        return graph.EagerTensor(variables.first_values(self, tuple(TensorShape(shape)), as_dtype(dtype or "float32"),
                                                        type(self).__name__))


INITIALIZERS = family(Initializer, {
    "Zeros": "", "Ones": "", "Constant": "value=0", "RandomUniform": "minval=-0.05, maxval=0.05, seed=None",
    "RandomNormal": "mean=0.0, stddev=0.05, seed=None", "TruncatedNormal": "mean=0.0, stddev=0.05, seed=None",
    "VarianceScaling": "scale=1.0, mode='fan_in', distribution='truncated_normal', seed=None",
    "GlorotUniform": "seed=None", "GlorotNormal": "seed=None", "HeUniform": "seed=None", "HeNormal": "seed=None",
    "LecunUniform": "seed=None", "LecunNormal": "seed=None", "Orthogonal": "gain=1.0, seed=None",
    "Identity": "gain=1.0"}, "Keras' initialiser")

REGULARIZERS = family(Configured, {"L1": "l1=0.01", "L2": "l2=0.01", "L1L2": "l1=0.0, l2=0.0"}, "Keras' regulariser")
CONSTRAINTS = family(Configured, {
    "MaxNorm": "max_value=2, axis=0", "MinMaxNorm": "min_value=0.0, max_value=1.0, rate=1.0, axis=0", "NonNeg": "",
    "UnitNorm": "axis=0", "RadialConstraint": ""}, "Keras' constraint")

_REDUCTION = "reduction='auto', name=None"


class Loss(Configured):
    """A loss by name; the engine computes it."""

    def workload_name(self):
        return snake_case(type(self).__name__)

    from_logits = property(lambda self: bool(self.settings.get("from_logits", False)))

    def __call__(self, y_true, y_pred, sample_weight=None):
        from . import operations
        return operations.reduce_mean(loss_values(self.workload_name(), y_true, y_pred, self.from_logits))


def loss_values(name, y_true, y_pred, from_logits=False):
    """The loss of each sample, at once or in a graph."""
    from . import graph, operations
    kinds = {"sparse_categorical_crossentropy", "categorical_crossentropy", "binary_crossentropy"}
    if name in kinds - {"binary_crossentropy"}:
        labels = operations.cast(y_true, "int32") if name.startswith("sparse") else y_true
        return graph.apply(name, [y_pred, labels], {"from_logits": from_logits})[0]
    difference = operations.subtract(y_pred, y_true)
    if name == "mean_squared_error":
        return operations.reduce_mean(operations.MATH["square"](difference), -1)
    if name == "mean_absolute_error":
        return operations.reduce_mean(operations.abs_(difference), -1)
    from . import failures
    raise failures.refused(f"keras.losses.{name}() as a function", "it is computed within compile() and fit()")


LOSSES = family(Loss, {
    "SparseCategoricalCrossentropy": "from_logits=False, " + _REDUCTION,
    "CategoricalCrossentropy": "from_logits=False, label_smoothing=0, " + _REDUCTION,
    "BinaryCrossentropy": "from_logits=False, label_smoothing=0, axis=-1, " + _REDUCTION,
    **{name: _REDUCTION for name in (
        "MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredLogarithmicError",
        "KLDivergence", "Poisson", "LogCosh", "Hinge", "SquaredHinge", "CategoricalHinge", "CosineSimilarity")},
    "Huber": "delta=1.0, " + _REDUCTION}, "Keras' loss")


class Metric(Configured):
    def workload_name(self):
        return snake_case(type(self).__name__)


METRICS = family(Metric, {
    **{name: "name=None, dtype=None" for name in (
        "Accuracy", "BinaryAccuracy", "CategoricalAccuracy", "SparseCategoricalAccuracy", "MeanSquaredError",
        "MeanAbsoluteError", "CategoricalCrossentropy", "SparseCategoricalCrossentropy", "BinaryCrossentropy")},
    "TopKCategoricalAccuracy": "k=5, name=None, dtype=None",
    "SparseTopKCategoricalAccuracy": "k=5, name=None, dtype=None"}, "Keras' metric")


class LearningRateSchedule(Configured):
    def workload(self):
        return {"name": type(self).__name__, **{k: v for k, v in self.get_config().items()
                                                if v is not None and k not in ("name", "cycle")}}


SCHEDULES = family(LearningRateSchedule, {
    "ExponentialDecay": "initial_learning_rate, decay_steps, decay_rate, staircase=False, name=None",
    "PiecewiseConstantDecay": "boundaries, values, name=None",
    "PolynomialDecay": "initial_learning_rate, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False, name=None",
    "InverseTimeDecay": "initial_learning_rate, decay_steps, decay_rate, staircase=False, name=None",
    "CosineDecay": "initial_learning_rate, decay_steps, alpha=0.0, name=None"}, "Keras' schedule of the rate")


class Optimizer(Configured):
    """An optimiser: what a workload's `compile.optimizer` says."""

    learning_rate = property(lambda self: self.settings["learning_rate"],
                             lambda self, value: self.settings.update(learning_rate=value))
    lr = learning_rate

    def apply_gradients(self, grads_and_vars, name=None, experimental_aggregate_gradients=True):
        from . import functions
        return functions.apply_gradients(self, grads_and_vars)

    def minimize(self, loss, var_list, grad_loss=None, name=None, tape=None):
        from . import functions
        return functions.apply_gradients(self, [(functions.Gradient(loss() if callable(loss) else loss, v), v)
                                                for v in (var_list() if callable(var_list) else var_list)])

    def workload(self):
        settings = {k: v for k, v in self.get_config().items() if v is not None and k != "name"}
        for name in ("decay", "centered", "amsgrad", "clipnorm", "clipvalue"):
            if settings.pop(name, 0):
                from . import failures
                raise failures.refused(f"{type(self).__name__}({name}=…)", "the engine's optimisers have no such setting")
        rate = self.settings["learning_rate"]
        if isinstance(rate, LearningRateSchedule):
            settings["learning_rate"] = rate.workload()
        if settings.get("momentum", None) == 0:
            settings.pop("nesterov", None)
        return {"name": type(self).__name__.lower(), **settings}


_CLIPS = "decay=0.0, clipnorm=None, clipvalue=None"
OPTIMIZERS = family(Optimizer, {
    "SGD": f"learning_rate=0.01, momentum=0.0, nesterov=False, name='SGD', {_CLIPS}",
    "RMSprop": f"learning_rate=0.001, rho=0.9, momentum=0.0, epsilon=1e-07, centered=False, name='RMSprop', {_CLIPS}",
    "Adam": f"learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-07, amsgrad=False, name='Adam', {_CLIPS}",
    "AdamW": "learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-07, weight_decay=0.004, name='AdamW'",
    "Adamax": f"learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-07, name='Adamax', {_CLIPS}",
    "Nadam": f"learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-07, name='Nadam', {_CLIPS}",
    "Adagrad": f"learning_rate=0.001, initial_accumulator_value=0.1, epsilon=1e-07, name='Adagrad', {_CLIPS}",
    "Adadelta": f"learning_rate=0.001, rho=0.95, epsilon=1e-07, name='Adadelta', {_CLIPS}"}, "Keras' optimiser")


def get_optimizer(identifier):
    if isinstance(identifier, Optimizer):
        return identifier
    named = {name.lower(): made for name, made in OPTIMIZERS.items()}
    if isinstance(identifier, str):
        if identifier.lower() in named:
            return named[identifier.lower()]()
        from . import failures
        raise failures.not_there(identifier, named, "the optimizer")
    raise ValueError(f"Could not interpret optimizer identifier: {identifier}")


def plain_name(given):
    """The name of a loss or a metric, however it is given."""
    return given.workload_name() if hasattr(given, "workload_name") else given if isinstance(given, str) else \
        given.__name__
