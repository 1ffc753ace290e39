// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace tilescope::profile {

/// The texts that a file has so far, numbered from 0 in the order in which they came. Rows name a few times
/// as many texts as there are different ones, so that looking one up is what recording a row costs: an open
/// table of hashes, and all texts in one piece of memory.
class TextBook {
  public:
    /// The number of a text, and whether it is new.
    std::pair<std::int64_t, bool> add(std::string_view text);

  private:
    struct Slot {
        std::size_t hash = 0;
        std::size_t at = 0; ///< in `texts_`
        std::uint32_t size = 0;
        std::int32_t id = -1; ///< none: the slot is free
    };
    void grow();

    std::vector<Slot> slots_ = std::vector<Slot>(1024); ///< a power of two, at most half of them taken
    std::vector<char> texts_;
    std::int32_t count_ = 0;
};

} // namespace tilescope::profile
