// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"
#include "base/worker_pool.h"
#include "prepare/data_sets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace tilescope::prepare {
namespace {

struct Point {
    double x, y;
};
using Stroke = std::vector<Point>;

constexpr std::int64_t side = 28;

/// An arc of an ellipse around (cx, cy), from and to in turns, clockwise from the right.
Stroke arc(double cx, double cy, double rx, double ry, double from, double to) {
    Stroke stroke;
    constexpr int pieces = 24;
    for (int i = 0; i <= pieces; ++i) {
        const double a = 2 * std::numbers::pi * (from + (to - from) * i / pieces);
        stroke.push_back({cx + rx * std::cos(a), cy + ry * std::sin(a)});
    }
    return stroke;
}

/// The strokes of a digit in the unit square, y downwards.
std::vector<Stroke> strokes_of(std::int64_t digit) {
    switch (digit) {
    case 0:
        return {arc(0.5, 0.5, 0.27, 0.40, 0, 1)};
    case 1:
        return {{{0.35, 0.25}, {0.52, 0.10}, {0.52, 0.90}}};
    case 2:
        return {arc(0.5, 0.32, 0.25, 0.22, 0.5, 1.08), {{0.70, 0.44}, {0.25, 0.88}, {0.78, 0.88}}};
    case 3:
        return {arc(0.47, 0.30, 0.24, 0.20, 0.55, 1.25), arc(0.47, 0.69, 0.27, 0.21, 0.75, 1.45)};
    case 4:
        return {{{0.60, 0.90}, {0.60, 0.10}, {0.22, 0.62}, {0.80, 0.62}}};
    case 5:
        return {{{0.72, 0.12}, {0.32, 0.12}, {0.29, 0.46}}, arc(0.48, 0.65, 0.26, 0.23, 0.62, 1.42)};
    case 6:
        return {{{0.64, 0.10}, {0.40, 0.34}, {0.27, 0.64}}, arc(0.50, 0.67, 0.23, 0.22, 0, 1)};
    case 7:
        return {{{0.22, 0.13}, {0.76, 0.13}, {0.44, 0.90}}};
    case 8:
        return {arc(0.5, 0.30, 0.20, 0.19, 0, 1), arc(0.5, 0.69, 0.25, 0.21, 0, 1)};
    default:
        return {arc(0.5, 0.33, 0.23, 0.22, 0, 1), {{0.73, 0.36}, {0.66, 0.65}, {0.48, 0.90}}};
    }
}

/// Square of the distance of a point from the line between two others.
double square_distance(Point p, Point a, Point b) {
    const double dx = b.x - a.x;
    const double dy = b.y - a.y;
    const double length = dx * dx + dy * dy;
    const double t = length == 0 ? 0 : std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0);
    const double x = p.x - a.x - t * dx;
    const double y = p.y - a.y - t * dy;
    return x * x + y * y;
}

void draw(std::int64_t digit, const RandomStream& random, float* image) {
    const auto scaled = [](float uniform, double low, double high) {
        return low + (high - low) * static_cast<double>(uniform);
    };
    const auto between = [&](std::uint64_t i, double low, double high) {
        return scaled(random.uniform(i), low, high);
    };
    // Affine distortion: rotation, shear, stretch, shift; then the pen.
    const double turn = between(1, -0.30, 0.30);
    const double shear = between(2, -0.25, 0.25);
    const double wide = between(3, 14.0, 21.0);
    const double high = between(4, 16.0, 22.0);
    const Point shift{between(5, -3, 3), between(6, -3, 3)};
    const double pen = between(7, 0.9, 1.9);
    const double ink = between(8, 0.75, 1.0);
    std::vector<Stroke> strokes = strokes_of(digit);
    for (Stroke& stroke : strokes)
        for (Point& p : stroke) {
            const double x = (p.x - 0.5) * wide + shear * (p.y - 0.5) * high;
            const double y = (p.y - 0.5) * high;
            p = {side / 2.0 + std::cos(turn) * x - std::sin(turn) * y + shift.x,
                 side / 2.0 + std::sin(turn) * x + std::cos(turn) * y + shift.y};
        }
    // Square distance of each pixel from the line, looked at near each piece of it only.
    constexpr double far = 10'000;
    std::array<double, static_cast<std::size_t>(side * side)> nearest{};
    nearest.fill(far);
    const auto first = [](double a, double b) {
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::min(a, b) - 3), 0, side);
    };
    const auto last = [](double a, double b) {
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::max(a, b) + 4), 0, side);
    };
    for (const Stroke& stroke : strokes)
        for (std::size_t k = 0; k + 1 < stroke.size(); ++k) {
            const Point a = stroke[k];
            const Point b = stroke[k + 1];
            for (std::int64_t row = first(a.y, b.y); row < last(a.y, b.y); ++row)
                for (std::int64_t column = first(a.x, b.x); column < last(a.x, b.x); ++column) {
                    double& here = nearest[static_cast<std::size_t>(row * side + column)];
                    const Point p{static_cast<double>(column) + 0.5, static_cast<double>(row) + 0.5};
                    here = std::min(here, square_distance(p, a, b));
                }
        }
    constexpr std::size_t at_once = 4;
    static_assert(side * side % at_once == 0);
    for (std::size_t at = 0; at < nearest.size(); at += at_once) {
        const std::array<float, at_once> of_noise = random.four_uniform((16 + at) / at_once);
        for (std::size_t i = 0; i < at_once; ++i) {
            const double noise = scaled(of_noise[i], -0.12, 0.12);
            const double line = ink * std::clamp(pen + 0.5 - std::sqrt(nearest[at + i]), 0.0, 1.0);
            image[at + i] = static_cast<float>(std::clamp(line + noise, 0.0, 1.0));
        }
    }
}

} // namespace

run::DataSet synthetic_digits(std::int64_t count, Split split, std::uint64_t seed) {
    run::DataSet data;
    data.name = "synthetic digits";
    data.sample_shape = {side, side, 1};
    data.samples.resize(static_cast<std::size_t>(count * side * side));
    data.labels.resize(static_cast<std::size_t>(count));
    constexpr double drawing_ns = 20'000; // of one
    WorkerPool().parallel_for(
        data.labels.size(), worth_a_thread(drawing_ns), [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const RandomStream random(seed ^ 0x6469676974730000U, i * 2 + (split == Split::Test ? 1 : 0));
                const std::int64_t digit = random.bits(0) % 10;
                data.labels[i] = static_cast<std::int32_t>(digit);
                draw(digit, random, data.samples.data() + static_cast<std::int64_t>(i) * side * side);
            }
        });
    return data;
}

} // namespace tilescope::prepare
