// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph.h"

#include <algorithm>

/// Transpositions are put off: what can be done as well before one is done there, so that most of them meet
/// another one that they cancel. Images so stay with their channels last from one convolution to the next.
namespace tilescope::onnx {
namespace {

using graph::Attributes;
using graph::Shape;
using Permutation = std::vector<std::int64_t>;

Permutation composed(const Permutation& first, const Permutation& then) {
    Permutation result;
    for (const std::int64_t axis : then)
        result.push_back(first[static_cast<std::size_t>(axis)]);
    return result;
}

Permutation inverse(const Permutation& permutation) {
    Permutation result(permutation.size());
    for (std::size_t d = 0; d < permutation.size(); ++d)
        result[static_cast<std::size_t>(permutation[d])] = static_cast<std::int64_t>(d);
    return result;
}

/// `values[d]` of what is turned, for the dimensions before turning.
std::vector<std::int64_t> turned_back(const std::vector<std::int64_t>& values,
                                      const Permutation& permutation) {
    return composed(values, inverse(permutation));
}

/// The attributes of an operation along axes, before turning; nullopt for other operations.
std::optional<Attributes> before_turning(const std::string& kind, const Attributes& attributes,
                                         const Permutation& permutation) {
    const auto rank = static_cast<std::int64_t>(permutation.size());
    const auto before = [&](std::int64_t axis) {
        return permutation[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)];
    };
    Attributes result = attributes;
    if (kind == "concatenate" || kind == "take") {
        result.set("axis", before(attributes.integer("axis", -1)));
        return result;
    }
    if (kind.starts_with("reduce_") && attributes.has("axes") && attributes.flag("keep_dims")) {
        std::vector<std::int64_t> axes = attributes.integers("axes");
        std::transform(axes.begin(), axes.end(), axes.begin(), before);
        std::sort(axes.begin(), axes.end());
        result.set("axes", axes);
        return result;
    }
    for (const auto& [name, first, second] :
         {std::tuple{"slice", "begin", "size"}, std::tuple{"pad", "before", "after"}})
        if (kind == name) {
            result.set(first, turned_back(attributes.integers(first), permutation));
            result.set(second, turned_back(attributes.integers(second), permutation));
            return result;
        }
    return std::nullopt;
}

} // namespace

std::optional<OnnxGraph::Turned> OnnxGraph::turned(const OnnxValue& value) const {
    if (!value.computed() || value.known)
        return std::nullopt;
    const graph::Value& made = build_.graph().value(value.id);
    if (made.source != graph::Source::Operation)
        return std::nullopt;
    const graph::Operation& op = build_.graph().operation(made.producer);
    if (op.kind != "transpose")
        return std::nullopt;
    return Turned{{build_.graph().type(op.inputs[0]), op.inputs[0], nullptr},
                  op.attributes.integers("permutation")};
}

OnnxValue OnnxGraph::emit_turn(OnnxValue value, Permutation permutation) {
    if (const auto before = turned(value);
        before && permutation.size() == before->permutation.size() &&
        std::all_of(permutation.begin(), permutation.end(),
                    [&](auto axis) { return axis >= 0 && axis < value.rank(); })) {
        permutation = composed(before->permutation, permutation);
        value = before->source;
    }
    if (static_cast<std::int64_t>(permutation.size()) == value.rank() &&
        std::is_sorted(permutation.begin(), permutation.end()))
        return value;
    return emit_all("transpose", {value}, {{"permutation", permutation}}).front();
}

std::optional<OnnxValue> OnnxGraph::operand_before(const OnnxValue& operand, const Permutation& permutation) {
    const std::size_t rank = permutation.size();
    const auto other = turned(operand);
    if (other && other->permutation == permutation)
        return other->source;
    if (operand.shape().size() > rank)
        return std::nullopt;
    if (operand.type.elements() == 1)
        return emit("reshape", {operand}, {{"shape", Shape{}}});
    if (!operand.known || operand.computed())
        return std::nullopt;
    Shape full(rank, 1);
    std::copy_backward(operand.shape().begin(), operand.shape().end(), full.end());
    const OnnxValue back = emit_turn(emit("reshape", {operand}, {{"shape", full}}), inverse(permutation));
    const auto first = std::find_if(back.shape().begin(), back.shape().end(), [](auto n) { return n != 1; });
    return emit("reshape", {back}, {{"shape", Shape(first, back.shape().end())}});
}

std::optional<OnnxValue> OnnxGraph::emit_before_turning(const std::string& kind,
                                                        const std::vector<OnnxValue>& inputs,
                                                        const Attributes& attributes) {
    std::optional<Turned> first;
    for (const OnnxValue& input : inputs)
        if (!first)
            first = turned(input);
    if (!first)
        return std::nullopt;
    const bool elementwise = build_.registry().at(kind).elementwise || kind == "cast";
    const auto moved = elementwise ? attributes : before_turning(kind, attributes, first->permutation);
    if (!moved)
        return std::nullopt;
    std::vector<OnnxValue> sources;
    for (const OnnxValue& input : inputs) {
        const auto other = turned(input);
        const bool same = other && other->permutation == first->permutation;
        if (!elementwise && !same)
            return std::nullopt;
        const auto source = same ? other->source : operand_before(input, first->permutation);
        if (!source)
            return std::nullopt;
        sources.push_back(*source);
    }
    return emit_turn(emit_all(kind, sources, *moved).front(), first->permutation);
}

} // namespace tilescope::onnx
