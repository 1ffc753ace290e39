// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_text.h"

#include "base/axis_text.h"
#include "base/share.h"
#include "base/text.h"
#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/widgets/run_status.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QLocale>
#include <algorithm>
#include <array>
#include <map>

namespace tilescope::ui {
namespace {

constexpr double us = 1e-6; ///< seconds

using analyse::Fit;
using analyse::RunEntry;
using analyse::RunFigure;

QString tr(const char* text) {
    return QCoreApplication::translate("RunsView", text);
}

Cell dateCell(std::int64_t unix_ms) {
    return numberCell(text(analyse::date_text(unix_ms)), static_cast<double>(unix_ms));
}

Cell figureCell(const std::optional<double>& value, RunFigure figure) {
    if (!value)
        return absentCell();
    switch (figure) {
    case RunFigure::StepTime:
        return secondsCell(*value * us);
    case RunFigure::Throughput:
        return samplesCell(*value);
    case RunFigure::FullestTile:
        return bytesCell(*value);
    case RunFigure::Compilation:
        break;
    }
    return secondsCell(*value);
}

/// As it is written in the workload; bytes in their own unit.
Cell settingCell(const analyse::Setting& setting, const std::optional<double>& number) {
    const QString value = text(analyse::setting_text(setting.json, setting.unit));
    return !number                                      ? textCell(value)
           : setting.unit == analyse::FigureUnit::Bytes ? bytesCell(*number)
                                                        : writtenCell(value, amountCell(*number));
}

} // namespace

QString fileText(const std::string& path, const QString& folder) {
    return QDir(folder).relativeFilePath(text(path));
}

QString outcomeText(const RunEntry& run) {
    if (!run.error.empty())
        return text(run.error);
    return run.estimate ? tr("%1, estimate").arg(statusText(run.status)) : statusText(run.status);
}

QString fitText(const RunEntry& run) {
    const QString share = run.tile_share ? formatPercent(*run.tile_share) : QString();
    switch (run.fit) {
    case Fit::Fits:
        return tr("fits, %1").arg(share);
    case Fit::Tight:
        return tr("tight, %1").arg(share);
    case Fit::DoesNotFit:
        return tr("does not fit, %1").arg(share);
    case Fit::Unknown:
        break;
    }
    return {};
}

QString runFigureName(RunFigure figure) {
    return figure == RunFigure::Throughput ? tr("throughput, samples/s") : text(analyse::figure(figure).name);
}

QString axisText(RunFigure figure, double value, double apart) {
    switch (figure) {
    case RunFigure::StepTime:
        return text(time_text(value * us, apart * us));
    case RunFigure::Throughput:
        return text(amount_text(value, apart));
    case RunFigure::FullestTile:
        return units().whole_bytes ? formatBytes(value) : text(bytes_text(value, apart));
    case RunFigure::Compilation:
        break;
    }
    return text(time_text(value, apart));
}

QString runFigureText(RunFigure figure, double value) {
    switch (figure) {
    case RunFigure::StepTime:
        return formatSeconds(value * us);
    case RunFigure::Throughput:
        return formatAmount(value);
    case RunFigure::FullestTile:
        return formatBytes(value);
    case RunFigure::Compilation:
        break;
    }
    return formatSeconds(value);
}

QString figureAxis(RunFigure figure) {
    return QLatin1Char('@') + text(analyse::figure(figure).key);
}

std::optional<RunFigure> figureOfAxis(const QString& axis) {
    for (const RunFigure figure : analyse::run_figures)
        if (figureAxis(figure) == axis)
            return figure;
    return {};
}

std::optional<double> acrossOf(const RunEntry& run, const QString& axis) {
    if (axis == recorded_axis)
        return run.started_unix_ms > 0 ? std::optional(static_cast<double>(run.started_unix_ms))
                                       : std::nullopt;
    if (const auto figure = figureOfAxis(axis))
        return run[*figure];
    return run.number(axis.toStdString());
}

QString acrossText(const QString& axis, double value, double apart) {
    if (axis == recorded_axis)
        return QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(value), Qt::UTC)
            .toString(QStringLiteral("d MMM hh:mm"));
    if (const auto figure = figureOfAxis(axis))
        return axisText(*figure, value, apart);
    return text(amount_text(value, apart));
}

ParallelAxis settingAxis(const analyse::Setting& setting, const std::vector<RunEntry>& runs) {
    ParallelAxis axis{text(setting.name), {}, {}};
    bool numbers = true;
    std::map<double, QString> written; // numbers as the settings are written
    for (const RunEntry& run : runs)
        if (const analyse::Setting* of = run.setting(setting.key)) {
            const auto number = run.number(setting.key);
            numbers = numbers && number.has_value();
            const QString value = text(analyse::setting_text(of->json, of->unit));
            if (number)
                written[*number] = value;
            if (!axis.words.contains(value))
                axis.words << value;
        }
    axis.words.sort();
    if (!numbers)
        return axis;
    axis.words.clear();
    axis.text = [written](double value) {
        const auto found = written.find(value);
        return found == written.end() ? QString::number(value) : found->second;
    };
    return axis;
}

std::optional<double> settingPlace(const RunEntry& run, const analyse::Setting& setting,
                                   const ParallelAxis& axis) {
    const analyse::Setting* of = run.setting(setting.key);
    if (of == nullptr)
        return {};
    if (axis.words.isEmpty())
        return run.number(setting.key);
    return static_cast<double>(axis.words.indexOf(text(analyse::setting_text(of->json, of->unit))));
}

ThemeColor fitColor(Fit fit) {
    switch (fit) {
    case Fit::Fits:
        return &Theme::good;
    case Fit::Tight:
        return &Theme::warning;
    case Fit::DoesNotFit:
        return &Theme::bad;
    case Fit::Unknown:
        break;
    }
    return &Theme::muted;
}

QString runTip(const RunEntry& run, const QString& folder) {
    QStringList lines{fileText(run.path, folder),
                      text(run.workload) + QStringLiteral(", ") + outcomeText(run)};
    for (const RunFigure figure : analyse::run_figures)
        if (run[figure])
            lines << runFigureName(figure) + QStringLiteral(": ") + runFigureText(figure, *run[figure]);
    if (run.fit != Fit::Unknown)
        lines << fitText(run);
    return lines.join(QLatin1Char('\n'));
}

std::vector<analyse::Setting> settingColumns(std::vector<analyse::Setting> settings) {
    constexpr std::size_t most = 8;
    constexpr std::array shown_anyway{"run.status",           "run.estimate",  "run.workload",
                                      "run.trimmed",          "run.data_note", "run.tool_version",
                                      "target.bytes_per_tile"};
    std::erase_if(settings, [&](const analyse::Setting& setting) {
        return std::find(shown_anyway.begin(), shown_anyway.end(), setting.key) != shown_anyway.end();
    });
    if (settings.size() > most)
        settings.resize(most);
    return settings;
}

namespace {

/// Short, since a column is as wide as its head at least.
QString headOf(RunFigure figure) {
    return figure == RunFigure::Throughput ? tr("Samples/s") : asHead(runFigureName(figure));
}

} // namespace

std::vector<Column> runColumns(const std::vector<analyse::Setting>& settings, bool labelled) {
    std::vector<Column> columns{
        {tr("Workload")}, {tr("File")}, {tr("Recorded, UTC")}, {tr("Status")}, {tr("Fits")}};
    for (const RunFigure figure : analyse::run_figures)
        columns.push_back({headOf(figure)});
    columns.push_back({tr("Course"), true});
    if (labelled)
        columns.push_back({tr("Label")});
    for (const analyse::Setting& setting : settings)
        columns.push_back({asHead(text(setting.name))});
    return columns;
}

int recordedColumn() {
    return 2;
}

std::vector<Cell> runCells(const RunEntry& run, const std::vector<analyse::Setting>& settings, bool labelled,
                           const QString& folder, const Cell& course) {
    std::vector<Cell> cells{textCell(text(run.workload)), textCell(fileText(run.path, folder)),
                            dateCell(run.started_unix_ms), textCell(outcomeText(run)),
                            run.tile_share ? writtenCell(fitText(run), shareCell(*run.tile_share))
                                           : absentCell()};
    for (const RunFigure figure : analyse::run_figures)
        cells.push_back(figureCell(run[figure], figure));
    cells.push_back(course);
    if (labelled)
        cells.push_back(textCell(text(analyse::label_text(run.label))));
    for (const analyse::Setting& column : settings) {
        const analyse::Setting* setting = run.setting(column.key);
        cells.push_back(setting == nullptr ? absentCell() : settingCell(*setting, run.number(column.key)));
    }
    return cells;
}

std::vector<std::string> workloadsOf(const std::vector<RunEntry>& runs) {
    std::vector<std::string> names;
    for (const RunEntry& run : runs)
        if (std::find(names.begin(), names.end(), run.workload) == names.end())
            names.push_back(run.workload);
    std::sort(names.begin(), names.end());
    return names;
}

QString colourLegend(const std::vector<RunEntry>& runs, bool by_workload) {
    QStringList entries;
    const auto add = [&](const QString& color, const QString& name) {
        entries << inHtml(
            QStringLiteral("<span style='color:@%1'>●</span>&nbsp;<span style='color:@muted'>%2</span>"),
            {color, QString(name).replace(QLatin1Char(' '), QChar::Nbsp)});
    };
    if (by_workload) {
        const qsizetype hues = Theme::light().series.size();
        qsizetype i = 0;
        for (const std::string& name : workloadsOf(runs))
            add(QStringLiteral("series%1").arg(i++ % hues), text(name));
    } else {
        add(QStringLiteral("good"), tr("fits"));
        add(QStringLiteral("warning"), tr("tight"));
        add(QStringLiteral("bad"), tr("does not fit"));
    }
    return entries.join(QStringLiteral(" &nbsp;"));
}

std::vector<Column> historyColumns(RunFigure figure) {
    return {{tr("Recorded, UTC")},
            {tr("Workload")},
            {tr("File")},
            {headOf(figure)},
            {tr("Change")},
            {tr("Course"), true},
            {tr("Likely cause"), false, true}};
}

Cell courseUpTo(const analyse::History& history, std::size_t index, RunFigure figure) {
    constexpr std::size_t most = 24;
    std::vector<std::optional<double>> values;
    for (std::optional<std::size_t> at = index; at && values.size() < most; at = history.entries[*at].before)
        values.push_back(history.entries[*at].value);
    std::reverse(values.begin(), values.end());
    QStringList told;
    for (const auto& value : values)
        told << (value ? runFigureText(figure, *value) : QStringLiteral("–"));
    return courseCell(values, told.join(QStringLiteral(" → ")));
}

std::vector<Cell> historyCells(const analyse::History& history, std::size_t index, RunFigure figure,
                               const QString& cause, const QString& folder) {
    const analyse::HistoryEntry& entry = history.entries[index];
    std::vector<Cell> cells{dateCell(entry.started_unix_ms), textCell(text(entry.workload)),
                            textCell(fileText(entry.path, folder)), figureCell(entry.value, figure)};
    if (!entry.before || !entry.value)
        cells.push_back(absentCell());
    else if (!entry.changed)
        cells.push_back(writtenCell(tr("none"), shareCell(0)));
    else {
        const double before = history.entries[*entry.before].value.value_or(0);
        cells.push_back(changeCell(before, *entry.value));
    }
    cells.push_back(courseUpTo(history, index, figure));
    cells.push_back(textCell(entry.changed ? (cause.isEmpty() ? tr("…") : cause) : QString()));
    return cells;
}

} // namespace tilescope::ui
