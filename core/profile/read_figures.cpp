// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "connection.h"
#include "profile/tile_array.h"
#include "tile_blobs.h"

#include <algorithm>

/// Figures over several rows: memory by tile and category, costs, cycles by phase.
namespace tilescope::profile {

namespace {

/// Of columns `data` and `base`. nullopt for damaged ones: no tile has or moves 16 TiB; sums over the tiles
/// of any system stay within 64 bits.
std::optional<std::vector<std::int64_t>> plausible_values(const Statement& s) {
    constexpr std::int64_t most = std::int64_t{1} << 44;
    auto values = unpack_tile_values(s.blob(0), s.blob(1));
    if (values && std::any_of(values->begin(), values->end(),
                              [](std::int64_t value) { return value < -most || value > most; }))
        values.reset();
    return values;
}

std::int64_t sum_over(const std::vector<std::int64_t>& tiles, const std::vector<std::int64_t>& values) {
    std::int64_t sum = 0;
    for (const std::int64_t tile : tiles)
        if (tile >= 0 && tile < static_cast<std::int64_t>(values.size()))
            sum += values[static_cast<std::size_t>(tile)];
    return sum;
}

} // namespace

Result<std::vector<std::int64_t>> Profile::tile_values(const std::string& entity, std::int64_t entity_id,
                                                       std::int64_t ipu, const std::string& metric) const {
    std::optional<std::vector<std::int64_t>> values = std::vector<std::int64_t>{};
    TRY(state_->visit(
        tile_blobs_sql, [&](const Statement& s) { values = plausible_values(s); }, entity, entity_id, ipu,
        metric));
    if (!values)
        return Failure(sqlite_error(nullptr, SQLITE_CORRUPT, state_->path));
    return std::move(*values);
}

Result<std::vector<CategoryBytes>> Profile::memory_by_category(std::int64_t ipu) const {
    TRY(const auto all, state_->shared<CategoryOfIpu>([this](Expected) {
        return state_->rows<CategoryOfIpu>(
            "SELECT ipu, category, always_live_bytes, not_always_live_bytes FROM category_memory "
            "ORDER BY category",
            [](const Statement& s, CategoryOfIpu& row) {
                s.read_all(row.ipu, row.bytes.category, row.bytes.always_live, row.bytes.not_always_live);
            });
    }));
    std::vector<CategoryBytes> sums; // in the order of their names so far
    for (const CategoryOfIpu& row : all) {
        if (ipu >= 0 && row.ipu != ipu)
            continue;
        if (!possible_bytes(row.bytes.always_live) || !possible_bytes(row.bytes.not_always_live))
            return Failure(sqlite_error(nullptr, SQLITE_CORRUPT, state_->path));
        if (sums.empty() || sums.back().category != row.bytes.category)
            sums.push_back({row.bytes.category, 0, 0});
        sums.back().always_live += row.bytes.always_live;
        sums.back().not_always_live += row.bytes.not_always_live;
    }
    std::stable_sort(sums.begin(), sums.end(), [](const CategoryBytes& a, const CategoryBytes& b) {
        return a.always_live + a.not_always_live > b.always_live + b.not_always_live;
    });
    return sums;
}

Result<std::int64_t> Profile::streaming_bytes(std::int64_t ipu) const {
    return state_->row<std::int64_t>(
        "SELECT coalesce(sum(s.streaming_bytes), 0) FROM stored_variable s JOIN ipu i ON i.shard = s.ipu "
        "WHERE s.streaming_bytes > 0 AND (?1 < 0 OR i.id = ?1)",
        [](const Statement& s, std::int64_t& bytes) { s.read(0, bytes); }, ipu);
}

Result<std::vector<VariableOnTiles>>
Profile::variables_on_tiles(std::int64_t ipu, const std::vector<std::int64_t>& tiles) const {
    static const std::string sql =
        "SELECT b.data, base.data, " + text_of(table_of<VariableRecord>).column_list("v.") +
        " FROM variable v LEFT JOIN tile_metric m ON m.entity = 'variable' AND m.metric = 'bytes' LEFT JOIN "
        "tile_entry e ON e.metric_id = m.id AND e.entity_id = v.id AND e.ipu = (SELECT shard FROM ipu WHERE "
        "id = v.ipu) LEFT JOIN tile_blob b ON b.id = e.blob_id LEFT JOIN tile_blob base ON base.id = "
        "b.base_id WHERE ?1 < 0 OR v.ipu = ?1 ORDER BY v.bytes DESC, v.id, v.ipu";
    bool damaged = false;
    TRY(auto rows, state_->rows<VariableOnTiles>(
                       sql,
                       [&](const Statement& s, VariableOnTiles& row) {
                           read(s, table_of<VariableRecord>, row.variable, 2);
                           row.bytes = row.variable.bytes;
                           if (tiles.empty())
                               return;
                           const auto values = s.blob(0).empty() ? std::optional(std::vector<std::int64_t>{})
                                                                 : plausible_values(s);
                           damaged = damaged || !values;
                           row.bytes = values ? sum_over(tiles, *values) : 0;
                       },
                       ipu));
    if (damaged)
        return Failure(sqlite_error(nullptr, SQLITE_CORRUPT, state_->path));
    std::erase_if(rows, [](const VariableOnTiles& row) { return row.bytes <= 0; });
    std::stable_sort(rows.begin(), rows.end(),
                     [](const VariableOnTiles& a, const VariableOnTiles& b) { return a.bytes > b.bytes; });
    return rows;
}

Result<ProgramSize> Profile::program_size() const {
    return state_->row<ProgramSize>(
        "SELECT (SELECT count(*) FROM stored_operation), (SELECT count(*) FROM stored_program WHERE "
        "liveness_step >= 0), (SELECT count(*) FROM stored_compute_set), (SELECT count(*) FROM "
        "stored_exchange), "
        "(SELECT count(*) FROM stored_variable)",
        [](const Statement& s, ProgramSize& r) {
            s.read_all(r.operations, r.steps, r.compute_sets, r.exchanges, r.variables);
        });
}

Result<std::int64_t> Profile::peak_step(std::int64_t ipu) const {
    struct Step {
        std::int64_t index = -1;
    };
    TRY(const auto step, state_->row<Step>(
                             "SELECT step FROM liveness_span WHERE ipu = (SELECT shard FROM ipu WHERE id = "
                             "?) ORDER BY always_live_bytes + not_always_live_bytes DESC, step LIMIT 1",
                             [](const Statement& s, Step& r) { s.read_all(r.index); }, ipu));
    return step.index;
}

} // namespace tilescope::profile
