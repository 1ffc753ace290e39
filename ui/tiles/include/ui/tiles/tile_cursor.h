// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace tilescope::ui {

/// Which tiles are chosen, and where keys go on from. Tiles are numbered through all IPUs that are shown.
class TileCursor {
  public:
    void resize(std::size_t tiles);
    void choose(const std::vector<std::int64_t>& tiles);
    bool any() const { return any_; }
    bool chosen(std::int64_t tile) const;
    /// The only chosen tile, or where the keys have moved to; -1: nowhere yet.
    std::int64_t tile() const { return tile_; }
    /// What is chosen once the cursor has moved by `step` tiles; `extend`: with all in between.
    std::vector<std::int64_t> moved(std::int64_t step, bool extend);
    /// The keys have moved to `tile`. Result: where the choice begins, `tile` itself unless it is extended.
    std::int64_t movedTo(std::int64_t tile, bool extend);
    /// What is chosen of the tile's IPU, of `per` tiles, once it is chosen beside the others, or no longer
    /// where it was; keys go on from it.
    std::vector<std::int64_t> toggled(std::int64_t tile, std::int64_t per);
    /// Where a choice that is extended begins; -1: nowhere.
    std::int64_t anchor() const { return any_ ? anchor_ : -1; }
    /// A click on the only chosen tile lets go of it.
    bool only(std::int64_t tile) const;

  private:
    std::vector<bool> chosen_;
    bool any_ = false;
    std::int64_t tile_ = -1;
    std::int64_t anchor_ = -1;
    bool moving_ = false; ///< `choose` is the answer to `moved`
};

} // namespace tilescope::ui
