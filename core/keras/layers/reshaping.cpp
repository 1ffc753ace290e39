// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "base/try.h"
#include "formats/json_reader.h"
#include "settings.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tilescope::keras {
namespace {

using graph::Shape;
using graph::ValueId;

Result<ValueId> flatten(KerasLayer& l, const Values& in) {
    const Shape x = l.build.type(in[0]).shape;
    if (x.empty())
        return l.fail("expects an input with a batch dimension");
    const Shape shape{x[0], graph::element_count(x) / std::max<std::int64_t>(x[0], 1)};
    return l.build.emit("reshape", in, {{"shape", shape}}, "Reshape");
}

Result<ValueId> reshape(KerasLayer& l, const Values& in) {
    const Json& target = setting(l, "target_shape");
    if (!target.is_array())
        return l.fail("\"target_shape\" is missing");
    Shape shape{l.build.type(in[0]).shape.at(0)};
    for (const Json& extent : target) {
        if (!extent.is_number_integer())
            return l.fail("\"target_shape\" is not static: " + target.dump());
        shape.push_back(extent.get<std::int64_t>());
    }
    return l.build.emit("reshape", in, {{"shape", shape}}, "Reshape");
}

Result<ValueId> permute(KerasLayer& l, const Values& in) {
    const Json& dims = setting(l, "dims"); // counted from 1, the batch is not one of them
    Extents permutation{0};
    for (const Json& d : dims.is_array() ? dims : Json::array()) {
        if (!d.is_number_integer())
            return l.fail("\"dims\" is not a list of dimensions: " + dims.dump());
        permutation.push_back(d.get<std::int64_t>());
    }
    return l.build.emit("transpose", in, {{"permutation", permutation}}, "Transpose");
}

/// [batch, features] becomes [batch, n, features].
Result<ValueId> repeat_vector(KerasLayer& l, const Values& in) {
    TRY(const auto n, integer(l, "n", 0));
    const Shape x = l.build.type(in[0]).shape;
    if (x.size() != 2)
        return l.fail("expects an input [batch, features], got " + graph::to_string(x));
    const Shape result{x[0], n, x[1]};
    return repeated(l, in[0], {x[0], 1, x[1]}, result, result);
}

/// Before and after each field dimension: one number, one for each dimension, or a pair for each.
template<std::size_t Rank>
Result<std::vector<std::pair<std::int64_t, std::int64_t>>> margins(const KerasLayer& l, const char* key) {
    const Json& value = setting(l, key);
    const Json one_each = value.is_null()             ? Json(std::vector<Json>(Rank, 1))
                          : value.is_number_integer() ? Json(std::vector<Json>(Rank, value))
                          : Rank == 1                 ? Json(std::vector<Json>(1, value))
                                                      : value;
    std::vector<std::pair<std::int64_t, std::int64_t>> result;
    const auto whole = [](const Json& n) { return formats::is_count(n, 0); };
    for (const Json& each : one_each.is_array() ? one_each : Json::array()) {
        if (whole(each))
            result.emplace_back(each, each);
        else if (each.is_array() && each.size() == 2 && whole(each[0]) && whole(each[1]))
            result.emplace_back(each[0], each[1]);
    }
    if (result.size() != Rank)
        return l.fail(std::string("\"") + key + "\" is not " +
                      counted_text(static_cast<std::int64_t>(Rank), "margin") + " from 0 to " +
                      std::to_string(formats::most_setting) + ": " + value.dump());
    return result;
}

Result<void> expect_field(const KerasLayer& l, const Shape& x, std::size_t rank) {
    if (x.size() == rank + 2)
        return {};
    return l.fail("expects an input of " + std::to_string(rank + 2) + " dimensions, got " +
                  graph::to_string(x));
}

template<std::size_t Rank>
Result<ValueId> zero_padding(KerasLayer& l, const Values& in) {
    const Shape x = l.build.type(in[0]).shape;
    TRY(expect_field(l, x, Rank));
    TRY(const auto pads, margins<Rank>(l, "padding"));
    Extents before(x.size(), 0);
    Extents after(x.size(), 0);
    for (std::size_t d = 0; d < Rank; ++d)
        std::tie(before[d + 1], after[d + 1]) = pads[d];
    return l.build.emit("pad", in, {{"before", before}, {"after", after}}, "Pad");
}

template<std::size_t Rank>
Result<ValueId> cropping(KerasLayer& l, const Values& in) {
    const Shape x = l.build.type(in[0]).shape;
    TRY(expect_field(l, x, Rank));
    TRY(const auto crops, margins<Rank>(l, "cropping"));
    Extents begin(x.size(), 0);
    Shape size = x;
    for (std::size_t d = 0; d < Rank; ++d) {
        begin[d + 1] = crops[d].first;
        size[d + 1] -= crops[d].first + crops[d].second;
        if (size[d + 1] < 1)
            return l.fail("nothing is left of " + graph::to_string(x), "crop less");
    }
    return l.build.emit("slice", in, {{"begin", begin}, {"size", size}}, "Crop");
}

template<std::size_t Rank>
Result<ValueId> up_sampling(KerasLayer& l, const Values& in) {
    TRY(const auto images, as_images(l, Rank, in[0]));
    TRY(const auto size, extents(l, Rank, "size", Rank == 1 ? Extents{1, 2} : Extents{2, 2}));
    const Shape x = l.build.type(images).shape;
    const std::int64_t high = size[0];
    const std::int64_t wide = size[1];
    if (const std::string interpolation = text(l, "interpolation", "nearest"); interpolation != "nearest")
        return resized(l, images, {x[1] * high, x[2] * wide}, interpolation);
    TRY(const ValueId y,
        repeated(l, images, {x[0], x[1], 1, x[2], 1, x[3]}, {x[0], x[1], high, x[2], wide, x[3]},
                 {x[0], x[1] * high, x[2] * wide, x[3]}));
    return from_images(l, Rank, y);
}

/// Each element `size` times along each dimension.
Result<ValueId> up_sampling_3d(KerasLayer& l, const Values& in) {
    const Shape x = l.build.type(in[0]).shape;
    TRY(expect_field(l, x, 3));
    TRY(const auto size, extents(l, 3, "size", {2, 2, 2}));
    const Extents& n = size;
    // Two dimensions at a time: tensors have few enough of them.
    TRY(const ValueId flat,
        repeated(l, in[0], {x[0] * x[1], x[2], 1, x[3], 1, x[4]}, {x[0] * x[1], x[2], n[1], x[3], n[2], x[4]},
                 {x[0], x[1], x[2] * n[1] * x[3] * n[2] * x[4]}));
    const std::int64_t slice = x[2] * n[1] * x[3] * n[2] * x[4];
    return repeated(l, flat, {x[0], x[1], 1, slice}, {x[0], x[1], n[0], slice},
                    {x[0], x[1] * n[0], x[2] * n[1], x[3] * n[2], x[4]});
}

} // namespace

LayerTable reshaping_layers() {
    return {{"Flatten", {flatten, {}}},
            {"Reshape", {reshape, {"target_shape"}}},
            {"Permute", {permute, {"dims"}}},
            {"RepeatVector", {repeat_vector, {"n"}}},
            {"ZeroPadding1D", {zero_padding<1>, {"padding"}}},
            {"ZeroPadding2D", {zero_padding<2>, {"padding"}}},
            {"ZeroPadding3D", {zero_padding<3>, {"padding"}}},
            {"Cropping3D", {cropping<3>, {"cropping"}}},
            {"UpSampling3D", {up_sampling_3d, {"size"}}},
            {"Cropping1D", {cropping<1>, {"cropping"}}},
            {"Cropping2D", {cropping<2>, {"cropping"}}},
            {"UpSampling1D", {up_sampling<1>, {"size"}}},
            {"UpSampling2D", {up_sampling<2>, {"size", "interpolation"}}}};
}

} // namespace tilescope::keras
