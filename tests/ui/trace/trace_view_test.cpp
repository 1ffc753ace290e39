// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/time_line.h"
#include "profile/recorder.h"
#include "tests/record_rows.h"
#include "tests/ui/trace/shown_trace.h"
#include "tests/ui/trace/told_run.h"
#include "ui/theme/application_font.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"
#include "ui/trace/totals_panel.h"
#include "ui/trace/trace_notes.h"
#include "ui/trace/trace_view.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/share_bar.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabBar>
#include <QTextDocumentFragment>

namespace tilescope::ui {
namespace {

using namespace profile;

using Shown = ShownTrace;

void expect_painted(const Told& told) {
    Shown shown(told);
    const auto whole = static_cast<double>(told.now);
    for (const double part : {1.0, 0.41, 0.07, 0.009}) {
        shown.show(whole * 0.3 * (1 - part), whole * (0.3 * (1 - part) + part));
        const double from = shown.timeline().view().from();
        const double to = shown.timeline().view().to();
        for (std::int64_t ipu = 0; ipu < told.ipus; ++ipu) {
            const auto painted = shown.painted(static_cast<std::size_t>(ipu));
            double worked = 0;
            for (const TimeKind kind : analyse::time_kinds) {
                const double expected =
                    kind == TimeKind::Waiting ? 1 - worked : told.cycles(ipu, kind, from, to) / (to - from);
                worked += expected;
                EXPECT_NEAR(painted[static_cast<std::size_t>(kind)], expected, 0.01)
                    << "kind " << static_cast<int>(kind) << ", IPU " << ipu << ", " << part << " of the time";
            }
        }
    }
}

TEST(TracePicture, AHostBoundRunIsPaintedAsItSpendsItsTime) {
    expect_painted(host_bound());
}
TEST(TracePicture, APipelinedRunIsPaintedAsItSpendsItsTime) {
    expect_painted(pipelined());
}
TEST(TracePicture, APlainRunIsPaintedAsItSpendsItsTime) {
    expect_painted(plain());
}

// 595 of 700 equal steps, each of some two pixels: 300 cycles of exchange, then 500 of compute.
TEST(TracePicture, StepsOfAFewPixelsDoNotBeatAgainstThePixels) {
    Told told;
    told.execution(700);
    told.launch(100);
    for (std::int64_t s = 0; s < 700; ++s) {
        told.now = told.step(0, told.now, s, Told::matmul, 0, 300, 0);
        told.now = told.step(0, told.now, s, Told::matmul, 0, 0, 500);
    }
    told.end_execution();
    Shown shown(told);
    const auto whole = static_cast<double>(told.now);
    shown.show(0.1 * whole, 0.95 * whole);
    const double pixels = 800 / shown.timeline().view().cyclesPerPixel(); // of a step
    ASSERT_GT(pixels, 1.2);
    ASSERT_LT(pixels, 2.5);
    const QImage picture = shown.timeline().viewport()->grab(shown.seen(LaneKind::Phases)).toImage();
    const QColor compute = Theme::of(&shown.timeline()).compute;
    int least = picture.height();
    int most = 0;
    for (int x = 4; x < picture.width() - 4; ++x) {
        int height = 0;
        for (int y = 0; y < picture.height(); ++y)
            height += picture.pixelColor(x, y) == compute ? 1 : 0;
        least = std::min(least, height);
        most = std::max(most, height);
    }
    EXPECT_LE(most - least, picture.height() / 8) << "a column shows the shares of whole steps";
    EXPECT_NEAR((most + least) / 2.0 / picture.height(), 5.0 / 8, 0.06);
}

TEST(TracePicture, NamedLanesAreColouredByWhatTheyAreDoneForOrByTheirTime) {
    const Told told = pipelined();
    Shown shown(told);
    shown.show(0, static_cast<double>(told.now));
    const auto share = [&] { return shown.painted(0, LaneKind::Operation)[0]; };
    EXPECT_EQ(share(), 0) << "nothing is red";
    const double expected =
        told.cycles(0, TimeKind::Compute, 0, static_cast<double>(told.now)) / static_cast<double>(told.now);
    shown.timeline().setFocus();
    QTest::keyClick(&shown.timeline(), Qt::Key_C);
    EXPECT_LE(share(), expected + 0.01);
    EXPECT_GT(share(), 0.7 * expected) << "what the number of steps does not cover";
    const QJsonObject state = shown.view.saveState();
    QTest::keyClick(&shown.timeline(), Qt::Key_C);
    EXPECT_EQ(share(), 0);
    shown.view.restoreState(state);
    EXPECT_EQ(shown.timeline().colour(), SliceColour::Time);
}

TEST(TracePicture, LanesThatAreScrolledDoNotCoverTheAxis) {
    Shown shown(pipelined());
    QScrollBar* bar = shown.timeline().verticalScrollBar();
    bar->setValue(0);
    const QRect first = shown.timeline().laneRect(0, 0);
    const QRect head(0, 0, shown.timeline().viewport()->width(), first.top() - first.height() - 4);
    const QImage before = shown.timeline().viewport()->grab(head).toImage();
    const QRect phases = shown.timeline().laneRect(0, shown.lane(LaneKind::Phases));
    bar->setValue(phases.center().y() - head.bottom()); // half of it is under the axis
    ASSERT_GT(bar->value(), 0);
    EXPECT_EQ(shown.timeline().viewport()->grab(head).toImage(), before);
}

TEST(TracePicture, TheAreaOfACounterIsItsAmount) {
    const Told told = pipelined();
    Shown shown(told);
    const Theme& theme = Theme::of(&shown.timeline());
    const QRgb mean = ChartStyle::mixed(theme.panel, theme.exchange, 0.62).rgb();
    const auto whole = static_cast<double>(told.now);
    for (const double part : {1.0, 0.4, 0.02}) {
        shown.show(whole * (1 - part), whole);
        const double from = shown.timeline().view().from();
        double bytes = 0;
        double top = 0;
        for (const TraceRecord& row : told.rows) {
            if (row.ipu != 0 || row.program_id != Told::matmul)
                continue;
            const double rate =
                static_cast<double>(Told::exchanged_bytes) / static_cast<double>(row.exchange);
            const auto start = static_cast<double>(row.start_cycle + row.sync);
            bytes += rate * std::max(0.0, start + static_cast<double>(row.exchange) - std::max(start, from));
        }
        const std::size_t lane = shown.lane(LaneKind::ExchangeRate);
        top = shown.timeline().groups()[0].lanes[lane].curve.top;
        EXPECT_DOUBLE_EQ(top, 3000.0 / 50) << "of both IPUs";
        const QRect rect = shown.seen(LaneKind::ExchangeRate);
        const QImage picture = shown.timeline().viewport()->grab(rect).toImage();
        double painted = 0;
        for (int x = 0; x < picture.width(); ++x)
            for (int y = 0; y < picture.height(); ++y)
                painted += picture.pixel(x, y) == mean || picture.pixel(x, y) == theme.exchange.rgb() ? 1 : 0;
        EXPECT_NEAR(painted / (picture.width() * picture.height()), bytes / (top * (whole - from)),
                    1.0 / picture.height())
            << part;
    }
}

TEST(TraceView, ReplicasThatDoTheSameShareTheirLanes) {
    Told told;
    told.ipus = 3;
    told.replicas = true;
    told.execution(20);
    told.launch(500);
    for (std::int64_t s = 0; s < 20; ++s) {
        for (const std::int64_t ipu : {0, 1})
            told.step(ipu, told.now, s, Told::matmul, 20, 100, 400);
        told.now = told.step(2, told.now, s, Told::matmul, 20, 100, 430); // which no real replica does
    }
    told.end_execution();
    ShownTrace shown(told);
    LaneChoice every = shown.view.lanes();
    every.hidden_ipus.clear();
    shown.view.setLanes(every);
    shown.settle();
    const auto& groups = shown.timeline().groups();
    ASSERT_GE(groups.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i)
        ASSERT_EQ(groups[i].ipu, static_cast<std::int64_t>(i));
    EXPECT_EQ(&groups[1].lanes.front(), &groups[0].lanes.front()) << "made once";
    EXPECT_NE(&groups[2].lanes.front(), &groups[0].lanes.front()) << "it does something else";
    for (const TimelineGroup& group : groups)
        for (const TimelineLane& lane : group.lanes)
            if (lane.kind == LaneKind::Phases) {
                std::int64_t compute = 0;
                for (const TimelineSlice& slice : lane.slices)
                    compute += slice.cycles.compute;
                EXPECT_EQ(compute, group.ipu == 2 ? 20 * 430 : 20 * 400);
            }
}

TEST(TraceView, ACounterTellsItsValueUnderThePointer) {
    Shown shown(pipelined());
    shown.show(2900, 3700); // sync until 3020, exchange until 3120, compute
    const auto said = [&](double cycle) {
        return QTextDocumentFragment::fromHtml(
                   shown.timeline().description(shown.at(cycle, LaneKind::ExchangeRate)))
            .toPlainText();
    };
    EXPECT_EQ(said(3070), QStringLiteral("Exchange rate: 30 GB/s")) << "3000 bytes in 100 cycles of 1 ns";
    EXPECT_EQ(said(3400), QStringLiteral("Exchange rate: 0 B/s"));
}

TEST(TraceView, WhatIsNotRecordedHasNoCounter) {
    Shown shown(pipelined()); // no live bytes, no compute sets, no floating-point operations
    for (const TimelineLane& lane : shown.timeline().groups()[0].lanes)
        EXPECT_TRUE(!counterOf(lane.kind) || lane.kind == LaneKind::ExchangeRate) << lane.name.toStdString();
}

TEST(TraceView, TheTotalsShowAllTheirTabsAndLeaveNoGapInLargeText) {
    applyFont(*qApp, {}, 150);
    {
        Shown shown(pipelined());
        shown.view.resize(880, 650);
        shown.rest();
        auto* panel = &shown.view.totals();
        const auto* tabs = panel->findChild<QTabBar*>();
        ASSERT_NE(tabs, nullptr);
        EXPECT_GE(tabs->width(), tabs->tabRect(tabs->count() - 1).right());
        EXPECT_LE(tabs->mapTo(panel, QPoint(tabs->width(), 0)).x(), panel->width());
        const auto* bar = panel->findChild<ShareBar*>();
        EXPECT_EQ(bar->height(), bar->sizeHint().height()) << "no more lines than its legend has";
        EXPECT_LE(panel->table().y() - bar->geometry().bottom(), 12);
    }
    applyFont(*qApp, {}, 100);
}

TEST(TraceView, TotalsOfWhatIsInViewAreTheFilesWithHostInterIpuAndWaiting) {
    const Told told = pipelined();
    Shown shown(told);
    shown.settle();
    const PhaseCycles& sum = shown.view.totals().totals().phases;
    const auto whole = static_cast<double>(told.now);
    EXPECT_EQ(sum.inter_ipu, 400 * 290);
    EXPECT_EQ(sum.host, 3000);
    EXPECT_EQ(sum.waiting, 400 * 60);
    EXPECT_EQ(static_cast<double>(sum.compute), told.cycles(0, TimeKind::Compute, 0, whole));
    EXPECT_EQ(sum.total(), told.now);
}

TEST(TraceView, TotalsOfWhatIsInViewAreOfTheIpuThatIsSelected) {
    Shown shown(pipelined());
    EXPECT_EQ(shown.view.totals().totals().ipu, 0);
    Selection chosen = shown.selection.current();
    chosen.lookAt(1);
    shown.selection.set(chosen);
    shown.settle();
    EXPECT_EQ(shown.view.totals().totals().ipu, 1);
    EXPECT_TRUE(shown.label("rangeHeadline").contains(QStringLiteral("of IPU 1 in")));
    EXPECT_TRUE(shown.view.findChild<QLabel*>(QStringLiteral("rangeDurations"))->isHidden());
    chosen.operation = 0;
    shown.selection.set(chosen);
    shown.settle();
    ASSERT_TRUE(QTest::qWaitFor([&] { return shown.view.totals().durations() != nullptr; }, 20000));
    EXPECT_EQ(shown.view.totals().durations()->longest, 270) << "20 + 50 + 200, as on IPU 1";
}

TEST(TraceView, TotalsSayThatTheyAreComputedAndNameTheNewRangeAtOnce) {
    Shown shown(plain());
    shown.timeline().setRange(std::pair<std::int64_t, std::int64_t>(100, 400));
    Q_EMIT shown.timeline().rangeSelected(0, false, 100, 400);
    EXPECT_TRUE(shown.view.totals().computing());
    EXPECT_TRUE(shown.label("rangeHeadline").contains(QStringLiteral("300 cycles")));
    EXPECT_TRUE(shown.label("rangeHeadline").contains(QStringLiteral("computing…")));
    shown.settle();
    EXPECT_FALSE(shown.view.totals().computing());
    EXPECT_FALSE(shown.label("rangeHeadline").contains(QStringLiteral("computing…")));
    EXPECT_EQ(shown.view.totals().totals().phases.total(), 300);
}

TEST(TraceView, TheDurationsOfWhatIsSelectedAreTold) {
    Shown shown(pipelined());
    EXPECT_TRUE(shown.view.findChild<QLabel*>(QStringLiteral("rangeDurations"))->isHidden());
    Selection chosen = shown.selection.current();
    chosen.operation = 0;
    shown.selection.set(chosen);
    shown.settle();
    // Of IPU 0, 620 cycles and 0 to 6 times 30 more: 58 passes without, 57 of each other length.
    const auto text = [&] {
        return QTextDocumentFragment::fromHtml(shown.label("rangeDurations")).toPlainText().toStdString();
    };
    ASSERT_TRUE(QTest::qWaitFor([&] { return shown.view.totals().durations() != nullptr; }, 20000));
    const auto where = shown.view.totals().durations()->where;
    EXPECT_EQ(where.second - where.first, 800);
    EXPECT_EQ(text(), "dense/MatMul: 400 passes, mean 710 ns, P50 710 ns, P99 800 ns, longest 800 ns");
    Q_EMIT shown.view.totals().passWanted(*shown.view.totals().durations());
    shown.settle();
    EXPECT_LT(shown.timeline().view().from(), static_cast<double>(where.first));
    EXPECT_GT(shown.timeline().view().to(), static_cast<double>(where.second));
    EXPECT_LT(shown.timeline().view().span(), 3000);
    chosen.operation = -1;
    shown.selection.set(chosen);
    EXPECT_TRUE(shown.view.findChild<QLabel*>(QStringLiteral("rangeDurations"))->isHidden());
}

TEST(TraceView, WhatWasMergedHasNoNameAndIsARangeToChoose) {
    const Told told = pipelined();
    Shown shown(told);
    Selection chosen = shown.selection.current();
    chosen.operation = 1;
    shown.selection.set(chosen);
    shown.click(shown.at(static_cast<double>(told.now) / 2, LaneKind::Operation));
    ASSERT_TRUE(shown.timeline().range());
    EXPECT_EQ(shown.timeline().range()->first, 3000) << "all steps are one box";
    EXPECT_EQ(shown.selection.current().operation, 1) << "a range is no operation";
    for (const TimelineSlice& slice :
         shown.timeline().groups()[0].lanes[shown.lane(LaneKind::Operation)].slices)
        if (slice.operation == profile::several) {
            EXPECT_TRUE(slice.label.isEmpty());
        }
}

TEST(TraceView, TheTipOfWhatWasMergedCountsAndNamesOnlyTheLongest) {
    const Told told = pipelined();
    Shown shown(told);
    const QString tip = shown.tip(shown.at(static_cast<double>(told.now) / 2, LaneKind::Operation));
    EXPECT_TRUE(tip.contains(QStringLiteral("Merged: 800 program steps of 2 operations")))
        << tip.toStdString();
    EXPECT_TRUE(tip.contains(QStringLiteral("Longest: dense/MatMul/Multiply, 800 cycles")))
        << tip.toStdString();
}

TEST(TraceView, ASliceThatIsSeenHasItsNameAndChoosesItsOperation) {
    const Told told = pipelined();
    Shown shown(told);
    shown.show(3000, 4500);
    const auto& slices = shown.timeline().groups()[0].lanes[shown.lane(LaneKind::Operation)].slices;
    ASSERT_FALSE(slices.empty());
    EXPECT_EQ(slices[0].label, QStringLiteral("MatMul"));
    shown.click(shown.at(3300, LaneKind::Operation));
    EXPECT_EQ(shown.selection.current().operation, 0);
    EXPECT_FALSE(shown.timeline().range());
}

TEST(TraceView, ARangeSnapsToTheEdgesOfItsLaneUnlessAltIsHeld) {
    Shown shown(pipelined());
    shown.show(2500, 4500);
    const QPoint from = shown.at(3000, LaneKind::Operation) + QPoint(4, 0);
    const QPoint to = shown.at(3620, LaneKind::Operation) - QPoint(3, 0); // the product ends, the copy begins
    const auto drag = [&](Qt::KeyboardModifiers keys) {
        QTest::mousePress(shown.timeline().viewport(), Qt::LeftButton, keys, from);
        QMouseEvent move(QEvent::MouseMove, to, shown.timeline().viewport()->mapToGlobal(to), Qt::LeftButton,
                         Qt::LeftButton, keys);
        QApplication::sendEvent(shown.timeline().viewport(), &move);
        QTest::mouseRelease(shown.timeline().viewport(), Qt::LeftButton, keys, to);
        shown.settle();
        return shown.timeline().range().value();
    };
    EXPECT_EQ(drag({}), (std::pair<std::int64_t, std::int64_t>(3000, 3620)));
    const auto free = drag(Qt::AltModifier);
    EXPECT_GT(free.first, 3000);
    EXPECT_LT(free.second, 3620);
}

TEST(TraceView, AHandleOfTheOverviewMovesOneEndOfTheView) {
    const Told told = plain();
    Shown shown(told);
    const int left = shown.timeline().gutter();
    const int width = shown.timeline().viewport()->width() - left;
    const auto drag = [&](int from, int to) {
        QTest::mousePress(shown.timeline().viewport(), Qt::LeftButton, {}, QPoint(from, 8));
        const QPoint at(to, 8);
        QMouseEvent move(QEvent::MouseMove, at, shown.timeline().viewport()->mapToGlobal(at), Qt::LeftButton,
                         Qt::LeftButton, {});
        QApplication::sendEvent(shown.timeline().viewport(), &move);
        QTest::mouseRelease(shown.timeline().viewport(), Qt::LeftButton, {}, at);
        shown.settle();
    };
    const auto whole = static_cast<double>(told.now);
    drag(left + 2, left + width / 4);
    EXPECT_NEAR(shown.timeline().view().from(), whole / 4, whole / 200);
    EXPECT_EQ(shown.timeline().view().to(), whole);
    drag(left + width - 2, left + width / 2);
    EXPECT_NEAR(shown.timeline().view().from(), whole / 4, whole / 200);
    EXPECT_NEAR(shown.timeline().view().to(), whole / 2, whole / 200);
    drag(left + width * 3 / 8, left + width * 5 / 8);
    EXPECT_NEAR(shown.timeline().view().span(), whole / 4, whole / 100) << "between them it moves";
    EXPECT_NEAR(shown.timeline().view().from(), whole / 2, whole / 100);
}

TEST(TraceView, DetailsOfAnExecutionAreItsOwnPhases) {
    Shown shown(tests::small_fixture);
    QSignalSpy details(&shown.view, &View::detailsChanged);
    shown.click(shown.at(500, LaneKind::Execution));
    ASSERT_FALSE(details.empty());
    const QString text = QTextDocumentFragment::fromHtml(details.back()[0].toString()).toPlainText();
    EXPECT_TRUE(text.contains(QStringLiteral("2,200 cycles"))) << "host: " << text.toStdString();
    EXPECT_FALSE(text.contains(QStringLiteral("Compute  \n0"))) << text.toStdString();
}

TEST(TraceView, EveryStepHasItsSlice) {
    Shown shown(tests::small_fixture);
    const auto& lane = shown.timeline().groups()[0].lanes[shown.lane(LaneKind::Step)];
    EXPECT_EQ(lane.name, QStringLiteral("Step"));
    ASSERT_EQ(lane.slices.size(), 9U) << "three in each of three traced executions";
    EXPECT_EQ(lane.slices[0].label, QStringLiteral("step 1"));
    EXPECT_EQ(lane.slices[0].start, tests::fixture_host_cycles);
    EXPECT_EQ(lane.slices[0].end - lane.slices[0].start, tests::fixture_step_cycles(tests::small_fixture));
    EXPECT_EQ(lane.slices[5].label, QStringLiteral("step 6")) << "of the epoch, not of the execution";
    EXPECT_EQ(lane.slices[6].label, QStringLiteral("step 1"));
}

TEST(TraceView, ASearchLooksAtAllIpusAndSaysOnWhichItFound) {
    const Told told = pipelined();
    Shown shown(told);
    auto* search = shown.view.findChild<QLineEdit*>(QStringLiteral("traceSearch"));
    search->setText(QStringLiteral("over links"));
    shown.settle();
    ASSERT_EQ(shown.view.hits().size(), 800U) << "400 on each IPU";
    EXPECT_EQ(shown.view.hits()[0].ipu, 0);
    EXPECT_EQ(shown.view.hits()[1].ipu, 1);
    EXPECT_EQ(shown.view.hits()[0].slice.start_cycle, shown.view.hits()[1].slice.start_cycle);
    QSignalSpy details(&shown.view, &View::detailsChanged);
    search->setFocus();
    QTest::keyClick(search, Qt::Key_Return);
    QTest::keyClick(search, Qt::Key_Return);
    EXPECT_EQ(shown.label("traceFound"), QStringLiteral("2 of 800, on IPU 1"));
    EXPECT_EQ(shown.selection.current().ipu, 1);
    EXPECT_EQ(shown.selection.current().program, shown.view.hits()[1].slice.program_id);
    ASSERT_EQ(details.size(), 2) << "each hit is told";
    const QString text = QTextDocumentFragment::fromHtml(details.back()[0].toString()).toPlainText();
    EXPECT_TRUE(text.contains(QStringLiteral("over links"))) << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("Inter-IPU"))) << text.toStdString();
}

TEST(TracePicture, TheLanesOfTheHostArePaintedAsItSpendsItsTime) {
    const Told told = host_bound();
    Shown shown(told);
    ASSERT_EQ(shown.timeline().groups().size(), 2U);
    const TimelineGroup& host = shown.timeline().groups()[1];
    EXPECT_EQ(host.ipu, the_host);
    ASSERT_EQ(host.lanes.size(), 3U);
    EXPECT_EQ(host.lanes[1].name, QStringLiteral("Streams, IPU 0"));
    EXPECT_EQ(host.lanes[2].name, QStringLiteral("Wall time"));
    ASSERT_EQ(host.lanes[2].slices.size(), 1U) << "40 engine runs of 1 us";
    EXPECT_EQ(host.lanes[2].slices[0].label, QStringLiteral("train, epoch 1: 40 µs"));
    const QRgb color = Theme::of(&shown.timeline()).host.rgb();
    const auto painted = [&](std::size_t lane) {
        QScrollBar* bar = shown.timeline().verticalScrollBar();
        bar->setValue(bar->maximum());
        const QRect rect = shown.timeline().laneRect(1, lane).adjusted(0, 1, 0, -1);
        const QImage picture = shown.timeline().viewport()->grab(rect).toImage();
        double pixels = 0;
        for (int x = 0; x < picture.width(); ++x)
            for (int y = 0; y < picture.height(); ++y)
                pixels += picture.pixel(x, y) == color ? 1 : 0;
        return pixels / (picture.width() * picture.height());
    };
    const auto whole = static_cast<double>(told.now);
    EXPECT_NEAR(painted(0), 40 * 2000 / whole, 0.01);
    EXPECT_NEAR(painted(1), 40 * 3 * 60 / whole, 0.01);
}

TEST(TraceView, AStreamHasItsNameAndBeginsWhenItIsSynchronised) {
    Shown shown(host_bound());
    shown.show(1900, 2300);
    const auto& streams = shown.timeline().groups()[1].lanes[1].slices;
    const auto first = std::find_if(streams.begin(), streams.end(),
                                    [](const TimelineSlice& slice) { return slice.start >= 2000; });
    ASSERT_NE(first, streams.end());
    EXPECT_EQ(first->label, QStringLiteral("infeed"));
    EXPECT_EQ(first->start, 2010);
    EXPECT_EQ(first->end, 2070);
}

TEST(TraceView, ARulerSnapsToTheEdgesOfALaneAndTellsHowFarTheyAreApart) {
    Shown shown(pipelined());
    shown.show(2500, 4500);
    const auto point = [&](const QPoint& at) {
        QMouseEvent move(QEvent::MouseMove, at, shown.timeline().viewport()->mapToGlobal(at), Qt::NoButton,
                         Qt::NoButton, {});
        QApplication::sendEvent(shown.timeline().viewport(), &move);
    };
    point(shown.at(3000, LaneKind::Operation) + QPoint(4, 0));
    QTest::keyClick(&shown.timeline(), Qt::Key_K);
    point(shown.at(3620, LaneKind::Operation) - QPoint(3, 0)); // the product ends, the copy begins
    ASSERT_TRUE(shown.timeline().ruler());
    EXPECT_EQ(*shown.timeline().ruler(), (std::pair<std::int64_t, std::int64_t>(3000, 3620)))
        << "while it is drawn";
    QTest::keyClick(&shown.timeline(), Qt::Key_K);
    point(shown.at(4000, LaneKind::Phases));
    EXPECT_EQ(shown.timeline().ruler()->second, 3620) << "it stays where it was ended";
    EXPECT_EQ(shown.timeline().rulerText(), QStringLiteral("620 ns · 620 cycles")); // at 1 GHz
    shown.timeline().setSamplesPerSecond(1e7);
    EXPECT_EQ(shown.timeline().rulerText(), QStringLiteral("620 ns · 620 cycles · 6.20 samples"));
    QTest::keyClick(&shown.timeline(), Qt::Key_K);
    EXPECT_FALSE(shown.timeline().ruler());
}

/// Writes a note into the field that is open, and presses a key.
void write_note(TraceView& view, const QString& note, Qt::Key key) {
    auto* field = view.findChild<QLineEdit*>(QStringLiteral("markNote"));
    ASSERT_NE(field, nullptr);
    QTest::keyClicks(field, note);
    QTest::keyClick(field, key);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
}

TEST(TraceView, MarksAndNotesLieBesideTheFile) {
    Shown shown(tests::small_fixture);
    QTest::keyClick(&shown.timeline(), Qt::Key_M);
    write_note(shown.view, QStringLiteral("slow here"), Qt::Key_Return);
    shown.timeline().setRange(std::pair<std::int64_t, std::int64_t>(100, 400));
    QTest::keyClick(&shown.timeline(), Qt::Key_M, Qt::ShiftModifier);
    write_note(shown.view, QStringLiteral("x"), Qt::Key_Escape);
    const auto marks = shown.timeline().marks();
    ASSERT_EQ(marks.size(), 2U);
    EXPECT_EQ(marks[0], (TimelineMark{100, 400, {}})) << "Esc leaves the note as it was";
    EXPECT_EQ(marks[1].note, QStringLiteral("slow here"));
    QFile file(shown.source->path() + QStringLiteral(".notes.json"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_TRUE(file.readAll().contains("slow here"));
    shown.view.setSources({});
    EXPECT_TRUE(shown.timeline().marks().empty()) << "of no file";
    shown.view.setSources({shown.source, nullptr});
    EXPECT_EQ(shown.timeline().marks(), marks);
    shown.timeline().setRange({});
    shown.rest();
    QTest::keyClick(&shown.timeline(), Qt::Key_M); // in the middle of the view, where the first one is
    EXPECT_EQ(shown.timeline().marks().size(), 1U);
}

TEST(TraceNotes, GoToTheUsersFolderWhereTheirOwnCannotBeWritten) {
    const tests::TemporaryFolder folder;
    const QString profile = QString::fromStdString(folder / "run.tilescope");
    ASSERT_TRUE(QDir().mkpath(notesPath(profile))) << "a folder cannot be written as a file";
    const std::vector<TimelineMark> marks{{7, 7, QStringLiteral("a")}, {9, 20, {}}};
    ASSERT_TRUE(writeNotes(profile, marks));
    EXPECT_TRUE(QFile::exists(ownNotesPath(profile)));
    EXPECT_EQ(*readNotes(profile), marks);
    ASSERT_TRUE(writeNotes(profile, {}));
    EXPECT_FALSE(QFile::exists(ownNotesPath(profile)));
    EXPECT_TRUE(readNotes(profile)->empty());
}

TEST(TraceView, NotesThatCannotBeReadAreNotWrittenOver) {
    Shown shown(tests::small_fixture);
    QFile file(notesPath(shown.source->path()));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("{\"marks\": [{\"note\": 1}]}");
    file.close();
    QSignalSpy said(&shown.view, &View::message);
    shown.view.setSources({});
    shown.view.setSources({shown.source, nullptr});
    EXPECT_TRUE(std::any_of(said.begin(), said.end(), [](const QList<QVariant>& one) {
        return one[0].toString().contains(QStringLiteral("a mark has no cycle"));
    }));
    shown.rest();
    QTest::keyClick(&shown.timeline(), Qt::Key_M);
    EXPECT_EQ(shown.timeline().marks().size(), 1U);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(file.readAll(), QByteArray("{\"marks\": [{\"note\": 1}]}"));
}

TEST(TraceView, AProgramThatDidNotFitWasNeverRun) {
    tests::ShownView<TraceView> shown([](const std::string& path) -> Result<void> {
        auto recorder = Recorder::create(path, {});
        if (!recorder)
            return Failure(recorder.error());
        (*recorder)->set(TargetRecord{"ipu", "ipu2", 1, 16, 2048, 1.0e9, 6});
        (*recorder)->add(IpuRecord{3, 0, "a", 0, 3});
        (*recorder)->add(ProgramRecord{0, -1, 0, StepKind::Execute, "conv/Convolve"});
        (*recorder)->add(OversizeTileRecord{3, 7, 3072, 0});
        (*recorder)->add(OversizeTileRecord{3, 8, 4096, 0});
        return (*recorder)->finish(RunStatus::OutOfMemory, "out of memory");
    });
    EXPECT_TRUE(shown.view.timeline().emptyText().startsWith(
        QStringLiteral("This program was never run: IPU 3 tile 8 needs 4 KiB of 2 KiB at step conv/Convolve. "
                       "Summary (G, S)")));
}

} // namespace
} // namespace tilescope::ui
