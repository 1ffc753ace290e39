# SPDX-License-Identifier: GPL-3.0-or-later
"""Losses of Keras as objects and as functions, and as one number of a batch."""
from ..configured import Configured, bind, signature_of, snake_case

REDUCTION = "reduction='auto', name=None"
_NAMED_OTHERWISE = {"Huber": "huber_loss"}


class Reduction:
    """keras.losses.Reduction: how the losses of samples become one."""

    AUTO, NONE, SUM, SUM_OVER_BATCH_SIZE = "auto", "none", "sum", "sum_over_batch_size"


class Loss(Configured):
    """A loss by name; the engine computes it. One of the script's own says what it computes in call()."""

    parameters = REDUCTION

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        _check_reduction(self)
        own = None if hasattr(self, "call") or self.calls_itself else _NAMED_OTHERWISE.get(self.kind_name, self.workload_name())
        self.name, self.reduction = self.settings.get("name") or own, _reduction_of(self)

    def workload_name(self):
        return snake_case(self.kind_name)

    from_logits = property(lambda self: bool(self.settings.get("from_logits", False)))

    summed = property(lambda self: _reduction_of(self) == "sum")
    unreduced = property(lambda self: _reduction_of(self) == "none")

    def values(self, y_true, y_pred):
        """The loss of each sample."""
        from . import traced as keras_traced
        from ..operations import elementary as operations
        from ..tensors import graph
        y_true, y_pred = along_last(self, y_true, y_pred)
        smoothing, delta = self.settings.get("label_smoothing", 0), self.settings.get("delta", 1)
        if smoothing:
            classes = 2 if self.workload_name() == "binary_crossentropy" else graph.convert(y_true).dims[-1]
            y_true = operations.add(operations.multiply(y_true, 1.0 - smoothing), smoothing / classes)
        if delta != 1:  # delta^2 times the loss of what is so many deltas apart
            y_true, y_pred = (operations.divide(graph.convert(each), float(delta)) for each in (y_true, y_pred))
        found = keras_traced.compared(self.workload_name(), False, y_true, y_pred, self.from_logits)
        return operations.multiply(found, float(delta) ** 2) if delta != 1 else found

    calls_itself = property(lambda self: type(self).__call__ is not Loss.__call__)  # a class of the script's own says what a batch loses

    def __call__(self, y_true, y_pred, sample_weight=None):
        def loss(y_true, y_pred, sample_weight):
            return _reduced(self, y_true, y_pred, sample_weight)
        loss.__name__ = self.workload_name()
        return on_any(loss, y_true, y_pred, sample_weight)


def has_own_axis(compared):
    """Whether a loss or a metric is along another axis than the last."""
    return compared.settings.get("axis", -1) != -1


def along_last(compared, y_true, y_pred):
    """Labels and outputs with the axis that a loss or a metric is along as the last."""
    from ..operations import elementary as operations
    from ..tensors import graph
    if not has_own_axis(compared):
        return y_true, y_pred
    tensors = [graph.convert(y_true), graph.convert(y_pred)]
    rank = len(tensors[1].dims)
    axis = operations.axis_of(compared.settings["axis"], rank)
    order = [i for i in range(rank) if i != axis] + [axis]
    return [operations.transpose(each, order) if len(each.dims) == rank and axis != rank - 1 else each for each in tensors]


def on_any(function, *args, **kwargs):
    """What a function of tensors gives; on Keras tensors it makes a layer of itself."""
    from ..operations import elementary as operations  # which makes its names of the layers, which are made of these parts
    return operations.lifted(function)(*args, **kwargs)


def _reduction_of(loss):
    given = loss.settings.get("reduction", "auto")
    return getattr(given, "value", given)


def _check_reduction(loss):
    known = [value for name, value in vars(Reduction).items() if name.isupper()]
    if _reduction_of(loss) not in known:
        raise ValueError(f"Invalid Reduction Key: {_reduction_of(loss)}. Expected keys are {tuple(known)}")


def function_of(name, kind):
    """keras.losses' function: the loss of each sample, at once or in a graph. `kind`: the class of that loss."""
    own = signature_of(", ".join(["y_true", "y_pred", *(each for each in kind.parameters.split(", ") if each not in REDUCTION.split(", "))]))

    def of_samples(y_true, y_pred, **given):
        from . import traced as keras_traced
        if any(given[key] != own.parameters[key].default for key in given if key != "from_logits"):
            return kind(**given).values(y_true, y_pred)
        return keras_traced.compared(name, False, y_true, y_pred, bool(given.get("from_logits", False)))

    def loss(*args, **kwargs):
        return on_any(of_samples, **bind(name, own, args, kwargs))
    loss.__name__ = loss.__qualname__ = of_samples.__name__ = name
    loss.__signature__ = own
    loss.workload_name = lambda: name
    return loss


def loss_of(loss, labels, output, weights=None):
    """A loss as one number: the mean over the samples, or their sum where it was asked for; unreduced, their losses."""
    if isinstance(loss, Loss) and loss.calls_itself:
        return loss(labels, output, **({} if weights is None else {"sample_weight": weights}))
    return _reduced(loss, labels, output, weights)


def _reduced(loss, labels, output, weights):
    from . import parts as keras_parts, traced as keras_traced
    from ..operations import elementary as operations
    if isinstance(loss, Loss):
        values = loss.call(labels, output) if hasattr(loss, "call") else loss.values(labels, output)
    elif keras_parts.is_python(loss):
        values = loss(labels, output)
    else:
        values = keras_traced.compared(keras_parts.plain_name(loss), False, labels, output)
    if weights is not None:
        from ..tensors import graph
        values, weights = graph.convert(values), graph.convert(weights)
        shape = list(weights.dims)
        if len(shape) == len(values.dims) + 1 and shape[-1] == 1:
            shape.pop()
        if len(shape) > len(values.dims):
            raise ValueError(f"sample_weight of shape {weights.dims} does not go with losses of shape {values.dims}: give "
                             "a weight for each sample")
        shape += [1] * (len(values.dims) - len(shape))
        values = operations.multiply(values, operations.cast(operations.reshape(weights, shape), values.dtype))
    if getattr(loss, "unreduced", False):
        return values
    return operations.reduce_sum(values) if getattr(loss, "summed", False) else operations.reduce_mean(values)
