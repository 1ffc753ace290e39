// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/phases.h"
#include "ui/session/format.h"
#include "ui/trace/totals_panel.h"
#include "ui/widgets/detail_table.h"
#include "ui/widgets/phase_look.h"

/// What the panel at the side says of a range, or of what is in view.
namespace tilescope::ui {

QString TotalsPanel::details(std::int64_t executions) const {
    const bool all = of_.ipu == analyse::every_ipu;
    const QString whose = all ? tr("all IPUs") : tr("IPU %1").arg(of_.ipu);
    DetailTable table;
    table.row(tr("Length"), formatCyclesAndTime(of_.range.second - of_.range.first, of_.clock_hz));
    for (const PhaseLook& look : phaseLooks())
        if (const std::int64_t cycles = totals_.phases.*look.cycles; cycles > 0)
            table.row(look.title,
                      tr("%1, %2").arg(formatPercent(*analyse::phase_share(totals_.phases, look.cycles)),
                                       formatTime(cycles, of_.clock_hz)));
    if (use_) {
        table.row(tr("Parallel efficiency"), formatPercent(use_->busy));
        table.row(tr("Tile balance"), formatPercent(use_->balance));
    }
    constexpr qsizetype most = 16;
    if (uses_.size() > 1)
        table.list(tr("Efficiency of each"), uses_.size(), most, [&](std::size_t i) {
            const auto& tiles = uses_[i].tiles;
            return asHtml(tr("IPU %1: %2")
                              .arg(uses_[i].ipu)
                              .arg(tiles ? formatPercent(tiles->busy) : tr("computes nothing")));
        });
    table.row(tr("Engine runs"),
              executions > 0 ? tr("%1 in the run").arg(formatCount(executions)) : QString());
    return table.html((of_.selected ? tr("Selected range of %1") : tr("In view of %1")).arg(whose));
}

} // namespace tilescope::ui
