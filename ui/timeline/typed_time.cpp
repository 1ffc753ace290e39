// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/typed_time.h"

#include "ui/session/format.h"

#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <iterator>

namespace tilescope::ui {
namespace {

struct TimeUnit {
    const char* name;
    double seconds;
};
constexpr TimeUnit time_units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};

constexpr const char* quantity = "([0-9][0-9,]*(?:\\.[0-9]+)?|\\.[0-9]+)\\s*(ns|us|µs|ms|s|cycles?)?";

/// Of one unit, empty for cycles; nullopt: too large, or there is no clock.
std::optional<std::int64_t> cyclesOf(QString number, const QString& unit, double clock_hz) {
    double value = number.remove(QLatin1Char(',')).toDouble();
    if (!unit.isEmpty() && !unit.startsWith(QLatin1Char('c'))) {
        const QString plain = unit == QStringLiteral("µs") ? QStringLiteral("us") : unit;
        const auto* known =
            std::find_if(std::begin(time_units), std::end(time_units),
                         [&](const TimeUnit& each) { return plain == QLatin1String(each.name); });
        if (known == std::end(time_units) || clock_hz <= 0)
            return std::nullopt;
        value *= known->seconds * clock_hz;
    }
    constexpr double most = 2e18; // two of them can be added up
    if (value > most)
        return std::nullopt;
    return std::llround(value);
}

} // namespace

std::optional<TypedTime> typedTime(const QString& typed, double clock_hz) {
    static const QRegularExpression form(
        QStringLiteral("^\\s*%1(?:\\s*(-|–|\\+|to)\\s*%1)?\\s*$").arg(QString::fromUtf8(quantity)));
    const auto match = form.match(typed);
    if (!match.hasMatch())
        return std::nullopt;
    const bool two = match.hasCaptured(3);
    const QString later = match.captured(5);
    const QString unit = match.captured(2).isEmpty() && two ? later : match.captured(2);
    const auto from = cyclesOf(match.captured(1), unit, clock_hz);
    if (!from || !two)
        return from ? std::optional(TypedTime{*from, {}}) : std::nullopt;
    auto to = cyclesOf(match.captured(4), later, clock_hz);
    if (to && match.captured(3) == QLatin1String("+"))
        *to += *from;
    if (!to || *to <= *from)
        return std::nullopt;
    return TypedTime{*from, to};
}

bool looksLikeTime(const QString& typed) {
    static const QRegularExpression form(QStringLiteral("^\\s*%1\\s*$").arg(QString::fromUtf8(quantity)));
    return form.match(typed).hasCaptured(2);
}

QString rangeText(std::int64_t from, std::int64_t to, double clock_hz) {
    if (clock_hz <= 0 || units().cycles)
        return QStringLiteral("%1 - %2").arg(formatCount(from), formatCount(to));
    const double seconds = static_cast<double>(to) / clock_hz;
    const auto* unit = std::find_if(std::begin(time_units), std::end(time_units) - 1,
                                    [&](const TimeUnit& each) { return seconds >= each.seconds; });
    const double cycle = 1 / clock_hz / unit->seconds;
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(cycle))));
    const auto text = [&](std::int64_t cycles) {
        QString digits = QString::number(static_cast<double>(cycles) * cycle, 'f', decimals);
        while (digits.contains(QLatin1Char('.')) &&
               (digits.endsWith(QLatin1Char('0')) || digits.endsWith(QLatin1Char('.'))))
            digits.chop(1);
        return digits;
    };
    return QStringLiteral("%1 - %2 %3").arg(text(from), text(to), QLatin1String(unit->name));
}

} // namespace tilescope::ui
