// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "settings.h"

#include <cmath>

/// Layers that make data ready for a model, as far as they compute with numbers.
namespace tilescope::keras {
namespace {

using graph::Shape;
using graph::ValueId;

void collect_numbers(const Json& value, std::vector<double>& numbers) {
    if (value.is_number())
        numbers.push_back(value.get<double>());
    else if (value.is_array())
        for (const Json& each : value)
            collect_numbers(each, numbers);
}

/// A number, or a list of one for each channel, as a tensor of the layer's type.
Result<ValueId> constant_of(KerasLayer& l, const char* key, double otherwise) {
    const Json& value = setting(l, key);
    std::vector<double> numbers;
    collect_numbers(value.is_null() ? Json(otherwise) : value, numbers);
    if (numbers.empty())
        return l.fail(std::string("\"") + key + "\" is no number or list of numbers: " + value.dump());
    if (numbers.size() == 1)
        return l.build.scalar(numbers[0], l.dtype);
    graph::HostTensor tensor({l.dtype, {static_cast<std::int64_t>(numbers.size())}});
    for (std::size_t i = 0; i < numbers.size(); ++i)
        tensor.set(static_cast<std::int64_t>(i), numbers[i]);
    tensor.round_to_type();
    return l.build.constant(l.name + "/" + key, std::move(tensor));
}

/// x scale + offset.
Result<ValueId> rescaling(KerasLayer& l, const Values& in) {
    TRY(const auto scale, constant_of(l, "scale", 1));
    TRY(const auto offset, constant_of(l, "offset", 0));
    const auto y = l.build.emit("multiply", {l.build.as_type(in[0], l.dtype), scale}, {}, "Scale");
    return l.build.emit("add", {y, offset}, {}, "Offset");
}

/// Mean and variance by the last axis, or one for all: settings, or weights that were adapted to data.
Result<Values> statistics(KerasLayer& l, const Shape& x) {
    const Json& axis = setting(l, "axis");
    const bool all = axis.is_null() || (axis.is_array() && axis.empty());
    if (!all) {
        TRY(const auto axes, axes_of(l, "axis", x.size()));
        if (axes != Extents{static_cast<std::int64_t>(x.size()) - 1})
            return l.unsupported("axis " + axis.dump() + " is not supported", "use -1 or none");
    }
    if (!setting(l, "mean").is_null()) {
        TRY(const auto mean, constant_of(l, "mean", 0));
        TRY(const auto variance, constant_of(l, "variance", 1));
        return Values{mean, variance};
    }
    const Shape shape = all ? Shape{} : Shape{x.back()};
    TRY(const auto mean, weight(l, {"mean", shape, "mean", "zeros", false}));
    TRY(const auto variance, weight(l, {"variance", shape, "variance", "ones", false}));
    TRY(weight(l, {"count", {}, "count", "zeros", false}));
    return graph::values_of({l.build.as_type(mean, l.dtype), l.build.as_type(variance, l.dtype)});
}

/// (x - mean) / max(sqrt(variance), 1e-7), or the other way round
/// (keras/layers/preprocessing/normalization.py).
Result<ValueId> normalization(KerasLayer& l, const Values& in) {
    TRY(const auto found, statistics(l, l.build.type(in[0]).shape));
    TRY(const ValueId root, l.build.emit("sqrt", {found.at(1)}, {}, "Deviation"));
    TRY(const ValueId deviation,
        l.build.emit("maximum", {root, l.build.scalar(1e-7, l.dtype)}, {}, "Deviation"));
    TRY(const ValueId x, l.build.as_type(in[0], l.dtype));
    if (flag(l, "invert", false)) {
        const auto y = l.build.emit("multiply", {x, deviation}, {}, "Scale");
        return l.build.emit("add", {y, found.at(0)}, {}, "Shift");
    }
    const auto y = l.build.emit("subtract", {x, found.at(0)}, {}, "Shift");
    return l.build.emit("divide", {y, deviation}, {}, "Scale");
}

struct Size {
    std::int64_t height, width;
};
/// "height" and "width" for an input [batch, height, width, channels].
Result<Size> size_of(KerasLayer& l, ValueId x) {
    TRY(as_images(l, 2, x));
    TRY(const auto height, integer(l, "height", 0));
    TRY(const auto width, integer(l, "width", 0));
    return Size{height, width};
}

Result<ValueId> resizing(KerasLayer& l, const Values& in) {
    for (const char* key : {"crop_to_aspect_ratio", "pad_to_aspect_ratio", "antialias"})
        if (flag(l, key, false))
            return l.unsupported(std::string("\"") + key + "\" is not supported", "set it to false");
    TRY(const auto size, size_of(l, in[0]));
    return resized(l, l.build.as_type(in[0], l.dtype), {size.height, size.width},
                   text(l, "interpolation", "bilinear"));
}

Result<ValueId> center_crop(KerasLayer& l, const Values& in) {
    TRY(const auto size, size_of(l, in[0]));
    const Shape x = l.build.type(in[0]).shape;
    if (size.height > x[1] || size.width > x[2])
        return l.fail("the crop is larger than its input " + graph::to_string(x), "use Resizing");
    const Extents begin{0, (x[1] - size.height) / 2, (x[2] - size.width) / 2, 0};
    return l.build.emit("slice", {l.build.as_type(in[0], l.dtype)},
                        {{"begin", begin}, {"size", Shape{x[0], size.height, size.width, x[3]}}}, "Crop");
}

} // namespace

LayerTable preprocessing_layers() {
    return {{"Rescaling", {rescaling, {"scale", "offset"}, Masking::Passes}},
            {"Normalization", {normalization, {"axis", "mean", "variance", "invert"}, Masking::Passes}},
            {"Resizing",
             {resizing,
              {"height", "width", "interpolation", "crop_to_aspect_ratio", "pad_to_aspect_ratio", "antialias",
               "fill_mode", "fill_value"}}},
            {"CenterCrop", {center_crop, {"height", "width"}}}};
}

} // namespace tilescope::keras
