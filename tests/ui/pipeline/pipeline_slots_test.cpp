// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/system_fixture.h"
#include "tests/ui/view_test_support.h"
#include "ui/pipeline/pipeline_view.h"
#include "ui/pipeline/stage_panel.h"
#include "ui/widgets/data_table.h"

#include <QComboBox>
#include <QTableView>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

/// Slots of 60, 110, 130 and 90 cycles, and an update of 30.
struct Slots : tests::ShownView<PipelineView> {
    Slots() : ShownView([](const std::string& path) { return tests::record_system(path, {2, 2, true}); }) {
        view.activateWindow();
        view.timeline().setAnimated(false);
        view.timeline().setFocus();
    }
    TimelineWidget& timeline() { return view.timeline(); }
    void toggle() { QTest::keyClick(&timeline(), Qt::Key_T, Qt::ShiftModifier); }
    const TimelineSlice& slice(std::size_t stage, std::size_t index) {
        return timeline().groups()[0].lanes[stage].slices[index];
    }
    QString shares() {
        QString all;
        const QAbstractItemModel& model = *view.panel().shares().view()->model();
        for (int row = 0; row < model.rowCount(); ++row)
            for (int c = 0; c < model.columnCount(); ++c)
                all += model.index(row, c).data().toString() + QLatin1Char('|');
        return all;
    }
};

using Cycles = std::pair<std::int64_t, std::int64_t>;

} // namespace

TEST(PipelineSlots, AreAsWideAsOneAnother) {
    Slots shown;
    auto* unit = shown.view.findChild<QComboBox*>(QStringLiteral("pipelineUnit"));
    EXPECT_EQ(unit->currentText(), QStringLiteral("time"));
    shown.toggle();
    EXPECT_EQ(unit->currentText(), QStringLiteral("slots"));
    EXPECT_EQ(shown.timeline().view().limits(), Cycles(0, 4 * 130 + 30));
    EXPECT_EQ(shown.slice(0, 0).start, 0);
    EXPECT_EQ(shown.slice(0, 0).end, 108) << "50 of the 60 cycles of the first slot";
    EXPECT_EQ(shown.slice(0, 2).start, 130) << "the second one begins";
    EXPECT_EQ(shown.slice(1, 2).start, 130) << "on all stages";
    unit->setCurrentIndex(0);
    Q_EMIT unit->activated(0);
    EXPECT_EQ(shown.timeline().view().limits(), Cycles(0, 420));
    EXPECT_EQ(shown.slice(0, 0).end, 50);
}

TEST(PipelineSlots, FiguresStayThoseOfTime) {
    Slots shown;
    const QString in_time = shown.timeline().toText(QLatin1Char(','));
    ASSERT_TRUE(in_time.contains(QStringLiteral("Stage 0"))) << in_time.toStdString();
    const auto tip = [&] {
        const QRect lane = shown.timeline().laneRect(0, 0);
        return shown.timeline().description({lane.left() + 5, lane.center().y()});
    };
    const QString of_first = tip();
    ASSERT_TRUE(of_first.contains(QStringLiteral("50 cycles"))) << of_first.toStdString();
    const QString shares = shown.shares();
    shown.toggle();
    EXPECT_EQ(shown.timeline().toText(QLatin1Char(',')), in_time);
    EXPECT_EQ(tip(), of_first);
    EXPECT_EQ(shown.shares(), shares);
}

TEST(PipelineSlots, WhatIsInViewAndTheRangeStaySo) {
    Slots shown;
    shown.timeline().setZoom({60.0, 300.0});
    shown.timeline().setRange(Cycles(115, 300));
    Q_EMIT shown.timeline().rangeSelected(0, false, 115, 300);
    const QString shares = shown.shares();
    shown.toggle();
    EXPECT_EQ(shown.timeline().view().from(), 130);
    EXPECT_EQ(shown.timeline().view().to(), 390);
    EXPECT_EQ(shown.timeline().zoom(), (QVariantList{60.0, 300.0}));
    EXPECT_EQ(shown.timeline().range(), std::optional(Cycles(195, 390)));
    Q_EMIT shown.timeline().rangeSelected(0, false, 195, 390);
    EXPECT_EQ(shown.shares(), shares) << "of the same cycles";
    shown.toggle();
    EXPECT_EQ(shown.timeline().range(), std::optional(Cycles(115, 300)));
    EXPECT_EQ(shown.timeline().view().from(), 60);
}

TEST(PipelineSlots, KeysChooseTheSamePasses) {
    const auto walk = [](bool by_slot) {
        Slots shown;
        if (by_slot)
            shown.toggle();
        std::vector<std::tuple<std::int64_t, std::int64_t, int>> passes;
        for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Right, Qt::Key_Down, Qt::Key_Right, Qt::Key_Right,
                                  Qt::Key_Up, Qt::Key_Left, Qt::Key_N}) {
            QTest::keyClick(&shown.timeline(), key);
            const Selection& now = shown.selection.current();
            passes.emplace_back(now.ipu, now.micro_batch, static_cast<int>(now.activity));
        }
        return passes;
    };
    EXPECT_EQ(walk(true), walk(false));
}

TEST(PipelineSlots, AreRemembered) {
    Slots shown;
    shown.toggle();
    const QJsonObject state = shown.view.saveState();
    Slots later;
    later.view.restoreState(state);
    EXPECT_EQ(later.timeline().view().limits().second, 550);
    EXPECT_EQ(later.view.findChild<QComboBox*>(QStringLiteral("pipelineUnit"))->currentIndex(), 1);
}

} // namespace tilescope::ui
