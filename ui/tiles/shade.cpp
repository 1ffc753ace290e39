// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tiles/shade.h"

#include "ui/session/format.h"
#include "ui/theme/theme.h"

#include <QCoreApplication>
#include <QPainter>
#include <algorithm>
#include <cstdlib>

namespace tilescope::ui {
namespace {

/// Linear between neighbouring colours of a ramp; `at` counts them from 0.
QColor between(const QVector<QColor>& ramp, double at) {
    at = std::clamp(at, 0.0, static_cast<double>(ramp.size() - 1));
    const auto low = std::min(static_cast<qsizetype>(at), ramp.size() - 2);
    const auto part = static_cast<float>(at - static_cast<double>(low));
    const QColor& a = ramp[low];
    const QColor& b = ramp[low + 1];
    const auto mix = [part](float from, float to) { return from + (to - from) * part; };
    return QColor::fromRgbF(mix(a.redF(), b.redF()), mix(a.greenF(), b.greenF()), mix(a.blueF(), b.blueF()));
}

} // namespace

QColor shadeOf(const Theme& theme, double share) {
    return share > 1 ? between(theme.overflow, 2 * (share - 1))
                     : between(theme.fullness, share * static_cast<double>(theme.fullness.size() - 1));
}

QColor shadeOfDifference(const Theme& theme, double share) {
    return between(theme.difference, (share + 1) / 2 * static_cast<double>(theme.difference.size() - 1));
}

std::int64_t endOfDifferences(const std::vector<std::int64_t>& differences) {
    std::vector<std::int64_t> sizes;
    for (const std::int64_t bytes : differences)
        if (bytes != 0)
            sizes.push_back(std::abs(bytes));
    if (sizes.empty())
        return 1;
    constexpr double within = 0.98;
    const auto last = static_cast<std::ptrdiff_t>(within * static_cast<double>(sizes.size() - 1));
    std::nth_element(sizes.begin(), sizes.begin() + last, sizes.end());
    return sizes[static_cast<std::size_t>(last)];
}

void paintDifferenceScale(QPainter& painter, const Theme& theme, const QRectF& bar, std::int64_t end,
                          const std::vector<std::int64_t>& differences) {
    for (int x = 0; x < static_cast<int>(bar.width()); ++x)
        painter.fillRect(QRectF(bar.left() + x, bar.top(), 1, bar.height()),
                         shadeOfDifference(theme, 2 * x / bar.width() - 1));
    const QFontMetrics metrics = painter.fontMetrics();
    const auto wide = [&metrics](const QString& words) { return metrics.horizontalAdvance(words); };
    const auto label = [&](int sign, bool short_words) {
        const QString bytes = formatSignedBytes(sign * static_cast<double>(end));
        const bool beyond = std::any_of(differences.begin(), differences.end(),
                                        [&](std::int64_t value) { return sign * value > end; });
        return !beyond       ? bytes
               : short_words ? (sign < 0 ? QStringLiteral("≤ ") : QStringLiteral("≥ ")) + bytes
                             : QCoreApplication::translate("Shade", "%1 and more").arg(bytes);
    };
    const bool narrow = wide(label(-1, false)) + wide(label(1, false)) + metrics.height() > bar.width();
    const QString less = label(-1, narrow), more = label(1, narrow);
    const QRectF labels(bar.left(), bar.bottom() + 1, bar.width(), metrics.height());
    painter.setPen(theme.muted);
    painter.drawText(labels, Qt::AlignLeft | Qt::AlignVCenter, less);
    painter.drawText(labels, Qt::AlignRight | Qt::AlignVCenter, more);
    if (2 * std::max(wide(less), wide(more)) + 4 * metrics.height() < bar.width())
        painter.drawText(labels, Qt::AlignHCenter | Qt::AlignVCenter, QStringLiteral("="));
}

} // namespace tilescope::ui
