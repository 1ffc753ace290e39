// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/run_list.h"
#include "ui/theme/theme.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/parallel_axes.h"

#include <QString>
#include <optional>
#include <string>
#include <vector>

/// How the view of runs writes what it has read.
namespace tilescope::ui {

inline const QString recorded_axis = QStringLiteral("@recorded"); ///< not a key of any setting

QString runFigureName(analyse::RunFigure figure);               ///< "throughput, samples/s"
QString runFigureText(analyse::RunFigure figure, double value); ///< with its unit
/// As it stands at an axis, whose title has the unit, the next number `apart`.
QString axisText(analyse::RunFigure figure, double value, double apart);
QString figureAxis(analyse::RunFigure figure);
std::optional<analyse::RunFigure> figureOfAxis(const QString& axis);

/// The number of a run on an axis: a figure, a setting's key, or when it was recorded; nullopt: it has none.
std::optional<double> acrossOf(const analyse::RunEntry& run, const QString& axis);
QString acrossText(const QString& axis, double value, double apart);

/// A setting as one of several axes: numbers where all runs that have it have one, else words.
ParallelAxis settingAxis(const analyse::Setting& setting, const std::vector<analyse::RunEntry>& runs);
/// Where a run stands on it; nullopt: nowhere.
std::optional<double> settingPlace(const analyse::RunEntry& run, const analyse::Setting& setting,
                                   const ParallelAxis& axis);

ThemeColor fitColor(analyse::Fit fit);
std::vector<std::string> workloadsOf(const std::vector<analyse::RunEntry>& runs); ///< names, in order
/// What the colours stand for, as themed rich text: the workloads, or whether a run fits.
QString colourLegend(const std::vector<analyse::RunEntry>& runs, bool by_workload);
QString fileText(const std::string& path, const QString& folder); ///< from the folder on
QString outcomeText(const analyse::RunEntry& run);                ///< its status, or why it cannot be read
QString fitText(const analyse::RunEntry& run);                    ///< "fits, 70.0 %"; "": not known
QString runTip(const analyse::RunEntry& run, const QString& folder);

/// Those of the settings that differ which have a column: the first few, without what has one anyway.
std::vector<analyse::Setting> settingColumns(std::vector<analyse::Setting> settings);
std::vector<Column> runColumns(const std::vector<analyse::Setting>& settings, bool labelled);
int recordedColumn();
std::vector<Column> historyColumns(analyse::RunFigure figure);
std::vector<Cell> runCells(const analyse::RunEntry& run, const std::vector<analyse::Setting>& settings,
                           bool labelled, const QString& folder, const Cell& course);
/// Of a figure over the runs of the workload, up to one of them, drawn.
Cell courseUpTo(const analyse::History& history, std::size_t index, analyse::RunFigure figure);
std::vector<Cell> historyCells(const analyse::History& history, std::size_t index, analyse::RunFigure figure,
                               const QString& cause, const QString& folder);

} // namespace tilescope::ui
