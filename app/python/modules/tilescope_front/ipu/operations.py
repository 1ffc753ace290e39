# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations of `tensorflow.python.ipu`, of images, look-ups and products in parts, and what others of them are in."""
from . import replica as replica_operations, shard as shard_operations, slices_and_counts
from .. import host
from ..operations import control_flow, elementary as operations, outside
from ..tensors import graph


def normalise_image(image, channel_offsets, channel_scales, scale=1, name=None):
    """(image * scale - offsets) * scales, padded from three channels to four."""
    x = operations.cast(image, channel_offsets.dtype if hasattr(channel_offsets, "dtype") else "float32")
    y = operations.multiply(operations.subtract(operations.multiply(x, float(scale)), channel_offsets), channel_scales)
    return operations.pad(y, [[0, 0]] * (len(y.dims) - 1) + [[0, 1]])


def embedding_lookup(params, ids, name=None, serialization_factor=1, indices_are_sorted=False, one_hot_threshold=None,
                     min_encoding_size=None):
    """Rows of a table, looked up in parts of it, one after another. The last two, of SDK 1, say how, and have no effect."""
    if serialization_factor == 1:
        return operations.gather(params, ids)
    params, ids = graph.convert(params), operations.cast(ids, "int32")
    outside.of_rows(ids, params.dims[0])
    return graph.apply("embedding_lookup", [params, ids], {"serialization_factor": serialization_factor}, name)[0]


def serialized_matmul(a, b, serialization_factor, serialization_dimension, transpose_a=False, transpose_b=False, name=None):
    """A product in parts, one after another, of m ("a_columns"), k ("a_rows_b_columns") or n ("b_rows")."""
    a, b = operations.matrices(*operations._pair(a, b))
    parts = {} if serialization_factor == 1 else {"serialization_factor": serialization_factor,
                                                  "serialization_dimension": serialization_dimension}
    return graph.apply("matmul", [a, b], {"transpose_a": transpose_a, "transpose_b": transpose_b, **parts}, name)[0]


def multi_conv(func=None, options=None):
    """A function as it is: Poplar does its convolutions side by side, here they follow one another."""
    host.tell_once("tilescope: ipu.nn_ops.multi_conv: the convolutions follow one another here, which Poplar does at once")
    return func if func else lambda given: given


def codelet_expression_op(vertex_expression, *args):
    """ipu.custom_ops': what a function makes of tensors, number by number; no gradient goes through it."""
    tensors = [graph.convert(each) for each in args]
    made = graph.convert(vertex_expression(*tensors))
    if made.dtype != tensors[0].dtype or made.dims != tensors[0].dims:
        raise ValueError(f"codelet_expression_op makes {made.dtype.name} {made.shape} of {tensors[0].dtype.name} {tensors[0].shape}: its function "
                         "is of sums, products and abs() of tensors of one type and shape")
    return control_flow.stop_gradient(made)


TABLES = {
    "custom_ops": {"codelet_expression_op": codelet_expression_op},
    "nn_ops": {"multi_conv": multi_conv},
    "image_ops": {"normalise_image": normalise_image},
    **slices_and_counts.TABLES,
    "within_replica_ops": shard_operations.TABLE, **replica_operations.TABLES,
    "functional_ops": {"outlined_function": lambda func=None, unique_sharding=False, keep_input_layouts=None, name=None: func if func else (lambda f: f)}}
