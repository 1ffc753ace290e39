# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.signal: frames of a signal, windows, cosine transforms and the mel scale; spectra are in complex_numbers.py."""
import numpy as np

from . import elementary as operations
from .. import names
from ..tensors import graph


def frame(signal, frame_length, frame_step, pad_end=False, pad_value=0, axis=-1, name=None):
    """tf.signal.frame: pieces of one length, each some steps after the one before, in an axis of their own before it."""
    x, length, step = graph.convert(signal), operations.whole(frame_length), operations.whole(frame_step)
    axis = operations.axis_of(axis, len(x.dims))
    count = -(-x.dims[axis] // step) if pad_end else max(0, 1 + (x.dims[axis] - length) // step)
    lacking = max(0, (count - 1) * step + length - x.dims[axis]) if pad_end else 0
    if lacking:
        filled = operations.fill([*x.dims[:axis], lacking, *x.dims[axis + 1:]], operations.cast(pad_value, x.dtype))
        x = operations.concat([x, filled], axis)
    places = np.arange(count)[:, None] * step + np.arange(length)
    made = operations.gather(x, places.reshape(-1).astype(np.int32), axis=axis)
    return operations.reshape(made, [*x.dims[:axis], count, length, *x.dims[axis + 1:]])


def _window(share):
    def window(window_length, periodic=True, dtype=graph.DEFAULT, name=None):
        length = operations.whole(window_length)
        angles = 2 * np.pi * np.arange(length) / max(length + bool(periodic) * (1 - length % 2) - 1, 1)
        return operations.constant(np.ones(1) if length == 1 else share - (1 - share) * np.cos(angles), dtype)
    return window


WINDOWS = {"hann_window": _window(0.5), "hamming_window": _window(0.54)}


def _cosines(kind, length, norm):
    """The matrix [length, length] of a discrete cosine transform of one of the four kinds."""
    k, n = np.arange(length)[None, :], np.arange(length)[:, None]
    if kind == 1:
        return np.where((n == 0) | (n == length - 1), 1, 2) * np.cos(np.pi * k * n / (length - 1))
    angles = {2: k * (2 * n + 1), 3: n * (2 * k + 1), 4: (2 * k + 1) * (2 * n + 1) / 2}[kind] * np.pi / (2 * length)
    made = 2 * np.cos(angles)
    if norm:
        return made * np.where({2: k, 3: n, 4: 1}[kind] == 0, np.sqrt(0.5), 1) / np.sqrt(2 * length)
    return made * np.where(n == 0, 0.5, 1) if kind == 3 else made


def dct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """tf.signal.dct along the last axis, which is a product by a matrix."""
    x = graph.convert(input)
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if type not in (1, 2, 3, 4):
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Got: {norm}")
    if type == 1 and norm is not None:
        raise ValueError("Normalization is not supported for the Type-I DCT.")
    if type == 1 and x.dims[-1] < 2:
        raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if n is not None and n < x.dims[-1]:
        x = x[..., :n]
    elif n is not None and n > x.dims[-1]:
        x = operations.pad(x, [[0, 0]] * (len(x.dims) - 1) + [[0, n - x.dims[-1]]])
    cosines = operations.constant(_cosines(type, x.dims[-1], norm), x.dtype)
    return operations.reshape(operations.matmul(operations.reshape(x, [-1, x.dims[-1]]), cosines), list(x.dims))


def idct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """tf.signal.idct: without a norm the inverse but for a factor, as TensorFlow has it."""
    return dct(input, {1: 1, 2: 3, 3: 2, 4: 4}[type], n, axis, norm)


def linear_to_mel_weight_matrix(num_mel_bins=20, num_spectrogram_bins=129, sample_rate=8000, lower_edge_hertz=125.0, upper_edge_hertz=3800.0,
                                dtype=graph.DEFAULT, name=None):
    """tf.signal.linear_to_mel_weight_matrix: triangles of the mel scale over the bins of a spectrogram."""
    bins, rate = operations.whole(num_spectrogram_bins), float(operations.known(sample_rate))
    if not 0 <= lower_edge_hertz < upper_edge_hertz <= rate / 2:
        raise ValueError(f"lower_edge_hertz {lower_edge_hertz} and upper_edge_hertz {upper_edge_hertz} must lie in order between 0 and half the "
                         f"sample_rate {rate}")

    def mel(hertz):
        return 1127.0 * np.log1p(np.asarray(hertz, np.float64) / 700.0)
    own = mel(np.linspace(0.0, rate / 2, bins)[1:])[:, None]
    edges = np.linspace(mel(lower_edge_hertz), mel(upper_edge_hertz), operations.whole(num_mel_bins) + 2)
    lower, centre, upper = edges[:-2], edges[1:-1], edges[2:]
    made = np.maximum(0.0, np.minimum((own - lower) / (centre - lower), (upper - own) / (upper - centre)))
    return operations.constant(np.pad(made, [[1, 0], [0, 0]]), dtype)


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms, name=None):
    """tf.signal.mfccs_from_log_mel_spectrograms."""
    x = graph.convert(log_mel_spectrograms)
    return operations.multiply(dct(x), float(1 / np.sqrt(2 * x.dims[-1])))


def add_names():
    own = {each.__name__: each for each in (frame, dct, idct, linear_to_mel_weight_matrix, mfccs_from_log_mel_spectrograms)}
    for module in ("tensorflow.signal", "tensorflow.compat.v1.signal"):
        names.module(module, WINDOWS, own)
        names.refuse(f"{module}.mdct", "compute it on the host, with NumPy")
