# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of Keras' layers, in the order and with the defaults of Keras 2.6. A layer also takes, by name, the other
settings that the engine has for its class."""

KERNEL = ("kernel_initializer='glorot_uniform', bias_initializer='zeros', kernel_regularizer=None, "
          "bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None")
_CONV = ("filters, kernel_size, strides={s}, padding='valid', data_format=None, dilation_rate={s}, groups=1, "
         "activation=None, use_bias=True, " + KERNEL)
_DEPTHWISE = ("kernel_size, strides={s}, padding='valid', depth_multiplier=1, data_format=None, dilation_rate={s}, "
              "activation=None, use_bias=True, depthwise_initializer='glorot_uniform', bias_initializer='zeros', "
              "depthwise_regularizer=None, bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None, "
              "bias_constraint=None")
_SEPARABLE = ("filters, kernel_size, strides={s}, padding='valid', data_format=None, dilation_rate={s}, depth_multiplier=1, "
              "activation=None, use_bias=True, depthwise_initializer='glorot_uniform', "
              "pointwise_initializer='glorot_uniform', bias_initializer='zeros', depthwise_regularizer=None, "
              "pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None, "
              "pointwise_constraint=None, bias_constraint=None")
_SCALED = ("center=True, scale=True, beta_initializer='zeros', gamma_initializer='ones', {of_batch}beta_regularizer=None, "
           "gamma_regularizer=None, beta_constraint=None, gamma_constraint=None")
_POOL = "pool_size={s}, strides=None, padding='valid', data_format=None"
_RNN = ("units, activation='tanh', recurrent_activation='sigmoid', use_bias=True, "
        "kernel_initializer='glorot_uniform', recurrent_initializer='orthogonal', bias_initializer='zeros', {forget}"
        "kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None, activity_regularizer=None, "
        "kernel_constraint=None, recurrent_constraint=None, bias_constraint=None, "
        "dropout=0.0, recurrent_dropout=0.0, return_sequences=False, return_state=False, go_backwards=False, "
        "stateful=False, {last}")
_TRANSPOSED = ("filters, kernel_size, strides={s}, padding='valid', output_padding=None, data_format=None, "
               "dilation_rate={s}, activation=None, use_bias=True, " + KERNEL)
TABLE = {
    "Dense": "units, activation=None, use_bias=True, " + KERNEL,
    "Conv1D": _CONV.format(s=1), "Conv2D": _CONV.format(s="(1, 1)"), "Conv3D": _CONV.format(s="(1, 1, 1)"),
    "DepthwiseConv2D": _DEPTHWISE.format(s="(1, 1)"),
    "SeparableConv1D": _SEPARABLE.format(s=1), "SeparableConv2D": _SEPARABLE.format(s="(1, 1)"),
    "MaxPooling1D": _POOL.format(s=2), "MaxPooling2D": _POOL.format(s="(2, 2)"),
    "MaxPooling3D": _POOL.format(s="(2, 2, 2)"), "AveragePooling1D": _POOL.format(s=2),
    "AveragePooling2D": _POOL.format(s="(2, 2)"), "AveragePooling3D": _POOL.format(s="(2, 2, 2)"),
    "GlobalAveragePooling1D": "data_format=None, keepdims=False", "GlobalAveragePooling2D": "data_format=None, keepdims=False",
    "GlobalMaxPooling1D": "data_format=None, keepdims=False", "GlobalMaxPooling2D": "data_format=None, keepdims=False",
    "Flatten": "data_format=None", "Reshape": "target_shape", "Permute": "dims", "RepeatVector": "n",
    "Activation": "activation", "ReLU": "max_value=None, negative_slope=0.0, threshold=0.0",
    "LeakyReLU": "alpha=0.3", "ELU": "alpha=1.0", "Softmax": "axis=-1",
    "PReLU": "alpha_initializer='zeros', alpha_regularizer=None, alpha_constraint=None, shared_axes=None",
    "Dropout": "rate, noise_shape=None, seed=None", "SpatialDropout1D": "rate", "SpatialDropout2D": "rate",
    "GaussianNoise": "stddev", "GaussianDropout": "rate",
    "BatchNormalization": "axis=-1, momentum=0.99, epsilon=0.001, "
                          + _SCALED.format(of_batch="moving_mean_initializer='zeros', moving_variance_initializer='ones', ")
                          + ", renorm=False, renorm_clipping=None, renorm_momentum=0.99, fused=None, "
                            "virtual_batch_size=None, adjustment=None",
    "LayerNormalization": "axis=-1, epsilon=0.001, " + _SCALED.format(of_batch=""),
    "Embedding": "input_dim, output_dim, embeddings_initializer='uniform', embeddings_regularizer=None, "
                 "activity_regularizer=None, embeddings_constraint=None, mask_zero=False, input_length=None",
    "LSTM": _RNN.format(forget="unit_forget_bias=True, ", last="time_major=False, unroll=False"),
    "GRU": _RNN.format(forget="", last="unroll=False, time_major=False, reset_after=True"),
    "SimpleRNN": _RNN.format(forget="", last="unroll=False").replace("recurrent_activation='sigmoid', ", ""),
    "Add": "", "Subtract": "", "Multiply": "", "Average": "", "Maximum": "", "Minimum": "",
    "Concatenate": "axis=-1", "Dot": "axes, normalize=False", "ZeroPadding1D": "padding=1",
    "ZeroPadding2D": "padding=(1, 1), data_format=None", "Cropping1D": "cropping=(1, 1)",
    "Cropping2D": "cropping=((0, 0), (0, 0)), data_format=None", "UpSampling1D": "size=2",
    "UpSampling2D": "size=(2, 2), data_format=None, interpolation='nearest'", "Masking": "mask_value=0.0",
    "Rescaling": "scale, offset=0.0", "Resizing": "height, width, interpolation='bilinear', crop_to_aspect_ratio=False",
    "CenterCrop": "height, width", "Normalization": "axis=-1, mean=None, variance=None",
    "Conv1DTranspose": _TRANSPOSED.format(s=1), "Conv2DTranspose": _TRANSPOSED.format(s="(1, 1)"),
    "Conv3DTranspose": _TRANSPOSED.format(s="(1, 1, 1)"),
    "DepthwiseConv1D": _DEPTHWISE.format(s=1),
    "GlobalAveragePooling3D": "data_format=None, keepdims=False", "GlobalMaxPooling3D": "data_format=None, keepdims=False",
    "ZeroPadding3D": "padding=(1, 1, 1), data_format=None", "UpSampling3D": "size=(2, 2, 2), data_format=None",
    "Cropping3D": "cropping=((1, 1), (1, 1), (1, 1)), data_format=None", "SpatialDropout3D": "rate",
    "AlphaDropout": "rate, noise_shape=None, seed=None", "ActivityRegularization": "l1=0.0, l2=0.0",
    "ThresholdedReLU": "theta=1.0", "Identity": "", "UnitNormalization": "axis=-1",
    "RMSNormalization": "axis=-1, epsilon=1e-06",
    "GroupNormalization": "groups=32, axis=-1, epsilon=0.001, " + _SCALED.format(of_batch=""),
    "EinsumDense": "equation, output_shape, activation=None, bias_axes=None, " + KERNEL,
    "Attention": "use_scale=False, causal=False, dropout=0.0",
    "AdditiveAttention": "use_scale=True, causal=False, dropout=0.0", "TimeDistributed": "layer"}

CELLS = {kind + "Cell": TABLE[kind].replace("activity_regularizer=None, ", "").partition("return_sequences")[0].rstrip(", ") +
         (", reset_after=True" if kind == "GRU" else "") for kind in ("SimpleRNN", "LSTM", "GRU")}

# Settings that go with another, or only with one value say what is computed: (whether they are told, by the settings of a layer).
TOLD_WHERE = {"BatchNormalization": {"fused": lambda of: of["fused"] is False, "renorm_momentum": lambda of: of["renorm"],
                                     "renorm_clipping": lambda of: of["renorm"]}}
