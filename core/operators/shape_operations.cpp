// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "graph/builder.h"
#include "operators/families.h"
#include "operators/interpreter.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::ComputeContext;
using graph::element_count;
using graph::HostTensor;
using graph::Shape;
using graph::TensorType;
using graph::to_string;
using graph::ValueId;
using Types = Result<std::vector<TensorType>>;

Types infer_reshape(std::span<const TensorType> in, const Attributes& a) {
    TRY(expect_inputs(in, 1));
    Shape shape = a.integers("shape");
    const auto open = std::count(shape.begin(), shape.end(), -1);
    Shape closed = shape;
    std::replace(closed.begin(), closed.end(), std::int64_t{-1}, std::int64_t{1});
    const std::int64_t known = element_count(closed);
    if (open == 1 && known > 0 && in[0].elements() % known == 0)
        *std::find(shape.begin(), shape.end(), -1) = in[0].elements() / known;
    if (open > 1 || element_count(shape) != in[0].elements())
        return shape_error("a shape of " + std::to_string(in[0].elements()) + " elements",
                           to_string(a.integers("shape")));
    return std::vector<TensorType>{{in[0].dtype, shape}};
}

Types infer_transpose(std::span<const TensorType> in, const Attributes& a) {
    TRY(expect_inputs(in, 1));
    const auto permutation = a.integers("permutation");
    std::vector<std::int64_t> sorted = permutation;
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::int64_t> all(in[0].shape.size());
    std::iota(all.begin(), all.end(), 0);
    if (sorted != all)
        return shape_error("a permutation of " + std::to_string(all.size()) + " axes",
                           to_string(permutation));
    Shape shape;
    for (const std::int64_t axis : permutation)
        shape.push_back(in[0].shape[static_cast<std::size_t>(axis)]);
    return std::vector<TensorType>{{in[0].dtype, shape}};
}

/// Walks an output in order, where a step in output dimension d moves `steps[d]` elements in the input.
class Walk {
  public:
    Walk(Shape out, std::vector<std::int64_t> steps, std::int64_t start)
        : out_(std::move(out)), steps_(std::move(steps)), start_(start), index_(out_.size(), 0) {}

    /// Calls visit(output index, input offset) for every element.
    template<class Visit>
    void each(const Visit& visit) {
        const std::int64_t n = element_count(out_);
        std::fill(index_.begin(), index_.end(), 0);
        std::int64_t offset = start_;
        for (std::int64_t i = 0; i < n; ++i) {
            visit(i, offset);
            for (std::size_t d = out_.size(); d-- > 0;) {
                offset += steps_[d];
                if (++index_[d] < out_[d])
                    break;
                offset -= steps_[d] * out_[d];
                index_[d] = 0;
            }
        }
    }
    /// Copies the elements of x.
    void copy(const HostTensor& x, HostTensor& y) {
        each([&](std::int64_t to, std::int64_t from) { y.set(to, x.at(from)); });
    }

  private:
    Shape out_;
    std::vector<std::int64_t> steps_;
    std::int64_t start_;
    Shape index_;
};

std::vector<std::int64_t> row_major_steps(const Shape& shape) {
    std::vector<std::int64_t> steps(shape.size(), 1);
    for (std::size_t d = shape.size(); d-- > 1;)
        steps[d - 1] = steps[d] * shape[d];
    return steps;
}

void compute_transpose(ComputeContext& c) {
    const auto walk = c.keep([&] {
        const auto in_steps = row_major_steps(c.inputs[0]->shape());
        std::vector<std::int64_t> steps;
        for (const std::int64_t axis : c.attributes.integers("permutation"))
            steps.push_back(in_steps[static_cast<std::size_t>(axis)]);
        return Walk(c.outputs[0]->shape(), steps, 0);
    });
    walk->copy(*c.inputs[0], *c.outputs[0]);
}

Types infer_slice(std::span<const TensorType> in, const Attributes& a) {
    TRY(expect_inputs(in, 1));
    const auto begin = a.integers("begin");
    const auto size = a.integers("size");
    bool fits = begin.size() == in[0].shape.size() && size.size() == begin.size();
    for (std::size_t d = 0; fits && d < begin.size(); ++d)
        fits = begin[d] >= 0 && size[d] >= 0 && begin[d] + size[d] <= in[0].shape[d];
    if (!fits)
        return shape_error("a begin and a size inside the tensor", a.json() + " of " + to_string(in[0]));
    return std::vector<TensorType>{{in[0].dtype, size}};
}

Types infer_pad(std::span<const TensorType> in, const Attributes& a) {
    TRY(expect_inputs(in, 1));
    const auto before = a.integers("before");
    const auto after = a.integers("after");
    if (before.size() != in[0].shape.size() || after.size() != before.size())
        return shape_error("a padding before and after each dimension", a.json() + " of " + to_string(in[0]));
    Shape shape = in[0].shape;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        shape[d] += before[d] + after[d];
        if (before[d] < 0 || after[d] < 0)
            return shape_error("paddings of at least 0", a.json());
    }
    return std::vector<TensorType>{{in[0].dtype, shape}};
}

std::int64_t start_of(const Shape& shape, const std::vector<std::int64_t>& begin) {
    const auto steps = row_major_steps(shape);
    return std::inner_product(begin.begin(), begin.end(), steps.begin(), std::int64_t{0});
}

/// Over each input, to its place in the output.
std::vector<Walk> concatenated(const ComputeContext& c) {
    const Shape& out = c.outputs[0]->shape();
    const auto axis = *normal_axis(c.attributes.integer("axis", -1), out.size());
    std::vector<Walk> walks;
    Shape begin(out.size(), 0);
    for (const HostTensor* input : c.inputs) {
        walks.emplace_back(input->shape(), row_major_steps(out), start_of(out, begin));
        begin[axis] += input->shape()[axis];
    }
    return walks;
}

Types infer_concatenate(std::span<const TensorType> in, const Attributes& a) {
    if (in.empty())
        return shape_error("at least one input", "none");
    TRY(const auto axis, normal_axis(a.integer("axis", -1), in[0].shape.size()));
    Shape shape = in[0].shape;
    shape[axis] = 0;
    for (const TensorType& type : in) {
        Shape other = type.shape;
        if (other.size() == shape.size())
            other[axis] = 0;
        Shape base = shape;
        base[axis] = 0;
        if (other != base || type.dtype != in[0].dtype)
            return shape_error("inputs that differ only along the axis",
                               to_string(in[0]) + " and " + to_string(type));
        shape[axis] += type.shape[axis];
    }
    return std::vector<TensorType>{{in[0].dtype, shape}};
}

Result<std::vector<ValueId>> concatenate_gradient(graph::GradientContext& g) {
    const Shape out = g.build.type(g.operation.outputs[0]).shape;
    const auto axis = *normal_axis(g.operation.attributes.integer("axis", -1), out.size());
    std::vector<ValueId> result;
    Shape begin(out.size(), 0);
    for (const ValueId input : g.operation.inputs) {
        const Shape size = g.build.type(input).shape;
        TRY(const ValueId part,
            g.build.emit("slice", {g.output_gradients[0]}, {{"begin", begin}, {"size", size}}));
        result.push_back(part);
        begin[axis] += size[axis];
    }
    return result;
}

Types infer_broadcast(std::span<const TensorType> in, const Attributes& a) {
    TRY(expect_inputs(in, 1));
    const Shape shape = a.integers("shape");
    if (graph::broadcast(in[0].shape, shape) != shape)
        return shape_error("a shape that " + to_string(in[0]) + " broadcasts to", to_string(shape));
    return std::vector<TensorType>{{in[0].dtype, shape}};
}

void add(graph::OperatorRegistry& registry, const char* name, const char* summary, graph::InferFunction infer,
         graph::GradientFunction gradient, graph::ComputeFunction compute, bool view = false) {
    registry.add({.name = name,
                  .summary = summary,
                  .infer = std::move(infer),
                  .gradient = std::move(gradient),
                  .compute = std::move(compute),
                  .view = view});
}

} // namespace

void add_shape_operators(graph::OperatorRegistry& registry) {
    add(
        registry, "reshape", "The same elements under `shape`; one extent may be -1.", infer_reshape,
        [](graph::GradientContext& g) -> Result<std::vector<ValueId>> {
            return graph::values_of({g.build.emit("reshape", {g.output_gradients[0]},
                                                  {{"shape", g.build.type(g.operation.inputs[0]).shape}})});
        },
        copy_first, true);
    add(
        registry, "recomputation_checkpoint", "x, which is kept where activations are computed again.",
        [](std::span<const TensorType> in, const Attributes&) -> Types {
            TRY(expect_inputs(in, 1));
            return std::vector<TensorType>{in[0]};
        },
        [](graph::GradientContext& g) -> Result<std::vector<ValueId>> {
            return graph::values_of({g.output_gradients[0]});
        },
        copy_first, true);
    add(
        registry, "transpose", "Dimension d of y is dimension `permutation`[d] of x.", infer_transpose,
        [](graph::GradientContext& g) -> Result<std::vector<ValueId>> {
            const auto permutation = g.operation.attributes.integers("permutation");
            std::vector<std::int64_t> inverse(permutation.size());
            for (std::size_t d = 0; d < permutation.size(); ++d)
                inverse[static_cast<std::size_t>(permutation[d])] = static_cast<std::int64_t>(d);
            return graph::values_of(
                {g.build.emit("transpose", {g.output_gradients[0]}, {{"permutation", inverse}})});
        },
        compute_transpose);
    add(
        registry, "slice", "The block of x that starts at `begin` and has shape `size`.", infer_slice,
        [](graph::GradientContext& g) -> Result<std::vector<ValueId>> {
            const Shape in = g.build.type(g.operation.inputs[0]).shape;
            const auto begin = g.operation.attributes.integers("begin");
            const auto size = g.operation.attributes.integers("size");
            std::vector<std::int64_t> after(in.size());
            for (std::size_t d = 0; d < in.size(); ++d)
                after[d] = in[d] - begin[d] - size[d];
            return graph::values_of(
                {g.build.emit("pad", {g.output_gradients[0]}, {{"before", begin}, {"after", after}})});
        },
        [](ComputeContext& c) {
            const auto walk = c.keep([&] {
                const Shape& in = c.inputs[0]->shape();
                return Walk(c.outputs[0]->shape(), row_major_steps(in),
                            start_of(in, c.attributes.integers("begin")));
            });
            walk->copy(*c.inputs[0], *c.outputs[0]);
        });
    add(
        registry, "pad", "x with `before` and `after` elements of `value` (0) around each dimension.",
        infer_pad,
        [](graph::GradientContext& g) -> Result<std::vector<ValueId>> {
            return graph::values_of({g.build.emit("slice", {g.output_gradients[0]},
                                                  {{"begin", g.operation.attributes.integers("before")},
                                                   {"size", g.build.type(g.operation.inputs[0]).shape}})});
        },
        [](ComputeContext& c) {
            HostTensor& y = *c.outputs[0];
            for (std::int64_t i = 0; i < y.elements(); ++i)
                y.set(i, c.attributes.real("value", 0));
            const auto walk = c.keep([&] {
                return Walk(c.inputs[0]->shape(), row_major_steps(y.shape()),
                            start_of(y.shape(), c.attributes.integers("before")));
            });
            walk->each([&](std::int64_t from, std::int64_t to) { y.set(to, c.inputs[0]->at(from)); });
        });
    add(registry, "concatenate", "The inputs one after another along `axis`.", infer_concatenate,
        concatenate_gradient, [](ComputeContext& c) {
            const auto walks = c.keep([&] { return concatenated(c); });
            for (std::size_t i = 0; i < walks->size(); ++i)
                (*walks)[i].each([&](std::int64_t from, std::int64_t to) {
                    c.outputs[0]->set(to, c.inputs[i]->at(from));
                });
        });
    add(
        registry, "broadcast_to", "x repeated to `shape` by the rules of broadcasting.", infer_broadcast,
        [](graph::GradientContext& g) -> Result<std::vector<ValueId>> {
            // Adding zeros of the input's shape has the same gradient rule as broadcasting.
            const Shape in = g.build.type(g.operation.inputs[0]).shape;
            const Shape out = g.build.type(g.operation.outputs[0]).shape;
            std::vector<std::int64_t> axes;
            for (std::size_t d = 0; d < out.size(); ++d)
                if (d < out.size() - in.size() || in[d - (out.size() - in.size())] != out[d])
                    axes.push_back(static_cast<std::int64_t>(d));
            TRY(const ValueId sum, g.build.emit("reduce_sum", {g.output_gradients[0]}, {{"axes", axes}}));
            return graph::values_of({g.build.emit("reshape", {sum}, {{"shape", in}})});
        },
        [](ComputeContext& c) {
            const auto walk = c.keep([&] {
                const Shape& in = c.inputs[0]->shape();
                const Shape& out = c.outputs[0]->shape();
                const auto in_steps = row_major_steps(in);
                std::vector<std::int64_t> steps(out.size(), 0);
                for (std::size_t d = 0; d < in.size(); ++d)
                    steps[d + out.size() - in.size()] = in[d] == 1 ? 0 : in_steps[d];
                return Walk(out, steps, 0);
            });
            walk->copy(*c.inputs[0], *c.outputs[0]);
        });
}

} // namespace tilescope::operators
