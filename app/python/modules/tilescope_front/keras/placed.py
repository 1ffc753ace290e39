# SPDX-License-Identifier: GPL-3.0-or-later
"""Where models run: on the IPUs of the strategy in whose scope they are made, else on the host. What a model is made of, and the
metrics that it is compiled with, must be of the same strategy, as Keras checks it."""
import functools

from .. import host, ipu_config, strategies
from ..structure import flatten

_REMEDY = ("It is most likely due to not all layers or the model or optimizer being created outside the distribution strategy scope. Try "
           "to make sure your code looks similar to the following.\nwith strategy.scope():\n  model=_create_model()\n  model.compile(...)")


def note(made):
    """That a layer has its variables, or a metric is made, in the scope that is open now; what was noted first counts."""
    vars(made).setdefault("made_in_", strategies.current())


def _check_layers(model, now):
    """Errors: ValueError where a layer has had its variables made elsewhere than in the scope of a strategy."""
    for layer in model.leaves() if model.built else ():
        variables = layer.weights if vars(layer).get("made_in_", now) is not now else ()
        for variable in variables:
            raise ValueError(f"Variable ({variable!r}) was not created in the distribution strategy scope of ({now!r}). {_REMEDY}")


def check_compiled(model, metrics):
    """What compile() is given, and the model, are of one strategy."""
    now = model.made_in_ or strategies.current()
    if now is None:
        return
    _check_layers(model, now)
    for metric in flatten(metrics) if metrics is not None else ():
        if getattr(metric, "made_in_", now) is not now:
            raise ValueError(f"Metric ({metric!r}) passed to model.compile was created inside of a different distribution strategy scope "
                             "than the model. All metrics must be created in the same distribution strategy scope as the model (in this "
                             f"case {now!r}). If you pass in a string identifier for a metric to compile the metric will automatically be "
                             "created in the correct distribution strategy scope.")


def _settle(model):
    """Decides where a model that was made outside of all scopes runs: where it gets its variables."""
    now = strategies.current()
    if model.made_in_ is not None:
        return
    if now is None:
        if not model.ran_outside_ and (ipu_config.is_configured() or strategies.ever_opened()):
            host.tell_once(f"tilescope: note: the model {model.name} was made outside of an IPUStrategy's scope: it runs on the computer's "
                           "own processor, as with IPU TensorFlow")
        model.ran_outside_ = True
        return
    _check_layers(model, now)
    if model.ran_outside_:
        raise ValueError(f"The variables of the model {model.name} were not created in the distribution strategy scope of ({now!r}). {_REMEDY}")
    model.take_strategy(now)


def runs(function):
    """A method of a model that runs on its strategy's devices, within its scope."""
    @functools.wraps(function)
    def wrapper(self, *args, **kwargs):
        _settle(self)
        if self.made_in_ is None or self.made_in_ is strategies.current():
            return function(self, *args, **kwargs)
        with self.made_in_.scope():
            return function(self, *args, **kwargs)
    return wrapper
