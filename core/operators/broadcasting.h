// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/try.h"
#include "graph/builder.h"
#include "operators/families.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// What operations of two inputs share, of which one may be repeated for the other.
namespace tilescope::operators {

/// One type for both; `result`: that of the output, where it is another one.
inline Result<std::vector<graph::TensorType>> infer_binary(std::span<const graph::TensorType> inputs,
                                                           std::optional<graph::DType> result) {
    TRY(expect_inputs(inputs, 2));
    const auto shape = graph::broadcast(inputs[0].shape, inputs[1].shape);
    if (!shape)
        return shape_error("shapes that broadcast",
                           graph::to_string(inputs[0]) + " and " + graph::to_string(inputs[1]));
    if (inputs[0].dtype != inputs[1].dtype)
        return shape_error("inputs of one type",
                           graph::to_string(inputs[0]) + " and " + graph::to_string(inputs[1]));
    return std::vector<graph::TensorType>{{result.value_or(inputs[0].dtype), *shape}};
}

/// A gradient of the output's shape summed down to the shape of a broadcast operand.
inline Result<graph::ValueId> sum_to(graph::Builder& build, graph::ValueId gradient,
                                     const graph::Shape shape) { // a copy: the graph grows
    const graph::Shape from = build.type(gradient).shape;
    if (from == shape)
        return gradient;
    std::vector<std::int64_t> axes;
    const std::size_t extra = from.size() - shape.size();
    for (std::size_t d = 0; d < from.size(); ++d)
        if (d < extra || (shape[d - extra] == 1 && from[d] != 1))
            axes.push_back(static_cast<std::int64_t>(d));
    TRY(const graph::ValueId sum,
        build.emit("reduce_sum", {gradient}, {{"axes", axes}, {"keep_dims", false}}));
    return build.type(sum).shape == shape ? sum : build.emit("reshape", {sum}, {{"shape", shape}});
}

/// Offset of each operand as the output is walked row by row (rows of the innermost dimension).
class BroadcastWalk {
  public:
    BroadcastWalk(const graph::Shape& out, const graph::Shape& operand) : out_(out), operand_(operand) {}
    std::int64_t row_offset(std::int64_t row) const {
        std::int64_t offset = 0;
        std::int64_t step = operand_.empty() ? 1 : operand_.back();
        const std::size_t extra = out_.size() - operand_.size();
        for (std::size_t d = out_.size() - 1; d-- > extra;) {
            const std::int64_t extent = operand_[d - extra];
            offset += extent == 1 ? 0 : row % out_[d] * step;
            row /= out_[d];
            step *= extent;
        }
        return offset;
    }
    std::int64_t inner() const { return operand_.empty() || operand_.back() == 1 ? 0 : 1; }

  private:
    const graph::Shape& out_;
    const graph::Shape& operand_;
};

/// The shape that is walked: that of a scalar has one row too.
inline const graph::Shape& walked(const graph::HostTensor& y) {
    static const graph::Shape one{1};
    return y.shape().empty() ? one : y.shape();
}

/// Any element types, one element at a time: integers, logic, comparisons.
template<class F>
void compute_generic(graph::ComputeContext& c, const F& f) {
    const graph::HostTensor& a = *c.inputs[0];
    const graph::HostTensor& b = *c.inputs[1];
    graph::HostTensor& y = *c.outputs[0];
    const graph::Shape& out = walked(y);
    const BroadcastWalk walk_a(out, a.shape());
    const BroadcastWalk walk_b(out, b.shape());
    const std::int64_t row = out.back();
    for (std::int64_t i = 0; i < y.elements(); ++i) {
        const std::int64_t r = i / row;
        const std::int64_t k = i % row;
        y.set(i, f(a.at(walk_a.row_offset(r) + k * walk_a.inner()),
                   b.at(walk_b.row_offset(r) + k * walk_b.inner())));
    }
}

} // namespace tilescope::operators
