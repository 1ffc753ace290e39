// SPDX-License-Identifier: GPL-3.0-or-later
#include "layers/resampling.h"

#include <algorithm>
#include <cmath>

namespace tilescope::layers {
namespace {

using graph::HostTensor;

double rounded(NearestMode mode, double at) {
    switch (mode) {
    case NearestMode::Floor:
        return std::floor(at);
    case NearestMode::Ceil:
        return std::ceil(at);
    case NearestMode::PreferCeil:
        return std::floor(at + 0.5);
    case NearestMode::PreferFloor:
        break;
    }
    return std::ceil(at - 0.5);
}

std::int64_t nearest(const Resampling& r, double at) {
    return static_cast<std::int64_t>(std::clamp(rounded(r.nearest, at), 0.0, static_cast<double>(r.in - 1)));
}

/// The weight of an element at a distance from the place.
double weight(const Resampling& r, double distance) {
    const double x = std::abs(distance);
    const double a = r.cubic;
    if (r.mode == ResizeMode::Linear)
        return std::max(0.0, 1 - x);
    if (x <= 1)
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/// Weights of the elements around a place, from element `first` on.
struct Weights {
    std::int64_t first;
    std::vector<double> each;
};

Weights weights_at(const Resampling& r, double at) {
    const double narrowed = r.antialias ? std::min(r.scale, 1.0) : 1.0;
    const double reach = r.mode == ResizeMode::Cubic ? 2 : 1;
    const double whole = std::floor(at);
    const auto steps = static_cast<double>(r.places_between);
    const double share = r.places_between > 0 ? std::rint((at - whole) * steps) / steps : at - whole;
    const auto before = static_cast<std::int64_t>(std::ceil(reach / narrowed)) - 1;
    Weights weights{static_cast<std::int64_t>(whole) - before, {}};
    for (std::int64_t k = 0; k < 2 * before + 2; ++k)
        weights.each.push_back(weight(r, narrowed * (static_cast<double>(k - before) - share)));
    return weights;
}

} // namespace

double source_place(const Resampling& r, std::int64_t i) {
    const auto at = static_cast<double>(i);
    const auto last = static_cast<double>(r.in - 1);
    const auto out = static_cast<double>(r.out);
    const double width = r.scale * static_cast<double>(r.in);
    // What the scale rounds must not move a place that is a whole number.
    const bool exact = std::abs(width - out) < 1e-9 * out;
    const auto scaled = [&](double x) { return exact ? x * static_cast<double>(r.in) / out : x / r.scale; };
    const double middle = scaled(at + 0.5) - 0.5;
    switch (r.coordinates) {
    case Coordinates::Asymmetric:
        return scaled(at);
    case Coordinates::AlignCorners:
        return width == 1 ? 0 : at * last / (width - 1);
    case Coordinates::HalfPixelOfNearest:
        return scaled(at + 0.5);
    case Coordinates::CropAndResize:
        return r.out > 1 ? r.begin * last + at * (r.end - r.begin) * last / (out - 1)
                         : 0.5 * (r.begin + r.end) * last;
    case Coordinates::HalfPixelOfTorch:
        return r.out == 1 ? 0 : middle;
    case Coordinates::HalfPixelSymmetric: // about the middle, where the scale does not give whole extents
        return middle + 0.5 * static_cast<double>(r.in) * (1 - out / width);
    case Coordinates::HalfPixel:
        break;
    }
    return middle;
}

bool outside(const Resampling& r, double at) {
    return r.coordinates == Coordinates::CropAndResize && (at < 0 || at > static_cast<double>(r.in - 1));
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
        auto [first, weights] = weights_at(r, at);
        double total = 1;
        if (r.exclude_outside || r.antialias) {
            total = 0;
            for (std::size_t k = 0; k < weights.size(); ++k) {
                const std::int64_t from = first + static_cast<std::int64_t>(k);
                weights[k] = r.exclude_outside && (from < 0 || from >= r.in) ? 0 : weights[k];
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

HostTensor covering(std::int64_t in, std::int64_t out) {
    HostTensor matrix(graph::TensorType{graph::DType::Float32, {in, out}});
    const double step = static_cast<double>(in) / static_cast<double>(out);
    for (std::int64_t i = 0; i < out; ++i) {
        const double begin = static_cast<double>(i) * step;
        const double end = static_cast<double>(i + 1) * step;
        for (auto k = static_cast<std::int64_t>(begin); k < in && static_cast<double>(k) < end; ++k) {
            const double covered =
                std::min(end, static_cast<double>(k + 1)) - std::max(begin, static_cast<double>(k));
            matrix.set(k * out + i, std::max(0.0, covered) / step);
        }
    }
    return matrix;
}

} // namespace tilescope::layers
