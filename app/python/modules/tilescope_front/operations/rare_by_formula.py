# SPDX-License-Identifier: GPL-3.0-or-later
"""Of `tf`, `tf.math`, `tf.nn`, `tf.image` and `tf.random` what few scripts use, made of other operations."""
import numpy as np

from . import array as array_operations, elementary as operations, nn as nn_operations, random as random_operations, volumes
from .custom_gradients import custom_gradient
from .. import dtypes, names
from ..tensors import graph
from ..tensors.graph import convert
from .elementary import MATH, add, cast, expand_dims, lifted, multiply, squeeze, subtract, where

# Of the inverse of erf, by powers of w = -log(1 - x^2): M. Giles, "Approximating the erfinv function" (2010), in single precision.
_NEAR = (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941)
_FAR = (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682)


def _powers(terms, w):
    total = multiply(w, terms[0])
    for each in terms[1:-1]:
        total = multiply(add(total, each), w)
    return add(total, terms[-1])


def erfinv(x, name=None):
    x = convert(x)
    ends = MATH["equal"](MATH["abs"](x), 1.0)
    inside = where(ends, operations.zeros_like(x), x)
    w = operations.negative(MATH["log"](multiply(subtract(1.0, inside), add(1.0, inside))))
    is_near = MATH["less"](w, 5.0)
    far = MATH["sqrt"](where(is_near, operations.zeros_like(w) + 5.0, w))
    made = multiply(where(is_near, _powers(_NEAR, subtract(w, 2.5)), _powers(_FAR, subtract(far, 3.0))), inside)
    return where(ends, multiply(MATH["sign"](x), float("inf")), made)


def ndtri(x, name=None):
    """The number that a normal one is below as likely as this."""
    return multiply(erfinv(subtract(multiply(x, 2.0), 1.0)), float(np.sqrt(2)))


def grad_pass_through(f):
    """f, through which gradients pass as if it were not there."""
    return custom_gradient(lambda *args, **kwargs: (f(*args, **kwargs), lambda dy: dy if len(args) == 1 else [dy, *[None] * (len(args) - 1)]))


def dynamic_partition(data, partitions, num_partitions, name=None):
    """The slices of each part; the parts are known beforehand, as shapes are static."""
    places = np.asarray(operations.known(partitions))
    return [array_operations.boolean_mask(data, places == part) for part in range(operations.whole(num_partitions))]


def get_static_value(tensor, partial=False):
    return operations.known_or_none(tensor)


def histogram_fixed_width_bins(values, value_range, nbins=100, dtype=dtypes.int32, name=None):
    """Which of as many equal parts of a range each value is in; the first and the last have what lies outside."""
    x, ends = convert(values), convert(value_range)
    share = operations.divide(subtract(x, ends[0]), subtract(ends[1], ends[0]))
    places = MATH["floor"](multiply(share, float(nbins)))
    return cast(operations.clip_by_value(places, 0.0, float(nbins - 1)), dtype)


def conv1d_transpose(input, filters, output_shape, strides, padding="SAME", data_format="NWC", dilations=None, name=None):
    """That of two dimensions, of one row. Filters are [steps, made, given]."""
    x, made = convert(input), operations.wholes(output_shape)
    step = int(np.ravel(strides)[0])
    if data_format not in ("NWC", None):
        x, made = operations.transpose(x, [0, 2, 1]), [made[0], made[2], made[1]]
    y = squeeze(nn_operations.conv2d_transpose(expand_dims(x, 1), expand_dims(filters, 0), [made[0], 1, *made[1:]], [1, step], padding), [1])
    return y if data_format in ("NWC", None) else operations.transpose(y, [0, 2, 1])


def pool(input, window_shape, pooling_type, strides=None, padding="VALID", data_format=None, dilations=None, name=None):
    """Over all dimensions between the first and the last one."""
    if pooling_type not in ("MAX", "AVG"):
        raise ValueError(f"Unsupported pooling_type {pooling_type}")
    if dilations is not None and set(np.ravel(dilations).tolist()) != {1}:
        from .. import failures
        raise failures.refused("tf.nn.pool(dilations=…)", "leave them out")
    of_images, of_volumes = {"MAX": (nn_operations.max_pool, volumes.max_pool3d), "AVG": (nn_operations.avg_pool, volumes.avg_pool3d)}[pooling_type]
    x, window = convert(input), [int(each) for each in window_shape]
    steps = [1] * len(window) if strides is None else [int(each) for each in strides]
    if data_format is not None and data_format.startswith("NC"):
        order = [0, *range(2, len(x.dims)), 1]
        made = pool(operations.transpose(x, order), window, pooling_type, steps, padding)
        return operations.transpose(made, [0, len(order) - 1, *range(1, len(order) - 1)])
    if len(window) == 1:
        return squeeze(of_images(expand_dims(x, 1), [1, window[0]], [1, steps[0]], padding), [1])
    return (of_images if len(window) == 2 else of_volumes)(x, window, steps, padding)


_YIQ = np.float32([[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]])


def _by_matrix(matrix):
    return lambda images: array_operations.tensordot(images, operations.constant(matrix), [[-1], [0]])


def stateless_categorical(logits, num_samples, seed, dtype="int64", name=None):
    """As tf.random.categorical draws, from a seed alone."""
    x = cast(logits, "float32")
    batch, classes = x.dims
    u = random_operations.STATELESS["stateless_uniform"]([batch, operations.whole(num_samples), classes], seed, 1e-30, 1.0)
    log = MATH["log"]
    return cast(operations.argmax(subtract(expand_dims(x, 1), log(operations.negative(log(u)))), -1), dtype)


_TABLES = {below: {name: lifted(function) for name, function in table.items()} for below, table in {
    "math": {"erfinv": erfinv, "ndtri": ndtri, "erfcinv": lambda x, name=None: erfinv(subtract(1.0, x))},
    "nn": {"conv1d_transpose": conv1d_transpose, "pool": pool},
    "image": {"rgb_to_yiq": _by_matrix(_YIQ), "yiq_to_rgb": _by_matrix(np.linalg.inv(_YIQ).astype(np.float32))},
    "random": {"stateless_categorical": stateless_categorical},
    "": {"histogram_fixed_width_bins": histogram_fixed_width_bins, "guarantee_const": lambda input, name=None: operations.identity(input),
         "dynamic_partition": dynamic_partition}}.items()}


def add_names():
    for module in ("tensorflow", "tensorflow.compat.v1"):
        for below, table in _TABLES.items():
            names.module(f"{module}.{below}".rstrip("."), table)
        names.module(module, grad_pass_through=grad_pass_through, get_static_value=get_static_value,
                     shape_n=lambda input, out_type=dtypes.int32, name=None: [operations.shape(each, out_type=out_type) for each in input],
                     broadcast_dynamic_shape=lambda shape_x, shape_y: operations.constant(np.int32(np.broadcast_shapes(
                         tuple(operations.wholes(shape_x)), tuple(operations.wholes(shape_y))))))
