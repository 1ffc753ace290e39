// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "regularisers.h"
#include "settings.h"

#include <algorithm>
#include <cmath>

namespace tilescope::keras {
namespace {

using graph::Shape;
using graph::ValueId;

/// 1 / (1 - rate), or 0 with the probability of the rate, in this shape.
Result<ValueId> drops(KerasLayer& l, ValueId x, const Shape& shape) {
    return drop_out(l, ones_of(l, l.build.type(x).dtype, shape), number(l, "rate", 0));
}

/// The shape in which is drawn: 1 where a value is shared along a dimension.
Result<Shape> noise_shape(const KerasLayer& l, Shape x) {
    const Json& given = setting(l, "noise_shape");
    if (given.is_null())
        return x;
    if (!given.is_array() || given.size() != x.size())
        return l.fail("\"noise_shape\" is no shape of the input's rank: " + given.dump());
    for (std::size_t d = 0; d < x.size(); ++d) {
        if (!given[d].is_null() && given[d] != 1 && given[d] != x[d])
            return l.fail("\"noise_shape\" " + given.dump() + " does not fit the input " +
                          graph::to_string(x));
        if (given[d] == 1)
            x[d] = 1;
    }
    return x;
}

Result<ValueId> dropout(KerasLayer& l, const Values& in) {
    if (!setting(l, "rate").is_number())
        return l.fail("\"rate\" is missing");
    const Shape x = l.build.type(in[0]).shape;
    TRY(const auto shape, noise_shape(l, x));
    if (!l.training || shape == x)
        return drop_out(l, in[0], number(l, "rate", 0));
    const auto mask = drops(l, in[0], shape);
    return l.build.emit("multiply", {in[0], mask}, {}, "Dropout");
}

/// Whole channels of a sample are dropped.
template<std::size_t Rank>
Result<ValueId> spatial_dropout(KerasLayer& l, const Values& in) {
    const Shape x = l.build.type(in[0]).shape;
    if (x.size() != Rank + 2)
        return l.fail("expects an input of " + std::to_string(Rank + 2) + " dimensions, got " +
                      graph::to_string(x));
    if (!l.training || number(l, "rate", 0) == 0)
        return in[0];
    Shape shape(x.size(), 1);
    shape.front() = x.front();
    shape.back() = x.back();
    const auto mask = drops(l, in[0], shape);
    return l.build.emit("multiply", {in[0], mask}, {}, "SpatialDropout");
}

/// x times normal noise around 1 with a deviation of sqrt(rate / (1 - rate)).
Result<ValueId> gaussian_dropout(KerasLayer& l, const Values& in) {
    const double rate = number(l, "rate", 0);
    if (!l.training || rate <= 0 || rate >= 1)
        return in[0];
    const graph::TensorType type = l.build.type(in[0]);
    const auto noise =
        l.build.emit("gaussian_noise", {ones_of(l, type.dtype, type.shape)},
                     {{"stddev", std::sqrt(rate / (1 - rate))}, {"salt", random_salt(l)}}, "Noise");
    return l.build.emit("multiply", {in[0], noise}, {}, "GaussianDropout");
}

/// Dropped elements get SELU's lowest value -scale alpha; mean and variance are kept
/// (keras/layers/regularization/alpha_dropout.py).
Result<ValueId> alpha_dropout(KerasLayer& l, const Values& in) {
    constexpr double lowest = -1.6732632423543772 * 1.0507009873554805;
    const double rate = number(l, "rate", 0);
    if (!l.training || rate <= 0 || rate >= 1)
        return in[0];
    const graph::TensorType type = l.build.type(in[0]);
    TRY(const auto shape, noise_shape(l, type.shape));
    TRY(auto drawn, drops(l, in[0], shape));
    graph::Builder& build = l.build;
    const auto scalar = [&](double value) { return build.scalar(value, type.dtype); };
    TRY(const ValueId kept, build.emit("multiply", {drawn, scalar(1 - rate)}, {}, "Kept"));
    const double a = 1 / std::sqrt((1 - rate) * (1 + rate * lowest * lowest));
    TRY(const ValueId x,
        build.emit("multiply", {in[0], build.emit("multiply", {kept, scalar(a)})}, {}, "Kept"));
    // a (x kept + lowest (1 - kept)) + b, b = -a lowest rate
    TRY(const ValueId rest, build.emit("multiply", {kept, scalar(-a * lowest)}));
    TRY(const ValueId shift, build.emit("add", {rest, scalar(a * lowest * (1 - rate))}));
    return build.emit("add", {x, shift}, {}, "AlphaDropout");
}

Result<ValueId> activity_regularization(KerasLayer& l, const Values& in) {
    const Shape x = l.build.type(in[0]).shape;
    const auto samples = static_cast<double>(std::max<std::int64_t>(x.empty() ? 1 : x[0], 1));
    TRY(penalise(l, "activity", {number(l, "l1", 0), number(l, "l2", 0)}, in[0], 1 / samples));
    return in[0];
}

Result<ValueId> gaussian_noise(KerasLayer& l, const Values& in) {
    if (!l.training)
        return in[0];
    return l.build.emit("gaussian_noise", in, {{"stddev", number(l, "stddev", 0)}, {"salt", random_salt(l)}},
                        "GaussianNoise");
}

} // namespace

LayerTable regularisation_layers() {
    return passing_masks({{"Dropout", {dropout, {"rate", "seed", "noise_shape", "ref"}}},
                          {"SpatialDropout1D", {spatial_dropout<1>, {"rate", "seed", "noise_shape"}}},
                          {"SpatialDropout2D", {spatial_dropout<2>, {"rate", "seed", "noise_shape"}}},
                          {"SpatialDropout3D", {spatial_dropout<3>, {"rate", "seed", "noise_shape"}}},
                          {"GaussianDropout", {gaussian_dropout, {"rate", "seed"}}},
                          {"AlphaDropout", {alpha_dropout, {"rate", "seed", "noise_shape"}}},
                          {"ActivityRegularization", {activity_regularization, {"l1", "l2"}}},
                          {"GaussianNoise", {gaussian_noise, {"stddev", "seed"}}}});
}

} // namespace tilescope::keras
