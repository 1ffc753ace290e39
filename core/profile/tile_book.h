// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tables.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tilescope::profile {

/// The numbers of tiles that a file has so far: the same numbers are one blob, and those that differ from
/// earlier ones by little are told by the difference. (Where a variable lies on each tile follows from what
/// is below it, so that the addresses of neighbours differ by a few runs.)
class TileBook {
  public:
    struct Added {
        std::int64_t id = 0;
        std::optional<TileBlob> made; ///< where the file does not have it
    };
    Added add(std::span<const std::int64_t> values);
    /// The id of what the numbers are, and its row where the file does not have it.
    std::pair<std::int64_t, std::optional<TileMetric>> metric(const std::string& entity,
                                                              const std::string& metric);

  private:
    struct Whole {
        std::int64_t id = 0;
        std::vector<std::int64_t> values;
    };
    bool same(std::int64_t id, std::span<const std::int64_t> values) const;
    std::int64_t nearest(std::span<const std::int64_t> values);

    std::vector<std::vector<std::byte>> packed_;
    std::vector<std::int64_t> bases_;
    std::unordered_multimap<std::uint64_t, std::int64_t> by_hash_;
    std::deque<Whole> whole_; ///< that have no base, the one used last in front
    std::map<std::pair<std::string, std::string>, std::int64_t, std::less<>> metrics_;
};

} // namespace tilescope::profile
