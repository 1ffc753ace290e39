// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/tile_memory.h"
#include "base/error.h"
#include "base/kinds.h"
#include "profile/profile.h"

#include <cstdint>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace tilescope::analyse {

/// By what the bytes of a tile are parted.
enum class PartsBy { Category, Region, Liveness, Variables };
/// Which of a tile's bytes: those that live at its own peak, at that of its IPU, while one program step runs,
/// or always.
enum class LiveWhen { OwnPeak, IpuPeak, Step, Always };

enum class TileRegion { NonInterleaved, Interleaved, Overflowed };
constexpr auto spelling(TileRegion) {
    return spelled("region of tile memory", "non-interleaved", "interleaved", "beyond the end");
}
enum class Lasting { Always, NotAlways };
constexpr auto spelling(Lasting) {
    return spelled("liveness", "always live", "not always live");
}

struct PartsWanted {
    std::int64_t ipu = -1; ///< -1: all of them, one after the other
    PartsBy by = PartsBy::Category;
    LiveWhen when = LiveWhen::OwnPeak;
    std::int64_t step = -1;              ///< of LiveWhen::Step: index in `liveness`
    std::vector<std::int64_t> variables; ///< of PartsBy::Variables; of LiveWhen::OwnPeak whether live or not
    bool operator==(const PartsWanted&) const = default;
};

/// Bytes of the tiles of an IPU, or of several one after the other, in parts.
struct MemoryParts {
    struct OneVariable {
        std::int64_t id = 0;
        std::string name;
        bool operator==(const OneVariable&) const = default;
    };
    struct Part {
        std::variant<MemoryCategory, TileRegion, Lasting, OneVariable> what;
        std::vector<std::int64_t> bytes; ///< by tile
        std::string name() const;        ///< "Vertex Code", "beyond the end", "always live", the variable's
        std::int64_t sum() const;        ///< over all tiles
    };
    std::vector<Part> parts;                ///< none is empty on all tiles
    std::vector<std::int64_t> with_gaps;    ///< by tile: end of its highest allocation at any time
    std::vector<std::int64_t> ipus;         ///< whose tiles these are, in order
    std::vector<profile::IpuRecord> of_run; ///< all IPUs of the run
    std::int64_t run_ipus() const { return static_cast<std::int64_t>(of_run.size()); }
    std::int64_t tiles_per_ipu = 0;
    std::int64_t bytes_per_tile = 0;
    std::vector<FullestTile> fullest; ///< of each IPU of the run, with gaps, fullest first; none: nothing
                                      ///< was laid out
    std::int64_t streaming_bytes = 0; ///< of what these IPUs have in streaming memory, on no tile
    std::int64_t io_tiles = 0;        ///< of each IPU, the last ones, kept for the exchange with the host
    std::int64_t fullest_live = 0;    ///< the most that is live at once on the first of them

    std::vector<std::int64_t> totals() const;                      ///< by tile, over all parts
    std::int64_t sum() const;                                      ///< over all parts and tiles
    MemoryParts without(const std::set<std::string>& names) const; ///< the parts of these names
    std::int64_t sum_of(const std::string& name) const; ///< of the part of that name; 0: none has it
};

/// Regions are told at the tiles' own peaks only: else there are no parts.
Result<MemoryParts> memory_parts(const profile::Profile& profile, const PartsWanted& wanted);
/// Bytes over all tiles that the part of a name has more than in a base.
std::int64_t change_of_part(const MemoryParts& now, const MemoryParts& base, const std::string& name);

/// What the tiles of a run hold more or less than those of the same numbers of another.
struct MemoryDifference {
    std::vector<std::int64_t> by; ///< by tile of the new run; of one that the base does not have all it holds
    std::int64_t sum = 0;         ///< over these tiles
    std::int64_t most = 0;        ///< bytes of the tile that has grown the most; 0: none has grown
    std::int64_t ipu = -1;        ///< that tile, the first of several
    std::int64_t tile = -1;
    std::int64_t added_ipus = 0; ///< that the base does not have
};
MemoryDifference memory_difference(const MemoryParts& now, const MemoryParts& base);

} // namespace tilescope::analyse
