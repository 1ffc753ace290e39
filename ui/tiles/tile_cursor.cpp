// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tiles/tile_cursor.h"

#include <algorithm>

namespace tilescope::ui {

void TileCursor::resize(std::size_t tiles) {
    if (tiles == chosen_.size())
        return;
    chosen_.assign(tiles, false);
    any_ = false;
    tile_ = anchor_ = -1;
}

void TileCursor::choose(const std::vector<std::int64_t>& tiles) {
    const auto count = static_cast<std::int64_t>(chosen_.size());
    std::fill(chosen_.begin(), chosen_.end(), false);
    any_ = false;
    for (const std::int64_t tile : tiles)
        if (tile >= 0 && tile < count)
            any_ = chosen_[static_cast<std::size_t>(tile)] = true;
    if (!moving_ && any_)
        tile_ = anchor_ = std::clamp<std::int64_t>(tiles.front(), 0, count - 1);
    moving_ = false;
}

bool TileCursor::chosen(std::int64_t tile) const {
    return tile >= 0 && tile < static_cast<std::int64_t>(chosen_.size()) &&
           chosen_[static_cast<std::size_t>(tile)];
}

std::vector<std::int64_t> TileCursor::moved(std::int64_t step, bool extend) {
    const auto count = static_cast<std::int64_t>(chosen_.size());
    if (count == 0)
        return {};
    movedTo(tile_ < 0 ? 0 : std::clamp<std::int64_t>(tile_ + step, 0, count - 1), extend);
    std::vector<std::int64_t> tiles;
    for (std::int64_t t = std::min(tile_, anchor_); t <= std::max(tile_, anchor_); ++t)
        tiles.push_back(t);
    return tiles;
}

std::int64_t TileCursor::movedTo(std::int64_t tile, bool extend) {
    tile_ = tile;
    if (!extend || anchor_ < 0)
        anchor_ = tile_;
    moving_ = true;
    return anchor_;
}

std::vector<std::int64_t> TileCursor::toggled(std::int64_t tile, std::int64_t per) {
    const std::int64_t first = tile / per * per;
    std::vector<std::int64_t> tiles;
    for (std::int64_t t = first; t < first + per; ++t)
        if (chosen(t) != (t == tile))
            tiles.push_back(t);
    movedTo(tile, false);
    return tiles;
}

bool TileCursor::only(std::int64_t tile) const {
    return chosen(tile) && std::count(chosen_.begin(), chosen_.end(), true) == 1;
}

} // namespace tilescope::ui
