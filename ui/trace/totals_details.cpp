// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/phases.h"
#include "ui/session/format.h"
#include "ui/trace/totals_panel.h"
#include "ui/widgets/detail_table.h"
#include "ui/widgets/phase_look.h"

/// What the panel at the side says of a range, or of what is in view.
namespace tilescope::ui {

QString TotalsPanel::details(std::int64_t executions) const {
    if (difference_)
        return detailsOfDifference();
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

/// A line each: of the new file, of the base, and how they differ.
QString TotalsPanel::detailsOfDifference() const {
    const auto lines = [](const QString& now, const QString& base, const QString& difference) {
        return QStringList{asHtml(tr("new: %1").arg(now)), asHtml(tr("base: %1").arg(base)),
                           asHtml(tr("difference: %1").arg(difference))};
    };
    DetailTable table;
    const auto row = [&](const QString& name, const QStringList& of_both) {
        table.list(name, of_both, of_both.size());
    };
    const std::int64_t length = of_.range.second - of_.range.first;
    const std::int64_t base_length = base_of_.range.second - base_of_.range.first;
    const auto seconds = [](std::int64_t cycles, double clock_hz) {
        return clock_hz > 0 ? static_cast<double>(cycles) / clock_hz : static_cast<double>(cycles);
    };
    row(tr("Length"),
        lines(formatCyclesAndTime(length, of_.clock_hz), formatCyclesAndTime(base_length, base_of_.clock_hz),
              formatChange(seconds(base_length, base_of_.clock_hz), seconds(length, of_.clock_hz))));
    const auto share = [&](const QString& name, double now, double base) {
        row(name, lines(formatPercent(now), formatPercent(base), formatPoints(base, now)));
    };
    for (const PhaseLook& look : phaseLooks()) {
        const std::int64_t now = difference_->now_phases.*look.cycles;
        const std::int64_t base = difference_->base_phases.*look.cycles;
        const double now_share = analyse::phase_share(difference_->now_phases, look.cycles).value_or(0);
        const double base_share = analyse::phase_share(difference_->base_phases, look.cycles).value_or(0);
        if (now > 0 || base > 0)
            row(look.title,
                lines(tr("%1, %2").arg(formatPercent(now_share), formatTime(now, of_.clock_hz)),
                      tr("%1, %2").arg(formatPercent(base_share), formatTime(base, base_of_.clock_hz)),
                      formatPoints(base_share, now_share)));
    }
    if (const auto& [now, base] = uses_of_both_; now && base) {
        share(tr("Parallel efficiency"), now->busy, base->busy);
        share(tr("Tile balance"), now->balance, base->balance);
    }
    return table.html(
        (of_.selected ? tr("Selected range, less %1") : tr("In view, less %1")).arg(base_of_.file));
}

} // namespace tilescope::ui
