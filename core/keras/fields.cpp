// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "base/try.h"
#include "base/units.h"
#include "formats/json_reader.h"
#include "settings.h"

#include <algorithm>

/// Windows, strides and padding over the dimensions of a layer's field.
namespace tilescope::keras {

using graph::Shape;
using graph::ValueId;

Result<Extents> extents(const KerasLayer& layer, std::size_t rank, const char* key, Extents otherwise) {
    const Json& value = setting(layer, key);
    if (value.is_null())
        return otherwise;
    const Json list = value.is_number_integer() ? Json(std::vector<Json>(rank, value)) : value;
    const bool valid =
        list.is_array() && list.size() == rank &&
        std::all_of(list.begin(), list.end(), [](const Json& n) { return formats::is_count(n, 1); });
    if (!valid)
        return layer.fail(std::string("\"") + key + "\" is not " +
                          counted_text(static_cast<std::int64_t>(rank), "whole number") + " from 1 to " +
                          std::to_string(formats::most_setting) + ": " + value.dump());
    auto result = list.get<Extents>();
    if (rank == 1)
        result.insert(result.begin(), 1);
    return result;
}

Result<Extents> padding(const KerasLayer& layer, const Shape& x, const Extents& window,
                        const Extents& strides, const Extents& dilations) {
    const std::string mode = text(layer, "padding", "valid");
    const std::size_t rank = window.size();
    Extents result(2 * rank, 0);
    if (mode == "valid")
        return result;
    if (mode != "same")
        return layer.unsupported("padding \"" + mode + "\" is not supported", "use \"valid\" or \"same\"");
    for (std::size_t d = 0; d < rank; ++d) {
        const std::int64_t out = ceil_div(x[d + 1], strides[d]);
        const std::int64_t total =
            std::max<std::int64_t>(0, (out - 1) * strides[d] + (window[d] - 1) * dilations[d] + 1 - x[d + 1]);
        result[d] = total / 2;
        result[d + rank] = total - total / 2;
    }
    return result;
}

namespace {

/// What "output_padding" adds behind each of `rank` dimensions, the last `field` of which are the layer's;
/// none where it is absent.
Result<Extents> output_padding(const KerasLayer& layer, std::size_t field, std::size_t rank) {
    const Json& value = setting(layer, "output_padding");
    if (value.is_null())
        return Extents{};
    const Json list = value.is_number_integer() ? Json(std::vector<Json>(field, value)) : value;
    const bool valid =
        list.is_array() && list.size() == field && std::all_of(list.begin(), list.end(), [](const Json& n) {
            return n.is_number_integer() && n.get<std::int64_t>() >= 0;
        });
    if (!valid)
        return layer.fail("\"output_padding\" is not " +
                          counted_text(static_cast<std::int64_t>(field), "whole number") + ": " +
                          value.dump());
    auto result = list.get<Extents>();
    result.insert(result.begin(), rank - field, 0);
    return result;
}

} // namespace

Result<Shape> transposed_shape(const KerasLayer& layer, std::size_t field, const Shape& x,
                               const Extents& window, const Extents& strides, const Extents& dilations,
                               std::int64_t filters) {
    const std::size_t rank = window.size();
    TRY(const auto extra, output_padding(layer, field, rank));
    const bool same = text(layer, "padding", "valid") == "same";
    Shape y{x[0]};
    for (std::size_t d = 0; d < rank; ++d) {
        const std::int64_t span = (window[d] - 1) * dilations[d] + 1;
        const std::int64_t beyond = same ? 0 : std::max<std::int64_t>(span - strides[d], 0);
        y.push_back(extra.empty()
                        ? x[d + 1] * strides[d] + beyond
                        : (x[d + 1] - 1) * strides[d] + span - (same ? span / 2 * 2 : 0) + extra[d]);
    }
    y.push_back(filters);
    TRY(const auto pads, padding(layer, y, window, strides, dilations));
    for (std::size_t d = 0; d < rank; ++d) {
        const std::int64_t room = y[d + 1] + pads[d] + pads[d + rank] - (window[d] - 1) * dilations[d] - 1;
        if (y[d + 1] < 1 || room < 0 || room / strides[d] + 1 != x[d + 1])
            return layer.fail("an output of " + graph::to_string(y) + " is not convolved to " +
                                  graph::to_string(x),
                              "choose another \"output_padding\"");
    }
    return y;
}

Result<ValueId> as_images(KerasLayer& layer, std::size_t rank, ValueId x) {
    const Shape shape = layer.build.type(x).shape;
    if (shape.size() != rank + 2)
        return layer.fail(std::string("expects an input [batch, ") + (rank == 1 ? "steps" : "height, width") +
                          ", channels], got " + graph::to_string(shape));
    if (rank == 2)
        return x;
    return layer.build.emit("reshape", {x}, {{"shape", Shape{shape[0], 1, shape[1], shape[2]}}},
                            "ExpandDims");
}

Result<ValueId> from_images(KerasLayer& layer, std::size_t rank, const Result<ValueId>& y) {
    TRY(const ValueId images, y);
    const Shape shape = layer.build.type(images).shape;
    if (rank == 2)
        return images;
    return layer.build.emit("reshape", {images}, {{"shape", Shape{shape[0], shape[2], shape[3]}}}, "Squeeze");
}

} // namespace tilescope::keras
