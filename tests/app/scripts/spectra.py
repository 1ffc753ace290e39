# SPDX-License-Identifier: GPL-3.0-or-later
"""Spectra of the host, what is computed of complex numbers, and cosine transforms of the device, against NumPy and their definitions."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

numbers = np.random.default_rng(2)
real = numbers.normal(size=(3, 16)).astype("f")
other = (numbers.normal(size=(3, 16)) + 1j * numbers.normal(size=(3, 16))).astype(np.complex64)


def near(made, expected):
    return np.shape(made) == np.shape(expected) and bool(np.allclose(made, expected, atol=1e-4))


s = tf.signal
print(near(s.fft(other), np.fft.fft(other)), near(s.ifft(other), np.fft.ifft(other)), near(s.fft2d(other), np.fft.fft2(other)),
      near(s.rfft(real, [20]), np.fft.rfft(real, 20)), near(s.irfft(s.rfft(real)), real), near(s.rfft2d(real), np.fft.rfft2(real)), s.fft(other).dtype.name)
c = tf.constant(other)
print(near(tf.abs(c), np.abs(other)), near(tf.math.angle(c), np.angle(other)), near(c * tf.math.conj(c), np.abs(other)**2), near(c[:, 1:] - c[:, :-1],
      np.diff(other)), near(tf.matmul(c, tf.transpose(c)), other @ other.T), near(tf.reduce_sum(c, 1), other.sum(1)), near(tf.concat([c, c], 0),
      np.concatenate([other, other])), near(tf.complex(real, real), real * (1 + 1j)), near(tf.math.real(c) + tf.math.imag(c), other.real + other.imag),
      near(tf.cast(real, tf.complex64) / c, real / other), tf.complex64.is_complex, tf.abs(c).dtype.name)
signal = numbers.normal(size=(2, 200)).astype("f")
window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(40) / 40)
frames = np.stack([signal[:, i:i + 40] for i in range(0, 161, 10)], 1)
spectra = s.stft(signal, 40, 10)
print(near(spectra, np.fft.rfft(frames * window, 64)), near(s.overlap_and_add(frames, 10)[:, 30:170], 4 * signal[:, 30:170]),
      near(s.inverse_stft(spectra, 40, 10, window_fn=s.inverse_stft_window_fn(10))[:, 40:160], signal[:, 40:160]))
n, k = np.arange(16)[:, None], np.arange(16)
by_definition = {1: real[:, :1] + (-1.0)**k * real[:, -1:] + 2 * real[:, 1:-1] @ np.cos(np.pi * n[1:-1] * k / 15),
                 2: 2 * real @ np.cos(np.pi * k * (2 * n + 1) / 32), 3: real[:, :1] + 2 * real[:, 1:] @ np.cos(np.pi * n[1:] * (2 * k + 1) / 32),
                 4: 2 * real @ np.cos(np.pi * (2 * k + 1) * (2 * n + 1) / 64)}
print([near(s.dct(real, kind), each) for kind, each in by_definition.items()], [near(s.idct(s.dct(real, kind, norm="ortho"), kind, norm="ortho"), real)
      for kind in (2, 3, 4)], near(s.idct(s.dct(real)), real * 32))
mel = s.linear_to_mel_weight_matrix(4, 9, 8000, 0.0, 4000.0).numpy()
hertz = 700 * (np.exp(np.linspace(0, np.log1p(4000 / 700), 6)) - 1)
print(mel.shape, [bool(mel[int(round(each / 500)), i] > 0.3) for i, each in enumerate(hertz[1:-1])], near(mel[0], np.zeros(4)))
data = tf.data.Dataset.from_tensor_slices(signal).map(lambda each: tf.abs(s.stft(each, 40, 10))**2).batch(2)
print(near(next(iter(data)), np.abs(np.fft.rfft(frames * window, 64))**2))
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
print(near(strategy.run(tf.function(s.mfccs_from_log_mel_spectrograms), [tf.constant(real)]), by_definition[2] / 32**0.5))
for wrong in (lambda: strategy.run(tf.function(s.rfft), [tf.constant(real)]), lambda: s.fft(real), lambda: tf.sort(c)):
    try:
        wrong()
    except (AttributeError, TypeError) as error:
        print(type(error).__name__, error)
