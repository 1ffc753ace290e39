// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/format.h"

#include "base/text.h"
#include "ui/session/whole_options.h"

#include <QCoreApplication>
#include <QSettings>
#include <atomic>
#include <cmath>

namespace tilescope::ui {

namespace {

constexpr const char* time_key = "window/cycles";
constexpr const char* bytes_key = "window/bytes";

/// Read by workers that write texts while the window may set it; a text in the old unit is written anew.
std::atomic<Units>& chosen() {
    static std::atomic<Units> units{Units{QSettings().value(QLatin1String(time_key)).toBool(),
                                          QSettings().value(QLatin1String(bytes_key)).toBool()}};
    return units;
}

} // namespace

Units units() {
    return chosen();
}

void setUnits(Units units) {
    chosen() = units;
    QSettings settings;
    settings.setValue(QLatin1String(time_key), units.cycles);
    settings.setValue(QLatin1String(bytes_key), units.whole_bytes);
}

QString text(const std::string& utf8) {
    return QString::fromStdString(utf8);
}

QString asHtml(const QString& plain) {
    return keepOptionsWhole(plain.toHtmlEscaped());
}

QString asHtml(const std::string& utf8) {
    return asHtml(text(utf8));
}

QString inHtml(const QString& rich, std::initializer_list<HtmlPart> parts) {
    QString html;
    for (qsizetype i = 0; i < rich.size(); ++i) {
        qsizetype place = 0; // of a part, from 1 on
        if (rich[i] == QLatin1Char('%') && i + 1 < rich.size())
            place = rich[i + 1].digitValue();
        if (place < 1 || place > static_cast<qsizetype>(parts.size())) {
            html += rich[i];
            continue;
        }
        html += (parts.begin() + place - 1)->html();
        ++i;
    }
    return html;
}

QString asHead(const QString& name) {
    return name.left(1).toUpper() + name.mid(1);
}

QString formatCount(std::int64_t value) {
    return text(count_text(value));
}

QString formatSteps(std::int64_t first, std::int64_t last) {
    return first == last ? QCoreApplication::translate("Format", "step %1").arg(formatCount(first))
                         : QCoreApplication::translate("Format", "steps %1–%2")
                               .arg(formatCount(first), formatCount(last));
}

QString formatBytes(double bytes) {
    if (units().whole_bytes)
        return text(count_text(std::llround(bytes)) + " B");
    return text(bytes_text(bytes));
}

QString formatSignedBytes(double bytes) {
    return text(signed_text(bytes, formatBytes(bytes).toStdString()));
}

QString formatDifference(double by, const QString& amount) {
    return by == 0 ? QStringLiteral("=") : text(signed_text(by, amount.toStdString()));
}

QString formatBytesDifference(double bytes) {
    return formatDifference(bytes, formatBytes(bytes));
}

QString formatCycles(std::int64_t cycles) {
    return text(cycles_text(cycles));
}

QString formatSeconds(double seconds) {
    return text(time_text(seconds));
}

QString formatWallTime(std::int64_t microseconds) {
    constexpr double per_second = 1e6;
    return microseconds == 0 ? QStringLiteral("<1 µs")
                             : formatSeconds(static_cast<double>(microseconds) / per_second);
}

QString formatPercent(double share) {
    return text(share_text(share));
}

QString formatNumber(double value) {
    return text(number_text(value));
}

QString formatAmount(double value) {
    return text(amount_text(value));
}

QString formatRate(double per_second, const QString& unit) {
    return text(rate_text(per_second, unit.toStdString()));
}

QString formatWholePercent(double share) {
    return text(whole_share_text(share));
}

QString formatChange(double base, double now) {
    return text(change_text(base, now));
}

QString formatPoints(double base, double now) {
    return text(points_text(base, now));
}

QString formatTime(double cycles, double clock_hz) {
    return clock_hz > 0 && !units().cycles ? formatSeconds(cycles / clock_hz)
                                           : formatCycles(std::llround(cycles));
}

QString formatTime(std::int64_t cycles, double clock_hz) {
    return formatTime(static_cast<double>(cycles), clock_hz);
}

QString formatCyclesAndTime(double cycles, double clock_hz) {
    const QString count = cycles == std::round(cycles) ? formatCycles(std::llround(cycles))
                                                       : formatNumber(cycles) + QStringLiteral(" cycles");
    return clock_hz > 0 && !units().cycles
               ? QStringLiteral("%1 (%2)").arg(count, formatSeconds(cycles / clock_hz))
               : count;
}

QString formatCyclesAndTime(std::int64_t cycles, double clock_hz) {
    return formatCyclesAndTime(static_cast<double>(cycles), clock_hz);
}

} // namespace tilescope::ui
