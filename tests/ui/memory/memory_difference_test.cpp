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
    auto& legend = *shown.view.findChild<Legend*>(QStringLiteral("memoryLegend"));
    const auto color_of = [&](int entry) { // of its box
        const QRect place = legend.part(entry).rect;
        return legend.grab().toImage().pixelColor(place.left() + 4, place.center().y());
    };
    const auto is_part = [&](int entry) { return legend.part(entry).role == QAccessible::CheckBox; };
    const QColor ground = Theme::current().window;
    const int categories = legend.partCount();
    ASSERT_GT(categories, 0);
    for (int i = 0; i < categories; ++i) {
        EXPECT_TRUE(is_part(i)) << i;
        EXPECT_NE(color_of(i), ground) << i;
    }
    shown.view.setSources({shown.source, base.source, true});
    shown.settle();
    EXPECT_TRUE(tests::shows(
        shown.view,
        QStringLiteral("Not in %1: 1 IPU; all that is there counts as more.").arg(base.source->name())));
    ASSERT_GT(legend.partCount(), categories);
    const Theme& theme = Theme::current();
    EXPECT_EQ(legend.part(0).name, QStringLiteral("less than in ") + base.source->name());
    EXPECT_EQ(color_of(0), theme.less());
    EXPECT_EQ(legend.part(1).name, QStringLiteral("more than in ") + base.source->name());
    EXPECT_EQ(color_of(1), theme.more());
    EXPECT_FALSE(is_part(0) || is_part(1));
    // What is left out of the sums is left out of the picture.
    const auto drawn = [&] { return shown.view.findChild<TileChart*>()->toText(QLatin1Char(',')); };
    const QString all = drawn();
    legend.setFocus();
    QTest::keyClick(&legend, Qt::Key_Right);
    for (int i = 2; i < legend.partCount(); ++i) {
        QTest::keyClick(&legend, Qt::Key_Right);
        EXPECT_TRUE(legend.part(i).selected);
        QTest::keyClick(&legend, Qt::Key_Space);
        EXPECT_EQ(legend.part(i).value, QStringLiteral("hidden")) << i;
    }
    EXPECT_NE(drawn(), all);
    // Without a base a category is left out still, until it is shown again.
    shown.view.setSources({shown.source});
    shown.settle();
    for (int i = 0; i < legend.partCount(); ++i)
        EXPECT_EQ(legend.part(i).value, QStringLiteral("hidden")) << i;
    // One alone, and all again.
    QTest::keyClick(&legend, Qt::Key_Return);
    int shown_parts = 0;
    for (int i = 0; i < legend.partCount(); ++i)
        shown_parts += legend.part(i).selected ? 1 : 0;
    EXPECT_EQ(shown_parts, 1);
    EXPECT_EQ(drawn().section(QLatin1Char('\n'), 0, 0).count(QStringLiteral(" bytes")), 2)
        << "it, and the gaps: " << drawn().toStdString();
    QTest::keyClick(&legend, Qt::Key_Return);
    EXPECT_TRUE(legend.hidden().isEmpty());
}

TEST(MemoryDifference, IsByTile) {
    ShownMemory shown;
    const tests::ShownView<MemoryView> base{ShownMemory::Record(&record_base)};
    shown.view.setSources({shown.source, base.source, true});
    shown.settle();
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
