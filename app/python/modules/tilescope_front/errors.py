# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.errors, and the messages of IPU TensorFlow that its tutorials explain."""
import contextlib

import tilescope_engine as engine


class OpError(Exception):
    def __init__(self, node_def=None, op=None, message=None):
        self.op, self.node_def = op, node_def
        self.message = message if message is not None else str(node_def)
        super().__init__(self.message)


class InvalidArgumentError(OpError):
    pass


class _OfEngine(engine.Error, InvalidArgumentError, ValueError):
    """What the engine says of operands that do not fit: at once TensorFlow raises InvalidArgumentError, in a graph ValueError."""

    def __init__(self, error):  # pylint: disable=super-init-not-called
        Exception.__init__(self, str(error))
        self.__dict__.update(vars(error), op=None, node_def=None, message=str(error))


_OfEngine.__name__ = _OfEngine.__qualname__ = "InvalidArgumentError"


@contextlib.contextmanager
def of_operands():
    """Within it the engine's errors are of operands that do not fit."""
    try:
        yield
    except engine.Error as error:
        raise (_OfEngine(error) if error.kind in ("bad_input", "not_supported") else error) from None


class FailedPreconditionError(OpError):
    pass


class OutOfRangeError(OpError):
    pass


class ResourceExhaustedError(OpError):
    pass


class UnimplementedError(OpError):
    pass


class InternalError(OpError):
    pass


class NotFoundError(OpError):
    pass


class DataLossError(OpError):
    pass


class AlreadyExistsError(OpError):
    pass


class PermissionDeniedError(OpError):
    pass


class UnavailableError(OpError):
    pass


class UnknownError(OpError):
    pass


class AbortedError(OpError):
    pass


class CancelledError(OpError):
    pass


class DeadlineExceededError(OpError):
    pass


def placement(name, group):
    """The colocation error for what has no kernel on the IPU; `group`: (kind, devices) of the nodes with it."""
    lines = "\n".join(f"{kind}: {devices}" for kind, devices in group)
    return InvalidArgumentError(message=f"Cannot assign a device for operation '{name}': Could not satisfy explicit "
                                "device specification '/device:IPU:0' because no supported kernel for IPU devices is "
                                f"available.\nColocation Debug Info:\nColocation group had the following types and "
                                f"supported devices:\n{lines}")


def check_placement(variable):
    """Raises the colocation error where a variable (or None) of the IPU is no resource."""
    if not getattr(variable, "resource", True) and "IPU" in (variable.device or "").upper():
        raise placement(variable.key, [("Const", "CPU IPU XLA_CPU"), ("Assign", "CPU"), ("VariableV2", "CPU")])


def no_kernel(name, dtype):
    return InvalidArgumentError(message=f"Cannot assign a device for operation '{name}': Could not satisfy explicit "
                                "device specification '/device:IPU:0' because no supported kernel for IPU devices is "
                                f"available for element type {dtype}; cast it to float32, float16, int32 or bool "
                                "before it goes to the IPU")


for _each in list(globals().values()):
    if isinstance(_each, type) and issubclass(_each, OpError):
        _each.__module__ = "tensorflow.python.framework.errors_impl"
NAMES = {k: v for k, v in list(globals().items()) if isinstance(v, type) and issubclass(v, OpError)}
