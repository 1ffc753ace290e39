// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/comparison.h"
#include "ui/widgets/data_table.h"

#include <QString>
#include <QStringList>
#include <map>
#include <string>
#include <vector>

namespace tilescope::ui {

/// The tables of runs that are compared with one base. `names` are those of the runs; of one run, it is
/// called "new".
std::vector<Column> figureColumns(const QString& base, const QStringList& names);
std::vector<TableRow> figureRows(const std::vector<analyse::Comparison>& runs);
/// `what`: "Layer", "Operation".
std::vector<Column> costColumns(const QString& what, const QString& base, const QStringList& names);
/// `ids`: keys of rows by name in the run in front, which is number `front`.
std::vector<TableRow> costRows(const std::vector<analyse::Comparison>& runs, std::size_t front,
                               std::vector<analyse::CostDifference> analyse::Comparison::*costs,
                               const std::map<std::string, std::int64_t>& ids);
/// What the changes of IPU time are made of; the cycles of all causes of a run add up to its change.
/// `clock_hz`: on which they are time; 0: they stay cycles.
std::vector<TableRow> causeRows(const std::vector<analyse::Comparison>& runs, const QStringList& names,
                                const std::map<std::string, std::int64_t>& layers, double clock_hz);
/// Products of which another plan was chosen, what changes most first: the operation, by how much its IPU
/// time changes, the file, and which plans they are. Keys are operations of the run in front.
std::vector<TableRow> planRows(const std::vector<analyse::Comparison>& runs, const QStringList& names,
                               const std::map<std::string, std::int64_t>& operations, double clock_hz);
/// What was asked for otherwise: setting, base, new, file.
std::vector<TableRow> settingRows(const std::vector<analyse::Comparison>& runs, const QStringList& names);
/// What changed most, a line for each run; "" where nothing is known of both.
QString answersText(const std::vector<analyse::Comparison>& runs, const QString& base,
                    const QStringList& names);
/// What differs before any figure: what is to be known of a run, then what was asked for. Of a setting that
/// is longer than `longest` letters (0: none is) its beginning, and then only those that weigh most.
QString differencesText(const std::vector<analyse::Comparison>& runs, const QString& base,
                        const QStringList& names, qsizetype longest = 0);

} // namespace tilescope::ui
