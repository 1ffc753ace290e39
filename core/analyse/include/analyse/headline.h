// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/summary.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::analyse {

/// Whether a run fits into the memory of its tiles, gaps included.
enum class Fit { Unknown, Fits, Tight, DoesNotFit };
inline constexpr double tight_share = 0.05; ///< less of the fullest tile's memory than this is free
/// `bytes`: of the fullest tile, gaps included, of `bytes_per_tile` > 0.
Fit fit_of(std::int64_t bytes, std::int64_t bytes_per_tile);

/// A part of the time and its share of it.
struct TimePart {
    std::string name; ///< "compute", "inter-IPU"
    double share = 0; ///< of the time of the engine runs of the IPU that waits least
};

/// The answer that stands above all figures: does it fit, and what limits it.
struct Headline {
    Fit fit = Fit::Unknown;
    std::string memory;              ///< one sentence; "" where nothing was laid out
    std::optional<TimePart> largest; ///< what takes most of the time
    std::optional<TimePart> loss;    ///< the most that is not computing
    std::string whole;               ///< what both are shares of: " of the time of IPU 0, which waits least"
    std::string time;                ///< one sentence of both; "" where no engine run has ended
};

Headline headline(const Summary& summary);

/// Floating-point operations of all replicas per second of simulated time, as the graph counts them: those of
/// recomputation are among them. nullopt where no engine run has ended or none are counted.
std::optional<double> flops_per_s(const Summary& summary);
/// The same of each IPU of the run, those of replicas too, on the mean.
std::optional<double> flops_per_s_per_ipu(const Summary& summary);

/// Why a program is too large for a tile.
struct Diagnosis {
    FullestTile worst; ///< gaps included
    std::int64_t bytes_per_tile = 0;
    std::int64_t excess() const { return worst.bytes - bytes_per_tile; } ///< bytes that have no room there
    std::int64_t tiles_over = 0;                                         ///< of all IPUs
    std::string step;                              ///< at which most is live there; "": not known
    std::vector<profile::VariableOnTiles> largest; ///< live there then, most bytes first, a few
    std::int64_t live_bytes = 0;                   ///< of all that is live there then
    std::int64_t others() const;                   ///< of these bytes, those that are not of the largest
    std::int64_t gaps() const { return worst.bytes - live_bytes; } ///< between allocations, and below them
    std::vector<std::pair<std::int64_t, std::int64_t>>
        filling; ///< step and bytes that are live on the tile: of many steps the most of some neighbours
    std::vector<profile::RemedyRecord> tried; ///< what fits first
    bool cut_by_hand = false;                 ///< the run is (see changes_to_try.h)
};
/// How many tiles are too full, and while which step most is live on the worst one: whole sentences.
std::string over_text(const Diagnosis& diagnosis);
/// Changes of the workload that were compiled when it did not fit: what fits first. Errors: those of reading.
Result<std::vector<profile::RemedyRecord>> compiled_remedies(const profile::Profile& profile);
/// nullopt where every tile has room. Errors: those of reading.
Result<std::optional<Diagnosis>> diagnose(const profile::Profile& profile, const Summary& summary);

} // namespace tilescope::analyse
