// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/tile_rows.h"
#include "tests/ui/trace/shown_trace.h"

#include <QApplication>
#include <QLineEdit>
#include <QSignalSpy>
#include <QWheelEvent>

namespace tilescope::ui {

TEST(TracePicture, TheRowsOfTilesArePaintedAsTheySpendTheirTime) {
    ShownTrace shown(tests::small_fixture);
    LaneChoice lanes = shown.view.lanes();
    lanes.show(LaneKind::Tiles, true);
    shown.view.setLanes(lanes);
    shown.rest();
    const auto [from, to] = shown.timeline().view().limits();
    for (const double part : {1.0, 0.2, 0.03}) {
        shown.show(static_cast<double>(from),
                   static_cast<double>(from) + part * static_cast<double>(to - from));
        const analyse::TileRows& rows =
            *shown.timeline().groups()[0].lanes[shown.lane(LaneKind::Tiles)].tiles;
        ASSERT_EQ(rows.rows, 64U);
        const auto phases = shown.painted(0);
        const auto tiles = shown.painted(0, LaneKind::Tiles);
        const auto share = [](const auto& of, TimeKind kind) { return of[static_cast<std::size_t>(kind)]; };
        // Every other tile computes half as long as the slowest. Of four tiles that exchange, two move 24
        // bytes, one 16, one 8.
        EXPECT_NEAR(share(tiles, TimeKind::Compute), 0.75 * share(phases, TimeKind::Compute), 0.01) << part;
        EXPECT_NEAR(share(tiles, TimeKind::Exchange), 0.75 * share(phases, TimeKind::Exchange), 0.01) << part;
        for (const TimeKind kind : {TimeKind::Sync, TimeKind::Host})
            EXPECT_NEAR(share(tiles, kind), share(phases, kind), 0.01) << part;
    }
}

TEST(TraceView, FewerTilesAreChosenByWheelKeysOrText) {
    ShownTrace shown(tests::small_fixture);
    auto& field = *shown.view.findChild<QLineEdit*>(QStringLiteral("traceTiles"));
    EXPECT_TRUE(field.isHidden()) << "tiles are not shown at first";
    LaneChoice lanes = shown.view.lanes();
    lanes.show(LaneKind::Tiles, true);
    shown.view.setLanes(lanes);
    shown.rest();
    EXPECT_TRUE(field.isVisible());
    const auto rows = [&]() -> const analyse::TileRows& {
        return *shown.timeline().groups()[0].lanes[shown.lane(LaneKind::Tiles)].tiles;
    };
    const auto type = [&](const char* text) {
        field.setText(QLatin1String(text));
        Q_EMIT field.editingFinished();
        for (int round = 0; round < 2; ++round) { // what comes within a frame is shown at once
            shown.settle();
        }
    };
    type("8-11");
    EXPECT_EQ(rows().first_tile, 8);
    EXPECT_EQ(rows().rows, 4U);
    QSignalSpy said(&shown.view, &View::message);
    type("8-64");
    ASSERT_EQ(said.size(), 1);
    EXPECT_EQ(said[0][0].toString(), QStringLiteral("tile 64: this IPU has tiles 0 to 63"));
    EXPECT_EQ(rows().last_tile, 11) << "what is wrong changes nothing";
    QTest::keyClick(&field, Qt::Key_Escape);
    EXPECT_EQ(field.text(), QStringLiteral("8-11")) << "what is shown";
    EXPECT_TRUE(shown.timeline().hasFocus() || !shown.view.isActiveWindow());
    type("");
    EXPECT_EQ(rows().rows, 64U);
    const QRect rect = shown.seen(LaneKind::Tiles);
    const QPointF bottom(rect.left() + 100, rect.bottom() - 1);
    QWheelEvent wheel(bottom, shown.timeline().viewport()->mapToGlobal(bottom), {}, {0, 600}, Qt::NoButton,
                      Qt::ControlModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(shown.timeline().viewport(), &wheel);
    shown.settle();
    EXPECT_EQ(rows().rows, 21U) << "64 over 1.25 to the fifth";
    EXPECT_EQ(rows().last_tile, 62) << "about the pointer, a pixel above the end";
    EXPECT_EQ(field.text(), QStringLiteral("42-62"));
    shown.timeline().setFocus();
    for (int i = 0; i < 4; ++i)
        QTest::keyClick(&shown.timeline(), Qt::Key_S, Qt::ShiftModifier);
    shown.settle();
    EXPECT_EQ(rows().rows, 64U);
    EXPECT_TRUE(field.text().isEmpty());
}

TEST(TraceView, TheTipOverTilesNamesTheSlowest) {
    ShownTrace shown(tests::small_fixture);
    LaneChoice lanes = shown.view.lanes();
    lanes.show(LaneKind::Tiles, true);
    shown.view.setLanes(lanes);
    shown.rest();
    const auto& slices = shown.timeline().groups()[0].lanes[shown.lane(LaneKind::Phases)].slices;
    const auto found = std::find_if(slices.begin(), slices.end(),
                                    [](const TimelineSlice& slice) { return slice.cycles.compute > 0; });
    ASSERT_NE(found, slices.end());
    const double middle = static_cast<double>(found->start + found->end) / 2;
    const std::int64_t cycles = found->cycles.compute;
    shown.show(middle - 1000, middle + 1000);
    const QString tip = shown.tip(shown.at(middle, LaneKind::Tiles));
    EXPECT_TRUE(tip.contains(QStringLiteral("0: computes %1 cycles").arg(cycles))) << tip.toStdString();
    EXPECT_TRUE(tip.contains(QStringLiteral("%1 cycles").arg(cycles * 3 / 4))) << tip.toStdString();
}

} // namespace tilescope::ui
