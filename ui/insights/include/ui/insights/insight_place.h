// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/insight_difference.h"
#include "analyse/summary.h"
#include "ui/session/selection.h"

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

namespace tilescope::ui {

/// Where the window shows what an insight is about.
struct InsightPlace {
    QString view;        ///< View::id()
    Selection selection; ///< in it
    QString order = {};  ///< phase by which its rows stand, as View::orderBy takes it; "": as they do
};
/// nullopt for a setting, which the help describes. `before`: what is selected, of which the rest is kept.
std::optional<InsightPlace> placeOf(const analyse::Insight& insight,
                                    const std::vector<analyse::IpuSummary>& ipus, const Selection& before);
/// The subject as linkTo() names it; "": a setting, or the run.
QString linkTo(const analyse::InsightSubject& subject);
/// The heading of page "workloads" under which a setting is: "Training" for "compile.global_step".
QString settingHeading(const std::string& setting);

/// What it is about, in a table: "IPU 3 tile 45", "layer_*/MatMul × 24, largest on IPU 3", "stage 2",
/// "compile.global_step". Replicas do the same: of an operation none is named where each is on one IPU.
QString placeText(const analyse::Insight& insight, const std::vector<analyse::IpuSummary>& ipus);
/// What a button says that leads there: "Show the tile in Memory", "About compile.global_step".
QString placeAction(const analyse::Insight& insight);
/// A figure or threshold in its unit: "82.1 %", "1.30 times".
QString amountText(double value, analyse::FigureUnit unit);
/// What a figure of a rule or one of its thresholds is: "time of the host" of "host_share".
QString figureName(const std::string& key);
/// "time of the host: 82.1 %"
QString figureText(const analyse::InsightFigure& figure);
/// What it costs: "up to 59.4 ms per weight update", "14.1 KiB"; "" where it costs nothing that is known.
QString costText(const analyse::Insight& insight, double clock_hz);
/// How its cost differs from the base's: "−3.2 %", "new", "gone", "–" where that is not known. As costText,
/// of the times that the cycles take at the clock of each, where times are wanted.
QString changeText(const analyse::FindingPair& finding, double clock_hz, double base_clock_hz);
/// The settings that make a change that was compiled.
QStringList settingsOf(const profile::RemedyRecord& remedy);
/// Settings as the command line takes them: "--set 'fit.batch_size=16'".
QString setOptions(const QStringList& settings);
/// What stands where the rules find nothing in a run: that, and what takes most of its time.
QString nothingFoundText(const analyse::Summary& summary);
/// The role of its colour for a ThemedLabel: "@warning".
QString severityColor(analyse::Severity severity);

} // namespace tilescope::ui
