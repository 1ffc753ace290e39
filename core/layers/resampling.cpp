// SPDX-License-Identifier: GPL-3.0-or-later
#include "layers/resampling.h"

#include <algorithm>
#include <cmath>

namespace tilescope::layers {
namespace {

using graph::HostTensor;

std::int64_t nearest(const Resampling& r, double at) {
    const double up = std::floor(at + 0.5);
    double place = r.rounding == "floor"               ? std::floor(at)
                   : r.rounding == "ceil"              ? std::ceil(at)
                   : r.rounding == "round_prefer_ceil" ? up
                                                       : std::ceil(at - 0.5);
    place = std::clamp(place, 0.0, static_cast<double>(r.in - 1));
    return static_cast<std::int64_t>(place);
}

/// Weights of the elements around a place, the first of which is element floor(place) - 1 for cubic and
/// floor(place) for linear interpolation.
std::vector<double> weights_at(const Resampling& r, double share) {
    if (r.mode == "linear")
        return {1 - share, share};
    const double a = r.cubic;
    const auto near = [a](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
    const auto far = [a](double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
    return {far(share + 1), near(share), near(1 - share), far(2 - share)};
}

} // namespace

double source_place(const Resampling& r, std::int64_t i) {
    const auto at = static_cast<double>(i);
    const auto last = static_cast<double>(r.in - 1);
    const double width = r.scale * static_cast<double>(r.in);
    if (r.coordinates == "asymmetric")
        return at / r.scale;
    if (r.coordinates == "align_corners")
        return width == 1 ? 0 : at * last / (width - 1);
    if (r.coordinates == "tf_half_pixel_for_nn")
        return (at + 0.5) / r.scale;
    if (r.coordinates == "tf_crop_and_resize")
        return r.out > 1 ? r.begin * last + at * (r.end - r.begin) * last / static_cast<double>(r.out - 1)
                         : 0.5 * (r.begin + r.end) * last;
    if (r.coordinates == "pytorch_half_pixel" && r.out == 1)
        return 0;
    return (at + 0.5) / r.scale - 0.5;
}

bool outside(const Resampling& r, double at) {
    return r.coordinates == "tf_crop_and_resize" && (at < 0 || at > static_cast<double>(r.in - 1));
}

std::vector<std::int64_t> nearest_places(const Resampling& r) {
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < r.out; ++i)
        places.push_back(nearest(r, source_place(r, i)));
    return places;
}

HostTensor interpolation(const Resampling& r) {
    HostTensor matrix(graph::TensorType{graph::DType::Float32, {r.in, r.out}});
    for (std::int64_t i = 0; i < r.out; ++i) {
        const double at = source_place(r, i);
        if (outside(r, at))
            continue;
        const double whole = std::floor(at);
        std::vector<double> weights = weights_at(r, at - whole);
        const auto first = static_cast<std::int64_t>(whole) - (r.mode == "cubic" ? 1 : 0);
        double total = 1;
        if (r.exclude_outside) {
            total = 0;
            for (std::size_t k = 0; k < weights.size(); ++k) {
                const std::int64_t from = first + static_cast<std::int64_t>(k);
                weights[k] = from < 0 || from >= r.in ? 0 : weights[k];
                total += weights[k];
            }
        }
        for (std::size_t k = 0; k < weights.size(); ++k) {
            const std::int64_t from =
                std::clamp<std::int64_t>(first + static_cast<std::int64_t>(k), 0, r.in - 1);
            matrix.set(from * r.out + i, matrix.at(from * r.out + i) + weights[k] / total);
        }
    }
    return matrix;
}

} // namespace tilescope::layers
