// SPDX-License-Identifier: GPL-3.0-or-later
#include "target_figures.h"

#include "ui/live/workload_settings.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <array>
#include <cmath>

namespace tilescope::ui {
namespace {

constexpr double kib = 1024;
constexpr double giga = 1e9;
constexpr double steps_of_a_doubling = 16;

struct FigureText {
    const char* key; ///< in a workload's ipu_config.ipu_model
    const char* name;
    const char* unit;
    const char* tip;
};
/// In the order of TargetFigure.
constexpr std::array<FigureText, target_figures.size()> figure_texts = {{
    {"tiles_per_ipu", QT_TRANSLATE_NOOP("WhatIf", "Tiles of an IPU"), "",
     QT_TRANSLATE_NOOP("WhatIf", "Of each IPU of the run")},
    {"bytes_per_tile", QT_TRANSLATE_NOOP("WhatIf", "Memory of a tile"), "KiB",
     QT_TRANSLATE_NOOP("WhatIf", "As large a part of it as before is interleaved")},
    {"clock_hz", QT_TRANSLATE_NOOP("WhatIf", "Clock"), "GHz",
     QT_TRANSLATE_NOOP("WhatIf", "Links, host and streaming memory move as many bytes per second as before")},
    {"exchange_bytes_per_cycle", QT_TRANSLATE_NOOP("WhatIf", "Exchange, into a tile"),
     QT_TRANSLATE_NOOP("WhatIf", "B/cycle"),
     QT_TRANSLATE_NOOP("WhatIf", "Bytes that a tile sends or receives in a cycle: whole numbers")},
    {"link_bytes_per_cycle", QT_TRANSLATE_NOOP("WhatIf", "Link to a neighbour"), "GB/s",
     QT_TRANSLATE_NOOP("WhatIf", "Between two neighbouring IPUs, each way")},
    {"host_bytes_per_cycle", QT_TRANSLATE_NOOP("WhatIf", "Host link"), "GB/s",
     QT_TRANSLATE_NOOP("WhatIf", "Of an IPU, each way")},
}};

const FigureText& textOf(TargetFigure figure) {
    return figure_texts[static_cast<std::size_t>(figure)];
}

QString words(const char* text) {
    return QCoreApplication::translate("WhatIf", text);
}

QString keyOf(TargetFigure figure) {
    return QLatin1String(textOf(figure).key);
}

const WorkloadSetting* figureSetting(const QString& key) {
    const QString full = QStringLiteral("ipu_config.ipu_model.") + key;
    const auto& all = workloadSettings();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.key == full; });
    return found == all.end() ? nullptr : &*found;
}

/// As the shortest text that is this number; a whole one without a point, as whole figures are asked for.
QString figureChange(const QString& key, double value) {
    const bool whole = value == std::floor(value) && std::fabs(value) < 1e15;
    return QStringLiteral("ipu_config.ipu_model.%1=%2")
        .arg(key, whole ? QString::number(static_cast<qint64>(value))
                        : QString::number(value, 'g', QLocale::FloatingPointShortest));
}

} // namespace

QString targetFigureName(TargetFigure figure) {
    return words(textOf(figure).name);
}

QString targetFigureUnit(TargetFigure figure) {
    return *textOf(figure).unit == 0 ? QString() : words(textOf(figure).unit);
}

QString targetFigureTip(TargetFigure figure) {
    return words(textOf(figure).tip);
}

Result<RunTarget> RunTarget::of(const analyse::Summary& summary) {
    if (summary.target.tiles_per_ipu <= 0)
        return bad_input("this run used the CPU: it has no IPU that could be another");
    const QJsonObject workload =
        QJsonDocument::fromJson(QByteArray::fromStdString(summary.run.workload)).object();
    if (!workload.contains(QLatin1String("model")) && !workload.contains(QLatin1String("graph")))
        return bad_input("this file does not hold the workload, so it cannot be compiled anew");
    const profile::TargetRecord& recorded = summary.target;
    if (!recorded.exchange_bytes_per_cycle || !recorded.interleaved_bytes || !recorded.link_bytes_per_cycle ||
        !recorded.host_bytes_per_cycle || !recorded.streaming_bytes_per_cycle)
        return bad_input("this file is of an older version, which did not record all rates of the target: "
                         "profile the workload again");
    RunTarget target;
    target.links_per_cycle_ = *recorded.link_bytes_per_cycle;
    target.host_per_cycle_ = *recorded.host_bytes_per_cycle;
    target.streaming_per_cycle_ = *recorded.streaming_bytes_per_cycle;
    target.interleaved_bytes_ = static_cast<double>(*recorded.interleaved_bytes);
    target.own_ = {static_cast<double>(recorded.tiles_per_ipu),
                   static_cast<double>(recorded.bytes_per_tile) / kib,
                   recorded.clock_hz / giga,
                   static_cast<double>(*recorded.exchange_bytes_per_cycle),
                   target.links_per_cycle_ * recorded.clock_hz / giga,
                   target.host_per_cycle_ * recorded.clock_hz / giga};
    return target;
}

double RunTarget::at(TargetFigure figure, int sixteenths) const {
    if (sixteenths == 0)
        return own(figure);
    const double value = own(figure) * std::exp2(sixteenths / steps_of_a_doubling);
    const WorkloadSetting* setting = figureSetting(keyOf(figure));
    switch (figure) {
    case TargetFigure::Tiles:
    case TargetFigure::Exchange:
        return std::clamp(std::round(value), 1.0, setting != nullptr ? setting->most : value);
    case TargetFigure::TileMemory:
        return std::clamp(std::round(value), 1.0, setting != nullptr ? setting->most / kib : value);
    case TargetFigure::Clock:
    case TargetFigure::Links:
    case TargetFigure::Host:
        break;
    }
    // Three digits are enough to try, and short to read.
    const double digit = std::pow(10, std::floor(std::log10(value)) - 2);
    return std::round(value / digit) * digit;
}

int RunTarget::sixteenths(double value, double own) {
    return value > 0 && own > 0 ? static_cast<int>(std::lround(std::log2(value / own) * steps_of_a_doubling))
                                : 0;
}

QStringList RunTarget::changes(const TargetFigures& wanted) const {
    const auto value = [&](TargetFigure figure) { return wanted[static_cast<std::size_t>(figure)]; };
    const auto changed = [&](TargetFigure figure) { return value(figure) != own(figure); };
    QStringList all;
    for (const TargetFigure figure : {TargetFigure::Tiles, TargetFigure::Exchange})
        if (changed(figure))
            all << figureChange(keyOf(figure), value(figure));
    if (changed(TargetFigure::TileMemory)) {
        const double bytes = std::round(value(TargetFigure::TileMemory) * kib);
        const double share = interleaved_bytes_ / (own(TargetFigure::TileMemory) * kib);
        all << figureChange(keyOf(TargetFigure::TileMemory), bytes)
            << figureChange(QStringLiteral("interleaved_bytes_per_tile"), std::floor(bytes * share));
    }
    const double clock = value(TargetFigure::Clock);
    if (changed(TargetFigure::Clock)) {
        all << figureChange(keyOf(TargetFigure::Clock), std::round(clock * giga));
        if (streaming_per_cycle_ > 0)
            all << figureChange(QStringLiteral("streaming_bytes_per_cycle"),
                                streaming_per_cycle_ * own(TargetFigure::Clock) / clock);
    }
    for (const TargetFigure figure : {TargetFigure::Links, TargetFigure::Host})
        if (changed(figure) || (changed(TargetFigure::Clock) && own(figure) > 0))
            all << figureChange(keyOf(figure), value(figure) / clock);
    return all;
}

std::optional<double> typedNumber(const QString& text, const QString& unit) {
    QString digits = text.trimmed();
    if (!unit.isEmpty() && digits.endsWith(unit, Qt::CaseInsensitive))
        digits.chop(unit.size());
    digits.remove(QLatin1Char(',')).remove(QLatin1Char(' '));
    bool good = false;
    const double value = digits.toDouble(&good);
    return good && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

} // namespace tilescope::ui
