// SPDX-License-Identifier: GPL-3.0-or-later
// How many tiles are drawn where there are more of them than pixels.
#include "ui/theme/theme.h"
#include "ui/tiles/tile_chart.h"

#include <QImage>
#include <gtest/gtest.h>
#include <optional>

namespace tilescope::ui {
namespace {

/// What a column of pixels shows, from its foot: how high it is filled, and where the line of the fullest is.
struct Column {
    int fill = 0;
    std::optional<int> line;
};

struct ShownChart {
    ShownChart() {
        chart.resize(500, 300);
        std::vector<std::int64_t> bytes; // every fourth tile holds something
        for (std::int64_t tile = 0; tile < tiles; ++tile)
            bytes.push_back(tile % 4 == 3 ? 400 * 1024 : 0);
        chart.setSeries({{QStringLiteral("Variables"), &Theme::accent, bytes}});
    }
    Column column(int x) {
        const QImage image = chart.grab().toImage();
        const Theme& theme = Theme::of(&chart);
        int foot = image.height() - 1;
        while (foot > 0 && image.pixelColor(x, foot) != theme.accent)
            --foot;
        Column found;
        for (int y = foot; y > 0; --y) {
            if (image.pixelColor(x, y) == theme.accent)
                ++found.fill;
            else if (image.pixelColor(x, y) == theme.text && !found.line)
                found.line = foot - y;
        }
        return found;
    }
    static constexpr std::int64_t tiles = 4000;
    TileChart chart;
};

TEST(TileChart, AColumnOfSeveralTilesIsFilledToTheirMeanBelowALineAtTheFullest) {
    ShownChart shown;
    for (const int x : {150, 250, 350}) { // a column has some ten tiles
        const Column column = shown.column(x);
        ASSERT_TRUE(column.line) << x;
        EXPECT_NEAR(static_cast<double>(column.fill) / *column.line, 0.25, 0.07) << x;
    }
    EXPECT_NEAR(*shown.column(150).line, *shown.column(350).line, 1) << "every column has a full tile";
}

TEST(TileChart, AColumnOfOneTileIsFilledAsFarAsItHolds) {
    ShownChart shown;
    const int line = *shown.column(250).line;
    shown.chart.setZoom({0.0, 8.0});
    int full = 0;
    int empty = 0;
    for (int x = 110; x < 480; ++x) {
        const Column column = shown.column(x);
        EXPECT_FALSE(column.line) << x;
        full += std::abs(column.fill - line) <= 1 ? 1 : 0;
        empty += column.fill == 0 ? 1 : 0;
    }
    EXPECT_GT(full, 60); // two of eight
    EXPECT_GT(empty, 3 * full / 2);
}

} // namespace
} // namespace tilescope::ui
