// SPDX-License-Identifier: GPL-3.0-or-later
// What chosen tiles do: their vertices, exchanges and compute sets.
#include "tile_queries.h"
#include "tile_tabs.h"
#include "ui/session/format.h"
#include "ui/widgets/data_table.h"

namespace tilescope::ui {

void TileTabs::showCodelets(const std::vector<analyse::CodeletOnTiles>& codelets) {
    std::vector<TableRow> rows;
    rows.reserve(codelets.size());
    for (const auto& codelet : codelets)
        rows.push_back(
            {-1,
             {textCell(text(codelet.name)), codelet.vertices ? countCell(*codelet.vertices) : absentCell(),
              countCell(codelet.on_all_tiles), countCell(codelet.compute_sets), countCell(codelet.on_tiles),
              codelet.code_bytes > 0 ? bytesCell(codelet.code_bytes) : absentCell()}});
    vertices_->setCaption(
        tr("of the compute sets that run %1; – where these have several vertices on a tile, which a profile "
           "does not count by tile")
            .arg(where()));
    vertices_->setSql(codeletsSql(scope_));
    vertices_->setRows(std::move(rows));
}

void TileTabs::showExchanges(const std::vector<analyse::ExchangeOnTiles>& exchanges,
                             const analyse::Loops& loops) {
    std::vector<TableRow> rows;
    rows.reserve(exchanges.size());
    for (const auto& [exchange, runs_of, sent, received] : exchanges)
        rows.push_back(
            {exchange.operation_id,
             {textCell(text(exchange.name)), textCell(text(profile::to_string(exchange.kind))),
              bytesCell(sent), bytesCell(received), countCell(exchange.cycles), runsCell(runs_of, loops)}});
    exchanges_->setCaption(
        tr("that send or receive %1; bytes and cycles of one run, %3, most in all first: %2")
            .arg(where(), formatCount(static_cast<std::int64_t>(rows.size())), runsPer(loops)));
    exchanges_->setSql(exchangesSql(scope_));
    exchanges_->setRows(std::move(rows));
}

void TileTabs::showComputeSets(const std::vector<analyse::ComputeSetOnTiles>& sets,
                               const analyse::Loops& loops) {
    std::vector<TableRow> rows;
    rows.reserve(sets.size());
    for (const auto& on : sets)
        rows.push_back({on.set.operation_id,
                        {textCell(text(on.set.name)), countCell(on.slowest), amountCell(on.mean),
                         countCell(on.set.cycles), shareCell(on.share()), runsCell(on.runs, loops)}});
    compute_sets_->setCaption(
        tr("that run %1; cycles of one run, %3, most in all first: %2")
            .arg(where(), formatCount(static_cast<std::int64_t>(rows.size())), runsPer(loops)));
    compute_sets_->setSql(computeSetsSql(scope_));
    compute_sets_->setRows(std::move(rows));
}

} // namespace tilescope::ui
