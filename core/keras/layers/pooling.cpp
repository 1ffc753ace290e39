// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "settings.h"

#include <numeric>

namespace tilescope::keras {
namespace {

using graph::Shape;
using graph::ValueId;

template<bool Max, std::size_t Rank>
Result<ValueId> pool(KerasLayer& l, const Values& in) {
    TRY(auto images, as_images(l, Rank, in[0]));
    TRY(const auto window, extents(l, Rank, "pool_size", Rank == 1 ? Shape{1, 2} : Shape{2, 2}));
    TRY(const auto strides, extents(l, Rank, "strides", window));
    TRY(const auto pads, padding(l, l.build.type(images).shape, window, strides, {1, 1}));
    return from_images(l, Rank,
                       l.build.emit(Max ? "max_pool2d" : "average_pool2d", {images},
                                    {{"window", window}, {"strides", strides}, {"padding", pads}},
                                    Max ? "MaxPool" : "AvgPool"));
}

/// The mean of the steps that count.
Result<ValueId> masked_mean(KerasLayer& l, ValueId x) {
    const graph::TensorType type = l.build.type(x);
    TRY(const ValueId counts, mask_numbers(l, l.mask(), type.dtype, type.shape.size()));
    const graph::Attributes steps{{"axes", Extents{1}}, {"keep_dims", flag(l, "keepdims", false)}};
    TRY(const ValueId sum,
        l.build.emit("reduce_sum", {l.build.emit("multiply", {x, counts}, {}, "Masked")}, steps, "Sum"));
    return l.build.emit("divide", {sum, l.build.emit("reduce_sum", {counts}, steps, "Steps")}, {}, "Mean");
}

template<bool Max, std::size_t Rank>
Result<ValueId> global_pool(KerasLayer& l, const Values& in) {
    if (l.build.type(in[0]).shape.size() != Rank + 2)
        return l.fail("expects an input of " + std::to_string(Rank + 2) + " dimensions, got " +
                      graph::to_string(l.build.type(in[0]).shape));
    if (!Max && l.mask() != graph::no_value)
        return masked_mean(l, in[0]);
    Extents axes(Rank);
    std::iota(axes.begin(), axes.end(), std::int64_t{1});
    return l.build.emit(Max ? "reduce_max" : "reduce_mean", in,
                        {{"axes", axes}, {"keep_dims", flag(l, "keepdims", false)}}, Max ? "Max" : "Mean");
}

const std::vector<const char*> window_settings = {"pool_size", "strides", "padding"};

} // namespace

LayerTable pooling_layers() {
    return {{"MaxPooling1D", {pool<true, 1>, window_settings}},
            {"MaxPooling2D", {pool<true, 2>, window_settings}},
            {"AveragePooling1D", {pool<false, 1>, window_settings}},
            {"AveragePooling2D", {pool<false, 2>, window_settings}},
            {"GlobalMaxPooling1D", {global_pool<true, 1>, {"keepdims"}}},
            {"GlobalMaxPooling2D", {global_pool<true, 2>, {"keepdims"}}},
            {"GlobalMaxPooling3D", {global_pool<true, 3>, {"keepdims"}}},
            {"GlobalAveragePooling3D", {global_pool<false, 3>, {"keepdims"}}},
            {"GlobalAveragePooling1D", {global_pool<false, 1>, {"keepdims"}}},
            {"GlobalAveragePooling2D", {global_pool<false, 2>, {"keepdims"}}}};
}

} // namespace tilescope::keras
