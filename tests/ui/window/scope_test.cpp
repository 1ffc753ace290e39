// SPDX-License-Identifier: GPL-3.0-or-later
/// What is looked at, and how, in all views.
#include "frame_fixture.h"
#include "tests/system_fixture.h"
#include "ui/sharding/sharding_view.h"
#include "ui/sharding/system_canvas.h"
#include "ui/tiles/tile_map.h"

#include <QSet>

namespace tilescope::ui {
namespace {

TEST_F(Frame, TheOrderOfTilesIsThatOfEveryFloorPlan) {
    open("first.tilescope");
    for (const char* view : {"G, X", "G, O", "G, M"}) {
        press(view);
        settle();
    }
    const auto headings = [this] {
        QSet<QString> all;
        for (const TileMap* map : window->findChildren<TileMap*>())
            all << map->heading();
        return all;
    };
    ASSERT_GT(window->findChildren<TileMap*>().size(), 2);
    EXPECT_FALSE(headings().contains(QStringLiteral("Tiles by number")));
    press("O");
    EXPECT_EQ(headings(), QSet<QString>{QStringLiteral("Tiles by number")});
    for (const TileMap* map : window->findChildren<TileMap*>())
        if (map->partCount() > 0) {
            EXPECT_TRUE(map->accessibleName().startsWith(QStringLiteral("Tiles by number")))
                << map->accessibleName().toStdString();
        }
    press("O");
    EXPECT_FALSE(headings().contains(QStringLiteral("Tiles by number")));
}

TEST_F(Frame, TheFirstOfSeveralIpusHasAChipWhenItIsChosen) {
    open("first.tilescope");
    EXPECT_FALSE(chip("chipIpu").isVisible());
    press("G, M");
    settle();
    press("X");
    settle();
    EXPECT_FALSE(chip("chipIpu").isVisible()) << "there is one";
    ASSERT_TRUE(tests::record_system(folder / "system.tilescope", {2, 2, false}));
    open("system.tilescope");
    press("G, H");
    settle();
    auto& canvas = window->findChild<ShardingView*>()->canvas();
    canvas.setFocus();
    EXPECT_FALSE(chip("chipIpu").isVisible()) << "none is chosen";
    QTest::keyClick(&canvas, Qt::Key_Home);
    settle();
    EXPECT_TRUE(chip("chipIpu").isVisible());
    EXPECT_EQ(chip("chipIpu").accessibleName(), QStringLiteral("IPU 0"));
    chip("chipIpu").click();
    EXPECT_FALSE(chip("chipIpu").isVisible());
}

} // namespace
} // namespace tilescope::ui
