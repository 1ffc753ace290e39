// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/time_stack.h"

#include "ui/theme/chart_style.h"

#include <algorithm>
#include <cmath>

namespace tilescope::ui {
namespace {

constexpr std::size_t empty = TimeStack::parts; // what no slice covers is a part as well
using Shares = std::array<double, TimeStack::parts + 1>;
using Pixels = std::array<int, TimeStack::parts + 1>;

/// Whole pixels, `height` in all, for the parts that are there; what they miss stays in `carry`.
Pixels whole(const Shares& shares, Shares& carry, int height) {
    Pixels pixels{};
    int left = height;
    for (std::size_t i = 0; i < shares.size(); ++i)
        if (shares[i] > 0) {
            carry[i] += shares[i];
            pixels[i] = std::clamp(static_cast<int>(std::floor(carry[i])), 0, left);
            left -= pixels[i];
            carry[i] -= pixels[i];
        }
    for (; left > 0; --left) { // to the part that misses most
        std::size_t most = empty;
        for (std::size_t i = 0; i < shares.size(); ++i)
            if (shares[i] > 0 && (shares[most] <= 0 || carry[i] > carry[most]))
                most = i;
        ++pixels[most];
        carry[most] -= 1;
    }
    return pixels;
}

} // namespace

std::vector<TimeStack::Heights> TimeStack::heights(const std::vector<analyse::TimeColumns::Column>& columns,
                                                   double full, int height) {
    std::vector<Heights> result(columns.size());
    Shares carry{};
    for (std::size_t c = 0; c < columns.size(); ++c) {
        double sum = 0;
        for (const double cycles : columns[c])
            sum += cycles;
        constexpr double nothing = 1e-6; // of a column: what rounding leaves
        const double scale = height / std::max(full, sum);
        Shares shares{};
        for (std::size_t i = 0; i < parts; ++i)
            shares[i] = columns[c][i] > nothing * full ? columns[c][i] * scale : 0;
        const double left = height * (1 - sum / std::max(full, sum));
        shares[empty] = left > nothing * height ? left : 0;
        if (sum <= nothing * full)
            shares[empty] = height;
        if (const auto only = std::find(shares.begin(), shares.end(), static_cast<double>(height));
            only != shares.end()) { // it has all of the column, and misses as much as before
            if (const auto part = static_cast<std::size_t>(only - shares.begin()); part < parts)
                result[c][part] = height;
            continue;
        }
        const Pixels pixels = whole(shares, carry, height);
        std::copy_n(pixels.begin(), parts, result[c].begin());
    }
    return result;
}

QImage TimeStack::image(const std::vector<Heights>& columns, int height, const Colors& colors,
                        const QColor& background, const std::vector<Tone>& tones) {
    QImage image(static_cast<int>(columns.size()), std::max(1, height), QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    constexpr int hatch_every = 6;
    auto* const pixels = reinterpret_cast<QRgb*>(image.bits());
    const auto stride = static_cast<std::size_t>(image.bytesPerLine()) / sizeof(QRgb);
    std::array<QRgb, parts> ink{};
    QRgb line = 0;
    double tone = -1;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const double wanted = tones.empty() ? 0 : tones[c];
        if (wanted != tone) {
            tone = wanted;
            for (std::size_t i = 0; i < parts; ++i)
                ink[i] = ChartStyle::mixed(colors.part[i], background, tone).rgb();
            line =
                colors.hatch.isValid() ? ChartStyle::mixed(colors.hatch, background, tone).rgb() : ink[rest];
        }
        int y = height;
        for (std::size_t i = 0; i < parts; ++i)
            for (int n = 0; n < columns[c][i] && y > 0; ++n) {
                --y;
                const bool hatched = i == rest && (static_cast<int>(c) + y) % hatch_every == 0;
                pixels[static_cast<std::size_t>(y) * stride + c] = hatched ? line : ink[i];
            }
    }
    return image;
}

} // namespace tilescope::ui
