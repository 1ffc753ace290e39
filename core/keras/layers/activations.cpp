// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/nearest_name.h"
#include "base/try.h"
#include "formats/json_reader.h"
#include "keras/names.h"
#include "operators/elementwise.h"
#include "settings.h"

#include <cctype>

namespace tilescope::keras {
namespace {

using graph::Shape;
using graph::ValueId;

Result<ValueId> activation(KerasLayer& l, const Values& in) {
    return activate(l, in[0]);
}

/// max_value from there on, x from the threshold on, negative_slope (x - threshold) below
/// (keras/layers/activation/relu.py).
Result<ValueId> relu(KerasLayer& l, const Values& in) {
    const Json& highest = setting(l, "max_value");
    const double slope = number(l, "negative_slope", 0);
    const double threshold = number(l, "threshold", 0);
    graph::Builder& build = l.build;
    const graph::TensorType type = build.type(in[0]);
    if (!graph::is_floating(type.dtype))
        return l.fail("expects a float input, got " + graph::to_string(type));
    const auto scalar = [&](double value) { return build.scalar(value, type.dtype); };
    if (threshold == 0 && slope == 0 && highest == 6)
        return build.emit("relu6", in, {}, "Relu6");
    ValueId y = in[0];
    if (threshold == 0) {
        TRY(y, slope == 0 ? build.emit("relu", {y}, {}, "Relu")
                          : build.emit("leaky_relu", {y}, {{"alpha", slope}}, "LeakyRelu"));
    } else {
        TRY(const ValueId kept, build.emit("greater_equal", {y, scalar(threshold)}));
        TRY(y, build.emit("multiply",
                          {y, build.emit("cast", {kept}, {{"dtype", graph::to_string(type.dtype)}})}));
        if (slope != 0) {
            TRY(const ValueId under,
                build.emit("minimum", {build.emit("subtract", {in[0], scalar(threshold)}), scalar(0)}));
            TRY(y, build.emit("add", {y, build.emit("multiply", {under, scalar(slope)})}));
        }
    }
    return highest.is_number() ? build.emit("minimum", {y, scalar(highest.get<double>())}) : y;
}

/// x, and alpha x below 0, with an alpha of its own for each element of a sample but along `shared_axes`.
Result<ValueId> prelu(KerasLayer& l, const Values& in) {
    const Shape x = l.build.type(in[0]).shape;
    if (x.size() < 2)
        return l.fail("expects an input of at least two dimensions, got " + graph::to_string(x));
    Shape shape(x.begin() + 1, x.end());
    const Json& shared = setting(l, "shared_axes");
    for (const Json& axis : shared.is_array() ? shared : Json::array()) {
        if (!axis.is_number_integer() || axis.get<std::int64_t>() < 1 ||
            axis.get<std::size_t>() > shape.size())
            return l.fail("\"shared_axes\" has no axis of the input: " + shared.dump());
        shape[axis.get<std::size_t>() - 1] = 1;
    }
    TRY(auto alpha, weight(l, {"alpha", shape, "alpha", "zeros"}));
    TRY(auto above, l.build.emit("relu", in, {}, "Relu"));
    TRY(const ValueId below, l.build.emit("minimum", {in[0], l.build.scalar(0, l.build.type(in[0]).dtype)}));
    return l.build.emit("add", {above, l.build.emit("multiply", {below, alpha})});
}

Result<ValueId> leaky_relu(KerasLayer& l, const Values& in) {
    return l.build.emit("leaky_relu", in, {{"alpha", number(l, "alpha", number(l, "negative_slope", 0.3))}});
}

Result<ValueId> elu(KerasLayer& l, const Values& in) {
    return l.build.emit("elu", in, {{"alpha", number(l, "alpha", 1.0)}});
}

/// x above theta, else 0.
Result<ValueId> thresholded_relu(KerasLayer& l, const Values& in) {
    const auto dtype = l.build.type(in[0]).dtype;
    TRY(auto above, l.build.emit("greater", {in[0], l.build.scalar(number(l, "theta", 1), dtype)}));
    TRY(const ValueId kept, l.build.emit("cast", {above}, {{"dtype", graph::to_string(dtype)}}));
    return l.build.emit("multiply", {in[0], kept}, {}, "ThresholdedRelu");
}

/// Over one axis or several; what a mask hides has no share (keras/layers/activation/softmax.py).
Result<ValueId> softmax(KerasLayer& l, const Values& in) {
    const graph::TensorType type = l.build.type(in[0]);
    TRY(const auto axes, axes_of(l, "axis", type.shape.size()));
    ValueId x = in[0];
    if (l.mask() != graph::no_value) {
        const Shape mask = l.build.type(l.mask()).shape;
        if (graph::broadcast(mask, type.shape) != type.shape)
            return l.fail("the mask " + graph::to_string(mask) + " does not fit the input " +
                          graph::to_string(type.shape));
        TRY(x, without_masked(l, x, mask_numbers(l, l.mask(), type.dtype, mask.size())));
    }
    TRY(x, with_axes_last(l, x, axes));
    const Shape apart = l.build.type(x).shape;
    if (axes.size() > 1) { // as one axis
        Shape together(apart.begin(), apart.end() - static_cast<std::ptrdiff_t>(axes.size()));
        together.push_back(-1);
        TRY(x, l.build.emit("reshape", {x}, {{"shape", together}}, "Reshape"));
    }
    TRY(auto y, l.build.emit("softmax", {x}, {}, "Softmax"));
    if (axes.size() > 1) {
        TRY(y, l.build.emit("reshape", {y}, {{"shape", apart}}, "Reshape"));
    }
    return with_axes_last(l, y, axes, true);
}

/// clip(x / 6 + 1 / 2, 0, 1), as relu6(x + 3) / 6.
Result<ValueId> hard_sigmoid_of_keras3(KerasLayer& l, ValueId x) {
    const auto dtype = l.build.type(x).dtype;
    TRY(const ValueId shifted, l.build.emit("add", {x, l.build.scalar(3, dtype)}));
    return l.build.emit("multiply", {l.build.emit("relu6", {shifted}), l.build.scalar(1.0 / 6, dtype)}, {},
                        "HardSigmoid");
}

struct Function {
    std::string kind; ///< of the operation
    std::string name;
    graph::Attributes attributes = {};
};

/// "HardSigmoid" of "hard_sigmoid".
std::string class_name_of(const std::string& function) {
    std::string name;
    bool begins = true;
    for (const char c : function) {
        if (c != '_')
            name += begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        begins = c == '_';
    }
    return name;
}

const std::map<std::string, Function>& functions() {
    static const std::map<std::string, Function> known = [] {
        constexpr double leaky_slope = 0.2; // of the function; the layer has 0.3
        std::map<std::string, Function> all = {
            {"softmax", {"softmax", "Softmax"}},
            {"log_softmax", {"log_softmax", "LogSoftmax"}},
            {"silu", {"swish", "Swish"}},
            {"exponential", {"exp", "Exp"}},
            {"leaky_relu", {"leaky_relu", "LeakyRelu", {{"alpha", leaky_slope}}}},
        };
        for (const operators::UnaryFunction& function : operators::unary_functions())
            if (!function.keras.empty())
                all.emplace(function.keras, Function{function.name, class_name_of(function.name)});
        return all;
    }();
    return known;
}

Failure unknown_function(const KerasLayer& l, const std::string& name) {
    std::vector<std::string> names{"hard_silu", "hard_swish", "linear"};
    for (const auto& [key, value] : functions())
        names.push_back(key);
    return l.unsupported("activation \"" + name + "\" is not supported", remedy_for(name, names));
}

} // namespace

LayerTable activation_layers() {
    return passing_masks(
        {{"Activation", {activation, {"activation"}}},
         {"ReLU", {relu, {"max_value", "negative_slope", "threshold"}}},
         {"LeakyReLU", {leaky_relu, {"alpha", "negative_slope"}}},
         {"PReLU", {prelu, {"shared_axes", "alpha_initializer", "alpha_regularizer", "alpha_constraint"}}},
         {"ELU", {elu, {"alpha"}}},
         {"ThresholdedReLU", {thresholded_relu, {"theta"}}},
         {"Softmax", {softmax, {"axis", "robust_masking"}}}});
}

Result<ValueId> apply_activation(KerasLayer& layer, const Json& activation, ValueId x) {
    std::string name = "linear";
    if (activation.is_string())
        name = activation.get<std::string>();
    else if (activation.is_object()) {
        // {"class_name": "function", "config": "relu"}, or the name of a class.
        const Json& config = formats::member(activation, "config");
        name = config.is_string()
                   ? config.get<std::string>()
                   : snake_case(formats::name_in(formats::member(activation, "class_name"), "linear"));
    }
    if (name == "linear")
        return x;
    if (name == "hard_sigmoid" && layer.keras3)
        return hard_sigmoid_of_keras3(layer, x);
    if (name == "hard_silu" || name == "hard_swish")
        return layer.build.emit("multiply", {x, hard_sigmoid_of_keras3(layer, x)}, {}, "HardSwish");
    const auto found = functions().find(name);
    if (found == functions().end())
        return unknown_function(layer, name);
    return layer.build.emit(found->second.kind, {x}, found->second.attributes, found->second.name);
}

} // namespace tilescope::keras
