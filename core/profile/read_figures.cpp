// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "connection.h"
#include "profile/tile_array.h"

#include <algorithm>

/// Figures over several rows: memory by tile and category, costs, cycles by phase.
namespace tilescope::profile {

namespace {

/// nullopt for damaged ones: no tile has or moves 16 TiB; sums over the tiles of any system stay within 64
/// bits.
std::optional<std::vector<std::int64_t>> plausible_values(std::span<const std::byte> packed) {
    constexpr std::int64_t most = std::int64_t{1} << 44;
    auto values = unpack_tile_values(packed);
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
        "SELECT data FROM tile_array WHERE entity = ? AND entity_id = ? AND ipu = ? AND metric = ?",
        [&](const Statement& s) { values = plausible_values(s.blob(0)); }, entity, entity_id, ipu, metric));
    if (!values)
        return Failure(sqlite_error(nullptr, SQLITE_CORRUPT, state_->path));
    return std::move(*values);
}

Result<std::vector<CategoryBytes>> Profile::memory_by_category(std::int64_t ipu) const {
    return state_->rows<CategoryBytes>(
        "SELECT category, sum(always_live_bytes) a, sum(not_always_live_bytes) n FROM category_memory "
        "WHERE ?1 < 0 OR ipu = ?1 GROUP BY category ORDER BY a + n DESC",
        [](const Statement& s, CategoryBytes& r) {
            s.read_all(r.category, r.always_live, r.not_always_live);
        },
        ipu);
}

Result<std::vector<VariableOnTiles>>
Profile::variables_on_tiles(std::int64_t ipu, const std::vector<std::int64_t>& tiles) const {
    static const std::string sql =
        "SELECT a.data, " + text_of(table_of<VariableRecord>).column_list("v.") +
        " FROM variable v LEFT JOIN tile_array a ON a.entity = 'variable' AND a.entity_id = v.id AND "
        "a.ipu = v.ipu AND a.metric = 'bytes' WHERE ?1 < 0 OR v.ipu = ?1 ORDER BY v.bytes DESC, v.id";
    bool damaged = false;
    TRY(auto rows, state_->rows<VariableOnTiles>(
                       sql,
                       [&](const Statement& s, VariableOnTiles& row) {
                           read(s, table_of<VariableRecord>, row.variable, 1);
                           row.bytes = row.variable.bytes;
                           if (tiles.empty())
                               return;
                           const auto packed = s.blob(0);
                           const auto values = packed.empty() ? std::optional(std::vector<std::int64_t>{})
                                                              : plausible_values(packed);
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

Result<std::int64_t> Profile::peak_step(std::int64_t ipu) const {
    struct Step {
        std::int64_t index = -1;
    };
    TRY(const auto step, state_->row<Step>(
                             "SELECT step FROM liveness WHERE ipu = ? ORDER BY always_live_bytes + "
                             "not_always_live_bytes DESC, "
                             "step "
                             "LIMIT 1",
                             [](const Statement& s, Step& r) { s.read_all(r.index); }, ipu));
    return step.index;
}

} // namespace tilescope::profile
