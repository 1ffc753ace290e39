// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/theme/sight.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tilescope::tests {
namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

constexpr double degree = std::numbers::pi / 180;

double linear(double v) {
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}
double encoded(double v) {
    v = std::clamp(v, 0.0, 1.0);
    return v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
}
Vector linear(const QColor& c) {
    return {linear(c.redF()), linear(c.greenF()), linear(c.blueF())};
}
Vector times(const Matrix& m, const Vector& v) {
    Vector result{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 3; ++k)
            result[i] += m[i][k] * v[k];
    return result;
}

Vector lab(const QColor& color) {
    constexpr Matrix to_xyz{{{0.4124564, 0.3575761, 0.1804375},
                             {0.2126729, 0.7151522, 0.0721750},
                             {0.0193339, 0.1191920, 0.9503041}}};
    constexpr Vector white{0.95047, 1.0, 1.08883};
    Vector xyz = times(to_xyz, linear(color));
    for (std::size_t i = 0; i < 3; ++i) {
        const double t = xyz[i] / white[i];
        xyz[i] = t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
    }
    return {116 * xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])};
}

double hue(double a, double b) {
    const double h = std::atan2(b, a) / degree;
    return h < 0 ? h + 360 : h;
}

} // namespace

QColor seen(const QColor& color, Sight sight) {
    constexpr Matrix protan{
        {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
    constexpr Matrix deutan{
        {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
    constexpr Matrix tritan{
        {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};
    if (sight == Sight::Normal)
        return color;
    const Vector v = times(sight == Sight::Protan   ? protan
                           : sight == Sight::Deutan ? deutan
                                                    : tritan,
                           linear(color));
    return QColor::fromRgbF(static_cast<float>(encoded(v[0])), static_cast<float>(encoded(v[1])),
                            static_cast<float>(encoded(v[2])));
}

double difference_of_lab(const Vector& x, const Vector& y) {
    const double mean_c = (std::hypot(x[1], x[2]) + std::hypot(y[1], y[2])) / 2;
    const double g = 0.5 * (1 - std::sqrt(std::pow(mean_c, 7) / (std::pow(mean_c, 7) + std::pow(25, 7))));
    const double a1 = (1 + g) * x[1];
    const double a2 = (1 + g) * y[1];
    const double c1 = std::hypot(a1, x[2]);
    const double c2 = std::hypot(a2, y[2]);
    const double h1 = c1 == 0 ? 0 : hue(a1, x[2]);
    const double h2 = c2 == 0 ? 0 : hue(a2, y[2]);
    const bool grey = c1 * c2 == 0;
    double dh = h2 - h1;
    dh = grey ? 0 : dh > 180 ? dh - 360 : dh < -180 ? dh + 360 : dh;
    double mean_h = h1 + h2;
    if (!grey)
        mean_h = std::fabs(h1 - h2) <= 180 ? mean_h / 2 : (mean_h < 360 ? mean_h + 360 : mean_h - 360) / 2;
    const double mean_l = (x[0] + y[0]) / 2;
    const double c = (c1 + c2) / 2;
    const double t = 1 - 0.17 * std::cos((mean_h - 30) * degree) + 0.24 * std::cos(2 * mean_h * degree) +
                     0.32 * std::cos((3 * mean_h + 6) * degree) - 0.20 * std::cos((4 * mean_h - 63) * degree);
    const double from_50 = (mean_l - 50) * (mean_l - 50);
    const double sl = 1 + 0.015 * from_50 / std::sqrt(20 + from_50);
    const double sc = 1 + 0.045 * c;
    const double sh = 1 + 0.015 * c * t;
    const double turn = 60 * degree * std::exp(-std::pow((mean_h - 275) / 25, 2));
    const double rt = -std::sin(turn) * 2 * std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25, 7)));
    const double l = (y[0] - x[0]) / sl;
    const double chroma = (c2 - c1) / sc;
    const double h = 2 * std::sqrt(c1 * c2) * std::sin(dh / 2 * degree) / sh;
    return std::sqrt(l * l + chroma * chroma + h * h + rt * chroma * h);
}

double difference(const QColor& a, const QColor& b) {
    return difference_of_lab(lab(a), lab(b));
}

double contrast(const QColor& a, const QColor& b) {
    const auto luminance = [](const QColor& c) {
        const Vector v = linear(c);
        return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
    };
    const auto [low, high] = std::minmax({luminance(a), luminance(b)});
    return (high + 0.05) / (low + 0.05);
}

} // namespace tilescope::tests
