# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.layers of images with their channels first, tf.gradients with weights and of what is not reached, norms, and how images are resized, against
NumPy and by hand."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
draw = np.random.RandomState(8)
x = draw.randn(4, 6, 5, 3).astype("f")
first = x.transpose(0, 3, 1, 2).copy()


def network(images, order):
    axis = 1 if order == "channels_first" else -1
    y = tf.layers.conv2d(images, 4, 3, strides=2, padding="same", data_format=order, bias_initializer=tf.constant_initializer(0.5))
    y = tf.layers.batch_normalization(y, axis=axis, momentum=0.9, training=True, fused=True, gamma_initializer=tf.constant_initializer([1.0, 2.0, 3.0, 4.0]),
                                      beta_initializer=tf.constant_initializer(-1.0), moving_mean_initializer=tf.ones_initializer())
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        return tf.identity(y)


def run(order, given):
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float32, given.shape)
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            made = ipu.ipu_compiler.compile(lambda images: network(images, order), [fed])
        session.run(tf.global_variables_initializer())
        session.run([each.assign(kernel) for each in tf.global_variables() if "conv2d/kernel" in each.name])
        found = session.run(made, {fed: given})[0]
        return found, {each.name: session.run(each) for each in tf.global_variables()}


kernel = draw.randn(3, 3, 3, 4).astype("f")
last, of_last = run("channels_last", x)
found, of_first = run("channels_first", first)
print(np.allclose(found, last.transpose(0, 3, 1, 2), atol=1e-5), found.shape)
wide = np.pad(x, ((0, 0), (0, 1), (1, 1), (0, 0)))
y = np.stack([np.stack([np.tensordot(wide[:, r:r + 3, c:c + 3], kernel, 3) for c in (0, 2, 4)], 1) for r in (0, 2, 4)], 1) + 0.5
mean, variance = y.mean((0, 1, 2)), y.var((0, 1, 2))
print(np.allclose(last, (y - mean) / np.sqrt(variance + 1e-3) * [1, 2, 3, 4] - 1, atol=1e-4), sorted(of_first) == sorted(of_last),
      np.allclose(of_first["batch_normalization/moving_mean:0"], 0.9 + 0.1 * mean, atol=1e-5))

with tf.Graph().as_default(), tf.Session() as session:
    a, b, c = (tf.get_variable(name, initializer=tf.constant(value)) for name, value in (("a", [1.0, 2.0]), ("b", [3.0, 4.0]), ("c", [5.0])))
    square, product, given = a * a, a * b, tf.placeholder(tf.float32, [2])
    found = tf.gradients([square, product], [a, b, c, square], grad_ys=[tf.constant([1.0, 10.0]), given])
    zeros = tf.gradients(square, [b, a], unconnected_gradients=tf.UnconnectedGradients.ZERO)
    session.run(tf.global_variables_initializer())
    print(found[2], [session.run(each, {given: [2.0, 3.0]}).tolist() for each in found if each is not None], [session.run(each).tolist() for each in zeros])
    try:
        tf.gradients([square, product], a, grad_ys=[given])
    except ValueError as error:
        print(error)
    rows = tf.constant(x[0, :, :, 0])
    print([np.allclose(session.run(tf.norm(rows, ord=order, axis=1)), np.linalg.norm(x[0, :, :, 0], order, 1), rtol=1e-5) for order in (1, 2, 3, np.inf)],
          np.isclose(session.run(tf.norm(rows)), np.linalg.norm(x[0, :, :, 0])), session.run(tf.norm(rows, 1, axis=0, keepdims=True)).shape)

    # Keys' kernel gives parabolas as they are, away from the ends; at centres of half a pixel.
    line = (np.arange(8.0)**2).astype("f").reshape(1, 1, 8, 1)
    doubled = session.run(tf.image.resize_images(line, [1, 16], tf.image.ResizeMethod.BICUBIC))
    print(doubled.ravel()[:4].tolist(), [round(float(each), 5) for each in (0.59375 * (1 + 4) - 0.09375 * (0 + 9), 0.59375 * (4 + 9) - 0.09375 * (1 + 16))],
          doubled.ravel()[[3, 5]].tolist())
    print(session.run(tf.image.resize_images(line[:, :, :3], [1, 2], 3)).ravel().tolist(), [round((0 + 0.5 * 1) / 1.5, 6), round((0.5 * 1 + 4) / 1.5, 6)])
