# SPDX-License-Identifier: GPL-3.0-or-later
"""Where operations run: tf.device, ipu.scopes, tf.control_dependencies, tf.name_scope."""
import contextlib

from .tensors import graph
from .tracing import variable_scopes


@contextlib.contextmanager
def device(device_name_or_function):
    name = device_name_or_function if isinstance(device_name_or_function, str) else ""
    with graph.current().with_(device=name):
        yield


@contextlib.contextmanager
def ipu_scope(device):
    with variable_scopes.variable_scope("", use_resource=True), graph.current().with_(device=device):
        yield


@contextlib.contextmanager
def ipu_shard(index):
    index = index[0] if isinstance(index, (list, tuple)) else index
    with graph.current().with_(shard=int(index)):
        yield


def host():
    """What is made within it is an operation of the host within a program of the device."""
    return graph.current().with_(of_host=True)


@contextlib.contextmanager
def ipu_jit_scope(name=""):
    yield


def outside_compilation_scope(name="outside"):
    """What is made within it, the host computes while the program runs."""
    return host()


def frontend_attribute(attribute_name, attribute_value, restore_to=None):
    """ipu.scopes': what the compiler's passes are told."""
    from .host import tell_once
    tell_once(f"tilescope: ipu.scopes.frontend_attribute({attribute_name!r}, …) has no effect here")
    return contextlib.nullcontext()


def stochastic_rounding(override):
    """ipu.scopes': how float16 is rounded, in all of a program."""
    if not graph.executing_eagerly():
        return graph.current().with_(rounding=bool(override))
    from . import failures, ipu_config
    if ipu_config.StochasticRoundingBehaviour.from_bool(override) is not ipu_config.rounding():
        raise failures.refused(f"ipu.scopes.stochastic_rounding({bool(override)}) around what is no function of a program",
                               "open the scope within the function, or set floating_point_behaviour.esr")
    return contextlib.nullcontext()


def partials_type(override_type):
    """ipu.scopes': in what products are added up."""
    from .dtypes import as_dtype
    name = as_dtype(override_type).name
    if name not in ("float16", "float32"):
        raise ValueError(f"Only support float16, float32 partials, not {name}")
    from .host import tell_once
    tell_once("tilescope: ipu.scopes.partials_type() has no effect here: set IPUConfig.matmuls.poplar_options")
    return contextlib.nullcontext()


@contextlib.contextmanager
def control_dependencies(control_inputs):
    here = graph.current()
    before = tuple(c.op if isinstance(c, graph.GraphTensor) else c for c in control_inputs or ()
                   if isinstance(c, (graph.GraphTensor, graph.Operation)))
    with here.with_(control=here.control + before):
        yield


class name_scope:  # pylint: disable=invalid-name
    def __init__(self, name=None, default_name=None, values=None, *unused):
        self.name = name or default_name or ""

    def __enter__(self):
        here = graph.current()
        self.before = here.prefix
        full = here.unique(self.name) if self.name else ""
        here.prefix = full + "/" if full else ""
        return here.prefix

    def __exit__(self, *exception):
        graph.current().prefix = self.before
