// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::profile {

/// The texts of a file that is read, by id, all in one piece of memory: a string of its own for each would
/// take twice as much. They stay as long as the file is open.
class KeptTexts {
  public:
    std::int64_t last() const { return ids_.empty() ? -1 : ids_.back(); }
    /// One more, whose id is above those before.
    void add(std::int64_t id, std::string_view text) {
        ids_.push_back(id);
        texts_ += text;
        ends_.push_back(texts_.size());
    }
    void shrink() {
        ids_.shrink_to_fit();
        ends_.shrink_to_fit();
        texts_.shrink_to_fit();
    }
    /// Valid until the next is added; empty where there is none of that id.
    std::string_view operator[](std::int64_t id) const {
        auto index = static_cast<std::size_t>(id);
        if (id < 0 || index >= ids_.size() || ids_[index] != id) { // they are numbered from 0 on, mostly
            const auto found = std::lower_bound(ids_.begin(), ids_.end(), id);
            if (found == ids_.end() || *found != id)
                return {};
            index = static_cast<std::size_t>(found - ids_.begin());
        }
        const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
        return std::string_view(texts_).substr(begin, ends_[index] - begin);
    }

  private:
    std::vector<std::int64_t> ids_;
    std::vector<std::size_t> ends_; ///< in `texts_`
    std::string texts_;
};

} // namespace tilescope::profile
