// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/matching.h"
#include "analyse/tile_memory.h"
#include "base/error.h"
#include "base/share.h"
#include "profile/profile.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// What some tiles of an IPU hold and do. `tiles` are those of `ipu`; none: all of them.
namespace tilescope::analyse {

inline constexpr std::size_t most_columns = 8; ///< tiles that are told one by one

/// Tiles that are told each in a column of its own, where there are no more than most_columns; else there is
/// one column with their sum.
std::vector<std::int64_t> columns_of(const std::vector<std::int64_t>& tiles);

/// A row of the tree of a tile's memory.
struct MemoryNode {
    std::string name;
    int depth = 0;
    std::vector<std::int64_t> bytes; ///< by column
};
/// With gaps > live at the tile's own peak > region, always live > category, not always live > category;
/// gaps; of all tiles also what lies in streaming memory instead, where anything does. "With gaps" is the end
/// of the tile's highest allocation at any time. Empty where nothing was laid out.
Result<std::vector<MemoryNode>> memory_tree(const profile::Profile& profile, std::int64_t ipu,
                                            const std::vector<std::int64_t>& tiles);

/// The variables that some tiles ever hold.
struct TileVariables {
    std::vector<profile::VariableOnTiles> rows; ///< most bytes on the tiles first
    profile::LiveLevel peak;                    ///< of what they hold together
    std::vector<std::int64_t> columns;          ///< tiles, where they are few, but more than one
    std::map<std::int64_t, std::vector<std::int64_t>> by_column; ///< bytes, by variable
    std::vector<profile::VariableRecord> streaming; ///< of all tiles: that lie in streaming memory instead
};
Result<TileVariables> variables_of(const profile::Profile& profile, std::int64_t ipu,
                                   const std::vector<std::int64_t>& tiles);

/// Variables, and the bytes that each of them takes.
using HeldVariables = std::vector<std::pair<const profile::VariableRecord*, std::int64_t>>;

/// What the same variables of two runs take; on some tiles those that are live at the peak of what the tiles
/// hold, or all that ever are, of either run.
struct VariableChange {
    const profile::VariableRecord* now = nullptr; ///< null: it has none that is the same
    const profile::VariableRecord* before = nullptr;
    std::int64_t bytes_now = 0;
    std::int64_t bytes_before = 0;
    std::int64_t change() const { return bytes_now - bytes_before; }
};
/// By the name that the base has for it, and several of one name in their order; the largest change first.
/// Points into both.
std::vector<VariableChange> variable_changes(const HeldVariables& now, const HeldVariables& before,
                                             const OldNames& old_names = {});
std::vector<VariableChange> variable_changes(const TileVariables& now, const TileVariables& before, bool ever,
                                             const OldNames& old_names = {});

/// Bytes that all of them take more.
std::int64_t sum_of(const std::vector<VariableChange>& changes);

/// Changes of variables of one category whose names differ in numbers alone, all in both runs or all in the
/// same one of them; or a single one.
struct AlikeChanges {
    std::string name; ///< "layer_*/kernel × 24"
    std::vector<VariableChange> changes;
    std::int64_t bytes_now = 0; ///< of all of them, as the next
    std::int64_t bytes_before = 0;
    std::int64_t change() const { return bytes_now - bytes_before; }
    /// The one that changes most, by which the row is found again.
    const VariableChange& largest() const;
};
/// The largest change first.
std::vector<AlikeChanges> fold_changes(const std::vector<VariableChange>& changes);
/// In their order, each on its own.
std::vector<AlikeChanges> each_change(const std::vector<VariableChange>& changes);

/// A compute set that runs on some of the tiles.
struct ComputeSetOnTiles {
    profile::ComputeSetRecord set; ///< its cycles are those of the slowest tile of all
    std::int64_t runs = 0;         ///< in an engine run
    std::int64_t slowest = 0;      ///< cycles of the slowest of these tiles
    double mean = 0;               ///< cycles of these tiles
    std::int64_t tiles = 0;        ///< of these, that compute in it
    /// Of the slowest tile of all, what the slowest of these takes.
    std::optional<double> share() const { return share_of(slowest, set.cycles); }
};
/// Most cycles of an engine run first.
Result<std::vector<ComputeSetOnTiles>> compute_sets_on_tiles(const profile::Profile& profile,
                                                             std::int64_t ipu,
                                                             const std::vector<std::int64_t>& tiles);

/// A codelet whose vertices run on some of the tiles.
struct CodeletOnTiles {
    std::string name;
    std::int64_t compute_sets = 0; ///< that run it and compute on these tiles
    /// On these tiles. It follows where each compute set has as many as tiles with one, which are all that
    /// compute in it: then each has one. nullopt: one of these compute sets has not.
    std::optional<std::int64_t> vertices = 0;
    std::int64_t on_all_tiles = 0; ///< vertices of these compute sets
    std::int64_t on_tiles = 0;     ///< the most tiles that one of these compute sets has vertices on
    std::int64_t code_bytes = 0;   ///< on these tiles together
};
/// Most code on the tiles first.
Result<std::vector<CodeletOnTiles>> codelets_on_tiles(const profile::Profile& profile, std::int64_t ipu,
                                                      const std::vector<std::int64_t>& tiles);

/// An exchange in which some of the tiles send or receive.
struct ExchangeOnTiles {
    profile::ExchangeRecord exchange;
    std::int64_t runs = 0;     ///< in an engine run
    std::int64_t sent = 0;     ///< bytes by these tiles in one run
    std::int64_t received = 0; ///< the same
};
/// Most bytes of an engine run first.
Result<std::vector<ExchangeOnTiles>> exchanges_on_tiles(const profile::Profile& profile, std::int64_t ipu,
                                                        const std::vector<std::int64_t>& tiles);

} // namespace tilescope::analyse
