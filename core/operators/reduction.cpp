// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "base/worker_pool.h"
#include "graph/builder.h"
#include "kernels/kernel_table.h"
#include "operators/families.h"
#include "whole_numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::Builder;
using graph::ComputeContext;
using graph::DType;
using graph::Shape;
using graph::TensorType;
using graph::to_string;
using graph::ValueId;

/// Which axes go; all of them where the attribute is absent.
Result<std::vector<bool>> reduced_axes(const Shape& shape, const Attributes& a) {
    std::vector<bool> reduced(shape.size(), !a.has("axes"));
    for (const std::int64_t axis : a.integers("axes")) {
        TRY(const auto d, normal_axis(axis, shape.size()));
        reduced[d] = true;
    }
    return reduced;
}

Result<std::vector<TensorType>> infer(std::span<const TensorType> in, const Attributes& a) {
    TRY(expect_inputs(in, 1));
    TRY(const auto reduced, reduced_axes(in[0].shape, a));
    Shape shape;
    for (std::size_t d = 0; d < in[0].shape.size(); ++d)
        if (!reduced[d])
            shape.push_back(in[0].shape[d]);
        else if (a.flag("keep_dims"))
            shape.push_back(1);
    return std::vector<TensorType>{{in[0].dtype, shape}};
}

enum class Kind { Sum, Mean, Max, Min, Prod };

double start(Kind kind) {
    switch (kind) {
    case Kind::Max:
        return -std::numeric_limits<double>::infinity();
    case Kind::Min:
        return std::numeric_limits<double>::infinity();
    case Kind::Prod:
        return 1;
    case Kind::Sum:
    case Kind::Mean:
        break;
    }
    return 0;
}

/// What is no number makes the largest and the smallest none.
double combine(Kind kind, double a, double b) {
    switch (kind) {
    case Kind::Max:
        return b > a || std::isnan(b) ? b : a;
    case Kind::Min:
        return b < a || std::isnan(b) ? b : a;
    case Kind::Prod:
        return a * b;
    case Kind::Sum:
    case Kind::Mean:
        break;
    }
    return a + b;
}

/// The same of whole numbers of 32 bits.
double of_ints(Kind kind, double a, double b) {
    const auto x = static_cast<std::int64_t>(b);
    switch (kind) {
    case Kind::Max:
    case Kind::Min:
        return combine(kind, a, b);
    case Kind::Prod:
        return wrapped(static_cast<std::int64_t>(a) * x);
    default:
        return wrapped(static_cast<std::int64_t>(a) + x);
    }
}

/// How the input is walked, and room for the sums.
struct Kept {
    std::vector<std::int64_t> steps; ///< in the output for a step along each input dimension
    std::vector<std::int64_t> place; ///< of a row
    std::vector<double> totals;
};

Kept prepared(const Shape& shape, const Attributes& attributes, std::int64_t outputs) {
    const auto reduced = *reduced_axes(shape, attributes);
    Kept kept{std::vector<std::int64_t>(shape.size(), 0), std::vector<std::int64_t>(shape.size(), 0),
              std::vector<double>(static_cast<std::size_t>(outputs))};
    std::int64_t step = 1;
    for (std::size_t d = shape.size(); d-- > 0;)
        if (!reduced[d]) {
            kept.steps[d] = step;
            step *= shape[d];
        }
    return kept;
}

void compute(ComputeContext& c, Kind kind) {
    const auto& x = *c.inputs[0];
    auto& y = *c.outputs[0];
    const auto kept = c.keep([&] { return prepared(x.shape(), c.attributes, y.elements()); });
    const std::vector<std::int64_t>& steps = kept->steps;
    std::vector<double>& totals = kept->totals;
    std::fill(totals.begin(), totals.end(), start(kind));
    const std::size_t rank = x.shape().size();
    const std::int64_t row = rank == 0 ? 1 : x.shape().back();
    const std::int64_t row_step = rank == 0 ? 0 : steps.back();
    const std::int64_t rows = row == 0 ? 0 : x.elements() / row;
    const bool floats = is_floating(x.type().dtype);
    const bool sums = kind == Kind::Sum || kind == Kind::Mean;
    if (floats && sums && row_step == 1 && y.elements() == row) { // over all but the last dimension
        const std::size_t grain =
            std::max<std::size_t>(16, worth_a_thread(kernels::element_ns * static_cast<double>(rows)));
        c.pool.parallel_for(static_cast<std::size_t>(row), grain, [&](std::size_t begin, std::size_t end) {
            c.kernels.column_sums(x.floats().data() + begin, rows, static_cast<std::int64_t>(end - begin),
                                  row, totals.data() + begin);
        });
    } else {
        std::vector<std::int64_t>& place = kept->place; // counted up like an odometer
        std::fill(place.begin(), place.end(), 0);
        std::int64_t offset = 0;
        for (std::int64_t r = 0; r < rows; ++r) {
            double* total = totals.data() + offset;
            if (floats && sums && row_step == 0) {
                *total += static_cast<double>(c.kernels.sum(x.floats().data() + r * row, row));
            } else {
                for (std::int64_t i = 0; i < row; ++i)
                    total[i * row_step] = floats ? combine(kind, total[i * row_step], x.at(r * row + i))
                                                 : of_ints(kind, total[i * row_step], x.at(r * row + i));
            }
            for (std::size_t d = rank; d-- > 1;) {
                offset += steps[d - 1];
                if (++place[d - 1] < x.shape()[d - 1])
                    break;
                offset -= steps[d - 1] * x.shape()[d - 1];
                place[d - 1] = 0;
            }
        }
    }
    const auto of_each = static_cast<double>(std::max<std::int64_t>(x.elements(), 1));
    const auto made = static_cast<double>(y.elements());
    const double scale = kind == Kind::Mean ? made / of_each : 1.0;
    for (std::int64_t i = 0; i < y.elements(); ++i) {
        const double total = totals[static_cast<std::size_t>(i)];
        y.set(i, !floats && kind == Kind::Mean ? total * made / of_each : total * scale); // exact, then cut
    }
}

/// Of each row of x, [rows, n]: the product of the elements before an element, or with `after` of those
/// behind it. Each step doubles how many are multiplied.
Result<ValueId> products_of_one_side(Builder& build, ValueId x, bool after) {
    const Shape shape = build.type(x).shape;
    const auto moved = [&](ValueId v, std::int64_t places) { // 1 comes in from the side
        const auto kept = build.emit(
            "slice", {v},
            {{"begin", Shape{0, after ? places : 0}}, {"size", Shape{shape[0], shape[1] - places}}});
        return build.emit("pad", {kept},
                          {{"before", Shape{0, after ? 0 : places}},
                           {"after", Shape{0, after ? places : 0}},
                           {"value", 1.0}});
    };
    TRY(ValueId products, moved(x, 1));
    for (std::int64_t places = 1; places < shape[1] - 1; places *= 2) {
        TRY(products, build.emit("multiply", {products, moved(products, places)}));
    }
    return products;
}

/// The product of all elements that one of x is reduced with, but of itself: without a division, which a 0
/// among them would spoil.
Result<ValueId> products_of_others(Builder& build, ValueId x, const std::vector<bool>& reduced) {
    const Shape shape = build.type(x).shape;
    Shape order; // the reduced dimensions last
    Shape arranged;
    std::int64_t n = 1;
    for (const bool last : {false, true})
        for (std::size_t d = 0; d < shape.size(); ++d)
            if (reduced[d] == last) {
                order.push_back(static_cast<std::int64_t>(d));
                arranged.push_back(shape[d]);
                n *= last ? shape[d] : 1;
            }
    Shape back(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    const std::int64_t rows = graph::element_count(shape) / std::max<std::int64_t>(n, 1);
    TRY(const ValueId flat, build.emit("reshape", {build.emit("transpose", {x}, {{"permutation", order}})},
                                       {{"shape", Shape{rows, n}}}));
    TRY(const ValueId others, build.emit("multiply", {products_of_one_side(build, flat, false),
                                                      products_of_one_side(build, flat, true)}));
    return build.emit("transpose", {build.emit("reshape", {others}, {{"shape", arranged}})},
                      {{"permutation", back}});
}

Result<std::vector<ValueId>> gradient(graph::GradientContext& g, Kind kind) {
    auto& build = g.build;
    const ValueId x = g.operation.inputs[0];
    const ValueId y = g.operation.outputs[0];
    const TensorType type = build.type(x);
    const auto reduced = *reduced_axes(type.shape, g.operation.attributes);
    Shape kept = type.shape;
    for (std::size_t d = 0; d < kept.size(); ++d)
        if (reduced[d])
            kept[d] = 1;
    const auto spread = [&](const Result<ValueId>& v) {
        const auto narrow = build.emit("reshape", {v}, {{"shape", kept}});
        return build.emit("broadcast_to", {narrow}, {{"shape", type.shape}});
    };
    const ValueId dy = g.output_gradients[0];
    if (kind == Kind::Sum)
        return graph::values_of({spread(dy)});
    if (kind == Kind::Mean) {
        const double share =
            static_cast<double>(build.type(y).elements()) / static_cast<double>(type.elements());
        return graph::values_of({spread(build.emit("multiply", {dy, build.scalar(share, type.dtype)}))});
    }
    if (kind == Kind::Prod && build.type(y).elements() == type.elements())
        return graph::values_of({spread(dy)});
    if (kind == Kind::Prod)
        return graph::values_of(
            {build.emit("multiply", {spread(dy), products_of_others(build, x, reduced)})});
    // Largest or smallest: shared evenly among equals.
    TRY(const ValueId hit,
        build.emit("cast", {build.emit("equal", {x, spread(y)})}, {{"dtype", to_string(type.dtype)}}));
    std::vector<std::int64_t> axes;
    for (std::size_t d = 0; d < reduced.size(); ++d)
        if (reduced[d])
            axes.push_back(static_cast<std::int64_t>(d));
    TRY(const ValueId count, build.emit("reduce_sum", {hit}, {{"axes", axes}}));
    return graph::values_of(
        {build.emit("multiply", {hit, build.emit("divide", {spread(dy), spread(count)})})});
}

/// The place of the largest of numbers that lie `step` apart, the first of equals.
template<class T>
std::int32_t largest_of(const T* x, std::int64_t count, std::int64_t step) {
    std::int64_t best = 0;
    for (std::int64_t k = 1; k < count; ++k)
        if (x[k * step] > x[best * step])
            best = k;
    return static_cast<std::int32_t>(best);
}

void compute_argmax(ComputeContext& c) {
    const auto& x = *c.inputs[0];
    const auto axis = *normal_axis(c.attributes.integer("axis", -1), x.shape().size());
    std::int64_t inner = 1;
    for (std::size_t d = axis + 1; d < x.shape().size(); ++d)
        inner *= x.shape()[d];
    const std::int64_t extent = x.shape()[axis];
    const auto places = [&](const auto* from) {
        for (std::int64_t i = 0; i < c.outputs[0]->elements(); ++i)
            c.outputs[0]->ints()[static_cast<std::size_t>(i)] =
                largest_of(from + i / inner * inner * extent + i % inner, extent, inner);
    };
    switch (x.type().dtype) {
    case DType::Int32:
        return places(x.ints().data());
    case DType::UInt8:
        return places(x.bytes().data());
    case DType::Bool:
        return places(x.bools().data());
    case DType::Float32:
    case DType::Float16:
        return places(x.floats().data());
    }
}

} // namespace

void add_reduction_operators(graph::OperatorRegistry& registry) {
    const std::pair<const char*, Kind> kinds[] = {{"reduce_sum", Kind::Sum},
                                                  {"reduce_mean", Kind::Mean},
                                                  {"reduce_max", Kind::Max},
                                                  {"reduce_min", Kind::Min},
                                                  {"reduce_prod", Kind::Prod}};
    for (const auto& [name, kind] : kinds) {
        graph::Operator op;
        op.name = name;
        op.summary =
            std::string(name).substr(7) + " over `axes` (all where absent); `keep_dims` leaves them as 1.";
        op.infer = infer;
        op.gradient = [kind = kind](graph::GradientContext& g) { return gradient(g, kind); };
        op.compute = [kind = kind](ComputeContext& c) { compute(c, kind); };
        op.flops = [](std::span<const TensorType> in, auto, const Attributes&) { return in[0].elements(); };
        registry.add(std::move(op));
    }
    graph::Operator argmax;
    argmax.name = "argmax";
    argmax.summary = "int32 index of the largest element along `axis`, the first of equals.";
    argmax.infer = [](std::span<const TensorType> in,
                      const Attributes& a) -> Result<std::vector<TensorType>> {
        TRY(expect_inputs(in, 1));
        TRY(const auto axis, normal_axis(a.integer("axis", -1), in[0].shape.size()));
        Shape shape = in[0].shape;
        shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
        return std::vector<TensorType>{{DType::Int32, shape}};
    };
    argmax.compute = compute_argmax;
    argmax.flops = [](std::span<const TensorType> in, auto, const Attributes&) { return in[0].elements(); };
    registry.add(std::move(argmax));
}

} // namespace tilescope::operators
