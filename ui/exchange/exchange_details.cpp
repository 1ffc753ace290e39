// SPDX-License-Identifier: GPL-3.0-or-later
// What the panel at the side says of an exchange, of several together, and of the tiles that are chosen.
#include "analyse/tile_exchange.h"
#include "exchange_text.h"
#include "ui/session/format.h"
#include "ui/session/subject_link.h"
#include "ui/tiles/tile_text.h"
#include "ui/widgets/detail_table.h"

#include <QStringList>
#include <algorithm>
#include <utility>
#include <vector>

namespace tilescope::ui {
namespace {

constexpr qsizetype most_lines = 8;

/// Of an operation and its layer: links.
void addParts(DetailTable& table, const analyse::Parts& parts, std::int64_t id) {
    for (const profile::OperationRecord& operation : parts.operations) {
        if (operation.id != id)
            continue;
        table.richRow(ExchangeView::tr("Operation"),
                      subjectLink(Subject::Operation, id, text(operation.name)));
        for (const profile::LayerRecord& layer : parts.layers)
            if (layer.id == operation.layer_id)
                table.richRow(ExchangeView::tr("Layer"),
                              subjectLink(Subject::Layer, layer.id, text(layer.name)));
    }
}

void addIpus(DetailTable& table, const profile::ExchangeRecord& exchange) {
    if (exchange.ipu < 0)
        return;
    const QString from = subjectLink(Subject::Ipu, exchange.ipu, QString::number(exchange.ipu));
    table.richRow(ExchangeView::tr("IPU"),
                  exchange.peer < 0
                      ? from
                      : QStringLiteral("%1 → %2").arg(
                            from, subjectLink(Subject::Ipu, exchange.peer, QString::number(exchange.peer))));
}

/// The other tiles of moves, those with most bytes first: links.
void addPartners(DetailTable& table, const QString& name, const std::vector<std::int64_t>& bytes,
                 std::int64_t ipu) {
    std::vector<std::size_t> tiles;
    for (std::size_t tile = 0; tile < bytes.size(); ++tile)
        if (bytes[tile] > 0)
            tiles.push_back(tile);
    std::stable_sort(tiles.begin(), tiles.end(),
                     [&](std::size_t a, std::size_t b) { return bytes[a] > bytes[b]; });
    table.list(name, tiles.size(), most_lines, [&](std::size_t i) {
        const auto tile = static_cast<std::int64_t>(tiles[i]);
        return ExchangeView::tr("%1, %2").arg(
            subjectLink(Subject::Tile, tile, ExchangeView::tr("tile %1").arg(tile), ipu),
            formatBytes(bytes[tiles[i]]));
    });
}

} // namespace

QString ExchangeView::detailsOfExchange() const {
    const profile::ExchangeRecord& exchange = shown_->traffic.exchange;
    const bool gone = shown_->difference && !shown_->in_now;
    DetailTable table;
    table.row(tr("Kind"), kindText(exchange.kind));
    const auto& rows = listed_.list.rows;
    const auto of =
        std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.exchange.id == exchange.id; });
    const analyse::Basis basis = shownBasis();
    const QString per = text(analyse::per(basis));
    if (gone) {
        table.row(tr("Now"), tr("removed: the base alone has it"));
    } else if (of != rows.end()) {
        const analyse::Loops& loops = listed_.list.loops;
        const double clock = listed_.list.clock_hz;
        addIpus(table, exchange);
        addParts(table, listed_.parts, exchange.operation_id);
        table.richRow(tr("Step"), subjectLink(Subject::Step, of->program, text(exchange.name)));
        table.row(tr("Runs"), text(analyse::runs_text(of->runs, loops.count(basis), basis)));
        table.row(tr("Time of one run"), formatCyclesAndTime(of->cycles, clock));
        table.row(tr("Bytes of one run"), formatBytes(exchange.bytes));
        if (of->runs != loops.count(basis)) {
            table.row(tr("Time in all"),
                      tr("%1 %2").arg(formatCyclesAndTime(of->cycles_per(loops, basis), clock), per));
            table.row(tr("Bytes in all"), tr("%1 %2").arg(formatBytes(of->bytes_per(loops, basis)), per));
        }
        if (exchange.ring_phase)
            table.row(tr("All-reduce"), tr("around %1 replicas").arg(of->ring));
        const auto moved = analyse::variable_moves(*listed_.moved, {&*of});
        table.list(tr("Moves"), moved.size(), most_lines, [&](std::size_t i) {
            const std::int64_t id = moved[i].variable;
            const profile::VariableRecord& v = listed_.moved->variables.at(id);
            const QString name = v.name.empty() ? tr("variable %1").arg(id) : text(v.name);
            return inHtml(tr("%1 %2"), {formatPercent(moved[i].share),
                                        Html{subjectLink(Subject::Variable, id, name, v.ipu)}});
        });
    }
    if (differences_)
        for (const analyse::ExchangePair& pair : differences_->pairs) {
            const auto& side = gone ? pair.base : pair.now;
            if (!side || side->exchange.id != exchange.id || (gone && pair.now))
                continue;
            table.row(tr("Base"), pair.base_cycles ? tr("%1, %2 %3")
                                                         .arg(formatTime(*pair.base_cycles, comparedClock()),
                                                              formatBytes(pair.base_bytes.value_or(0)),
                                                              text(analyse::per(differences_->basis)))
                                                   : tr("does not have it"));
        }
    return table.html(text(exchange.name));
}

/// Those of them that take most.
QString ExchangeView::detailsOfSum() const {
    const analyse::Loops& loops = listed_.list.loops;
    const analyse::Basis basis = shownBasis();
    DetailTable table;
    table.row(tr("Exchanges"), formatCount(shown_->of));
    std::vector<const analyse::ExchangeRow*> together; // the list is in their order
    for (const analyse::ExchangeRow& row : listed_.list.rows)
        if (std::binary_search(summed_.begin(), summed_.end(), row.exchange.id))
            together.push_back(&row);
    table.list(tr("Take most"), together.size(), most_lines, [&](std::size_t i) {
        const analyse::ExchangeRow& row = *together[i];
        return tr("%1, %2").arg(subjectLink(Subject::Step, row.program, text(row.exchange.name)),
                                formatTime(row.cycles_per(loops, basis), listed_.list.clock_hz));
    });
    return table.html(tr("Exchanges together, %1").arg(text(analyse::per(basis))));
}

QString ExchangeView::detailsOfTiles() const {
    const profile::ExchangeRecord& exchange = shown_->traffic.exchange;
    const std::int64_t ipu = ipuOf(true);
    const std::int64_t receiver = ipuOf(false);
    const auto& difference = shown_->difference;
    DetailTable table;
    if (chosen_.size() == 1) {
        const auto at = static_cast<std::size_t>(chosen_.front());
        const auto value = [at](const std::vector<std::int64_t>& by_tile) {
            return formatBytes(at < by_tile.size() ? by_tile[at] : 0);
        };
        const auto bytes = [&](const QString& name, const std::vector<std::int64_t>& now,
                               const std::vector<std::int64_t>& base) {
            table.row(name, difference ? tr("%1, %2 in the base").arg(value(now), value(base)) : value(now));
        };
        bytes(receiver == ipu ? tr("Receives") : tr("Tile of IPU %1 receives").arg(receiver),
              difference ? difference->now.received : shown_->traffic.received,
              difference ? difference->base.received : shown_->traffic.received);
        bytes(tr("Sends"), difference ? difference->now.sent : shown_->traffic.sent,
              difference ? difference->base.sent : shown_->traffic.sent);
        const auto times =
            difference || shown_->of > 1 ? std::nullopt : analyse::tile_exchange(shown_->traffic);
        if (times && at < times->cycles.size()) {
            const double clock = listed_.list.clock_hz;
            table.row(tr("Exchanges for"), formatCyclesAndTime(times->cycles[at], clock));
            table.richRow(tr("Waits for"),
                          times->waits[at] == 0
                              ? tr("none: no tile takes longer")
                              : tr("%1, %2").arg(subjectLink(Subject::Tile, times->slowest,
                                                             tr("tile %1").arg(times->slowest), ipu),
                                                 formatCyclesAndTime(times->waits[at], clock)));
        }
    }
    const analyse::TileMoves& moves = difference ? difference->now.moves : shown_->moves;
    if (!moves.bytes.empty() && exchange.kind != profile::ExchangeKind::InterIpu) { // else to the same number
        addPartners(table, tr("From"), analyse::moves_of_tiles(moves, chosen_, false), ipu);
        addPartners(table, tr("To"), analyse::moves_of_tiles(moves, chosen_, true), ipu);
    }
    return table.html((chosen_.size() == 1 ? tr("IPU %1 tile %2") : tr("IPU %1 tiles %2"))
                          .arg(ipu)
                          .arg(tilesText(-1, chosen_)));
}

void ExchangeView::tellDetails() {
    if (!isVisible() || !shown_ || !listed_.moved)
        return;
    Q_EMIT detailsChanged((shown_->of > 1 ? detailsOfSum() : detailsOfExchange()) +
                          (chosen_.empty() ? QString() : detailsOfTiles()));
}

} // namespace tilescope::ui
