// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/nearest_name.h"
#include "import/keras_settings.h"

namespace tilescope::import {
namespace {

using graph::ValueId;

Result<ValueId> activation(KerasLayer& l, const Values& in) {
    return activate(l, in[0]);
}

Result<ValueId> relu(KerasLayer& l, const Values& in) {
    const Json& highest = setting(l, "max_value");
    if (number(l, "negative_slope", 0) != 0 || number(l, "threshold", 0) != 0)
        return l.fail("ReLU with a slope or a threshold is not supported", "use LeakyReLU");
    if (highest.is_null())
        return one(l.build.add("relu", in, {}, "Relu"));
    if (highest.is_number() && highest.get<double>() == 6)
        return one(l.build.add("relu6", in, {}, "Relu6"));
    return l.fail("ReLU with max_value " + highest.dump() + " is not supported", "6 is");
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

} // namespace

LayerTable activation_layers() {
    return {{"Activation", {activation, {"activation"}}},
            {"ReLU", {relu, {"max_value", "negative_slope", "threshold"}}},
            {"LeakyReLU", {leaky_relu, {"alpha", "negative_slope"}}},
            {"ELU", {elu, {"alpha"}}},
            {"Softmax", {softmax, {"axis"}}}};
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

} // namespace tilescope::import
