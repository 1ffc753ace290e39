// SPDX-License-Identifier: GPL-3.0-or-later
#include "shown_memory.h"
#include "tests/ui/shown_text.h"
#include "ui/theme/theme.h"
#include "ui/tiles/tile_map.h"

#include <QImage>
#include <QToolButton>

namespace tilescope::ui {
namespace {

/// One IPU of four tiles that hold 100, 130, 60 and 100 bytes.
Result<void> record_base(const std::string& path) {
    auto recorder = Recorder::create(path, RunRecord{});
    if (!recorder)
        return Failure(recorder.error());
    Recorder& r = **recorder;
    r.set(TargetRecord{"pod4", "ipu2", 1, 4, 1000, 1e9, 6});
    r.add(IpuRecord{0, 0, "", 0, 0});
    r.add_tile_values("category:Variables", 0, 0, "always_live", Tiles{100, 130, 60, 100});
    r.add_tile_values("category:Variables", 0, 0, "not_always_live", Tiles{0, 0, 0, 0});
    r.add_tile_values("memory", 0, 0, "total", Tiles{100, 130, 60, 100});
    r.add_tile_values("memory", 0, 0, "total_with_gaps", Tiles{100, 130, 60, 100});
    return r.finish(RunStatus::Complete);
}

TEST(MemoryDifference, TheLegendTellsItsColoursAndDrawsNoOthers) {
    ShownMemory shown;
    const tests::ShownView<MemoryView> base{ShownMemory::Record(&record_base)};
    const auto buttons = [&](const char* name) {
        return shown.view.findChildren<QToolButton*>(QLatin1String(name));
    };
    ASSERT_FALSE(buttons("category").isEmpty());
    for (const QToolButton* category : buttons("category"))
        EXPECT_FALSE(category->icon().isNull()) << category->text().toStdString();
    EXPECT_TRUE(buttons("legendKey").isEmpty());
    shown.view.setSources({shown.source, base.source, true});
    shown.settle();
    ASSERT_TRUE(QTest::qWaitFor([&] { return base.source->pending() == 0; }, 20000));
    for (const QToolButton* category : buttons("category"))
        EXPECT_TRUE(category->icon().isNull()) << category->text().toStdString();
    const auto keys = buttons("legendKey");
    ASSERT_EQ(keys.size(), 2);
    const Theme& theme = Theme::current();
    const auto color_of = [](const QToolButton* key) {
        return key->icon().pixmap(24, 24).toImage().pixelColor(12, 12);
    };
    EXPECT_EQ(keys[0]->text(), QStringLiteral("less than in ") + base.source->name());
    EXPECT_EQ(color_of(keys[0]), theme.less());
    EXPECT_EQ(keys[1]->text(), QStringLiteral("more than in ") + base.source->name());
    EXPECT_EQ(color_of(keys[1]), theme.more());
    // What is left out of the sums is left out of the picture.
    const QString all = shown.view.findChild<TileChart*>()->toText(QLatin1Char(','));
    for (QToolButton* category : buttons("category")) {
        EXPECT_FALSE(category->font().strikeOut());
        category->setChecked(false);
        EXPECT_TRUE(category->font().strikeOut()) << category->text().toStdString();
    }
    EXPECT_NE(shown.view.findChild<TileChart*>()->toText(QLatin1Char(',')), all);
    // Without a base the colour of a category goes with it, but for its outline.
    shown.view.setSources({shown.source});
    shown.settle();
    for (QToolButton* category : buttons("category")) {
        EXPECT_TRUE(category->font().strikeOut()) << "still left out";
        EXPECT_EQ(color_of(category).alpha(), 0);
        category->setChecked(true);
        EXPECT_FALSE(category->font().strikeOut());
        EXPECT_EQ(color_of(category).alpha(), 255);
    }
}

TEST(MemoryDifference, IsByTile) {
    ShownMemory shown;
    const tests::ShownView<MemoryView> base{ShownMemory::Record(&record_base)};
    shown.view.setSources({shown.source, base.source, true});
    shown.settle();
    ASSERT_TRUE(QTest::qWaitFor([&] { return base.source->pending() == 0; }, 20000));
    const QString expected = QStringLiteral("ipu,tile,difference bytes\n0,0,0\n0,1,-30\n0,2,40\n0,3,0\n"
                                            "1,0,100\n1,1,100\n1,2,900\n1,3,100\n");
    EXPECT_EQ(shown.view.findChild<TileChart*>()->toText(QLatin1Char(',')), expected);
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("IPU 1 tile 2 has grown the most: +900 B")));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("+1.18 KiB on 8 tiles"))); // 10 + 1,200 bytes
    // The chart has a bar up for what is more and one down for what is less, the map a colour for each.
    const auto has = [](QWidget& picture, const QColor& color) {
        const QImage image = picture.grab().toImage();
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                if (image.pixelColor(x, y) == color)
                    return true;
        return false;
    };
    EXPECT_TRUE(has(*shown.view.findChild<TileChart*>(), Theme::light().more()));
    EXPECT_TRUE(has(*shown.view.findChild<TileChart*>(), Theme::light().less()));
    EXPECT_TRUE(has(*shown.view.findChild<TileMap*>(), Theme::light().more()));
    QTest::keyClick(shown.view.findChild<TileChart*>(), Qt::Key_Right);
    EXPECT_EQ(shown.selection.current().tiles.size(), 1U) << "keys walk there, too";
    shown.view.setSources({shown.source, base.source});
    shown.settle();
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("is the fullest of the run")));
    shown.view.setSources({});
}

} // namespace
} // namespace tilescope::ui
