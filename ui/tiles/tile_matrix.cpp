// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tiles/tile_matrix.h"

#include <numeric>

namespace tilescope::ui {

TileMatrix::TileMatrix(QWidget* parent)
    : BytesMatrix(tr("Bytes from tile to tile"), tr("Matrix"),
                  {{tr("Return"), tr("chooses the tiles that receive; with Ctrl those that send")},
                   {tr("Esc"), tr("chooses all tiles")}},
                  parent) {}

QString TileMatrix::nameOf(Range range) const {
    return range.count == 1 ? tr("tile %1").arg(range.first)
                            : tr("tiles %1 to %2").arg(range.first).arg(range.first + range.count - 1);
}

QString TileMatrix::cellText(std::int64_t block) const {
    return block == 1 ? tr("a tile") : tr("%1 × %1 tiles").arg(block);
}

QStringList TileMatrix::ends() const {
    return {tr("from tile"), tr("to"), tr("to tile"), tr("to")};
}

void TileMatrix::cellChosen(Range from, Range to, bool other) {
    const Range& of = other ? from : to;
    std::vector<std::int64_t> tiles(static_cast<std::size_t>(of.count));
    std::iota(tiles.begin(), tiles.end(), of.first);
    Q_EMIT tilesSelected(tiles);
}

} // namespace tilescope::ui
