// SPDX-License-Identifier: GPL-3.0-or-later
#include "weights.h"

#include <map>
#include <set>

namespace tilescope::onnx {
namespace {

using Inputs = std::set<std::size_t>;
const Inputs all; ///< however many a node has

bool among(const std::map<std::string, Inputs>& table, const std::string& kind, std::size_t input) {
    const auto found = table.find(kind);
    return found != table.end() && (found->second == all || found->second.contains(input));
}

/// What layers learn; and what only passes its input on, so that a later use decides.
const std::map<std::string, Inputs>& learned() {
    static const std::map<std::string, Inputs> table = {
        {"Conv", {1, 2}},
        {"ConvTranspose", {1, 2}},
        {"Gemm", {0, 1, 2}},
        {"MatMul", {0, 1}},
        {"Einsum", all},
        {"BatchNormalization", {1, 2}},
        {"InstanceNormalization", {1, 2}},
        {"LayerNormalization", {1, 2}},
        {"PRelu", {1}},
        {"Gather", {0}},
        {"RNN", {1, 2, 3}},
        {"GRU", {1, 2, 3}},
        {"LSTM", {1, 2, 3, 7}},
        {"Identity", {0}},
        {"Reshape", {0}},
        {"Flatten", {0}},
        {"Squeeze", {0}},
        {"Unsqueeze", {0}},
        {"Transpose", {0}},
        {"Expand", {0}},
        {"Cast", {0}},
        {"CastLike", {0}},
    };
    return table;
}

const std::map<std::string, Inputs>& settings() {
    static const std::map<std::string, Inputs> table = {
        {"Clip", {1, 2}},
        {"Max", all},
        {"Min", all},
        {"Pow", {1}},
        {"Sub", {1}}, // the mean of what is fed
        {"Div", {1}}, // its deviation
        {"Mod", all},
        {"Equal", all},
        {"Less", all},
        {"LessOrEqual", all},
        {"Greater", all},
        {"GreaterOrEqual", all},
        {"BatchNormalization", {3, 4}},
        {"RNN", {5}},
        {"GRU", {5}},
        {"LSTM", {5, 6}},
        {"NegativeLogLikelihoodLoss", {2}},
        {"SoftmaxCrossEntropyLoss", {2}},
        {"OneHot", {1, 2}},
        {"Pad", {2}},
    };
    return table;
}

} // namespace

bool is_weight(const OnnxNode& node, std::size_t input, std::int64_t elements) {
    if (among(learned(), node.kind, input))
        return true;
    return elements > 1 && !among(settings(), node.kind, input);
}

} // namespace tilescope::onnx
