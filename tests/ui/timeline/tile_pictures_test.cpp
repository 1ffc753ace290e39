// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/tile_pictures.h"

#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

/// One row of four columns: compute, exchange, compute, nothing known.
std::shared_ptr<const analyse::TileRows> four_columns() {
    analyse::TileRows tiles;
    tiles.rows = 1;
    tiles.columns = 4;
    tiles.cells.resize(4);
    tiles.cells[0][static_cast<std::size_t>(analyse::TimeKind::Compute)] = 255;
    tiles.cells[1][static_cast<std::size_t>(analyse::TimeKind::Exchange)] = 255;
    tiles.cells[2][static_cast<std::size_t>(analyse::TimeKind::Compute)] = 255;
    return std::make_shared<const analyse::TileRows>(std::move(tiles));
}

TilePictures::Look look() {
    TilePictures::Look look;
    look.size = {4, 2};
    look.colors.part = {Qt::red, Qt::blue, Qt::darkBlue, Qt::yellow, Qt::gray, Qt::lightGray};
    look.background = Qt::white;
    return look;
}

TEST(TilePictures, APixelIsWhatItsColumnIsSpentOn) {
    TilePictures pictures;
    const QImage picture = pictures.of(four_columns(), look());
    ASSERT_EQ(picture.size(), QSize(4, 2));
    for (const int y : {0, 1}) {
        EXPECT_EQ(picture.pixelColor(0, y), QColor(Qt::red));
        EXPECT_EQ(picture.pixelColor(1, y), QColor(Qt::blue));
        EXPECT_EQ(picture.pixelColor(2, y), QColor(Qt::red));
        EXPECT_EQ(picture.pixelColor(3, y).alpha(), 0);
    }
}

TEST(TilePictures, OneIsDrawnAgainOnlyWhenItLooksDifferent) {
    TilePictures pictures;
    const auto tiles = four_columns();
    const qint64 first = pictures.of(tiles, look()).cacheKey();
    EXPECT_EQ(pictures.of(tiles, look()).cacheKey(), first);
    TilePictures::Look later = look();
    later.from = 1;
    EXPECT_EQ(pictures.of(tiles, later).pixelColor(0, 0), QColor(Qt::blue));
    TilePictures::Look dark = look();
    dark.colors.part[0] = Qt::magenta;
    EXPECT_EQ(pictures.of(tiles, dark).pixelColor(0, 0), QColor(Qt::magenta));
    EXPECT_EQ(pictures.of(four_columns(), look()).pixelColor(0, 0), QColor(Qt::red)) << "of other tiles";
}

} // namespace
} // namespace tilescope::ui
