// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/temporary_folder.h"
#include "tests/ui/shown_text.h"
#include "tests/ui/told_details.h"
#include "tests/ui/trace/told_run.h"
#include "tests/ui/view_test_support.h"
#include "ui/trace/trace_view.h"
#include "ui/widgets/data_table.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QTabBar>

namespace tilescope::ui {
namespace {

/// One engine run: a launch of 1,000 cycles and steps of which each computes a product of 100 cycles, after
/// `before` cycles in which the host feeds it.
Told fed(std::int64_t launch, std::int64_t before, std::int64_t steps) {
    Told told;
    told.execution(steps);
    told.launch(launch);
    for (std::int64_t s = 0; s < steps; ++s) {
        told.now = told.step(0, told.now, s, Told::infeed, 0, before, 0);
        told.now = told.step(0, told.now, s, Told::matmul, 0, 0, 100);
    }
    told.end_execution();
    return told;
}

struct Aligned {
    Aligned(const Told& base, const Told& now) {
        EXPECT_TRUE(base.record(folder / "older.tilescope"));
        EXPECT_TRUE(now.record(folder / "newer.tilescope"));
        base_source = ProfileSource::open(QString::fromStdString(folder / "older.tilescope"));
        source = ProfileSource::open(QString::fromStdString(folder / "newer.tilescope"));
        view.resize(1200, 900);
        view.timeline().setAnimated(false);
        view.setSelection(&selection);
        view.setSources({source, base_source});
        view.show();
        settle();
    }
    ~Aligned() { view.setSources({}); }
    void settle() {
        for (int round = 0; round < 2; ++round) {
            QTest::qWait(1);
            EXPECT_TRUE(QTest::qWaitFor(
                [this] { return view.atRest() && source->pending() == 0 && base_source->pending() == 0; },
                20'000));
        }
    }
    template<class T>
    T& part(const char* name) {
        return *view.findChild<T*>(QLatin1String(name));
    }
    void choose(Alignment::On on) {
        auto& box = part<QComboBox>("alignOn");
        box.setCurrentIndex(static_cast<int>(on));
        Q_EMIT box.activated(static_cast<int>(on));
        settle();
    }
    const TimelineGroup& group(bool base) {
        for (const TimelineGroup& each : view.timeline().groups())
            if (each.base == base && each.ipu == 0)
                return each;
        throw std::invalid_argument("no such group");
    }
    std::int64_t shift() { return group(true).shift; }
    double offset() { return part<QDoubleSpinBox>("alignOffset").value(); }
    std::string words() { return part<QLabel>("alignWords").text().toStdString(); }

    tests::TemporaryFolder folder;
    std::shared_ptr<ProfileSource> base_source, source;
    SelectionModel selection;
    TraceView view;
};

} // namespace

TEST(TraceAlignment, BothBeginAtOnceUntilAStepIsAligned) {
    Aligned shown(fed(1000, 60, 20), fed(400, 40, 20));
    EXPECT_EQ(shown.shift(), 0);
    EXPECT_EQ(shown.words(), "older is not moved: both runs begin at once");
    EXPECT_FALSE(shown.group(false).base);

    shown.part<QSpinBox>("alignStep").setValue(11);
    shown.choose(Alignment::On::Step);
    // The eleventh step begins after ten of 140 in the new run, after ten of 160 in the base.
    EXPECT_EQ(shown.shift(), (400 + 10 * 140) - (1000 + 10 * 160));
    EXPECT_EQ(shown.words(), "older stands 800 cycles (800 ns) earlier: step 11 begins in both at once");
    EXPECT_EQ(shown.offset(), -800);
    // The whole of both runs can be seen: the base now begins before the new one.
    EXPECT_EQ(shown.view.timeline().view().limits(),
              (std::pair<std::int64_t, std::int64_t>(-800, 1000 + 20 * 160 - 800)));
}

TEST(TraceAlignment, AnOperationIsAlignedWhereItFirstRunsInTheStep) {
    Aligned shown(fed(1000, 60, 20), fed(400, 40, 20));
    shown.part<QSpinBox>("alignStep").setValue(3);
    Selection chosen = shown.selection.current();
    chosen.operation = 0;
    shown.selection.set(chosen);
    shown.choose(Alignment::On::Operation);
    EXPECT_EQ(shown.part<QLineEdit>("alignOperation").text(), QStringLiteral("dense/MatMul"))
        << "the operation that is selected";
    EXPECT_EQ(shown.shift(), (400 + 2 * 140 + 40) - (1000 + 2 * 160 + 60));
    EXPECT_EQ(shown.words(),
              "older stands 660 cycles (660 ns) earlier: dense/MatMul in step 3 begins in both at once");
    // It is lit up in both, and a click on the base's chooses that of the new run.
    EXPECT_EQ(shown.view.timeline().baseHighlight().operation, 0);

    // Unless somebody has said that the base has nothing like it.
    Sources said{shown.source, shown.base_source};
    said.by_hand = {{analyse::PartKind::Operation, "", "dense/MatMul"}};
    shown.view.setSources(said);
    shown.settle();
    shown.choose(Alignment::On::Operation);
    EXPECT_EQ(shown.words().find("dense/MatMul is not in older"), 0U) << shown.words();
}

TEST(TraceAlignment, WhatOneOfThemDoesNotHaveIsSaidAndMovesNothing) {
    Aligned shown(fed(1000, 60, 5), fed(400, 40, 20));
    shown.part<QSpinBox>("alignStep").setValue(2);
    shown.choose(Alignment::On::Step);
    const std::int64_t before = shown.shift();
    EXPECT_EQ(before, -620);
    shown.part<QSpinBox>("alignStep").setValue(6);
    shown.settle();
    EXPECT_EQ(shown.shift(), before);
    EXPECT_EQ(shown.words().find("older has no trace of step 6"), 0U) << shown.words();
    shown.choose(Alignment::On::Operation);
    EXPECT_EQ(shown.words().find("name an operation of newer"), 0U) << shown.words();
}

TEST(TraceAlignment, TheFieldAndDraggingMoveTheBaseByHand) {
    Aligned shown(fed(1000, 60, 20), fed(400, 40, 20));
    auto& offset = shown.part<QDoubleSpinBox>("alignOffset");
    offset.setValue(250);
    shown.settle();
    EXPECT_EQ(shown.shift(), 250);
    EXPECT_EQ(shown.words(), "older stands 250 cycles (250 ns) later: by hand");

    TimelineWidget& timeline = shown.view.timeline();
    std::size_t group = 0;
    while (!timeline.groups()[group].base)
        ++group;
    const QPoint from = timeline.laneRect(group, 0).center();
    const QPoint to = from + QPoint(100, 0);
    const double cycles = 100 * timeline.view().cyclesPerPixel();
    const auto view = std::pair(timeline.view().from(), timeline.view().to());
    Selection chosen = shown.selection.current();
    chosen.operation = 0; // whose durations the totals tell
    shown.selection.set(chosen);
    shown.settle();
    QTest::mousePress(timeline.viewport(), Qt::LeftButton, Qt::ControlModifier, from);
    for (int x = 5; x <= 100; x += 5) {
        QMouseEvent move(QEvent::MouseMove, QPointF(from + QPoint(x, 0)),
                         timeline.viewport()->mapToGlobal(QPointF(from + QPoint(x, 0))), Qt::LeftButton,
                         Qt::LeftButton, Qt::ControlModifier);
        QApplication::sendEvent(timeline.viewport(), &move);
        EXPECT_EQ(shown.source->pending(), 0) << "the new run stands still: it is asked nothing";
    }
    EXPECT_EQ(std::pair(timeline.view().from(), timeline.view().to()), view) << "the scale rests meanwhile";
    QTest::mouseRelease(timeline.viewport(), Qt::LeftButton, Qt::ControlModifier, to);
    shown.settle();
    EXPECT_NEAR(static_cast<double>(shown.shift()), 250 + cycles, 1);
    EXPECT_EQ(shown.offset(), static_cast<double>(shown.shift()));
    EXPECT_FALSE(timeline.range()) << "no range was chosen";
}

TEST(TraceAlignment, ASliceOfTheBaseIsWhereItIsDrawn) {
    Aligned shown(fed(1000, 60, 20), fed(400, 40, 20));
    shown.part<QDoubleSpinBox>("alignOffset").setValue(-600);
    shown.settle();
    TimelineWidget& timeline = shown.view.timeline();
    timeline.show(300, 1300);
    shown.settle();
    std::size_t group = 0;
    while (!timeline.groups()[group].base)
        ++group;
    std::size_t lane = 0;
    while (timeline.groups()[group].lanes[lane].kind != LaneKind::Operation)
        ++lane;
    // The base's first product: cycles 1,060 to 1,160 of its own, 460 to 560 as it is drawn.
    const auto at = [&](double cycle) {
        const QRect rect = timeline.laneRect(group, lane);
        return QPoint(rect.left() + static_cast<int>(timeline.view().x(cycle)), rect.center().y());
    };
    QTest::mouseClick(timeline.viewport(), Qt::LeftButton, {}, at(500));
    shown.settle();
    EXPECT_EQ(shown.selection.current().operation, 0) << "its partner in the new run";
    QTest::mouseDClick(timeline.viewport(), Qt::LeftButton, {}, at(500));
    shown.settle();
    EXPECT_LT(timeline.view().from(), 460);
    EXPECT_GT(timeline.view().to(), 560);
    EXPECT_LT(timeline.view().span(), 200);
}

TEST(TraceAlignment, TheBaseLiesBeneathAndMayBeOutOfView) {
    Aligned shown(fed(1000, 60, 20), fed(400, 40, 20));
    const auto& groups = shown.view.timeline().groups();
    ASSERT_GE(groups.size(), 2U);
    EXPECT_FALSE(groups[0].base);
    EXPECT_TRUE(groups[1].base);
    for (const TimelineGroup& group : groups)
        EXPECT_EQ(group.name.endsWith(QStringLiteral("counters")),
                  counterOf(group.lanes.front().kind).has_value())
            << group.name.toStdString();
    shown.part<QDoubleSpinBox>("alignOffset").setValue(50'000);
    shown.settle();
    shown.view.timeline().show(0, 1000);
    shown.settle();
    EXPECT_EQ(shown.shift(), 50'000);
    shown.view.timeline().show(51'000, 52'000);
    shown.settle();
    for (const TimelineLane& lane : shown.group(true).lanes)
        if (lane.kind == LaneKind::Operation) {
            EXPECT_FALSE(lane.slices.empty()) << "what came into view was read";
        }
}

TEST(TraceAlignment, TheDifferenceHasBaseNewDifferenceAndPercent) {
    Aligned shown(fed(1000, 60, 20), fed(400, 40, 20));
    shown.view.setSources({shown.source, shown.base_source, true});
    shown.settle();
    auto& panel = shown.view.totals();
    const auto table = [&] {
        shown.settle();
        QString text = tests::shown_rows(*panel.table().view(), QLatin1Char('|'));
        return text.replace(QChar(0x2212), QLatin1Char('-')).toStdString();
    };
    EXPECT_EQ(table(), "Name|Base, cycles|New, cycles|Difference|Change|Steps in base|Steps in new\n"
                       "host before an execution's first step|1,000|400|-600|-60.0 %|–|–\n"
                       "no layer or operation, as the host's streams|1,200|800|-400|-33.3 %|–|–\n"
                       "1 unchanged|2,000|2,000|=|=|–|–\n");
    auto& tabs = *panel.findChild<QTabBar*>();
    tabs.setCurrentIndex(TotalsPanel::Kinds);
    EXPECT_EQ(table(), "Name|Base, cycles|New, cycles|Difference|Change\n"
                       "compute|2,000|2,000|=|=\n"
                       "exchange|0|0|=|=\n"
                       "inter-IPU|0|0|=|=\n"
                       "sync|0|0|=|=\n"
                       "host|2,200|1,200|-1,000|-45.5 %\n"
                       "waiting|0|0|=|=\n"
                       "all|4,200|3,200|-1,000|-23.8 %\n");
    tabs.setCurrentIndex(TotalsPanel::Programs);
    EXPECT_EQ(table(), "Name|Base, cycles|New, cycles|Difference|Change|Steps in base|Steps in new\n"
                       "host before an execution's first step|1,000|400|-600|-60.0 %|–|–\n"
                       "infeed|1,200|800|-400|-33.3 %|20|20\n"
                       "1 unchanged|2,000|2,000|=|=|–|–\n");
    // From the beginning of a step of both, as long as the new one's: 20 cycles of the base's are cut off.
    shown.part<QSpinBox>("alignStep").setValue(11);
    shown.choose(Alignment::On::Step);
    tabs.setCurrentIndex(TotalsPanel::Operations);
    const std::int64_t start = 400 + 10 * 140;
    shown.view.timeline().show(static_cast<double>(start), static_cast<double>(start + 140));
    EXPECT_EQ(table(), "Name|Base, cycles|New, cycles|Difference|Change|Steps in base|Steps in new\n"
                       "dense/MatMul|80|100|+20|+25.0 %|1|1\n"
                       "no layer or operation, as the host's streams|60|40|-20|-33.3 %|–|–\n");
}

// Of 3,200 cycles and of 4,200 both compute 2,000, at 1 GHz.
TEST(TraceAlignment, TheDifferenceIsToldAtTheSide) {
    Aligned shown(fed(1000, 60, 20), fed(400, 40, 20));
    const tests::ToldDetails told(shown.view);
    shown.view.setSources({shown.source, shown.base_source, true});
    shown.settle();
    EXPECT_EQ(told.title(), QStringLiteral("In view, less older"));
    EXPECT_EQ(
        told.value("Length").replace(QChar(0x2212), u'-'),
        QStringLiteral("new: 3,200 cycles (3.20 µs)\nbase: 4,200 cycles (4.20 µs)\ndifference: -23.8 %"));
    EXPECT_TRUE(told.value("Compute").startsWith(
        QStringLiteral("new: 62.5 %, 2 µs\nbase: 47.6 %, 2 µs\ndifference: +14.9")))
        << told.value("Compute").toStdString();
}

TEST(TraceAlignment, AnIpuThatTheBaseDoesNotHaveHasNoDifference) {
    Aligned shown(fed(1000, 60, 20), pipelined());
    shown.view.setSources({shown.source, shown.base_source, true});
    const auto rest = [&] { shown.settle(); };
    rest();
    EXPECT_TRUE(shown.view.totals().difference());
    Selection chosen = shown.selection.current();
    chosen.lookAt(1);
    shown.selection.set(chosen);
    rest();
    EXPECT_FALSE(shown.view.totals().difference()) << "the totals of the new run alone";
    EXPECT_EQ(shown.view.totals().totals().ipu, 1);
    EXPECT_GT(shown.view.totals().totals().phases.total(), 0);
}

TEST(TraceAlignment, IsKeptWithTheTwoFilesAndWithTheComparison) {
    Aligned shown(fed(1000, 60, 20), fed(400, 40, 20));
    shown.part<QSpinBox>("alignStep").setValue(11);
    shown.choose(Alignment::On::Step);
    shown.view.setSources({shown.source, nullptr});
    shown.settle();
    EXPECT_FALSE(shown.part<QComboBox>("alignOn").isVisible()) << "one file is not aligned";
    shown.view.setSources({shown.source, shown.base_source});
    shown.settle();
    EXPECT_EQ(shown.shift(), -800);
    shown.view.setSources({shown.base_source, shown.source}); // swapped
    shown.settle();
    EXPECT_EQ(shown.shift(), 800);
    shown.view.setSources({shown.source, shown.base_source});
    shown.settle();

    const QString base = shown.base_source->path();
    const QString now = shown.source->path();
    const QJsonObject kept = shown.view.saveComparison(base, now);
    shown.choose(Alignment::On::Beginning);
    EXPECT_EQ(shown.shift(), 0);
    EXPECT_TRUE(shown.view.saveComparison(base, now).isEmpty()) << "nothing need be kept";
    EXPECT_TRUE(shown.view.restoreComparison(base, now, kept));
    shown.settle();
    EXPECT_EQ(shown.shift(), -800);

    for (const auto& [key, value, told] :
         {std::tuple{"on", QJsonValue(QStringLiteral("luck")), "\"luck\""},
          std::tuple{"step", QJsonValue(0), "\"step\""}, std::tuple{"epoch", QJsonValue(1.5), "\"epoch\""}}) {
        QJsonObject align = kept[QStringLiteral("align")].toObject();
        align[QLatin1String(key)] = value;
        const auto bad =
            shown.view.restoreComparison(base, now, QJsonObject{{QStringLiteral("align"), align}});
        ASSERT_FALSE(bad);
        EXPECT_NE(bad.error().line().find(told), std::string::npos) << bad.error().line();
    }
    shown.settle();
    EXPECT_EQ(shown.shift(), -800) << "what is wrong changes nothing";
}

TEST(TraceAlignment, IsWrittenAndReadWithoutLoss) {
    for (const Alignment& each : {Alignment{}, Alignment{Alignment::On::Step, 2, 936, {}, 0},
                                  Alignment{Alignment::On::Operation, 0, 4, QStringLiteral("a/b"), 0},
                                  Alignment{Alignment::On::Offset, 0, 0, {}, -123456789012345}}) {
        const auto read = Alignment::read(each.written());
        ASSERT_TRUE(read) << read.error().line();
        EXPECT_EQ(*read, each);
    }
}

} // namespace tilescope::ui
