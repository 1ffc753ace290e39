// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "base/worker_pool.h"
#include "graph/builder.h"
#include "kernels/kernel_table.h"
#include "operators/families.h"
#include "operators/replica_groups.h"

#include <algorithm>
#include <cmath>
#include <memory>

/// What batch, layer and group normalisation are made of: the statistics of a tensor over some of its axes,
/// and the tensor with mean 0 and variance 1. Statistics keep the reduced axes as 1, but for those before the
/// first other axis, which go: a batch's are [channels], a layer's [batch, 1].
namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::ComputeContext;
using graph::HostTensor;
using graph::Shape;
using graph::TensorType;
using graph::to_string;
using graph::ValueId;
using Types = Result<std::vector<TensorType>>;

Result<Shape> statistics_shape(const Shape& x, const Attributes& a) {
    Shape shape = x;
    for (const std::int64_t axis : a.integers("axes")) {
        TRY(const auto d, normal_axis(axis, x.size()));
        shape[d] = -1;
    }
    while (!shape.empty() && shape.front() == -1)
        shape.erase(shape.begin());
    std::replace(shape.begin(), shape.end(), std::int64_t{-1}, std::int64_t{1});
    return shape;
}

/// Result: the type of one of the statistics. Errors unless x is float and `axes` name some of its axes.
Result<TensorType> infer_statistics(const TensorType& x, const Attributes& a) {
    if (!is_floating(x.dtype) || x.elements() == 0 || a.integers("axes").empty())
        return shape_error("a float tensor and some of its axes", to_string(x) + " and " + a.json());
    TRY(const auto shape, statistics_shape(x.shape, a));
    return TensorType{x.dtype, shape};
}

/// The rows of x's last dimension, with the place of their statistics: `step` from element to element.
class Rows {
  public:
    Rows(const Shape& x, const Shape& statistics) : x_(x), steps_(x.size(), 0) {
        std::int64_t step = 1;
        for (std::size_t d = statistics.size(); d-- > 0;) {
            steps_[d + x.size() - statistics.size()] = statistics[d] == 1 ? 0 : step;
            step *= statistics[d];
        }
    }
    std::int64_t width() const { return x_.back(); }
    std::int64_t count() const { return graph::element_count(x_) / width(); }
    std::int64_t step() const { return steps_.back(); }
    std::int64_t place(std::int64_t row) const {
        std::int64_t place = 0;
        for (std::size_t d = x_.size() - 1; d-- > 0;) {
            place += row % x_[d] * steps_[d];
            row /= x_[d];
        }
        return place;
    }
    /// Calls visit(element, statistic) for every element, in order.
    template<class Visit>
    void each(std::int64_t first, std::int64_t last, const Visit& visit) const {
        for (std::int64_t r = first; r < last; ++r) {
            const std::int64_t at = place(r);
            for (std::int64_t i = 0; i < width(); ++i)
                visit(static_cast<std::size_t>(r * width() + i), static_cast<std::size_t>(at + i * step()));
        }
    }

  private:
    Shape x_;
    std::vector<std::int64_t> steps_;
};

/// How the tensor is walked, and room for numbers by statistic.
struct Kept {
    Rows rows;
    std::vector<float> scale;
    std::vector<double> sums, products;
};

/// Of an operation on x, or a gradient like it, and statistics, which are an input but where they are made.
std::shared_ptr<Kept> kept_of(ComputeContext& c) {
    return c.keep([&] {
        const HostTensor& statistics = c.inputs.size() == 1 ? *c.outputs[0] : *c.inputs[1];
        const auto count = static_cast<std::size_t>(statistics.elements());
        return Kept{Rows(c.inputs[0]->shape(), statistics.shape()), std::vector<float>(count),
                    std::vector<double>(count), std::vector<double>(count)};
    });
}

/// Element by element, rows shared out to the pool.
template<class Visit>
void for_each(ComputeContext& c, const Rows& rows, const Visit& visit) {
    const std::size_t grain = worth_a_thread(2 * kernels::element_ns * static_cast<double>(rows.width()));
    c.pool.parallel_for(
        static_cast<std::size_t>(rows.count()), grain, [&](std::size_t begin, std::size_t end) {
            rows.each(static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end), visit);
        });
}

void round_into(const std::vector<double>& values, HostTensor& tensor, double scale) {
    std::transform(values.begin(), values.end(), tensor.floats().begin(),
                   [scale](double v) { return static_cast<float>(v * scale); });
}

void moments(ComputeContext& c) {
    moments_of_group({&c, 1});
}

/// dx = dmean / n + 2 (x - mean) dvariance / n.
void moments_gradient(ComputeContext& c) {
    const auto x = c.inputs[0]->floats();
    const auto mean = c.inputs[1]->floats();
    const auto dmean = c.inputs[2]->floats();
    const auto dvariance = c.inputs[3]->floats();
    auto dx = c.outputs[0]->floats();
    const float share =
        static_cast<float>(c.inputs[1]->elements()) / static_cast<float>(c.inputs[0]->elements());
    for_each(c, kept_of(c)->rows, [&](std::size_t i, std::size_t s) {
        dx[i] = share * (dmean[s] + 2 * (x[i] - mean[s]) * dvariance[s]);
    });
}

/// 1 / sqrt(variance + epsilon).
void find_inverse_deviations(const HostTensor& variance, const Attributes& a, std::vector<float>& scale) {
    const auto epsilon = static_cast<float>(a.real("epsilon", 1e-3));
    std::transform(variance.floats().begin(), variance.floats().end(), scale.begin(),
                   [epsilon](float v) { return 1.0F / std::sqrt(v + epsilon); });
}

void normalise(ComputeContext& c) {
    const auto kept = kept_of(c);
    const auto x = c.inputs[0]->floats();
    const auto mean = c.inputs[1]->floats();
    const std::vector<float>& scale = kept->scale;
    find_inverse_deviations(*c.inputs[2], c.attributes, kept->scale);
    auto y = c.outputs[0]->floats();
    for_each(c, kept->rows, [&](std::size_t i, std::size_t s) { y[i] = (x[i] - mean[s]) * scale[s]; });
}

void normalise_gradient(ComputeContext& c) {
    const auto kept = kept_of(c);
    const auto dy = c.inputs[0]->floats();
    const std::vector<float>& scale = kept->scale;
    find_inverse_deviations(*c.inputs[1], c.attributes, kept->scale);
    auto dx = c.outputs[0]->floats();
    for_each(c, kept->rows, [&](std::size_t i, std::size_t s) { dx[i] = dy[i] * scale[s]; });
}

/// dmean = -r sum(dy), dvariance = -r^3 / 2 sum(dy (x - mean)), r = 1 / sqrt(variance + epsilon).
void normalise_statistics_gradient(ComputeContext& c) {
    const auto kept = kept_of(c);
    const Rows& rows = kept->rows;
    const auto x = c.inputs[0]->floats();
    const auto mean = c.inputs[1]->floats();
    const auto dy = c.inputs[3]->floats();
    find_inverse_deviations(*c.inputs[2], c.attributes, kept->scale);
    std::vector<double>& sums = kept->sums;
    std::vector<double>& products = kept->products;
    std::fill(sums.begin(), sums.end(), 0);
    std::fill(products.begin(), products.end(), 0);
    rows.each(0, rows.count(), [&](std::size_t i, std::size_t s) {
        sums[s] += static_cast<double>(dy[i]);
        products[s] += static_cast<double>(dy[i]) * static_cast<double>(x[i] - mean[s]);
    });
    for (std::size_t s = 0; s < sums.size(); ++s) {
        const auto r = static_cast<double>(kept->scale[s]);
        sums[s] *= -r;
        products[s] *= -0.5 * r * r * r;
    }
    round_into(sums, *c.outputs[0], 1);
    round_into(products, *c.outputs[1], 1);
}

/// The shape rule of operations on x and statistics of it, which stand from input `first` on.
template<std::size_t Inputs, std::size_t First, std::size_t Last>
Types infer_with_statistics(std::span<const TensorType> in, const Attributes& a) {
    TRY(expect_inputs(in, Inputs));
    TRY(const auto statistics, infer_statistics(in[0], a));
    for (std::size_t i = First; i < Last; ++i)
        if (in[i] != statistics)
            return shape_error("statistics of type " + to_string(statistics), to_string(in[i]));
    for (std::size_t i = Last; i < Inputs; ++i)
        if (in[i] != in[0])
            return shape_error("a gradient like x", to_string(in[i]) + " for " + to_string(in[0]));
    return std::vector<TensorType>{in[0]};
}

Result<std::vector<ValueId>> gradient_of_moments(graph::GradientContext& g) {
    const ValueId mean = g.operation.outputs[0];
    std::vector<ValueId> inputs{g.operation.inputs[0], mean};
    for (const ValueId gradient : g.output_gradients) {
        TRY(const ValueId given,
            gradient != graph::no_value ? gradient : g.build.emit("subtract", {mean, mean}));
        inputs.push_back(given);
    }
    return graph::values_of({g.build.emit("moments_gradient", inputs, g.operation.attributes)});
}

Result<std::vector<ValueId>> gradient_of_normalise(graph::GradientContext& g) {
    const auto& in = g.operation.inputs;
    const ValueId dy = g.output_gradients[0];
    TRY(const ValueId dx, g.build.emit("normalise_gradient", {dy, in[2]}, g.operation.attributes));
    const auto statistics =
        g.build.add("normalise_statistics_gradient", {in[0], in[1], in[2], dy}, g.operation.attributes);
    return graph::values_of({dx, statistics->at(0), statistics->at(1)});
}

/// Sums and products of values, with broadcasting.
struct Terms {
    graph::Builder& build;

    Result<ValueId> product(const Result<ValueId>& a, const Result<ValueId>& b) const {
        return build.emit("multiply", {a, b});
    }
    Result<ValueId> times(const Result<ValueId>& a, double factor) const {
        TRY(const ValueId value, a);
        return build.emit("multiply", {value, build.scalar(factor, build.type(value).dtype)});
    }
    Result<ValueId> none(ValueId like) const { return build.emit("subtract", {like, like}); }
};

/// Of dx = (dmean + 2 (x - mean) dvariance) / n, by what it is made of; e is the gradient by dx.
Result<std::vector<ValueId>> second_of_moments(graph::GradientContext& g) {
    const auto& in = g.operation.inputs; // x, mean, dmean, dvariance
    const Attributes& a = g.operation.attributes;
    const Terms t{g.build};
    const ValueId e = g.output_gradients[0];
    TRY(const ValueId none, t.none(in[1]));
    const auto by_x = g.build.emit("moments_gradient", {e, none, none, in[3]}, a);
    const auto by_dmean = g.build.add("moments", {e}, a);
    if (!by_dmean)
        return Failure(by_dmean.error());
    const auto by_mean = t.times(t.product(by_dmean->at(0), in[3]), -2);
    TRY(const ValueId weighed, t.product(g.build.emit("subtract", {in[0], in[1]}), e));
    const auto by_dvariance = g.build.add("moments", {weighed}, a);
    if (!by_dvariance)
        return Failure(by_dvariance.error());
    return graph::values_of({by_x, by_mean, by_dmean->at(0), t.times(by_dvariance->at(0), 2)});
}

/// Of dx = r dy, r = 1 / sqrt(variance + epsilon): by dy r e, by the variance -r^3 / 2 sum(e dy).
Result<std::vector<ValueId>> second_of_normalise(graph::GradientContext& g) {
    const auto& in = g.operation.inputs; // dy, variance
    const Attributes& a = g.operation.attributes;
    const ValueId e = g.output_gradients[0];
    const auto by_dy = g.build.emit("normalise_gradient", {e, in[1]}, a);
    TRY(const ValueId none, Terms{g.build}.none(in[1]));
    const auto of_statistics = g.build.add("normalise_statistics_gradient", {in[0], none, in[1], e}, a);
    if (!of_statistics)
        return Failure(of_statistics.error());
    return graph::values_of({by_dy, of_statistics->at(1)});
}

/// Of dmean = -r sum(dy) and dvariance = -r^3 / 2 sum(dy (x - mean)); m and v are the gradients by those.
Result<std::vector<ValueId>> second_of_statistics(graph::GradientContext& g) {
    const auto& in = g.operation.inputs; // x, mean, variance, dy
    const Terms t{g.build};
    const graph::DType dtype = g.build.type(in[2]).dtype;
    const ValueId dmean = g.operation.outputs[0];
    const ValueId dvariance = g.operation.outputs[1];
    const auto given = [&](ValueId gradient, ValueId like) {
        return gradient != graph::no_value ? Result<ValueId>(gradient) : t.none(like);
    };
    TRY(const ValueId m, given(g.output_gradients[0], dmean));
    TRY(const ValueId v, given(g.output_gradients[1], dvariance));
    const ValueId epsilon = g.build.scalar(g.operation.attributes.real("epsilon", 1e-3), dtype);
    TRY(const ValueId r, g.build.emit("rsqrt", {g.build.emit("add", {in[2], epsilon})}));
    TRY(const ValueId square, g.build.emit("square", {r}));
    TRY(const ValueId steep, t.times(t.product(t.product(square, r), v), -0.5)); // -r^3 v / 2
    const auto by_x = t.product(in[3], steep);
    const auto by_mean = t.times(t.product(t.product(square, v), dmean), -0.5); // r^3 v / 2 sum(dy)
    const auto by_variance = t.product(square, g.build.emit("add", {t.times(t.product(m, dmean), -0.5),
                                                                    t.times(t.product(v, dvariance), -1.5)}));
    const auto from_mean = g.build.emit("subtract", {in[0], in[1]});
    const auto by_dy = g.build.emit("add", {t.product(from_mean, steep), t.times(t.product(r, m), -1)});
    return graph::values_of({by_x, by_mean, by_variance, by_dy});
}

struct Row {
    const char* name;
    const char* summary;
    graph::InferFunction infer;
    graph::GradientFunction gradient;
    graph::ComputeFunction compute;
    std::int64_t flops;    ///< of each element of x
    bool of_group = false; ///< of replicas: where one computes it, the others do
};

} // namespace

void moments_of_group(std::span<ComputeContext> lanes) {
    const auto kept = kept_of(lanes[0]);
    const Rows& rows = kept->rows;
    const double share = static_cast<double>(lanes[0].outputs[0]->elements()) /
                         static_cast<double>(lanes[0].inputs[0]->elements()) /
                         static_cast<double>(lanes.size());
    std::vector<double>& sums = kept->sums;
    std::fill(sums.begin(), sums.end(), 0);
    for (const ComputeContext& c : lanes) {
        const auto values = c.inputs[0]->floats();
        rows.each(0, rows.count(),
                  [&](std::size_t i, std::size_t s) { sums[s] += static_cast<double>(values[i]); });
    }
    std::vector<double>& squares = kept->products;
    std::fill(squares.begin(), squares.end(), 0);
    for (const ComputeContext& c : lanes) {
        const auto values = c.inputs[0]->floats();
        rows.each(0, rows.count(), [&](std::size_t i, std::size_t s) {
            const double difference = static_cast<double>(values[i]) - sums[s] * share;
            squares[s] += difference * difference;
        });
    }
    for (const ComputeContext& c : lanes) {
        round_into(sums, *c.outputs[0], share);
        round_into(squares, *c.outputs[1], share);
    }
}

void add_norm_operators(graph::OperatorRegistry& registry) {
    const auto pair_of_statistics = [](const TensorType& x, const Attributes& a) -> Types {
        TRY(const auto statistics, infer_statistics(x, a));
        return std::vector<TensorType>{statistics, statistics};
    };
    const auto infer_moments = [=](std::span<const TensorType> in, const Attributes& a) -> Types {
        TRY(expect_inputs(in, 1));
        return pair_of_statistics(in[0], a);
    };
    const Row rows[] = {
        {"moments",
         "Mean and variance of x over `axes`, which stay as 1, but for those before the first other axis.",
         infer_moments, gradient_of_moments, moments, 4},
        {"group_moments",
         "Mean and variance as of moments, of the x of `group` replicas together.",
         infer_moments,
         {},
         moments,
         4,
         true},
        {"moments_gradient", "dx of moments from x, its mean, and the gradients of mean and variance.",
         infer_with_statistics<4, 1, 4>, second_of_moments, moments_gradient, 4},
        {"normalise", "(x - mean) / sqrt(variance + `epsilon`), with statistics over `axes` as of moments.",
         infer_with_statistics<3, 1, 3>, gradient_of_normalise, normalise, 2},
        {"normalise_gradient", "dx of normalise from dy and the variance, for statistics that stay.",
         infer_with_statistics<2, 1, 2>, second_of_normalise, normalise_gradient, 1},
        {"normalise_statistics_gradient",
         "The gradients of mean and variance of normalise from x, mean, variance and dy.",
         [=](std::span<const TensorType> in, const Attributes& a) -> Types {
             TRY((infer_with_statistics<4, 1, 3>(in, a)));
             return pair_of_statistics(in[0], a);
         },
         second_of_statistics, normalise_statistics_gradient, 4},
    };
    for (const Row& row : rows) {
        graph::Operator op;
        op.name = row.name;
        op.summary = row.summary;
        op.infer = row.infer;
        op.gradient = row.gradient;
        op.compute = row.compute;
        op.stateful = row.of_group;
        op.flops = [flops = row.flops](std::span<const TensorType> in, auto, const Attributes&) {
            return flops * in[0].elements();
        };
        registry.add(std::move(op));
    }
}

} // namespace tilescope::operators
