# SPDX-License-Identifier: GPL-3.0-or-later
"""Complex numbers, which the host alone has, as in Dataset.map: spectra of signals, and what is computed of them, by NumPy."""
import numpy as np

from . import elementary as operations, wide_numbers
from .. import dtypes, failures, host, names
from ..tensors import graph
from ..tensors.graph import EagerTensor

REASON = "the device has no complex numbers: compute spectra on the host, as in Dataset.map, and give the model their absolute values"
_KINDS = {"float32": np.complex64, "float64": np.complex128, "complex64": np.complex64, "complex128": np.complex128}
_BY_NUMPY = {"abs": np.abs, "multiply": np.multiply, "divide": np.divide, "square": np.square, "exp": np.exp, "log": np.log, "sqrt": np.sqrt,
             "reciprocal": np.reciprocal, "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "power": np.power, "equal": np.equal,
             "not_equal": np.not_equal}
# Of the real parts and of the imaginary ones by themselves.
_BY_PARTS = {"add", "subtract", "negate", "reshape", "transpose", "slice", "concatenate", "split", "reduce_sum", "reduce_mean", "broadcast_to", "pad",
             "gather", "gather_nd", "take", "select", "scatter_nd", "identity", "scan"}


@graph.provides("computed_otherwise")
def computed_otherwise(kind, arrays, attributes):
    """What NumPy makes of arrays whose types the engine does not have; None of others."""
    if any(each.dtype.kind == "c" for each in arrays):
        return compute(kind, arrays, attributes)
    if arrays and wide_numbers.has(kind, [each.dtype for each in arrays]):
        return wide_numbers.compute(kind, arrays, attributes)
    return None


def compute(kind, arrays, attributes):
    """What an operation makes of arrays of which some are complex."""
    if kind in _BY_NUMPY:
        return [_BY_NUMPY[kind](*arrays)]
    if kind == "matmul":
        turned = [each.swapaxes(-1, -2) if attributes.get(f"transpose_{side}") else each for side, each in zip("ab", arrays)]
        return [np.matmul(*turned)]
    if kind not in _BY_PARTS:
        raise failures.refused(f"{kind} of complex numbers", "compute it of their parts, tf.math.real and tf.math.imag")
    parts = [host.run().compute(kind, [np.ascontiguousarray(part(each)) if each.dtype.kind == "c" else each for each in arrays], attributes, 0)
             for part in (np.real, np.imag)]
    return [np.asarray(a + 1j * np.asarray(b), _KINDS[np.asarray(a).dtype.name]) for a, b in zip(*parts)]


def _at_hand(function, given):
    x = graph.convert(given)
    if graph.is_symbolic(x):
        raise failures.refused(f"{function} of what the device or a GradientTape computes", REASON)
    return x.value


def _complex(function, given):
    array = _at_hand(function, given)
    return array if array.dtype.kind == "c" else array.astype(_KINDS.get(array.dtype.name, np.complex64))


def complex_(real, imag, name=None):
    """tf.complex."""
    a, b = _at_hand("tf.complex", real), _at_hand("tf.complex", imag)
    if a.dtype != b.dtype or a.dtype.name not in ("float32", "float64"):
        raise TypeError(f"real and imag have incorrect types: {a.dtype.name} {b.dtype.name}")
    return EagerTensor((a + 1j * b).astype(_KINDS[a.dtype.name]))


def real(input, name=None):
    x = graph.convert(input)
    return operations.identity(x) if graph.is_symbolic(x) else EagerTensor(np.real(x.value))


def imag(input, name=None):
    x = graph.convert(input)
    return operations.zeros_like(x) if graph.is_symbolic(x) else EagerTensor(np.imag(x.value))


def conj(x, name=None):
    x = graph.convert(x)
    return operations.identity(x) if graph.is_symbolic(x) else EagerTensor(np.conj(x.value))


def angle(input, name=None):
    x = graph.convert(input)
    if graph.is_symbolic(x):
        return operations.where(operations.less(x, 0.0), np.pi * operations.ones_like(x), operations.zeros_like(x))
    return EagerTensor(np.angle(x.value).astype(np.real(x.value).dtype))


PARTS = {each.__name__: operations.lifted(each) for each in (real, imag, conj, angle)}


def _transform(name, axes, of_reals=False):
    """One of tf.signal over the last axes. `of_reals`: (x, fft_length)."""
    by_numpy = getattr(np.fft, {"2d": name.replace("2d", "2"), "3d": name.replace("3d", "n")}.get(name[-2:], name))
    settings = {"axes": tuple(range(-axes, 0))} if axes > 1 else {}

    def made(array, lengths):
        wide = array.dtype in (np.float64, np.complex128)
        found = by_numpy(array, **settings, **lengths)
        kinds = {"f": (np.float32, np.float64), "c": (np.complex64, np.complex128)}
        return EagerTensor(found.astype(kinds[found.dtype.kind][wide]))

    def of_complex(input, name=None):
        x = graph.convert(input)
        if not graph.is_symbolic(x) and x.value.dtype.kind != "c":
            raise TypeError(f"Value for attr 'Tcomplex' of {x.dtype.name} is not in the list of allowed values: complex64, complex128")
        return made(_at_hand(f"tf.signal.{of_complex.__name__}", x), {})

    def of_real(input_tensor, fft_length=None, name=None):
        array = _at_hand(f"tf.signal.{of_real.__name__}", input_tensor)
        lengths = {} if fft_length is None else {"n": operations.whole(np.ravel(operations.known(fft_length))[0])} if axes == 1 else {
            "s": tuple(operations.wholes(fft_length))}
        return made(array, lengths)
    function = of_real if of_reals else of_complex
    function.__name__ = name
    return function


TRANSFORMS = {name: _transform(name, axes) for name, axes in (("fft", 1), ("ifft", 1), ("fft2d", 2), ("ifft2d", 2), ("fft3d", 3), ("ifft3d", 3))}
TRANSFORMS |= {name: _transform(name, axes, True) for name, axes in (("rfft", 1), ("irfft", 1), ("rfft2d", 2), ("irfft2d", 2))}


def _power_of_two(length):
    return 1 << max(int(length) - 1, 0).bit_length()


def stft(signals, frame_length, frame_step, fft_length=None, window_fn="hann", pad_end=False, name=None):
    """tf.signal.stft: the spectra of frames of a signal, [..., frames, fft_length / 2 + 1]."""
    from . import signal as frames_of
    _at_hand("tf.signal.stft", signals)
    frames = frames_of.frame(signals, frame_length, frame_step, pad_end)
    window_fn = frames_of.WINDOWS["hann_window"] if window_fn == "hann" else window_fn
    if window_fn is not None:
        frames = operations.multiply(frames, window_fn(frame_length, dtype=frames.dtype))
    return TRANSFORMS["rfft"](frames, [_power_of_two(operations.whole(frame_length)) if fft_length is None else fft_length])


def overlap_and_add(signal, frame_step, name=None):
    """tf.signal.overlap_and_add: frames [..., frames, length] added up, each some steps after the one before."""
    x, step = _at_hand("tf.signal.overlap_and_add", signal), operations.whole(frame_step)
    made = np.zeros([*x.shape[:-2], (x.shape[-2] - 1) * step + x.shape[-1]], x.dtype)
    for i in range(x.shape[-2]):
        made[..., i * step:i * step + x.shape[-1]] += x[..., i, :]
    return EagerTensor(made)


def inverse_stft(stfts, frame_length, frame_step, fft_length=None, window_fn="hann", name=None):
    """tf.signal.inverse_stft."""
    from . import signal as frames_of
    length = operations.whole(frame_length)
    spectra = _complex("tf.signal.inverse_stft", stfts)
    frames = TRANSFORMS["irfft"](spectra, [_power_of_two(length) if fft_length is None else fft_length]).value
    frames = frames[..., :length] if frames.shape[-1] >= length else np.pad(frames, [(0, 0)] * (frames.ndim - 1) + [(0, length - frames.shape[-1])])
    window_fn = frames_of.WINDOWS["hann_window"] if window_fn == "hann" else window_fn
    if window_fn is not None:
        frames = frames * np.asarray(window_fn(length, dtype=frames.dtype))
    return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(frame_step, forward_window_fn="hann", name=None):
    """tf.signal.inverse_stft_window_fn: the window by which the inverse gives what the spectra are of."""
    def window(frame_length, dtype=graph.DEFAULT):
        from . import signal as frames_of
        length, step = operations.whole(frame_length), operations.whole(frame_step)
        forward = frames_of.WINDOWS["hann_window"] if forward_window_fn == "hann" else forward_window_fn
        values = np.asarray(forward(length, dtype=dtype))
        overlaps = -(-length // step)
        squares = np.pad(values**2, (0, overlaps * step - length)).reshape(overlaps, step).sum(0)
        return operations.constant(values / np.tile(squares, overlaps)[:length], dtype)
    return window


def add_names():
    signals = {**TRANSFORMS, **{each.__name__: each for each in (stft, inverse_stft, overlap_and_add, inverse_stft_window_fn)}}
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(f"{module}.signal", signals)
        names.module(f"{module}.math", PARTS)
        names.module(module, complex=complex_)
    names.module("tensorflow.compat.v1", PARTS)
    names.module("tensorflow.compat.v1.spectral", TRANSFORMS)
