# SPDX-License-Identifier: GPL-3.0-or-later
"""Where operations run: tf.device, ipu.scopes, tf.control_dependencies, tf.name_scope."""
import contextlib

from . import graph, variables


@contextlib.contextmanager
def device(device_name_or_function):
    name = device_name_or_function if isinstance(device_name_or_function, str) else ""
    with graph.current().with_(device=name):
        yield


@contextlib.contextmanager
def ipu_scope(device):
    with variables.variable_scope("", use_resource=True), graph.current().with_(device=device):
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
