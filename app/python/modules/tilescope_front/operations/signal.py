# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.signal: frames of a signal and windows; what needs complex numbers is not there."""
import numpy as np

from . import elementary as operations
from .. import names
from ..tracing import graph

_COMPLEX = "the device has no complex numbers: compute spectra on the host, with NumPy in Dataset.map(tf.numpy_function)"


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


def add_names():
    for module in ("tensorflow.signal", "tensorflow.compat.v1.signal"):
        names.module(module, frame=frame, hann_window=_window(0.5), hamming_window=_window(0.54))
        for name in ("stft", "inverse_stft", "fft", "ifft", "rfft", "irfft", "fft2d", "ifft2d", "rfft2d", "irfft2d", "fft3d", "dct", "idct", "mdct",
                     "mfccs_from_log_mel_spectrograms", "linear_to_mel_weight_matrix"):
            names.refuse(f"{module}.{name}", _COMPLEX if "mel" not in name and "dct" not in name else "compute it on the host, with NumPy")
    for module in ("tensorflow", "tensorflow.compat.v1"):
        for name in ("complex", "complex64", "complex128"):
            names.refuse(f"{module}.{name}", _COMPLEX)
