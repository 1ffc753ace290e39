// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/tile_pictures.h"

#include <algorithm>
#include <vector>

namespace tilescope::ui {
namespace {

using analyse::TileRows;
using Column = analyse::TimeColumns::Column;

/// Shares of the kinds of time in a row between two places along its columns, of all that is between them.
Column between(const TileRows& tiles, std::size_t row, double begin, double end) {
    Column sum{};
    const TileRows::Cell* const cells = tiles.cells.data() + row * tiles.columns;
    constexpr double whole = 255;
    const double low = std::max(0.0, begin);
    const double high = std::min(static_cast<double>(tiles.columns), end);
    for (auto c = static_cast<std::size_t>(low); static_cast<double>(c) < high && c < tiles.columns; ++c) {
        const double share =
            (std::min(high, static_cast<double>(c + 1)) - std::max(low, static_cast<double>(c))) /
            (end - begin) / whole;
        for (std::size_t kind = 0; kind < cells[c].size(); ++kind)
            sum[kind] += share * cells[c][kind];
    }
    return sum;
}

QImage draw(const TileRows& tiles, TilePictures::Look look) {
    const int height = look.size.height();
    QImage picture(look.size, QImage::Format_ARGB32_Premultiplied);
    picture.fill(Qt::transparent);
    std::vector<Column> columns(static_cast<std::size_t>(look.size.width()));
    constexpr int hatched_from = 8; // pixels of a row
    if (height / static_cast<int>(tiles.rows) < hatched_from)
        look.colors.hatch = QColor();
    for (std::size_t row = 0; row < tiles.rows; ++row) {
        const int top = TilePictures::edge(row, tiles, height);
        const int high = TilePictures::edge(row + 1, tiles, height) - top;
        if (high <= 0)
            continue;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const double begin = look.from + static_cast<double>(c) * look.per_pixel;
            columns[c] = between(tiles, row, begin, begin + look.per_pixel);
        }
        const QImage line = TimeStack::picture(columns, 1, high, look.colors, look.background);
        for (int y = 0; y < high; ++y)
            std::copy_n(line.constScanLine(y), line.bytesPerLine(), picture.scanLine(top + y));
    }
    picture.setDevicePixelRatio(look.ratio);
    return picture;
}

} // namespace

int TilePictures::edge(std::size_t row, const TileRows& tiles, int height) {
    return static_cast<int>(row * static_cast<std::size_t>(height) / tiles.rows);
}

QImage TilePictures::of(const std::shared_ptr<const TileRows>& tiles, const Look& look) {
    const auto found = kept_.find(tiles.get());
    if (found != kept_.end() && found->second.look == look && found->second.tiles.lock() == tiles)
        return found->second.picture;
    std::erase_if(kept_, [](const auto& each) { return each.second.tiles.expired(); });
    Kept& kept = kept_[tiles.get()] = {tiles, look, draw(*tiles, look)};
    return kept.picture;
}

} // namespace tilescope::ui
