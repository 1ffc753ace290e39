# SPDX-License-Identifier: GPL-3.0-or-later
"""keras.applications: the architectures, of Keras' layers under Keras' names, without weights that would be downloaded."""
import numpy as np

from .. import failures
from ..operations import array as array_operations, nn as nn_operations, elementary as operations
from ..tensors import graph
from .layers import LAYERS, Input
from .model import Model
from ..configured import bind, signature_of
from .tensors import KerasTensor

_RESNET_EPSILON = 1.001e-5  # of its normalisations


class _Net:
    """Layer after layer, with the number of channels."""

    def __init__(self, tensor, channels, size):
        self.x, self.channels, self.size = tensor, channels, size

    def add(self, kind, *args, **settings):
        self.x = LAYERS[kind](*args, **settings)(self.x)
        return self

    def conv(self, filters, kernel, name, strides=1, padding="valid", use_bias=True):
        self.channels = filters
        self._stride(strides)
        return self.add("Conv2D", filters, kernel, strides=strides, padding=padding, use_bias=use_bias, name=name)

    def depthwise(self, strides, name, multiplier=1):
        """After padding on the right and below where it strides."""
        self.channels *= multiplier
        self._stride(strides)
        return self.add("DepthwiseConv2D", 3, strides=strides, padding="same" if strides == 1 else "valid",
                        depth_multiplier=multiplier, use_bias=False, name=name)

    def norm(self, name, epsilon=1e-3, momentum=0.99):
        return self.add("BatchNormalization", epsilon=epsilon, momentum=momentum, name=name)

    def relu(self, name):
        return self.add("Activation", "relu", name=name)

    def relu6(self, name):
        return self.add("ReLU", 6.0, name=name)

    def pad(self, amount, name=None):
        return self.add("ZeroPadding2D", amount, name=name)

    def pool(self, kind, size, strides, name):
        self._stride(strides)
        return self.add(kind, size, strides=strides, name=name)

    def join(self, kind, other, name):
        self.x = LAYERS[kind](name=name)([other, self.x])
        return self

    def _stride(self, strides):
        self.size = [-(-each // strides) for each in self.size]


def _vgg(blocks, sizes=(64, 128, 256, 512, 512)):
    def build(net):
        for block, (count, filters) in enumerate(zip(blocks, sizes), 1):
            for number in range(1, count + 1):
                net.add("Conv2D", filters, 3, activation="relu", padding="same", name=f"block{block}_conv{number}")
            net.pool("MaxPooling2D", 2, 2, f"block{block}_pool")

    def top(net, classes, activation):
        net.add("Flatten", name="flatten")
        for name in ("fc1", "fc2"):
            net.add("Dense", 4096, activation="relu", name=name)
        net.add("Dense", classes, activation=activation, name="predictions")
    return build, top


def _resnet_stem(net, normalised):
    net.pad(3, "conv1_pad").conv(64, 7, "conv1_conv", 2)
    if normalised:
        net.norm("conv1_bn", _RESNET_EPSILON).relu("conv1_relu")
    net.pad(1, "pool1_pad").pool("MaxPooling2D", 3, 2, "pool1_pool")


def _resnet(blocks):
    def block(net, filters, stride, shortcut, name):
        given = _Net(net.x, net.channels, net.size)
        if shortcut:
            given.conv(4 * filters, 1, name + "_0_conv", stride).norm(name + "_0_bn", _RESNET_EPSILON)
        net.conv(filters, 1, name + "_1_conv", stride).norm(name + "_1_bn", _RESNET_EPSILON).relu(name + "_1_relu")
        net.conv(filters, 3, name + "_2_conv", padding="same").norm(name + "_2_bn", _RESNET_EPSILON).relu(name + "_2_relu")
        net.conv(4 * filters, 1, name + "_3_conv").norm(name + "_3_bn", _RESNET_EPSILON)
        net.join("Add", given.x, name + "_add").relu(name + "_out")

    def build(net):
        _resnet_stem(net, True)
        for stage, (count, filters) in enumerate(zip(blocks, (64, 128, 256, 512)), 2):
            for number in range(1, count + 1):
                stride = 2 if stage > 2 and number == 1 else 1
                block(net, filters, stride, number == 1, f"conv{stage}_block{number}")
    return build, _dense_top("avg_pool")


def _resnet_v2(blocks):
    def block(net, filters, stride, shortcut, name):
        given = _Net(net.x, net.channels, net.size)
        net.norm(name + "_preact_bn", _RESNET_EPSILON).relu(name + "_preact_relu")
        if shortcut:
            given = _Net(net.x, net.channels, net.size).conv(4 * filters, 1, name + "_0_conv", stride)
        elif stride > 1:
            given.pool("MaxPooling2D", 1, stride, name + "_0_pool")
        net.conv(filters, 1, name + "_1_conv", use_bias=False).norm(name + "_1_bn", _RESNET_EPSILON).relu(name + "_1_relu")
        net.pad(1, name + "_2_pad").conv(filters, 3, name + "_2_conv", stride, use_bias=False)
        net.norm(name + "_2_bn", _RESNET_EPSILON).relu(name + "_2_relu").conv(4 * filters, 1, name + "_3_conv")
        net.join("Add", given.x, name + "_out")

    def build(net):
        _resnet_stem(net, False)
        for stage, (count, filters) in enumerate(zip(blocks, (64, 128, 256, 512)), 2):
            for number in range(1, count + 1):
                stride = 2 if stage < 5 and number == count else 1
                block(net, filters, stride, number == 1, f"conv{stage}_block{number}")
        net.norm("post_bn", _RESNET_EPSILON).relu("post_relu")
    return build, _dense_top("avg_pool")


def _densenet(blocks, growth=32):
    def block(net, name):
        given = net.x, net.channels
        net.norm(name + "_0_bn", _RESNET_EPSILON).relu(name + "_0_relu")
        net.conv(4 * growth, 1, name + "_1_conv", use_bias=False).norm(name + "_1_bn", _RESNET_EPSILON).relu(name + "_1_relu")
        net.conv(growth, 3, name + "_2_conv", padding="same", use_bias=False).join("Concatenate", given[0], name + "_concat")
        net.channels = given[1] + growth

    def build(net):
        net.pad(3).conv(64, 7, "conv1_conv", 2, use_bias=False).norm("conv1_bn", _RESNET_EPSILON).relu("conv1_relu")
        net.pad(1).pool("MaxPooling2D", 3, 2, "pool1")
        for stage, count in enumerate(blocks, 2):
            for number in range(1, count + 1):
                block(net, f"conv{stage}_block{number}")
            if stage < 5:
                net.norm(f"pool{stage}_bn", _RESNET_EPSILON).relu(f"pool{stage}_relu")
                net.conv(net.channels // 2, 1, f"pool{stage}_conv", use_bias=False)
                net.pool("AveragePooling2D", 2, 2, f"pool{stage}_pool")
        net.norm("bn", _RESNET_EPSILON).relu("relu")
    return build, _dense_top("avg_pool")


def _mobilenet(alpha=1.0, depth_multiplier=1, dropout=0.001):
    def build(net):
        net.conv(int(32 * alpha), 3, "conv1", 2, "same", False).norm("conv1_bn").relu6("conv1_relu")
        steps = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1))
        for number, (filters, stride) in enumerate(steps, 1):
            if stride > 1:
                net.pad(((0, 1), (0, 1)), f"conv_pad_{number}")
            net.depthwise(stride, f"conv_dw_{number}", depth_multiplier).norm(f"conv_dw_{number}_bn").relu6(f"conv_dw_{number}_relu")
            net.conv(int(filters * alpha), 1, f"conv_pw_{number}", padding="same", use_bias=False)
            net.norm(f"conv_pw_{number}_bn").relu6(f"conv_pw_{number}_relu")

    def top(net, classes, activation):
        net.add("GlobalAveragePooling2D").add("Reshape", (1, 1, int(1024 * alpha)), name="reshape_1")
        net.add("Dropout", dropout, name="dropout").conv(classes, 1, "conv_preds", padding="same")
        net.add("Reshape", (classes,), name="reshape_2").add("Activation", activation, name="predictions")
    return build, top


def _divisible(number):
    """The nearest multiple of 8, and no more than a tenth below."""
    nearest = max(8, int(number + 4) // 8 * 8)
    return nearest + 8 if nearest < 0.9 * number else nearest


def _mobilenet_v2(alpha=1.0):
    def block(net, filters, stride, expansion, number):
        name, given, channels = f"block_{number}_" if number else "expanded_conv_", net.x, net.channels
        if number:
            net.conv(expansion * channels, 1, name + "expand", padding="same", use_bias=False)
            net.norm(name + "expand_BN", momentum=0.999).relu6(name + "expand_relu")
        if stride == 2:
            net.pad(tuple((each % 2, 1) for each in net.size), name + "pad")
        net.depthwise(stride, name + "depthwise").norm(name + "depthwise_BN", momentum=0.999).relu6(name + "depthwise_relu")
        wanted = _divisible(int(filters * alpha))
        net.conv(wanted, 1, name + "project", padding="same", use_bias=False).norm(name + "project_BN", momentum=0.999)
        if stride == 1 and wanted == channels:
            net.join("Add", given, name + "add")

    def build(net):
        net.conv(_divisible(32 * alpha), 3, "Conv1", 2, "same", False).norm("bn_Conv1", momentum=0.999).relu6("Conv1_relu")
        steps = ((16, 1, 1, 1), (24, 2, 6, 2), (32, 2, 6, 3), (64, 2, 6, 4), (96, 1, 6, 3), (160, 2, 6, 3), (320, 1, 6, 1))
        number = 0
        for filters, stride, expansion, count in steps:
            for repeat in range(count):
                block(net, filters, stride if repeat == 0 else 1, expansion, number)
                number += 1
        last = _divisible(1280 * alpha) if alpha > 1 else 1280
        net.conv(last, 1, "Conv_1", use_bias=False).norm("Conv_1_bn", momentum=0.999).relu6("out_relu")
    return build, _dense_top(None)


def _xception():
    def parts(net, block, filters, first_act=True):
        for number, each in enumerate(filters, 1):
            name = f"block{block}_sepconv{number}"
            if number > 1 or first_act:
                net.relu(name + "_act")
            net.add("SeparableConv2D", each, 3, padding="same", use_bias=False, name=name).norm(name + "_bn")

    def narrowed(net, block, filters, first_act=True):
        given = _Net(net.x, net.channels, net.size)
        given.add("Conv2D", filters[-1], 1, strides=2, padding="same", use_bias=False).add("BatchNormalization")
        parts(net, block, filters, first_act)
        net.add("MaxPooling2D", 3, strides=2, padding="same", name=f"block{block}_pool").join("Add", given.x, None)

    def build(net):
        net.conv(32, 3, "block1_conv1", 2, use_bias=False).norm("block1_conv1_bn").relu("block1_conv1_act")
        net.conv(64, 3, "block1_conv2", use_bias=False).norm("block1_conv2_bn").relu("block1_conv2_act")
        for block, filters in ((2, 128), (3, 256), (4, 728)):
            narrowed(net, block, (filters, filters), block > 2)
        for block in range(5, 13):
            given = net.x
            parts(net, block, (728, 728, 728))
            net.join("Add", given, None)
        narrowed(net, 13, (728, 1024))
        for name, filters in (("block14_sepconv1", 1536), ("block14_sepconv2", 2048)):
            net.add("SeparableConv2D", filters, 3, padding="same", use_bias=False, name=name).norm(name + "_bn").relu(name + "_act")
    return build, _dense_top("avg_pool")


def _inception():
    """Each branch is a list of convolutions: (filters, rows, columns), with a stride of 2 and no padding where that is said."""
    def branch(tensor, steps):
        for filters, rows, columns, *narrow in steps:
            around = {"strides": 2, "padding": "valid"} if narrow else {"padding": "same"}
            tensor = LAYERS["Conv2D"](filters, (rows, columns), use_bias=False, **around)(tensor)
            tensor = LAYERS["Activation"]("relu")(LAYERS["BatchNormalization"](scale=False)(tensor))
        return tensor

    def mixed(net, number, branches, pooled=None):
        """`pooled`: filters after an average; none are a maximum, which narrows."""
        made = [branch(net.x, each) for each in branches]
        pool = LAYERS["AveragePooling2D"](3, strides=1, padding="same") if pooled else LAYERS["MaxPooling2D"](3, strides=2)
        made.append(branch(pool(net.x), [(pooled, 1, 1)] if pooled else []))
        net.x = LAYERS["Concatenate"](name=f"mixed{number}")(made)

    def split(net, first):
        given = branch(net, first)
        return LAYERS["Concatenate"]()([branch(given, [(384, 1, 3)]), branch(given, [(384, 3, 1)])])

    def build(net):
        for filters, size, steps in ((32, 3, {"strides": 2}), (32, 3, {}), (64, 3, {"padding": "same"})):
            net.add("Conv2D", filters, size, use_bias=False, **steps).add("BatchNormalization", scale=False).add("Activation", "relu")
        net.add("MaxPooling2D", 3, strides=2)
        for filters, size in ((80, 1), (192, 3)):
            net.add("Conv2D", filters, size, use_bias=False).add("BatchNormalization", scale=False).add("Activation", "relu")
        net.add("MaxPooling2D", 3, strides=2)
        for number, pooled in enumerate((32, 64, 64)):
            mixed(net, number, [[(64, 1, 1)], [(48, 1, 1), (64, 5, 5)], [(64, 1, 1), (96, 3, 3), (96, 3, 3)]], pooled)
        mixed(net, 3, [[(384, 3, 3, True)], [(64, 1, 1), (96, 3, 3), (96, 3, 3, True)]])
        for number, n in enumerate((128, 160, 160, 192), 4):
            mixed(net, number, [[(192, 1, 1)], [(n, 1, 1), (n, 1, 7), (192, 7, 1)],
                                [(n, 1, 1), (n, 7, 1), (n, 1, 7), (n, 7, 1), (192, 1, 7)]], 192)
        mixed(net, 8, [[(192, 1, 1), (320, 3, 3, True)], [(192, 1, 1), (192, 1, 7), (192, 7, 1), (192, 3, 3, True)]])
        for number in (9, 10):
            given = net.x
            made = [branch(given, [(320, 1, 1)]), split(given, [(384, 1, 1)]), split(given, [(448, 1, 1), (384, 3, 3)])]
            made.append(branch(LAYERS["AveragePooling2D"](3, strides=1, padding="same")(given), [(192, 1, 1)]))
            net.x = LAYERS["Concatenate"](name=f"mixed{number}")(made)
    return build, _dense_top("avg_pool")


def _dense_top(pool):
    def top(net, classes, activation):
        net.add("GlobalAveragePooling2D", name=pool).add("Dense", classes, activation=activation, name="predictions")
    return top


_REST = "pooling=None, classes=1000, classifier_activation='softmax'"
_PARAMETERS = {"MobileNet": "input_shape=None, alpha=1.0, depth_multiplier=1, dropout=0.001, include_top=True, weights='imagenet', "
                            "input_tensor=None, " + _REST,
               "MobileNetV2": "input_shape=None, alpha=1.0, include_top=True, weights='imagenet', input_tensor=None, " + _REST}


def _maker(name, made):
    signature = signature_of(_PARAMETERS.get(name, "include_top=True, weights='imagenet', input_tensor=None, input_shape=None, " + _REST))

    def make(*args, **kwargs):
        given = bind(name, signature, args, kwargs)
        weights, input_tensor, include_top = given.pop("weights"), given.pop("input_tensor"), given.pop("include_top")
        input_shape, pooling, classes, activation = (given.pop(each) for each in (
            "input_shape", "pooling", "classes", "classifier_activation"))
        if pooling not in (None, "avg", "max"):
            raise ValueError(f"pooling is None, 'avg' or 'max', not {pooling!r}")
        if weights == "imagenet":
            raise failures.refused(f"keras.applications.{name}(weights='imagenet')", "nothing is downloaded; give weights=None, or the "
                                   "path of a file of its weights")
        build, top = made(**given)
        extent = 299 if name in ("Xception", "InceptionV3") else 224
        shape = tuple(input_shape or ((extent, extent, 3) if include_top else (None, None, 3)))
        if input_tensor is not None:
            shape = tuple(input_tensor.shape)[1:]
        if None in shape:
            raise failures.refused(f"keras.applications.{name} of images of any size", "shapes are static: give input_shape=(height, width, "
                                   "channels)")
        inputs = Input(shape) if input_tensor is None else input_tensor
        net = _Net(inputs, shape[-1], list(shape[:2]))
        build(net)
        if include_top:
            top(net, classes, activation)
        elif pooling is not None:
            net.add({"avg": "GlobalAveragePooling2D", "max": "GlobalMaxPooling2D"}[pooling])
        model = Model(inputs, net.x, name=name.lower())
        if weights is not None:
            model.load_weights(weights)
        return model
    make.__name__, make.__signature__ = name, signature
    make.__doc__ = f"keras.applications.{name}: its architecture, without weights or with those of a file."
    return make


def _of_keras(x, mode):
    """The same as layers, those that Keras makes of it."""
    def add(shift):
        return operations.lifted(nn_operations.bias_add)(x, np.array(shift, np.float32))
    if x.dtype.is_integer:
        x = operations.lifted(operations.cast)(x, "float32")
    if mode == "tf":
        return x / 127.5 - 1.0
    if mode == "torch":
        x = x / 255.0
        return add([-0.485, -0.456, -0.406]) / np.array([0.229, 0.224, 0.225], np.float32)
    x = x[..., ::-1]
    return add([-103.939, -116.779, -123.68])


def _preprocessed(mode):
    def preprocess_input(x, data_format=None):
        """Images with numbers from 0 to 255 as the model takes them."""
        if data_format == "channels_first":
            raise failures.refused("preprocess_input(data_format='channels_first')", "give channels last")
        if isinstance(x, np.ndarray):
            return np.asarray(preprocess_input(graph.EagerTensor(x.astype(np.float32))))
        if isinstance(x, KerasTensor):
            return _of_keras(x, mode)
        x = operations.cast(x, "float32")
        if mode == "tf":  # from -1 to 1
            return operations.subtract(operations.divide(x, 127.5), 1.0)
        if mode == "torch":
            x = operations.divide(x, 255.0)
            return operations.divide(operations.subtract(x, np.array([0.485, 0.456, 0.406], np.float32)),
                                     np.array([0.229, 0.224, 0.225], np.float32))
        return operations.subtract(array_operations.reverse(x, [-1]), np.array([103.939, 116.779, 123.68], np.float32))
    return preprocess_input


_RESNETS = {"50": (3, 4, 6, 3), "101": (3, 4, 23, 3), "152": (3, 8, 36, 3)}
_DENSENETS = {"121": (6, 12, 24, 16), "169": (6, 12, 32, 32), "201": (6, 12, 48, 32)}
FAMILIES = {
    "vgg16": ("caffe", {"VGG16": lambda: _vgg((2, 2, 3, 3, 3))}),
    "vgg19": ("caffe", {"VGG19": lambda: _vgg((2, 2, 4, 4, 4))}),
    "resnet": ("caffe", {f"ResNet{n}": lambda b=b: _resnet(b) for n, b in _RESNETS.items()}),
    "resnet50": ("caffe", {"ResNet50": lambda: _resnet(_RESNETS["50"])}),
    "resnet_v2": ("tf", {f"ResNet{n}V2": lambda b=b: _resnet_v2(b) for n, b in _RESNETS.items()}),
    "densenet": ("torch", {f"DenseNet{n}": lambda b=b: _densenet(b) for n, b in _DENSENETS.items()}),
    "xception": ("tf", {"Xception": _xception}), "inception_v3": ("tf", {"InceptionV3": _inception}),
    "mobilenet": ("tf", {"MobileNet": _mobilenet}), "mobilenet_v2": ("tf", {"MobileNetV2": _mobilenet_v2})}


def modules():
    """(name below keras.applications, the names in it) of each module; "" is the package itself."""
    every = {}
    for family, (mode, kinds) in FAMILIES.items():
        made = {name: every.get(name) or _maker(name, kind) for name, kind in kinds.items()}
        every.update(made)
        yield family, {**made, "preprocess_input": _preprocessed(mode)}
    yield "", every
