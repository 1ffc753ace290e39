// SPDX-License-Identifier: GPL-3.0-or-later
#include "tile_histogram.h"

#include "ui/session/format.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/table_text.h"

#include <utility>

namespace tilescope::ui {
TileHistogram::TileHistogram(QWidget* parent) : ClassBars(&Theme::compute, parent) {
    setAccessibleName(tr("Tiles by cycles"));
    addChartActions(this, tr("Tiles by cycles"), [this](QChar separator) {
        QString lines = tableLine({tr("from"), tr("to"), tr("tiles")}, separator);
        for (const auto& each : balance_.classes)
            lines += tableLine(
                {QString::number(each.from), QString::number(each.to), QString::number(each.tiles.size())},
                separator);
        return lines;
    });
    connect(this, &ClassBars::classChosen, this,
            [this](std::size_t i) { Q_EMIT chosen(balance_.classes[i].tiles); });
    connect(this, &ClassBars::classActivated, this,
            [this](std::size_t i) { Q_EMIT activated(balance_.classes[i].tiles); });
}

void TileHistogram::setCycles(const std::vector<std::int64_t>& cycles, const QString& why) {
    balance_ = analyse::tile_balance(cycles);
    Classes classes;
    for (const auto& each : balance_.classes) {
        const std::int64_t tiles = std::ssize(each.tiles);
        classes.counts.push_back(tiles);
        classes.texts << tr("%1 %2 to %3 cycles")
                             .arg(formatCounted(tiles, tr("tile takes"), tr("tiles take")),
                                  formatCount(each.from), formatCount(each.to));
        classes.edges << formatCount(each.from);
    }
    if (!balance_.classes.empty()) {
        classes.edges << formatCycles(balance_.slowest);
        classes.heading =
            tr("Slowest: tile %1, %2").arg(balance_.slowest_tile).arg(formatCycles(balance_.slowest));
        if (balance_.idle > 0)
            classes.heading += QStringLiteral("  ·  ") +
                               tr("%1 idle").arg(formatCounted(balance_.idle, tr("tile"), tr("tiles")));
        classes.leads = tr("; Enter shows them in Memory");
    }
    setClasses(std::move(classes), why);
}

} // namespace tilescope::ui
