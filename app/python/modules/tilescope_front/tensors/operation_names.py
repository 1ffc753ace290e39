# SPDX-License-Identifier: GPL-3.0-or-later
"""What TensorFlow calls the operations of a graph: by what they are, and by the function of `tf` that has made them."""

# What a session runs, and what the engine computes, as TensorFlow's types of operations.
TYPES = {
    "placeholder": "Placeholder", "constant": "Const", "read": "ReadVariableOp", "assign": "AssignVariableOp", "initialise": "NoOp",
    "group": "NoOp", "shape": "Shape", "add": "AddV2", "subtract": "Sub", "multiply": "Mul", "divide": "RealDiv", "power": "Pow",
    "negate": "Neg", "abs": "Abs", "sign": "Sign", "square": "Square", "sqrt": "Sqrt", "rsqrt": "Rsqrt", "exp": "Exp", "log": "Log",
    "sin": "Sin", "cos": "Cos", "tanh": "Tanh", "sigmoid": "Sigmoid", "erf": "Erf", "floor": "Floor", "ceil": "Ceil", "round": "Round",
    "reciprocal": "Reciprocal", "softplus": "Softplus", "softsign": "Softsign", "maximum": "Maximum", "minimum": "Minimum",
    "equal": "Equal", "not_equal": "NotEqual", "less": "Less", "less_equal": "LessEqual", "greater": "Greater",
    "greater_equal": "GreaterEqual", "logical_and": "LogicalAnd", "logical_or": "LogicalOr", "logical_not": "LogicalNot",
    "relu": "Relu", "relu6": "Relu6", "elu": "Elu", "selu": "Selu", "leaky_relu": "LeakyRelu", "softmax": "Softmax",
    "log_softmax": "LogSoftmax", "matmul": "MatMul", "conv2d": "Conv2D", "conv2d_input_gradient": "Conv2DBackpropInput",
    "max_pool2d": "MaxPool", "average_pool2d": "AvgPool", "reduce_sum": "Sum", "reduce_mean": "Mean", "reduce_max": "Max",
    "reduce_min": "Min", "reduce_prod": "Prod", "argmax": "ArgMax", "top_k": "TopKV2", "cast": "Cast", "identity": "Identity",
    "stop_gradient": "StopGradient", "reshape": "Reshape", "transpose": "Transpose", "concatenate": "ConcatV2", "split": "SplitV",
    "slice": "Slice", "gather": "GatherV2", "gather_nd": "GatherNd", "scatter_nd": "TensorScatterUpdate", "pad": "Pad",
    "broadcast_to": "BroadcastTo", "select": "SelectV2", "sparse_categorical_crossentropy": "SparseSoftmaxCrossEntropyWithLogits",
    "categorical_crossentropy": "SoftmaxCrossEntropyWithLogits"}

# What they are called that are named otherwise, as those which Python's operators make.
_NAMES = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv", "power": "pow", "transpose": "transpose",
          "concatenate": "concat", "split": "split"}


def name_of(kind):
    """What an operation is called that is given no name."""
    return _NAMES.get(kind) or TYPES.get(kind, kind)


# The function, and what it gives: a name, or a scope and the name within it, which several results count up.
FUNCTIONS = {
    "add": "Add", "subtract": "Sub", "multiply": "Mul", "divide": "truediv", "div": "div", "truediv": "truediv", "realdiv": "RealDiv",
    "floordiv": "floordiv", "floormod": "FloorMod", "mod": "FloorMod", "pow": "Pow", "negative": "Neg", "abs": "Abs", "sign": "Sign",
    "square": "Square", "squared_difference": "SquaredDifference", "maximum": "Maximum", "minimum": "Minimum", "add_n": "AddN",
    "matmul": "MatMul", "tensordot": "Tensordot", "argmax": "ArgMax", "argmin": "ArgMin", "cast": "Cast", "to_float": "ToFloat",
    "to_int32": "ToInt32", "identity": "Identity", "stop_gradient": "StopGradient", "reshape": "Reshape", "transpose": "transpose",
    "expand_dims": "ExpandDims", "squeeze": "Squeeze", "concat": "concat", "stack": "stack", "split": "split", "unstack": "unstack",
    "slice": "Slice", "strided_slice": "StridedSlice", "gather": "GatherV2", "gather_nd": "GatherNd", "pad": "Pad", "tile": "Tile",
    "reverse": "ReverseV2", "roll": "Roll", "where": "Select", "one_hot": "one_hot", "fill": "Fill", "zeros": "zeros", "ones": "ones",
    "zeros_like": "zeros_like", "ones_like": "ones_like", "range": "range", "shape": "Shape", "size": "Size", "rank": "Rank",
    "broadcast_to": "BroadcastTo", "clip_by_value": "clip_by_value", "clip_by_norm": "clip_by_norm",
    "global_norm": "global_norm/global_norm", "cumsum": "Cumsum", "top_k": "TopKV2", "sequence_mask": "SequenceMask",
    "reduce_sum": "Sum", "reduce_mean": "Mean", "reduce_max": "Max", "reduce_min": "Min", "reduce_prod": "Prod", "reduce_all": "All",
    "reduce_any": "Any", "reduce_variance": "reduce_variance/Mean", "reduce_std": "reduce_std/Sqrt",
    "reduce_logsumexp": "ReduceLogSumExp/add", "logical_and": "LogicalAnd", "logical_or": "LogicalOr", "logical_xor": "LogicalXor",
    "not_equal": "NotEqual", "divide_no_nan": "div_no_nan", "random_uniform": "random_uniform", "random_normal": "random_normal",
    "truncated_normal": "truncated_normal", "random.uniform": "random_uniform", "random.normal": "random_normal",
    "random.truncated_normal": "truncated_normal", "einsum": "einsum/Einsum", "equal": "Equal",
    "cond": "cond/Merge", "while_loop": "while/Exit", "train.exponential_decay": "ExponentialDecay", "train.polynomial_decay": "PolynomialDecay",
    "train.inverse_time_decay": "InverseTimeDecay",
    "nn.bias_add": "BiasAdd", "nn.xw_plus_b": "xw_plus_b", "nn.relu_layer": "relu_layer", "nn.embedding_lookup": "embedding_lookup/Identity",
    "nn.conv1d": "conv1d/Squeeze", "nn.conv2d": "Conv2D", "nn.depthwise_conv2d": "depthwise", "nn.separable_conv2d": "separable_conv2d",
    "nn.conv2d_transpose": "conv2d_transpose", "nn.max_pool": "MaxPool", "nn.max_pool2d": "MaxPool2d", "nn.avg_pool": "AvgPool",
    "nn.avg_pool2d": "AvgPool2D", "nn.dropout": "dropout/Mul_1", "nn.moments": "moments/Squeeze",
    "nn.batch_normalization": "batchnorm/add_1", "nn.fused_batch_norm": "FusedBatchNormV3", "nn.l2_loss": "L2Loss",
    "nn.l2_normalize": "l2_normalize", "nn.softmax": "Softmax", "nn.log_softmax": "LogSoftmax", "nn.elu": "Elu", "nn.selu": "Selu",
    "nn.leaky_relu": "LeakyRelu", "nn.in_top_k": "in_top_k/InTopKV2", "nn.zero_fraction": "zero_fraction/fraction",
    "nn.top_k": "TopKV2", "nn.sigmoid_cross_entropy_with_logits": "logistic_loss",
    "nn.sparse_softmax_cross_entropy_with_logits": "SparseSoftmaxCrossEntropyWithLogits/SparseSoftmaxCrossEntropyWithLogits",
    "nn.softmax_cross_entropy_with_logits": "softmax_cross_entropy_with_logits_sg/Reshape_2",
    "nn.softmax_cross_entropy_with_logits_v2": "softmax_cross_entropy_with_logits/Reshape_2",
    "losses.absolute_difference": "absolute_difference/value", "losses.cosine_distance": "cosine_distance_loss/value",
    "losses.hinge_loss": "hinge_loss/value", "losses.huber_loss": "huber_loss/value", "losses.log_loss": "log_loss/value",
    "losses.mean_squared_error": "mean_squared_error/value", "losses.sigmoid_cross_entropy": "sigmoid_cross_entropy_loss/value",
    "losses.softmax_cross_entropy": "softmax_cross_entropy_loss/value", "losses.get_total_loss": "total_loss",
    "losses.sparse_softmax_cross_entropy": "sparse_softmax_cross_entropy_loss/value",
    "losses.compute_weighted_loss": "weighted_loss/value"}
IN_VERSION_2 = {"where": "SelectV2", "nn.softmax_cross_entropy_with_logits": "softmax_cross_entropy_with_logits/Reshape_2"}
