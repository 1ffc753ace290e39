// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/profile.h"
#include "profile/recorder.h"
#include "tests/never_run.h"
#include "tests/system_fixture.h"
#include "tests/ui/shown_text.h"
#include "tests/ui/told_details.h"
#include "tests/ui/view_test_support.h"
#include "ui/pipeline/pipeline_view.h"
#include "ui/pipeline/stage_panel.h"
#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/figure_strip.h"
#include "ui/widgets/share_bar.h"

#include <QApplication>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QImage>
#include <QLabel>
#include <QPointer>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTextDocumentFragment>
#include <QThread>
#include <QTimer>
#include <QToolTip>

namespace tilescope::ui {
namespace {

using analyse::PipelineActivity;
using tests::shows;

/// Two stages on four IPUs, two replicas; the slots are those of grouped_pipeline().
struct Shown : tests::ShownView<PipelineView> {
    explicit Shown(const tests::SystemFixture& system = {2, 2, true}, QSize window = {1200, 800})
        : ShownView([&](const std::string& path) { return tests::record_system(path, system); }, window) {
        timeline().setAnimated(false);
        view.activateWindow();
        timeline().setFocus();
    }
    TimelineWidget& timeline() { return view.timeline(); }
    /// The pixel in the middle of a stage's lane at a cycle.
    QPoint at(double cycle, std::size_t stage, std::size_t group = 0) {
        const QRect lane = timeline().laneRect(group, stage);
        return {lane.left() + static_cast<int>(timeline().view().x(cycle)), lane.center().y()};
    }
    /// The colour near the lower edge of a box, away from its number.
    QColor colorAt(double cycle, std::size_t stage) {
        const QRect lane = timeline().laneRect(0, stage);
        return picture().pixelColor(at(cycle, stage).x(), lane.bottom() - 6);
    }
    QImage picture() { return timeline().viewport()->grab().toImage(); }
    void click(const QPoint& where) {
        QTest::mouseClick(timeline().viewport(), Qt::LeftButton, {}, where);
        settle();
    }
    void hover(const QPoint& where) { QTest::mouseMove(timeline().viewport(), where); }
    QString cell(DataTable& table, int row, const QString& column) {
        const QAbstractItemModel& model = *table.view()->model();
        for (int c = 0; c < model.columnCount(); ++c)
            if (model.headerData(c, Qt::Horizontal).toString() == column)
                return model.index(row, c).data().toString();
        ADD_FAILURE() << "no column " << column.toStdString();
        return {};
    }
};

// 420 cycles in four slots of two halves, in which each of the two stages makes four of eight passes.
TEST(PipelineView, TellsTheWholeUpdateAtTheSideUntilAPassIsChosen) {
    Shown shown;
    const tests::ToldDetails told(shown.view);
    Selection s = shown.selection.current();
    s.lookAt(1);
    shown.selection.set(s);
    EXPECT_EQ(told.title(), QStringLiteral("One weight update"));
    EXPECT_TRUE(told.value("Length").startsWith(QStringLiteral("420 cycles")))
        << told.value("Length").toStdString();
    EXPECT_EQ(told.value("Slots"), QStringLiteral("4"));
    EXPECT_EQ(
        told.value("Bubble of a stage"),
        QStringLiteral("50.0 % = 2 (S − 1) ÷ (N + 2 (S − 1)), of S = 2 stages and N = 2 micro-batches"));
    EXPECT_TRUE(told.value("Time of all IPUs").contains(QStringLiteral("waiting: 9.5 %"))) // 80 of 840
        << told.value("Time of all IPUs").toStdString();
    QTest::keyClick(&shown.timeline(), Qt::Key_Right);
    EXPECT_NE(told.title(), QStringLiteral("One weight update"));
    EXPECT_EQ(told.value("Stage"), QStringLiteral("1"));
}

TEST(PipelineView, ALaneForEachStageHoldsItsRecords) {
    Shown shown;
    ASSERT_EQ(shown.timeline().groups().size(), 1U);
    const auto& lanes = shown.timeline().groups()[0].lanes;
    ASSERT_EQ(lanes.size(), 2U);
    EXPECT_EQ(lanes[0].name, QStringLiteral("Stage 0"));
    EXPECT_EQ(shown.timeline().groups()[0].remark(lanes[1]), QStringLiteral("IPU 1"));
    std::size_t number = 0;
    for (const profile::PipelineSlotRecord& record : tests::grouped_pipeline()) {
        const auto& lane = lanes[static_cast<std::size_t>(record.stage)];
        const TimelineSlice& slice =
            lane.slices[record.stage == 0 ? number : number - lanes[0].slices.size()];
        EXPECT_EQ(slice.start, record.start_cycle);
        EXPECT_EQ(slice.end, record.end_cycle);
        EXPECT_EQ(slice.slot, record.slot);
        EXPECT_EQ(slice.micro_batch, record.micro_batch);
        EXPECT_EQ(slice.activity, record.activity);
        ++number;
    }
    EXPECT_EQ(number, lanes[0].slices.size() + lanes[1].slices.size());
    EXPECT_EQ(shown.timeline().view().limits(), (std::pair<std::int64_t, std::int64_t>{0, 420}));
}

TEST(PipelineView, DrawsEachActivityInItsColourAndIdlingAsAGap) {
    Shown shown;
    const Theme& theme = Theme::light();
    EXPECT_EQ(shown.colorAt(25, 0), theme.forward);
    EXPECT_EQ(shown.colorAt(210, 0), theme.recompute);
    EXPECT_EQ(shown.colorAt(255, 0), theme.backward);
    EXPECT_EQ(shown.colorAt(405, 0), theme.update);
    EXPECT_EQ(shown.colorAt(140, 0), theme.panel); // idle
    EXPECT_EQ(shown.colorAt(55, 0), theme.panel);  // a copy is lower than a pass …
    const QImage image = shown.picture();
    EXPECT_EQ(image.pixelColor(shown.at(55, 0)), theme.link_copy); // … but there
    std::set<QRgb> hatch;                                          // waiting: lines on the background
    const QPoint waiting = shown.at(265, 1);
    for (int x = -10; x < 10; ++x)
        hatch.insert(image.pixel(waiting.x() + x, waiting.y()));
    EXPECT_EQ(hatch.size(), 2U);
    EXPECT_TRUE(hatch.contains(theme.panel.rgb()));
}

TEST(PipelineView, SaysThatAPipelineWhichNeverRanIsPlanned) {
    const QString planned = QStringLiteral("planned: nothing was executed");
    Shown shown;
    EXPECT_FALSE(shows(shown.view, planned));
    tests::ShownView<PipelineView> never([](const std::string& path) -> Result<void> {
        auto recorder = profile::Recorder::create(path, {});
        if (!recorder)
            return Failure(recorder.error());
        for (const profile::PipelineSlotRecord& slot : tests::grouped_pipeline())
            (*recorder)->add(slot);
        return (*recorder)->finish(profile::RunStatus::OutOfMemory, "");
    });
    EXPECT_TRUE(shows(never.view, planned));
}

TEST(PipelineView, TheHeadNamesScheduleReplicasAndCycles) {
    Shown shown;
    EXPECT_TRUE(shows(shown.view, QStringLiteral("Grouped schedule")));
    EXPECT_TRUE(shows(shown.view, QStringLiteral("2 stages")));
    EXPECT_TRUE(shows(shown.view, QStringLiteral("2 micro-batches × 2 replicas")));
    EXPECT_TRUE(shows(shown.view, QStringLiteral("4 slots")));
    EXPECT_TRUE(shows(shown.view, QStringLiteral("420 cycles"))); // one update
    EXPECT_TRUE(shows(shown.view, QStringLiteral("420 ns")));     // at 1 GHz
    EXPECT_TRUE(shows(shown.view, QStringLiteral("105 cycles"))); // over 2 x 2 batches
    EXPECT_TRUE(shows(shown.view, QStringLiteral("50.0 %")));     // bubble: 2 (S - 1) / (N + 2 (S - 1))
    EXPECT_TRUE(shows(shown.view, QStringLiteral("2 KiB")));      // the stash of one replica
}

TEST(PipelineView, AFigureInCyclesStandsOnce) {
    const auto lengths = [] {
        Shown shown;
        QStringList found;
        for (const QLabel* label : shown.view.findChild<FigureStrip*>()->findChildren<QLabel*>())
            for (const QString& text : tests::as_read(label->text()).split(QLatin1Char('>')))
                if (text.contains(QStringLiteral(" cycles")))
                    found << text;
        return found.size();
    };
    EXPECT_EQ(lengths(), 2) << "beside the times of the update and of a batch";
    setUnits({true, false});
    EXPECT_EQ(lengths(), 2);
    setUnits({});
}

TEST(PipelineView, TablesGiveSharesAndCyclesOfEachStage) {
    Shown shown;
    DataTable& cycles = shown.view.panel().cycles();
    EXPECT_EQ(shown.cell(cycles, 0, QStringLiteral("Forward")), QStringLiteral("100"));
    EXPECT_EQ(shown.cell(cycles, 0, QStringLiteral("Recompute")), QStringLiteral("40"));
    EXPECT_EQ(shown.cell(cycles, 0, QStringLiteral("Backward")), QStringLiteral("140"));
    EXPECT_EQ(shown.cell(cycles, 1, QStringLiteral("Waiting")), QStringLiteral("80"));
    EXPECT_EQ(shown.cell(cycles, 1, QStringLiteral("Idle")), QStringLiteral("140"));
    EXPECT_EQ(shown.cell(cycles, 2, QStringLiteral("In all")), QStringLiteral("840")); // both stages
    DataTable& shares = shown.view.panel().shares();
    EXPECT_EQ(shown.cell(shares, 0, QStringLiteral("IPU")), QStringLiteral("0, 2"));
    EXPECT_EQ(shown.cell(shares, 0, QStringLiteral("Forward")), QStringLiteral("23.8 %"));     // 100 of 420
    EXPECT_EQ(shown.cell(shares, 0, QStringLiteral("Utilisation")), QStringLiteral("73.8 %")); // 310 of 420
    EXPECT_EQ(shown.cell(shares, 1, QStringLiteral("Bubble")), QStringLiteral("50.0 %"));
    EXPECT_EQ(shown.cell(shares, 0, QStringLiteral("Stashes")), QStringLiteral("2 KiB"));
    EXPECT_EQ(shown.cell(shares, 1, QStringLiteral("Stashes")), QStringLiteral("0 B"));
    DataTable& stashes = shown.view.panel().stashes();
    ASSERT_EQ(stashes.view()->model()->rowCount(), 1);
    EXPECT_EQ(shown.cell(stashes, 0, QStringLiteral("Tensor")), QStringLiteral("layer_0/op"));
    EXPECT_EQ(shown.cell(stashes, 0, QStringLiteral("Depth")), QStringLiteral("2"));
    EXPECT_EQ(shown.cell(stashes, 0, QStringLiteral("Of each micro-batch")), QStringLiteral("1 KiB"));
}

TEST(PipelineView, TablesTellWhatOfThePassesIsTheHosts) {
    Shown shown;
    PipelineData data = *PipelineData::read(**profile::Profile::open(shown.source->path().toStdString()));
    EXPECT_EQ(data.host, (std::map<std::int64_t, std::int64_t>{{0, 0}, {1, 0}})) << "nothing is streamed";
    data.host = {{0, 42}, {1, 0}};
    StagePanel panel;
    const QString column = QStringLiteral("Host's part");
    panel.setData(data, nullptr, {}, QStringLiteral("run"), -1);
    EXPECT_EQ(shown.cell(panel.shares(), 0, column), QStringLiteral("10.0 %")); // of 420
    EXPECT_EQ(shown.cell(panel.shares(), 2, column), QStringLiteral("5.0 %"));  // of both stages
    EXPECT_EQ(shown.cell(panel.cycles(), 0, column), QStringLiteral("42"));
    EXPECT_EQ(shown.cell(panel.cycles(), 1, column), QStringLiteral("0"));
    panel.setData(data, nullptr, std::pair<std::int64_t, std::int64_t>(0, 100), QStringLiteral("run"), -1);
    EXPECT_EQ(shown.cell(panel.shares(), 0, column), QStringLiteral("–")) << "of a range it is not known";
}

TEST(PipelineView, HoveringAMicroBatchLightsItUpOnEveryStage) {
    Shown shown;
    shown.hover(shown.at(25, 0)); // forward of 0
    EXPECT_EQ(shown.timeline().highlight().micro_batch, 0);
    const Theme& theme = Theme::light();
    EXPECT_EQ(shown.colorAt(140, 1), theme.backward); // of 0 as well, on the other stage
    EXPECT_NE(shown.colorAt(85, 0), theme.forward);   // of 1: dimmed
    const QString tip = QTextDocumentFragment::fromHtml(QToolTip::text()).toPlainText();
    for (const char* part :
         {"Forward pass of micro-batch 0", "0, 2", "100 of the system", "50 cycles (50 ns)",
          "83.3 %" /* of the slot, 60 cycles */, "11.9 %" /* of the update */})
        EXPECT_TRUE(tip.contains(QLatin1String(part))) << part << " in " << tip.toStdString();
    shown.hover(shown.at(140, 0)); // idle
    EXPECT_FALSE(shown.timeline().highlight().any());
}

TEST(PipelineView, AClickSelectsTheStagesIpuInTheSameReplica) {
    Shown shown;
    shown.click(shown.at(185, 1));
    EXPECT_EQ(shown.view.microBatch(), 1);
    EXPECT_EQ(shown.selection.current().ipu, 1);
    Selection second;
    second.lookAt(2); // replica 1
    shown.selection.set(second);
    shown.click(shown.at(185, 1));
    EXPECT_EQ(shown.selection.current().ipu, 3);
    EXPECT_EQ(shown.view.panel().shares().view()->currentIndex().row(), 1);
    // The headline tells how long the micro-batch takes: from cycle 60 to 390.
    EXPECT_TRUE(shows(shown.view.panel(), QStringLiteral("micro-batch 1: 330 cycles (330 ns)")));
}

TEST(PipelineView, TheFirstStageThatIsChosenIsChosen) {
    Shown shown;
    EXPECT_FALSE(shown.selection.current().ipu_chosen);
    shown.click({20, shown.timeline().laneRect(0, 0).center().y()}); // its name
    EXPECT_EQ(shown.selection.current().ipu, 0);
    EXPECT_TRUE(shown.selection.current().ipu_chosen);
    shown.selection.set({});
    shown.click(shown.at(25, 0)); // a pass of it
    EXPECT_TRUE(shown.selection.current().ipu_chosen);
    EXPECT_GE(shown.selection.current().micro_batch, 0);
}

TEST(PipelineView, EnterLeadsToTheChosenPassInTheTrace) {
    Shown shown;
    QSignalSpy asked(&shown.view, &View::viewRequested);
    QSignalSpy details(&shown.view, &View::detailsChanged);
    QTest::keyClick(&shown.timeline(), Qt::Key_Return);
    EXPECT_TRUE(asked.empty()) << "nothing is chosen";
    shown.click(shown.at(140, 1)); // backward of 0
    ASSERT_FALSE(details.empty());
    const QString told = QTextDocumentFragment::fromHtml(details.back()[0].toString()).toPlainText();
    EXPECT_TRUE(told.contains(QStringLiteral("Backward")) && told.contains(QStringLiteral("Of the slot")))
        << told.toStdString();
    EXPECT_EQ(shown.selection.current().micro_batch, 0);
    EXPECT_EQ(shown.selection.current().activity, PipelineActivity::Backward);
    EXPECT_EQ(shown.selection.current().ipu, 1);
    QTest::keyClick(&shown.timeline(), Qt::Key_Return);
    ASSERT_EQ(asked.size(), 1);
    EXPECT_EQ(asked[0][0].toString(), QStringLiteral("trace"));
    Selection other = shown.selection.current();
    other.micro_batch = 1; // followed elsewhere
    shown.selection.set(other);
    EXPECT_EQ(shown.view.microBatch(), 1);
    QTest::keyClick(&shown.timeline(), Qt::Key_Escape);
    EXPECT_EQ(shown.selection.current().micro_batch, -1);
}

TEST(PipelineView, FollowsAnIpuSelectedElsewhereAndAClickOnAName) {
    Shown shown;
    Selection selection;
    selection.lookAt(3);
    shown.selection.set(selection);
    EXPECT_EQ(shown.view.panel().shares().view()->currentIndex().row(), 1);
    EXPECT_EQ(shown.selection.current(), selection); // it does not answer back
    const QRect lane = shown.timeline().laneRect(0, 0);
    shown.click({20, lane.center().y()});
    EXPECT_EQ(shown.selection.current().ipu, 2);
}

TEST(PipelineView, TheLifeOfAMicroBatchIsToldPassByPass) {
    Shown shown;
    auto& tabs = *shown.view.panel().findChild<QTabWidget*>();
    QTest::keyClick(&shown.timeline(), Qt::Key_PageUp, Qt::ControlModifier);
    EXPECT_EQ(tabs.tabText(tabs.currentIndex()), QStringLiteral("Life of a micro-batch"));
    EXPECT_TRUE(shows(shown.view, QStringLiteral("Click a micro-batch")));
    shown.timeline().setFocus();
    QTest::keyClick(&shown.timeline(), Qt::Key_N); // 0
    DataTable& life = shown.view.panel().life();
    ASSERT_EQ(life.view()->model()->rowCount(), 5);
    EXPECT_TRUE(shows(shown.view,
                      QStringLiteral("Life of micro-batch 0: 290 ns = 210 ns of passes + 30 ns of copies + "
                                     "50 ns of waiting")));
    EXPECT_EQ(shown.cell(life, 2, QStringLiteral("Pass")), QStringLiteral("backward"));
    EXPECT_EQ(shown.cell(life, 2, QStringLiteral("Waiting before")), QStringLiteral("20 ns"));
    EXPECT_EQ(shown.cell(life, 3, QStringLiteral("Kept for it")), QStringLiteral("150 ns"));
    EXPECT_EQ(shown.cell(life, 4, QStringLiteral("Kept for it")), QStringLiteral("–"));
    life.view()->setCurrentIndex(life.view()->model()->index(2, 0));
    EXPECT_EQ(shown.selection.current().ipu, 1) << "where it goes back first";
    EXPECT_EQ(shown.selection.current().activity, PipelineActivity::Backward);
    EXPECT_EQ(life.view()->model()->rowCount(), 5);
}

TEST(PipelineView, InAWideWindowTheLifeStandsBesideTheStages) {
    Shown shown;
    const auto& tabs = *shown.view.panel().findChild<QTabWidget*>();
    ASSERT_EQ(tabs.count(), 4);
    EXPECT_FALSE(shown.view.panel().life().isVisible());
    const QSize usual = shown.view.size();
    shown.view.resize(shown.view.fontMetrics().height() * 110, usual.height());
    EXPECT_EQ(tabs.count(), 3);
    EXPECT_TRUE(shown.view.panel().shares().isVisible());
    EXPECT_TRUE(shown.view.panel().life().isVisible());
    shown.view.resize(usual);
    EXPECT_EQ(tabs.count(), 4);
}

TEST(PipelineView, AReplicaIsChosenByItsNumber) {
    Shown shown;
    auto& box = *shown.view.findChild<QComboBox*>(QStringLiteral("pipelineReplica"));
    EXPECT_TRUE(box.isVisible());
    ASSERT_EQ(box.count(), 2);
    Q_EMIT box.activated(1);
    EXPECT_EQ(shown.selection.current().ipu, 2);
    EXPECT_EQ(box.currentIndex(), 1);
    const TimelineGroup& group = shown.timeline().groups()[0];
    EXPECT_EQ(group.remark(group.lanes[1]), QStringLiteral("IPU 3"));
    Shown alone({1, 2, true});
    EXPECT_FALSE(alone.view.findChild<QComboBox*>(QStringLiteral("pipelineReplica"))->isVisible());
}

TEST(PipelineView, AMicroBatchIsChosenByItsNumber) {
    Shown shown;
    auto& field = *shown.view.findChild<QSpinBox*>(QStringLiteral("pipelineMicroBatch"));
    EXPECT_TRUE(field.isVisible());
    EXPECT_EQ(field.text(), QStringLiteral("Micro-batch –"));
    QTest::keyClick(&shown.timeline(), Qt::Key_J);
    ASSERT_TRUE(field.hasFocus());
    QTest::keyClicks(&field, QStringLiteral("1"));
    EXPECT_EQ(shown.view.microBatch(), -1); // until it is whole
    QTest::keyClick(&field, Qt::Key_Return);
    EXPECT_TRUE(shown.timeline().hasFocus());
    EXPECT_EQ(shown.view.microBatch(), 1);
    EXPECT_EQ(shown.selection.current().micro_batch, 1);
    EXPECT_EQ(shown.timeline().highlight().micro_batch, 1);
    QTest::keyClick(&shown.timeline(), Qt::Key_N); // around the end
    EXPECT_EQ(field.value(), 0);
    QTest::keyClick(&shown.timeline(), Qt::Key_J);
    QTest::keyClicks(&field, QStringLiteral("1"));
    QTest::keyClick(&field, Qt::Key_Escape);
    EXPECT_EQ(shown.view.microBatch(), 0);
    EXPECT_EQ(field.value(), 0);
    QTest::keyClick(&shown.timeline(), Qt::Key_Escape);
    EXPECT_EQ(field.text(), QStringLiteral("Micro-batch –"));
}

TEST(PipelineView, AMicroBatchAmongManyIsShownWideEnoughToBeSeen) {
    constexpr std::int64_t count = 200;
    constexpr std::int64_t length = 100; // cycles
    tests::ShownView<PipelineView> shown([](const std::string& path) -> Result<void> {
        auto recorder = profile::Recorder::create(path, {});
        if (!recorder)
            return Failure(recorder.error());
        for (std::int64_t each = 0; each < count; ++each)
            (*recorder)->add(profile::PipelineSlotRecord{0, each * length, (each + 1) * length, each,
                                                         PipelineActivity::Forward, each});
        return (*recorder)->finish(profile::RunStatus::Complete, "");
    });
    TimelineWidget& timeline = shown.view.timeline();
    timeline.setAnimated(false);
    EXPECT_EQ(timeline.view().span(), count * length);
    auto& field = *shown.view.findChild<QSpinBox*>(QStringLiteral("pipelineMicroBatch"));
    field.setValue(150);
    EXPECT_EQ(shown.view.microBatch(), 150);
    EXPECT_NEAR(timeline.view().span(), length * 1.25, 1); // with a margin
    EXPECT_LE(timeline.view().from(), 15000);
    EXPECT_GE(timeline.view().to(), 15100);
    const double span = timeline.view().span();
    field.setValue(151); // it is near, and as wide
    EXPECT_EQ(timeline.view().span(), span);
    EXPECT_GE(timeline.view().to(), 15200);
}

TEST(PipelineView, DraggingSelectsARangeWithItsTotals) {
    Shown shown;
    QWidget* canvas = shown.timeline().viewport();
    QTest::mousePress(canvas, Qt::LeftButton, {}, shown.at(100, 0));
    QTest::mouseMove(canvas, shown.at(130, 0));
    QTest::mouseMove(canvas, shown.at(160, 0));
    QTest::mouseRelease(canvas, Qt::LeftButton, {}, shown.at(160, 0));
    const auto range = shown.timeline().range();
    ASSERT_TRUE(range);
    EXPECT_NEAR(static_cast<double>(range->first), 100, 1);
    EXPECT_NEAR(static_cast<double>(range->second), 160, 1);
    const auto within = analyse::pipeline_cycles(tests::grouped_pipeline(), range->first, range->second);
    DataTable& cycles = shown.view.panel().cycles();
    EXPECT_EQ(shown.cell(cycles, 1, QStringLiteral("Backward")),
              QString::number(within[1][PipelineActivity::Backward]));
    EXPECT_EQ(shown.cell(cycles, 0, QStringLiteral("In all")), QString::number(range->second - range->first));
    EXPECT_EQ(shown.cell(shown.view.panel().shares(), 0, QStringLiteral("Bubble")), QStringLiteral("–"));
    EXPECT_TRUE(shows(shown.view.panel(), QStringLiteral("Selected")));
    EXPECT_FALSE(shown.selection.current().range); // cycles of an update, not of the run
    QTest::keyClick(&shown.timeline(), Qt::Key_Escape);
    EXPECT_FALSE(shown.timeline().range());
    EXPECT_EQ(shown.cell(cycles, 0, QStringLiteral("In all")), QStringLiteral("420"));
}

TEST(PipelineView, KeysZoomMoveFrameAndStepThroughMicroBatches) {
    Shown shown;
    TimelineWidget& timeline = shown.timeline();
    QTest::keyClick(&timeline, Qt::Key_W);
    EXPECT_LT(timeline.view().span(), 420);
    const double from = timeline.view().from();
    QTest::keyClick(&timeline, Qt::Key_D);
    EXPECT_GT(timeline.view().from(), from);
    QTest::keyClick(&timeline, Qt::Key_0);
    EXPECT_EQ(timeline.view().span(), 420);
    QTest::keyClick(&timeline, Qt::Key_N);
    EXPECT_EQ(shown.view.microBatch(), 0);
    QTest::keyClick(&timeline, Qt::Key_N, Qt::ShiftModifier);
    EXPECT_EQ(shown.view.microBatch(), 1); // around the end
    EXPECT_EQ(timeline.highlight().micro_batch, 1);
    QTest::keyClick(&timeline, Qt::Key_F); // 60 to 390 with a margin
    EXPECT_NEAR(timeline.view().span(), 330 * 1.25, 1);
    QTest::keyClick(&timeline, Qt::Key_Escape);
    EXPECT_EQ(shown.view.microBatch(), -1);
}

TEST(PipelineView, ShowsABaseBelowAndTheDifferenceInTheTable) {
    Shown shown;
    DataTable& shares = shown.view.panel().shares();
    const QString column = QStringLiteral("Utilisation, base");
    EXPECT_FALSE(tests::shown_rows(*shares.view(), QLatin1Char('\t')).contains(column));
    shown.view.setSources({shown.source, shown.source});
    shown.settle();
    ASSERT_EQ(shown.timeline().groups().size(), 2U);
    EXPECT_TRUE(shown.timeline().groups()[1].base);
    EXPECT_EQ(shown.cell(shares, 0, column), QStringLiteral("73.8 %"));
    EXPECT_EQ(shown.cell(shares, 0, QStringLiteral("change")), QStringLiteral("="));
    EXPECT_TRUE(tests::shown_rows(*shares.view(), QLatin1Char('\t')).contains(column));
}

// Of the two files the base is read first, and it alone has a pipeline.
TEST(PipelineView, ABaseThatIsReadFirstDoesNotTellOfTheFile) {
    const Shown with;
    Shown without({2, 2, false});
    const QString none = QStringLiteral("No pipeline: one step runs on 2 IPUs, in 2 replicas. Its phases:");
    without.view.setSources({});
    bool read = false;
    QObject other;
    without.source->ask<int>(
        &other, QStringLiteral("something that takes its time"),
        [](const profile::Profile&) -> Result<int> {
            QThread::msleep(300);
            return 0;
        },
        [&read](const Result<int>&) { read = true; });
    without.view.setSources({without.source, with.source});
    while (!read) {
        EXPECT_FALSE(shows(without.view, QStringLiteral("Nothing was recorded")));
        QApplication::processEvents(QEventLoop::AllEvents, 20);
    }
    without.settle();
    EXPECT_FALSE(shows(without.view, QStringLiteral("Nothing was recorded")));
    EXPECT_TRUE(shows(without.view, none));
}

TEST(PipelineView, APipelineThatWasNotTimedIsNotTakenForNone) {
    Shown shown({4, 1, true}); // the workload has a pipeline, the file no slots
    EXPECT_TRUE(shows(shown.view, QStringLiteral("The pipeline is not recorded")));
    EXPECT_FALSE(shows(shown.view, QStringLiteral("No pipeline: one step")));
}

TEST(PipelineView, WithoutAPipelineItSaysWhatOneNeeds) {
    Shown shown({2, 2, false});
    EXPECT_TRUE(shows(shown.view,
                      QStringLiteral("No pipeline: one step runs on 2 IPUs, in 2 replicas. Its phases:")));
    EXPECT_FALSE(shown.view.offersDetails()) << "there is nothing to select";
    EXPECT_TRUE(Shown().view.offersDetails());
    EXPECT_TRUE(shows(shown.view, QStringLiteral("IPU 0 (also 2)")));
    EXPECT_TRUE(shows(shown.view, QStringLiteral("IPU 1 (also 3)")));
    EXPECT_EQ(shown.view.findChildren<ShareBar*>().size(), 2);
    EXPECT_TRUE(shows(shown.view, QStringLiteral("gradient_accumulation_steps_per_replica")));
    EXPECT_FALSE(shown.timeline().isVisible());
    QTest::keyClick(&shown.view, Qt::Key_N); // does no harm
    QTest::keyClick(&shown.view, Qt::Key_F);
    for (const QAction* each : shown.view.actions())
        EXPECT_FALSE(each->isEnabled()) << each->text().toStdString() << ": there is no time line";
    const Shown with;
    for (const QAction* each : with.view.actions())
        EXPECT_TRUE(each->isEnabled()) << each->text().toStdString();
}

TEST(PipelineView, WithoutAPipelineItSaysWhyAProgramWasNeverRun) {
    const tests::ShownView<PipelineView> shown(tests::never_run(profile::RunStatus::OutOfMemory));
    EXPECT_TRUE(
        shows(shown.view, QStringLiteral("This program was never run: IPU 0 tile 8 needs 4 KiB of 2 KiB")));
    EXPECT_TRUE(shows(shown.view, QStringLiteral("No pipeline: one step would run on 1 IPU.")));
    EXPECT_TRUE(shows(shown.view, QStringLiteral("160 ns"))) << "a launch of 100 cycles and 60 of compute";
    QStringList parts;
    for (const ShareBar::Part& part : shown.view.findChildren<ShareBar*>().front()->parts())
        if (part.value > 0)
            parts << tests::as_read(part.name + QLatin1Char(' ') + part.text);
    EXPECT_EQ(parts, (QStringList{QStringLiteral("compute 37.5 %"), QStringLiteral("host 62.5 %")}));
}

TEST(PipelineView, ARunThatEndedWhileItCompiledSaysSo) {
    const tests::ShownView<PipelineView> shown([](const std::string& path) -> Result<void> {
        auto recorder = profile::Recorder::create(path, {});
        if (!recorder)
            return Failure(recorder.error());
        profile::ProgressRecord compiling;
        compiling.activity = profile::RunActivity::Compile;
        (*recorder)->set(compiling);
        return (*recorder)->finish(profile::RunStatus::Failed, "it broke");
    });
    EXPECT_TRUE(shows(shown.view, QStringLiteral("Nothing was compiled: it broke.")));
    EXPECT_FALSE(shows(shown.view, QStringLiteral("No pipeline")));
}

// A live file without a pipeline is read anew whenever it has grown.
TEST(PipelineView, ItsBarsStayWithTheirOpenMenuWhenNewFiguresCome) {
    Shown shown({2, 2, false});
    QWidget* bar = shown.view.findChildren<ShareBar*>().front();
    const auto answers = [&shown, bar = QPointer(bar)] {
        Q_EMIT shown.source->changed();
        shown.settle();
        EXPECT_NE(bar, nullptr);
        EXPECT_NE(QApplication::activePopupWidget(), nullptr) << "the menu is open still";
        if (QApplication::activePopupWidget() != nullptr)
            QApplication::activePopupWidget()->close();
    };
    QTimer::singleShot(50, &shown.view, answers); // a menu that is executed holds up what follows
    QContextMenuEvent asked(QContextMenuEvent::Mouse, {5, 5}, bar->mapToGlobal(QPoint(5, 5)));
    QApplication::sendEvent(bar, &asked);
    QTest::qWait(200);
    EXPECT_EQ(QApplication::activePopupWidget(), nullptr);
    EXPECT_EQ(shown.view.findChildren<ShareBar*>().size(), 2);
    EXPECT_EQ(shown.view.findChildren<ShareBar*>().front(), bar);
}

// Story: with the keys to a pass, and from there into the trace.
TEST(PipelineView, ArrowsGoFromPassToPass) {
    Shown shown;
    const auto& now = shown.selection.current();
    const auto press = [&](Qt::Key key) {
        QTest::keyClick(&shown.timeline(), key);
        shown.settle();
    };
    const auto records = tests::grouped_pipeline();
    press(Qt::Key_Right);
    EXPECT_EQ(now.micro_batch, 0);
    EXPECT_EQ(now.activity, PipelineActivity::Forward);
    press(Qt::Key_Right);
    EXPECT_EQ(now.micro_batch, 1);
    press(Qt::Key_Left);
    EXPECT_EQ(now.micro_batch, 0);
    press(Qt::Key_Left); // there is none before
    EXPECT_EQ(now.micro_batch, 0);
    press(Qt::Key_Down);
    EXPECT_EQ(now.ipu, 1);
    EXPECT_EQ(now.micro_batch, 0);
    press(Qt::Key_Down); // the last stage
    EXPECT_EQ(now.ipu, 1);
    press(Qt::Key_Up);
    EXPECT_EQ(now.ipu, 0);
    const QSignalSpy asked(&shown.view, &View::viewRequested);
    press(Qt::Key_Return);
    ASSERT_EQ(asked.size(), 1);
    EXPECT_EQ(asked[0][0].toString(), QStringLiteral("trace"));
    press(Qt::Key_R);
    const auto* pass = analyse::pass_of(records, 0, 0, PipelineActivity::Forward);
    ASSERT_NE(pass, nullptr);
    EXPECT_EQ(shown.timeline().range(), std::pair(pass->start_cycle, pass->end_cycle));
    EXPECT_TRUE(shows(shown.view.panel(), QStringLiteral("Selected")));
    press(Qt::Key_K);
    EXPECT_TRUE(shown.timeline().ruler());
    press(Qt::Key_Escape);
    EXPECT_FALSE(shown.timeline().ruler());
}

} // namespace
} // namespace tilescope::ui
