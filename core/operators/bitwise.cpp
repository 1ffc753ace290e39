// SPDX-License-Identifier: GPL-3.0-or-later
#include "broadcasting.h"
#include "operators/families.h"
#include "whole_numbers.h"

#include <algorithm>
#include <string>

namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::ComputeContext;
using graph::DType;
using graph::TensorType;
using graph::to_string;

/// Of the bits of int32 numbers, which lie as two's complements do.
struct BitRow {
    const char* name;
    const char* formula;
    std::int32_t (*apply)(std::int32_t, std::int32_t);
};

const std::vector<BitRow>& bit_rows() {
    static const std::vector<BitRow> rows = {
        {"bitwise_and", "the bits that both a and b have",
         [](std::int32_t a, std::int32_t b) { return a & b; }},
        {"bitwise_or", "the bits that a, b or both have",
         [](std::int32_t a, std::int32_t b) { return a | b; }},
        {"bitwise_xor", "the bits that either a or b alone has",
         [](std::int32_t a, std::int32_t b) { return a ^ b; }},
        {"left_shift", "a with its bits b places up",
         [](std::int32_t a, std::int32_t b) {
             return wrapped(static_cast<std::int64_t>(a) << std::clamp(b, 0, 31));
         }},
        {"right_shift", "a with its bits b places down, and its sign above them",
         [](std::int32_t a, std::int32_t b) { return a >> std::clamp(b, 0, 31); }},
    };
    return rows;
}

Result<std::vector<TensorType>> expect_whole(Result<std::vector<TensorType>> types) {
    if (types && types->front().dtype != DType::Int32)
        return shape_error("int32 inputs", to_string(types->front()));
    return types;
}

} // namespace

void add_bitwise_operators(graph::OperatorRegistry& registry) {
    for (const BitRow& row : bit_rows()) {
        graph::Operator op;
        op.name = row.name;
        op.summary =
            std::string("y = ") + row.formula + ", for int32, element by element, with broadcasting.";
        op.infer = [](std::span<const TensorType> inputs, const Attributes&) {
            return expect_whole(infer_binary(inputs, {}));
        };
        op.compute = [apply = row.apply](ComputeContext& c) {
            compute_generic(c, [apply](double a, double b) {
                return apply(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
            });
        };
        op.elementwise = true;
        registry.add(std::move(op));
    }
    graph::Operator other;
    other.name = "bitwise_not";
    other.summary = "y = x with each bit the other way, for int32, element by element; x and y of one shape.";
    other.infer = [](std::span<const TensorType> inputs, const Attributes& a) {
        return expect_whole(same_as_first(1)(inputs, a));
    };
    other.compute = [](ComputeContext& c) {
        for (std::int64_t i = 0; i < c.outputs[0]->elements(); ++i)
            c.outputs[0]->set(i, ~static_cast<std::int32_t>(c.inputs[0]->at(i)));
    };
    other.elementwise = true;
    registry.add(std::move(other));
}

} // namespace tilescope::operators
