// SPDX-License-Identifier: GPL-3.0-or-later
/// What is looked at, and how, in all views.
#include "frame_fixture.h"
#include "tests/system_fixture.h"
#include "ui/sharding/sharding_view.h"
#include "ui/sharding/system_canvas.h"
#include "ui/tiles/tile_chart.h"
#include "ui/tiles/tile_map.h"

#include <QComboBox>
#include <QImage>
#include <QSet>
#include <QTreeWidget>
#include <algorithm>

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

/// All views follow, Compare and Memory among them, which can show one IPU alone: none answers.
TEST_F(Frame, TheIpuThatIsLetGoOfIsChosenByNoView) {
    ASSERT_TRUE(tests::record_system(folder / "system.tilescope", {2, 2, false}));
    open("system.tilescope");
    for (const char* view : {"G, M", "G, X", "G, H"}) {
        press(view);
        settle();
    }
    const auto let_go = [&](const QString& ipu) {
        settle();
        EXPECT_EQ(chip("chipIpu").accessibleName(), ipu);
        chip("chipIpu").click();
        settle();
        EXPECT_FALSE(chip("chipIpu").isVisible()) << chip("chipIpu").accessibleName().toStdString();
    };
    auto& canvas = window->findChild<ShardingView*>()->canvas();
    canvas.setFocus();
    QTest::keyClick(&canvas, Qt::Key_End);
    let_go(QStringLiteral("IPU 3"));
    press("G, M");
    settle();
    auto* ipus = window->findChild<QComboBox*>(QStringLiteral("memoryIpus"));
    ASSERT_NE(ipus, nullptr);
    ipus->setCurrentIndex(3); // behind all: IPU 2
    Q_EMIT ipus->activated(3);
    let_go(QStringLiteral("IPU 2"));
    press("X"); // the fullest tile
    settle();
    ASSERT_TRUE(chip("chipTiles").isVisible());
    chip("chipTiles").click();
    settle();
    chip("chipIpu").click();
    settle();
    const auto charts = window->findChildren<TileChart*>();
    const auto chart = std::ranges::find_if(charts, &QWidget::isVisible);
    ASSERT_NE(chart, charts.end());
    Q_EMIT(*chart)->tilesSelected({});
    EXPECT_FALSE(chip("chipIpu").isVisible()) << "no tile is of no IPU";
}

TEST_F(Frame, AnIpuThatIsPinnedHasAPinOfAnotherShape) {
    ASSERT_TRUE(tests::record_system(folder / "system.tilescope", {2, 2, false}));
    open("system.tilescope");
    press("G, T");
    settle();
    press("L");
    auto* lanes = window->findChild<QTreeWidget*>(QStringLiteral("laneTree"));
    ASSERT_TRUE(lanes->isVisible());
    const auto shape = [&] { // whatever its colour
        const QTreeWidgetItem* ipu = lanes->topLevelItem(1);
        return ipu->icon(2).pixmap(16).toImage().convertToFormat(QImage::Format_Alpha8);
    };
    const QImage loose = shape();
    ASSERT_FALSE(loose.isNull());
    lanes->setCurrentItem(lanes->topLevelItem(1));
    QTest::keyClick(lanes, Qt::Key_P);
    settle();
    EXPECT_NE(shape(), loose);
}

} // namespace
} // namespace tilescope::ui
