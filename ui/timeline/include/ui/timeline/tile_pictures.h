// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/tile_rows.h"
#include "ui/timeline/time_stack.h"

#include <QImage>
#include <QSize>
#include <map>
#include <memory>

namespace tilescope::ui {

/// Pictures of lanes of tiles, each kept until it has to show something else: to make one takes longer than
/// all else of a frame.
class TilePictures {
  public:
    struct Look {
        double from = 0; ///< columns of the tiles, and how many of them a pixel is wide
        double per_pixel = 1;
        QSize size;       ///< pixels of the device
        double ratio = 1; ///< of them to those of the picture
        TimeStack::Colors colors;
        QColor background;
        bool operator==(const Look&) const = default;
    };
    /// A row for each of the tiles', the first one on top; within it the same rule as for phases.
    QImage of(const std::shared_ptr<const analyse::TileRows>& tiles, const Look& look);
    /// Where a row begins in a picture of that height.
    static int edge(std::size_t row, const analyse::TileRows& tiles, int height);

  private:
    struct Kept {
        std::weak_ptr<const analyse::TileRows> tiles;
        Look look;
        QImage picture;
    };
    std::map<const analyse::TileRows*, Kept> kept_;
};

} // namespace tilescope::ui
