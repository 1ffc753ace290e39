// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/format.h"

#include <QLocale>
#include <cmath>

namespace tilescope::ui {
namespace {

const QLocale& locale() {
    static const QLocale english(QLocale::English, QLocale::UnitedStates);
    return english;
}

QString scaled(double value, const QString& unit) {
    const double size = std::fabs(value);
    const int digits = size >= 100 || size == std::floor(size) ? 0 : size >= 10 ? 1 : 2;
    return QStringLiteral("%1 %2").arg(locale().toString(value, 'f', digits), unit);
}

} // namespace

QString formatCount(std::int64_t value) {
    return locale().toString(static_cast<qlonglong>(value));
}

QString formatBytes(double bytes) {
    const double size = std::fabs(bytes);
    if (size < 1024)
        return scaled(bytes, QStringLiteral("B"));
    if (size < 1024.0 * 1024)
        return scaled(bytes / 1024, QStringLiteral("KiB"));
    if (size < 1024.0 * 1024 * 1024)
        return scaled(bytes / 1024 / 1024, QStringLiteral("MiB"));
    return scaled(bytes / 1024 / 1024 / 1024, QStringLiteral("GiB"));
}

QString formatCycles(std::int64_t cycles) {
    return formatCount(cycles) + QStringLiteral(" cycles");
}

QString formatSeconds(double seconds) {
    const double size = std::fabs(seconds);
    if (size < 1e-6)
        return scaled(seconds * 1e9, QStringLiteral("ns"));
    if (size < 1e-3)
        return scaled(seconds * 1e6, QStringLiteral("us"));
    if (size < 1)
        return scaled(seconds * 1e3, QStringLiteral("ms"));
    return scaled(seconds, QStringLiteral("s"));
}

QString formatPercent(double share) {
    return locale().toString(share * 100, 'f', 1) + QStringLiteral(" %");
}

QString formatNumber(double value) {
    if (value == std::floor(value) && std::fabs(value) < 1e15)
        return formatCount(static_cast<std::int64_t>(value));
    if (std::fabs(value) >= 1000 && std::fabs(value) < 1e15)
        return formatCount(std::llround(value));
    return locale().toString(value, 'g', 4);
}

QString formatChange(double base, double now) {
    if (base == now)
        return QStringLiteral("=");
    if (base == 0)
        return {};
    const double percent = (now / base - 1) * 100;
    return QStringLiteral("%1%2 %")
        .arg(percent > 0 ? QStringLiteral("+") : QString())
        .arg(percent, 0, 'f', 1);
}

QString formatPoints(double base, double now) {
    const double points = std::round((now - base) * 1000) / 10;
    if (points == 0)
        return QStringLiteral("=");
    return QStringLiteral("%1%2 points")
        .arg(points > 0 ? QStringLiteral("+") : QString())
        .arg(points, 0, 'f', 1);
}

QString formatTime(std::int64_t cycles, double clock_hz) {
    return clock_hz > 0 ? formatSeconds(static_cast<double>(cycles) / clock_hz) : formatCycles(cycles);
}

} // namespace tilescope::ui
