// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/keras_layers.h"

#include "base/nearest_name.h"
#include "base/random.h"
#include "import/initialisers.h"

#include <algorithm>

namespace tilescope::import {
namespace {

using graph::Attributes;
using graph::Shape;
using graph::ValueId;
using Json = nlohmann::json;
using Values = std::vector<ValueId>;
using Apply = Result<ValueId> (*)(KerasLayer&, const Values&);

Result<ValueId> one(Result<Values> values) {
    if (!values)
        return Failure(values.error());
    return values->front();
}

const Json& get(const Json& config, const char* key) {
    static const Json absent;
    return config.is_object() && config.contains(key) ? config.at(key) : absent;
}

Result<std::int64_t> integer(KerasLayer& l, const char* key, std::int64_t otherwise) {
    const Json& value = get(l.config, key);
    if (value.is_null() && otherwise > 0)
        return otherwise;
    if (!value.is_number_integer() || value.get<std::int64_t>() < 1)
        return l.fail(std::string("\"") + key + "\" is not a positive whole number: " + value.dump());
    return value.get<std::int64_t>();
}

/// An extent for each of the layer's field dimensions: one number for all, or a list. One-dimensional layers
/// are computed as two-dimensional ones of height 1.
template<std::size_t Rank>
Result<std::vector<std::int64_t>> extents(KerasLayer& l, const char* key,
                                          std::vector<std::int64_t> otherwise) {
    const Json& value = get(l.config, key);
    if (value.is_null())
        return otherwise;
    const Json list = value.is_number_integer() ? Json(std::vector<Json>(Rank, value)) : value;
    const bool valid =
        list.is_array() && list.size() == Rank && std::all_of(list.begin(), list.end(), [](const Json& n) {
            return n.is_number_integer() && n.get<std::int64_t>() > 0;
        });
    if (!valid)
        return l.fail(std::string("\"") + key + "\" is not " +
                      (Rank == 1 ? "a positive whole number" : "two positive whole numbers") + ": " +
                      value.dump());
    auto result = list.get<std::vector<std::int64_t>>();
    result.insert(result.begin(), 2 - Rank, 1);
    return result;
}

/// The input as [batch, height, width, channels], and how its shape is called in messages.
template<std::size_t Rank>
Result<ValueId> as_images(KerasLayer& l, ValueId x) {
    const Shape shape = l.build.type(x).shape;
    if (shape.size() != Rank + 2)
        return l.fail(std::string("expects an input [batch, ") + (Rank == 1 ? "steps" : "height, width") +
                      ", channels], got " + graph::to_string(shape));
    if (Rank == 2)
        return x;
    return l.build.emit("reshape", {x}, {{"shape", Shape{shape[0], 1, shape[1], shape[2]}}}, "ExpandDims");
}
template<std::size_t Rank>
ValueId from_images(KerasLayer& l, ValueId y) {
    const Shape shape = l.build.type(y).shape;
    if (Rank == 2)
        return y;
    return l.build.emit("reshape", {y}, {{"shape", Shape{shape[0], shape[2], shape[3]}}}, "Squeeze");
}

std::string text(const KerasLayer& l, const char* key, const std::string& otherwise) {
    const Json& value = get(l.config, key);
    return value.is_string() ? value.get<std::string>() : otherwise;
}

/// Padding before and after for Keras' "same" (TensorFlow's rule: the odd one goes after) or "valid".
Result<std::vector<std::int64_t>> padding(KerasLayer& l, const Shape& x,
                                          const std::vector<std::int64_t>& window,
                                          const std::vector<std::int64_t>& strides,
                                          const std::vector<std::int64_t>& dilations) {
    const std::string mode = text(l, "padding", "valid");
    std::vector<std::int64_t> result(4, 0);
    if (mode == "valid")
        return result;
    if (mode != "same")
        return l.fail("padding \"" + mode + "\" is not supported", "use \"valid\" or \"same\"");
    for (std::size_t d = 0; d < 2; ++d) {
        const std::int64_t out = ceil_div(x[d + 1], strides[d]);
        const std::int64_t total =
            std::max<std::int64_t>(0, (out - 1) * strides[d] + (window[d] - 1) * dilations[d] + 1 - x[d + 1]);
        result[d] = total / 2;
        result[d + 2] = total - total / 2;
    }
    return result;
}

Result<ValueId> weight(KerasLayer& l, const std::string& name, Shape shape, const Json& initialiser) {
    const std::string full = l.name + "/" + name;
    const auto known = l.weights.find(full);
    if (known != l.weights.end()) {
        if (l.build.type(known->second).shape != shape)
            return l.fail("the layer is shared by inputs of different shapes");
        return known->second;
    }
    auto tensor = initialise(initialiser, {l.dtype, std::move(shape)}, l.seed, full);
    if (!tensor)
        return Failure(tensor.error());
    const Json& trainable = get(l.config, "trainable");
    const bool trains = !trainable.is_boolean() || trainable.get<bool>();
    return l.weights.emplace(full, l.build.variable(full, std::move(*tensor), trains)).first->second;
}

Result<ValueId> add_bias(KerasLayer& l, ValueId y, std::int64_t units) {
    const Json& use = get(l.config, "use_bias");
    if (use.is_boolean() && !use.get<bool>())
        return y;
    const Json& initialiser = get(l.config, "bias_initializer");
    auto bias = weight(l, "bias", {units}, initialiser.is_null() ? Json("zeros") : initialiser);
    if (!bias)
        return bias;
    return one(l.build.add("add", {y, *bias}, {}, "BiasAdd"));
}

Result<void> refuse_unsupported_settings(KerasLayer& l) {
    for (const char* key : {"kernel_regularizer", "bias_regularizer", "activity_regularizer",
                            "kernel_constraint", "bias_constraint"})
        if (!get(l.config, key).is_null())
            return l.fail(std::string("\"") + key + "\" is not supported by this version",
                          "remove it from the layer");
    if (text(l, "data_format", "channels_last") == "channels_first")
        return l.fail("data_format channels_first is not supported", "use channels_last");
    return {};
}

Result<ValueId> dense(KerasLayer& l, const Values& in) {
    if (auto ok = refuse_unsupported_settings(l); !ok)
        return Failure(ok.error());
    const auto units = integer(l, "units", 0);
    if (!units)
        return Failure(units.error());
    const Shape x = l.build.type(in[0]).shape;
    if (x.size() < 2)
        return l.fail("expects an input of at least two dimensions, got " + graph::to_string(x));
    auto kernel = weight(l, "kernel", {x.back(), *units}, get(l.config, "kernel_initializer"));
    if (!kernel)
        return kernel;
    ValueId flat = in[0];
    if (x.size() > 2) // a product over the last dimension only
        flat = l.build.emit("reshape", {flat}, {{"shape", Shape{-1, x.back()}}}, "Reshape");
    auto y = one(l.build.add("matmul", {flat, *kernel}, {}, "MatMul"));
    if (!y)
        return y;
    y = add_bias(l, *y, *units);
    if (y && x.size() > 2) {
        Shape shape = x;
        shape.back() = *units;
        y = l.build.emit("reshape", {*y}, {{"shape", shape}}, "Reshape");
    }
    return y ? apply_activation(l, get(l.config, "activation"), *y) : y;
}

template<std::size_t Rank>
Result<ValueId> convolution(KerasLayer& l, const Values& in) {
    if (auto ok = refuse_unsupported_settings(l); !ok)
        return Failure(ok.error());
    const auto images = as_images<Rank>(l, in[0]);
    if (!images)
        return images;
    const Shape x = l.build.type(*images).shape;
    const auto filters = integer(l, "filters", 0);
    const auto groups = integer(l, "groups", 1);
    const auto kernel_size = extents<Rank>(l, "kernel_size", {1, 1});
    const auto strides = extents<Rank>(l, "strides", {1, 1});
    const auto dilations = extents<Rank>(l, "dilation_rate", {1, 1});
    for (const auto* extent : {&kernel_size, &strides, &dilations})
        if (!*extent)
            return Failure(extent->error());
    if (!filters || !groups)
        return Failure((!filters ? filters : groups).error());
    const auto pads = padding(l, x, *kernel_size, *strides, *dilations);
    if (!pads)
        return Failure(pads.error());
    if (x[3] % *groups != 0)
        return l.fail(std::to_string(x[3]) + " channels cannot be divided into " + std::to_string(*groups) +
                      " groups");
    Shape kernel_shape = *kernel_size;
    kernel_shape.insert(kernel_shape.end(), {x[3] / *groups, *filters});
    auto kernel = weight(l, "kernel", Shape(kernel_shape.begin() + (2 - Rank), kernel_shape.end()),
                         get(l.config, "kernel_initializer"));
    if (!kernel)
        return kernel;
    const ValueId weights =
        Rank == 2 ? *kernel : l.build.emit("reshape", {*kernel}, {{"shape", kernel_shape}}, "ExpandDims");
    auto y = one(l.build.add(
        "conv2d", {*images, weights},
        {{"strides", *strides}, {"padding", *pads}, {"dilations", *dilations}, {"groups", *groups}},
        Rank == 1 ? "Conv1D" : "Conv2D"));
    if (!y)
        return y;
    y = add_bias(l, from_images<Rank>(l, *y), *filters);
    return y ? apply_activation(l, get(l.config, "activation"), *y) : y;
}

template<bool Max, std::size_t Rank>
Result<ValueId> pool(KerasLayer& l, const Values& in) {
    const auto images = as_images<Rank>(l, in[0]);
    if (!images)
        return images;
    const auto window = extents<Rank>(l, "pool_size", Rank == 1 ? Shape{1, 2} : Shape{2, 2});
    if (!window)
        return Failure(window.error());
    const auto strides = extents<Rank>(l, "strides", *window);
    if (!strides)
        return Failure(strides.error());
    const auto pads = padding(l, l.build.type(*images).shape, *window, *strides, {1, 1});
    if (!pads)
        return Failure(pads.error());
    auto y = one(l.build.add(Max ? "max_pool2d" : "average_pool2d", {*images},
                             {{"window", *window}, {"strides", *strides}, {"padding", *pads}},
                             Max ? "MaxPool" : "AvgPool"));
    return y ? from_images<Rank>(l, *y) : y;
}

template<bool Max>
Result<ValueId> global_pool2d(KerasLayer& l, const Values& in) {
    if (l.build.type(in[0]).shape.size() != 4)
        return l.fail("expects an input [batch, height, width, channels]");
    const Json& keep = get(l.config, "keepdims");
    return one(l.build.add(
        Max ? "reduce_max" : "reduce_mean", in,
        {{"axes", std::vector<std::int64_t>{1, 2}}, {"keep_dims", keep.is_boolean() && keep.get<bool>()}},
        Max ? "Max" : "Mean"));
}

Result<ValueId> flatten(KerasLayer& l, const Values& in) {
    const Shape x = l.build.type(in[0]).shape;
    if (x.empty())
        return l.fail("expects an input with a batch dimension");
    const Shape shape{x[0], graph::element_count(x) / std::max<std::int64_t>(x[0], 1)};
    return one(l.build.add("reshape", in, {{"shape", shape}}, "Reshape"));
}

Result<ValueId> reshape(KerasLayer& l, const Values& in) {
    const Json& target = get(l.config, "target_shape");
    if (!target.is_array())
        return l.fail("\"target_shape\" is missing");
    Shape shape{l.build.type(in[0]).shape.at(0)};
    for (const Json& extent : target) {
        if (!extent.is_number_integer())
            return l.fail("\"target_shape\" is not static: " + target.dump());
        shape.push_back(extent.get<std::int64_t>());
    }
    return one(l.build.add("reshape", in, {{"shape", shape}}, "Reshape"));
}

Result<ValueId> dropout(KerasLayer& l, const Values& in) {
    const Json& rate = get(l.config, "rate");
    if (!rate.is_number())
        return l.fail("\"rate\" is missing");
    // Layers of the same name have the same mask in every run and on every number of IPUs.
    const auto salt = static_cast<std::int64_t>(RandomStream(0, l.name).bits(0) >> 9);
    return one(l.build.add("dropout", in, {{"rate", rate.get<double>()}, {"salt", salt}}, "Dropout"));
}

Result<ValueId> activation(KerasLayer& l, const Values& in) {
    return apply_activation(l, get(l.config, "activation"), in[0]);
}

Result<ValueId> relu(KerasLayer& l, const Values& in) {
    const Json& highest = get(l.config, "max_value");
    const auto zero = [&](const char* key) {
        const Json& value = get(l.config, key);
        return value.is_null() || (value.is_number() && value.get<double>() == 0);
    };
    if (!zero("negative_slope") || !zero("threshold"))
        return l.fail("ReLU with a slope or a threshold is not supported", "use LeakyReLU");
    if (highest.is_null())
        return one(l.build.add("relu", in, {}, "Relu"));
    if (highest.is_number() && highest.get<double>() == 6)
        return one(l.build.add("relu6", in, {}, "Relu6"));
    return l.fail("ReLU with max_value " + highest.dump() + " is not supported", "6 is");
}

double number(const KerasLayer& l, const char* key, double otherwise) {
    const Json& value = get(l.config, key);
    return value.is_number() ? value.get<double>() : otherwise;
}

Result<ValueId> leaky_relu(KerasLayer& l, const Values& in) {
    return one(
        l.build.add("leaky_relu", in, {{"alpha", number(l, "alpha", number(l, "negative_slope", 0.3))}}));
}

Result<ValueId> elu(KerasLayer& l, const Values& in) {
    return one(l.build.add("elu", in, {{"alpha", number(l, "alpha", 1.0)}}));
}

Result<ValueId> softmax(KerasLayer& l, const Values& in) {
    return one(l.build.add("softmax", in, {}, "Softmax"));
}

/// Add, Subtract, Multiply, Average, Maximum, Minimum: the inputs one after another.
Result<ValueId> merge(KerasLayer& l, const Values& in) {
    const std::string kind = l.kind == "Subtract"   ? "subtract"
                             : l.kind == "Multiply" ? "multiply"
                             : l.kind == "Maximum"  ? "maximum"
                             : l.kind == "Minimum"  ? "minimum"
                                                    : "add";
    if (in.size() < 2)
        return l.fail("expects at least two inputs");
    Result<ValueId> y = in[0];
    for (std::size_t i = 1; i < in.size() && y; ++i)
        y = one(l.build.add(kind, {*y, in[i]}));
    if (y && l.kind == "Average")
        y = one(l.build.add("multiply", {*y, l.build.scalar(1.0 / static_cast<double>(in.size()), l.dtype)}));
    return y;
}

Result<ValueId> concatenate(KerasLayer& l, const Values& in) {
    const Json& axis = get(l.config, "axis");
    return one(
        l.build.add("concatenate", in, {{"axis", axis.is_number_integer() ? axis.get<std::int64_t>() : -1}}));
}

Result<ValueId> identity(KerasLayer&, const Values& in) {
    return in[0];
}

const std::map<std::string, Apply>& layers() {
    static const std::map<std::string, Apply> table = {
        {"Dense", dense},
        {"Conv1D", convolution<1>},
        {"Conv2D", convolution<2>},
        {"MaxPooling1D", pool<true, 1>},
        {"MaxPooling2D", pool<true, 2>},
        {"AveragePooling1D", pool<false, 1>},
        {"AveragePooling2D", pool<false, 2>},
        {"GlobalMaxPooling2D", global_pool2d<true>},
        {"GlobalAveragePooling2D", global_pool2d<false>},
        {"Flatten", flatten},
        {"Reshape", reshape},
        {"Dropout", dropout},
        {"Activation", activation},
        {"ReLU", relu},
        {"LeakyReLU", leaky_relu},
        {"ELU", elu},
        {"Softmax", softmax},
        {"Add", merge},
        {"Subtract", merge},
        {"Multiply", merge},
        {"Average", merge},
        {"Maximum", merge},
        {"Minimum", merge},
        {"Concatenate", concatenate},
        {"Identity", identity},
    };
    return table;
}

} // namespace

std::vector<std::string> supported_layers() {
    std::vector<std::string> names{"InputLayer"};
    for (const auto& [name, apply] : layers())
        names.push_back(name);
    return names;
}

Result<ValueId> apply_activation(KerasLayer& layer, const Json& activation, ValueId x) {
    std::string name = "linear";
    if (activation.is_string())
        name = activation.get<std::string>();
    else if (activation.is_object())
        name = activation.value("class_name", activation.value("config", std::string("linear")));
    if (name == "linear")
        return x;
    static const std::map<std::string, std::pair<const char*, const char*>> known = {
        {"relu", {"relu", "Relu"}},
        {"relu6", {"relu6", "Relu6"}},
        {"sigmoid", {"sigmoid", "Sigmoid"}},
        {"tanh", {"tanh", "Tanh"}},
        {"softmax", {"softmax", "Softmax"}},
        {"elu", {"elu", "Elu"}},
        {"selu", {"selu", "Selu"}},
        {"softplus", {"softplus", "Softplus"}},
        {"softsign", {"softsign", "Softsign"}},
        {"swish", {"swish", "Swish"}},
        {"silu", {"swish", "Swish"}},
        {"gelu", {"gelu", "Gelu"}},
        {"exponential", {"exp", "Exp"}},
        {"hard_sigmoid", {"hard_sigmoid", "HardSigmoid"}},
        {"leaky_relu", {"leaky_relu", "LeakyRelu"}},
    };
    const auto found = known.find(name);
    if (found == known.end()) {
        std::vector<std::string> names;
        for (const auto& [key, value] : known)
            names.push_back(key);
        const std::string nearest = nearest_name(name, names);
        return layer.fail("activation \"" + name + "\" is not supported",
                          nearest.empty() ? "" : "the nearest is \"" + nearest + "\"");
    }
    return one(layer.build.add(found->second.first, {x}, {}, found->second.second));
}

Result<ValueId> apply_layer(KerasLayer& layer, const Values& inputs) {
    const auto found = layers().find(layer.kind);
    if (found == layers().end()) {
        const std::string nearest = nearest_name(layer.kind, supported_layers());
        return layer.fail("layer class \"" + layer.kind + "\" is not supported",
                          nearest.empty() ? "" : "the nearest that is supported is \"" + nearest + "\"");
    }
    if (inputs.empty())
        return layer.fail("the layer has no input");
    auto y = found->second(layer, inputs);
    if (!y && y.error().place.rfind(layer.place, 0) != 0) {
        Error error = y.error();
        error.place = layer.place;
        return Failure(std::move(error));
    }
    return y;
}

} // namespace tilescope::import
