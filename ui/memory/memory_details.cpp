// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/floor_plan.h"
#include "analyse/replicas.h"
#include "analyse/tile_facts.h"
#include "analyse/variable_facts.h"
#include "base/try.h"
#include "profile/lookup.h"
#include "ui/memory/memory_view.h"
#include "ui/session/also_text.h"
#include "ui/session/format.h"
#include "ui/session/subject_link.h"
#include "ui/tiles/tile_text.h"
#include "ui/widgets/detail_table.h"

#include <QStringList>
#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>
#include <vector>

namespace tilescope::ui {

/// What is told of a variable and of a tile, and with what the base is asked for the same.
struct MemoryView::Details {
    /// Of one of the two, with the bytes that are held against those of the base.
    struct Part {
        QString title = {}; ///< "": it is told of nothing
        DetailTable table = {};
        std::int64_t now = 0;
        std::optional<std::int64_t> then = {}; ///< nullopt: the base has no such thing
        bool of_base = false;                  ///< that is known
    };
    Part variable, tile;
    std::optional<profile::VariableRecord> record = {};
    analyse::Parts parts = {};
};

namespace {

using analyse::StepPlace;

constexpr qsizetype most_lines = 8;

QString tr(const char* source) {
    return MemoryView::tr(source);
}

/// "dense/MatMul, step 12", with a link.
QString stepText(const StepPlace& place) {
    return place.step < 0 ? QString()
                          : tr("%1, step %2")
                                .arg(subjectLink(Subject::Step, place.program, text(place.name)),
                                     formatCount(place.step));
}

QString ipuLink(std::int64_t ipu) {
    return subjectLink(Subject::Ipu, ipu, QString::number(ipu));
}

Result<void> addOrigin(DetailTable& table, const profile::Profile& file,
                       const profile::VariableRecord& variable) {
    table.row(tr("Category"), text(to_string(variable.category)));
    table.row(tr("Type"), text(profile::type_text(variable)));
    TRY(const auto maker, profile::name_of(file, profile::Named::Operation, variable.operation_id));
    table.richRow(tr("Operation"), subjectLink(Subject::Operation, variable.operation_id, text(maker)));
    TRY(const auto layer, profile::name_of(file, profile::Named::Layer, variable.layer_id));
    table.richRow(tr("Layer"), subjectLink(Subject::Layer, variable.layer_id, text(layer)));
    table.richRow(tr("IPU"), ipuLink(variable.ipu));
    return {};
}

void addPlace(DetailTable& table, const analyse::VariableFacts& facts) {
    const profile::VariableRecord& v = facts.variable;
    if (facts.on_tiles.tile >= 0) {
        table.row(tr("On all tiles"), tr("%1, on %2")
                                          .arg(formatBytes(v.bytes),
                                               formatCounted(facts.on_tiles.tiles, tr("tile"), tr("tiles"))));
        table.richRow(tr("Most on"),
                      tr("%1, %2").arg(subjectLink(Subject::Tile, facts.on_tiles.tile,
                                                   tr("tile %1").arg(facts.on_tiles.tile), v.ipu),
                                       formatBytes(facts.on_tiles.bytes)));
    }
    if (v.streaming_bytes > 0)
        table.row(tr("In streaming memory"), formatBytes(v.streaming_bytes));
    if (v.stash_depth > 0)
        table.row(tr("Stash"),
                  tr("of %1").arg(formatCounted(v.stash_depth, tr("micro-batch"), tr("micro-batches"))));
    table.row(tr("Live"), v.always_live
                              ? tr("always")
                              : formatCounted(v.live_to - v.live_from + 1, tr("step"), tr("steps")));
    table.richRow(v.always_live ? tr("First needed at") : tr("From"), stepText(facts.first));
    table.richRow(v.always_live ? tr("Last needed at") : tr("To"), stepText(facts.last));
    if (facts.peak.step >= 0)
        table.richRow(tr("Peak of the IPU"),
                      (facts.at_peak ? tr("live at %1") : tr("not live at %1")).arg(stepText(facts.peak)));
}

/// Who reads it, and what moves it.
Result<void> addUse(DetailTable& table, const profile::Profile& file, const analyse::VariableFacts& facts,
                    std::optional<analyse::Basis> wanted) {
    QStringList readers;
    for (std::size_t i = 0; i < facts.readers.size() && readers.size() < most_lines; ++i) {
        TRY(const auto name, profile::name_of(file, profile::Named::Operation, facts.readers[i]));
        readers << subjectLink(Subject::Operation, facts.readers[i], text(name));
    }
    table.firstOf(tr("Read by"), readers, std::ssize(facts.readers));
    if (facts.moves.empty())
        return {};
    TRY(const auto loops, analyse::read_loops(file));
    const analyse::Basis basis = loops.shown(wanted);
    const auto per_basis = [&](std::int64_t bytes) { return loops.mean(bytes, basis); };
    const auto times = analyse::times_of(per_basis(facts.moved), facts.variable);
    const QString moved = tr("%1 %2").arg(formatBytes(per_basis(facts.moved)), text(analyse::per(basis)));
    table.row(tr("Moved"), times ? tr("%1, %2 times its own bytes").arg(moved, formatAmount(*times)) : moved);
    table.list(tr("Moved by"), facts.moves.size(), most_lines, [&](std::size_t i) {
        const analyse::VariableFacts::Move& move = facts.moves[i];
        return tr("%1, %2").arg(subjectLink(Subject::Step, move.step.program, text(move.step.name)),
                                formatBytes(per_basis(move.bytes)));
    });
    return {};
}

void addMemory(DetailTable& table, const analyse::TileFacts& facts, std::int64_t tile) {
    const analyse::FloorPlan plan = analyse::floor_plan(facts.tiles, analyse::TileOrder::Physical);
    const analyse::FloorPlan::Place place = plan.places[static_cast<std::size_t>(tile)];
    const QString where = tr("column %1 of %2, row %3 of %4")
                              .arg(place.column + 1)
                              .arg(plan.columns)
                              .arg(place.row + 1)
                              .arg(plan.rows);
    table.row(tr("On the plan"), plan.schematic ? tr("%1, schematic").arg(where) : where);
    const auto share = share_of(facts.with_gaps, facts.bytes_per_tile);
    table.row(tr("With gaps"), tr("%1 of %2%3")
                                   .arg(formatBytes(facts.with_gaps), formatBytes(facts.bytes_per_tile),
                                        share ? tr(", %1").arg(formatPercent(*share)) : QString()));
    table.row(facts.free() < 0 ? tr("Beyond the end") : tr("Free"), formatBytes(std::abs(facts.free())));
    table.row(tr("Fuller tiles"),
              tr("%1 of %2 of its IPU").arg(formatCount(facts.fuller), formatCount(facts.tiles)));
    table.row(tr("Live at its peak"), formatBytes(facts.at_peak));
    table.row(tr("Always live"), formatBytes(facts.always));
    table.richRow(tr("Its peak"), stepText(facts.peak));
}

/// `planned`: as no engine run has ended.
void addWork(DetailTable& table, const analyse::TileFacts& facts, const analyse::Loops& loops,
             analyse::Basis basis, double clock_hz, bool planned) {
    const QString per = (planned ? tr("%1, planned") : QStringLiteral("%1")).arg(text(analyse::per(basis)));
    const auto bytes = [&](const QString& name, std::int64_t of_execution) {
        table.row(name, tr("%1 %2").arg(formatBytes(loops.mean(of_execution, basis)), per));
    };
    bytes(tr("Sends"), facts.sent);
    bytes(tr("Receives"), facts.received);
    if (const auto share = facts.compute_share()) {
        table.row(tr("Computes"),
                  tr("%1 %2").arg(formatCyclesAndTime(loops.mean(facts.computes, basis), clock_hz), per));
        table.row(tr("Busy"), tr("%1 of the time in which its IPU computes").arg(formatPercent(*share)));
    }
}

} // namespace

void MemoryView::tellDetails() {
    if (!isVisible() || !sources().current || selection() == nullptr)
        return;
    const QString topic = QStringLiteral("details");
    const Selection s = selection()->current();
    const std::int64_t tile = s.tiles.size() == 1 ? s.tiles.front() : -1;
    for (const auto& source : {sources().current, sources().base})
        if (source) // what was asked is of another subject
            source->cancel(this, topic);
    if (s.variable < 0 && tile < 0)
        return tellFullest();
    sources().current->ask<Details>(
        this, topic,
        [variable = s.variable, ipu = s.ipu, tile, then = tileOfBase(s.ipu, tile),
         of_base = !base_.ipus.empty(), basis = basis()](const profile::Profile& file) -> Result<Details> {
            Details details;
            TRY(const auto of_variable, analyse::variable_facts(file, variable));
            if (of_variable) {
                details.record = of_variable->variable;
                details.variable = {text(details.record->name), {}, details.record->bytes};
                TRY(addOrigin(details.variable.table, file, *details.record));
                addPlace(details.variable.table, *of_variable);
                TRY(addUse(details.variable.table, file, *of_variable, basis));
                TRY(details.parts, analyse::Parts::read(file));
            }
            TRY(const auto of_tile, analyse::tile_facts(file, ipu, tile));
            if (of_tile) {
                TRY(const auto loops, analyse::read_loops(file));
                TRY(const auto target, file.target());
                details.tile = {
                    tr("IPU %1 tile %2").arg(ipu).arg(tile), {}, of_tile->with_gaps, then, of_base};
                addMemory(details.tile.table, *of_tile, tile);
                TRY(const auto executed, file.execution_groups());
                addWork(details.tile.table, *of_tile, loops, loops.shown(basis), target.clock_hz,
                        executed.empty());
            }
            return details;
        },
        [this, topic](Result<Details> details) {
            if (!details)
                return;
            if (!details->record || !sources().base)
                return tell(*details);
            sources().base->ask<std::optional<profile::VariableRecord>>(
                this, topic,
                [record = *details->record, parts = details->parts,
                 by_hand = sources().by_hand](const profile::Profile& file) {
                    return analyse::same_variable(file, record, parts, by_hand);
                },
                [this, told = *details](const auto& same) mutable {
                    told.variable.of_base = same.has_value();
                    if (same && *same)
                        told.variable.then = (*same)->bytes;
                    tell(told);
                });
        });
}

void MemoryView::tell(const Details& details) {
    QString html;
    for (const Details::Part& part : {details.variable, details.tile}) {
        if (part.title.isEmpty())
            continue;
        DetailTable table = part.table;
        if (part.of_base)
            table.row(tr("Base"), part.then ? tr("%1, %2").arg(formatBytes(*part.then),
                                                               formatChange(static_cast<double>(*part.then),
                                                                            static_cast<double>(part.now)))
                                            : tr("does not have it"));
        html += table.html(part.title);
    }
    Q_EMIT detailsChanged(html);
}

std::optional<std::int64_t> MemoryView::tileOfBase(std::int64_t ipu, std::int64_t tile) const {
    const auto shown = std::find(base_.ipus.begin(), base_.ipus.end(), ipu);
    if (shown == base_.ipus.end() || tile < 0 || tile >= base_.tiles_per_ipu)
        return {};
    const auto at = static_cast<std::size_t>((shown - base_.ipus.begin()) * base_.tiles_per_ipu + tile);
    return at < base_.with_gaps.size() ? std::optional(base_.with_gaps[at]) : std::nullopt;
}

/// Of the tiles that are chosen, or of all that are shown, those that reach highest; of several IPUs that of
/// each. Where several are shown one stands for those of other replicas that do the same: these hold the
/// same.
void MemoryView::tellFullest() {
    if (parts_.fullest.empty())
        return Q_EMIT detailsChanged(QString());
    const Selection& s = selection()->current();
    const bool of_all = s.tiles.empty() && parts_.ipus.size() > 1;
    const auto is_told = [&](std::int64_t ipu) {
        return !of_all || analyse::all_like(ipu, parts_.of_run).front() == ipu;
    };
    const auto line = [&](const analyse::FullestTile& of) {
        const auto& [ipu, tile, bytes] = of;
        const QString name =
            parts_.run_ipus() == 1 ? tr("tile %1").arg(tile)
            : of_all ? tr("%1 tile %2").arg(ipuName(ipu, analyse::all_like(ipu, parts_.of_run))).arg(tile)
                     : tr("IPU %1 tile %2").arg(ipu).arg(tile);
        const auto share = share_of(bytes, parts_.bytes_per_tile);
        return inHtml(tr("%1: %2%3"), {Html{subjectLink(Subject::Tile, tile, name, ipu)}, formatBytes(bytes),
                                       share ? tr(", %1").arg(formatPercent(*share)) : QString()});
    };
    std::vector<analyse::FullestTile> tiles;
    for (std::size_t i = 0; i < parts_.ipus.size(); ++i) {
        const std::int64_t ipu = parts_.ipus[i];
        const auto add = [&, first = static_cast<std::int64_t>(i) * parts_.tiles_per_ipu](std::int64_t tile) {
            tiles.push_back({ipu, tile, parts_.with_gaps[static_cast<std::size_t>(first + tile)]});
        };
        if (s.tiles.empty() && is_told(ipu))
            for (std::int64_t tile = 0; tile < parts_.tiles_per_ipu; ++tile)
                add(tile);
        else if (!s.tiles.empty() && ipu == s.ipu)
            std::for_each(s.tiles.begin(), s.tiles.end(), add);
    }
    const auto listed = std::min<std::ptrdiff_t>(most_lines, std::ssize(tiles));
    std::partial_sort(tiles.begin(), tiles.begin() + listed, tiles.end(), [](const auto& a, const auto& b) {
        return std::tie(b.bytes, a.ipu, a.tile) < std::tie(a.bytes, b.ipu, b.tile);
    });
    std::vector<analyse::FullestTile> of_each = parts_.fullest;
    std::erase_if(of_each, [&](const analyse::FullestTile& tile) { return !is_told(tile.ipu); });
    DetailTable table;
    table.row(tr("Tiles"), formatCount(s.tiles.empty() ? std::ssize(parts_.ipus) * parts_.tiles_per_ipu
                                                       : std::ssize(tiles)));
    table.list(s.tiles.empty() ? tr("Fullest") : tr("Fullest of these"), tiles.size(), most_lines,
               [&](std::size_t i) { return line(tiles[i]); });
    if (of_all)
        table.list(tr("Of each IPU"), of_each.size(), most_lines,
                   [&](std::size_t i) { return line(of_each[i]); });
    Q_EMIT detailsChanged(
        tiles.empty()
            ? QString()
            : table.html(s.tiles.empty()
                             ? shownIpus()
                             : tilesText(parts_.run_ipus() > 1 ? s.ipu : std::int64_t{-1}, s.tiles)));
}

} // namespace tilescope::ui
