// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/time_line.h"
#include "base/error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// The tile of a compute set that takes longest, where that is known.
struct SlowestTile {
    std::int64_t tile = 0;
    std::int64_t cycles = 0;
    double mean = 0;      ///< cycles of all tiles of the IPU
    std::string vertices; ///< of the compute set: "multiply (1,472), reduce (64)"; "": not recorded
};

/// What neighbouring tiles of an IPU do over time, in columns of equal width: a row for each few of them.
struct TileRows {
    std::int64_t first_tile = 0;
    std::int64_t last_tile = 0;
    std::int64_t tiles_per_row = 1; ///< fewer in the last one
    std::size_t rows = 0;           ///< 0: more program steps are in the range than can be told apart
    std::int64_t from = 0;          ///< cycle at which the first column begins
    std::int64_t width = 1;         ///< cycles of a column
    std::size_t columns = 0;
    /// By row and column: in 255ths, which share of the column and of its tiles is spent on each time_kinds.
    /// What is not covered is not known: program steps of which the profile has no figures by tile.
    using Cell = std::array<std::uint8_t, time_kinds.size()>;
    std::vector<Cell> cells;
    std::map<std::int64_t, SlowestTile> slowest; ///< by program step, of those in the range
};

/// How the tiles of an IPU spend the time: in a program step all of them synchronise; a tile takes part in
/// the exchange for as long as what it sends, or receives, takes beside the tile with most bytes, then
/// computes the cycles of its vertices, and waits until the slowest ends. Of streams and copies between IPUs
/// whose bytes by tile are not known, all tiles take part.
class TileActivity {
  public:
    /// Errors: those of reading the profile.
    static Result<TileActivity> read(const profile::Profile& profile);

    std::int64_t tiles() const { return tiles_; } ///< of an IPU
    /// Of the tiles `first` to `last`, in at most `most_rows` rows. `profile`: the one that this was read of.
    Result<TileRows> rows(const profile::Profile& profile, std::int64_t ipu, Range range, std::int64_t width,
                          std::int64_t first, std::int64_t last, std::size_t most_rows);
    static constexpr std::size_t most_steps = 6'000; ///< in a range that is told apart

  private:
    struct Use {                     ///< of the tiles, in a program step
        std::vector<float> exchange; ///< share of the phase; empty: all of it, by all
        std::vector<float> compute;  ///< cycles; empty: not known
        std::optional<SlowestTile> slowest;
    };
    struct Step {
        std::int64_t compute_set = -1;
        std::int64_t exchange = -1;
        bool described = false; ///< by the profile
    };
    Result<const Use*> use(const profile::Profile& profile, std::int64_t step, std::int64_t ipu);

    std::int64_t tiles_ = 0;
    std::vector<Step> steps_;                                   ///< by program step
    std::map<std::int64_t, std::string> vertices_;              ///< by compute set
    std::map<std::int64_t, std::int64_t> first_replica_;        ///< the IPU that does the same, by IPU
    std::map<std::pair<std::int64_t, std::int64_t>, Use> uses_; ///< by step and IPU, those that were wanted
};

} // namespace tilescope::analyse
