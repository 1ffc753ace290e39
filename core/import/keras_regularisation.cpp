// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/keras_settings.h"

namespace tilescope::import {
namespace {

using graph::Shape;
using graph::ValueId;

Result<ValueId> dropout(KerasLayer& l, const Values& in) {
    if (!setting(l, "rate").is_number())
        return l.fail("\"rate\" is missing");
    if (!setting(l, "noise_shape").is_null())
        return l.fail("\"noise_shape\" is not supported", "use SpatialDropout2D or none");
    return drop_out(l, in[0], number(l, "rate", 0));
}

/// Whole channels of a sample are dropped: x times a mask of [batch, 1, 1, channels].
template<std::size_t Rank>
Result<ValueId> spatial_dropout(KerasLayer& l, const Values& in) {
    if (auto ok = expect_channels_last(l); !ok)
        return Failure(ok.error());
    const Shape x = l.build.type(in[0]).shape;
    if (x.size() != Rank + 2)
        return l.fail("expects an input of " + std::to_string(Rank + 2) + " dimensions, got " +
                      graph::to_string(x));
    if (!l.training)
        return in[0];
    Shape shape(x.size(), 1);
    shape.front() = x.front();
    shape.back() = x.back();
    graph::HostTensor ones({l.build.type(in[0]).dtype, shape});
    for (std::int64_t i = 0; i < ones.elements(); ++i)
        ones.set(i, 1);
    const ValueId all = l.build.constant(l.name + "/ones", std::move(ones));
    auto mask = one(
        l.build.add("dropout", {all}, {{"rate", number(l, "rate", 0)}, {"salt", random_salt(l)}}, "Mask"));
    return mask ? one(l.build.add("multiply", {in[0], *mask}, {}, "SpatialDropout")) : mask;
}

Result<ValueId> gaussian_noise(KerasLayer& l, const Values& in) {
    if (!l.training)
        return in[0];
    return one(l.build.add("gaussian_noise", in,
                           {{"stddev", number(l, "stddev", 0)}, {"salt", random_salt(l)}}, "GaussianNoise"));
}

} // namespace

LayerTable regularisation_layers() {
    return passing_masks({{"Dropout", {dropout, {"rate", "seed", "noise_shape"}}},
                          {"SpatialDropout1D", {spatial_dropout<1>, {"rate", "seed", "noise_shape"}}},
                          {"SpatialDropout2D", {spatial_dropout<2>, {"rate", "seed", "noise_shape"}}},
                          {"GaussianNoise", {gaussian_noise, {"stddev", "seed"}}}});
}

} // namespace tilescope::import
