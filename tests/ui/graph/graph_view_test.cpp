// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/operation_figures.h"
#include "profile/recorder.h"
#include "tests/ui/graph/shown_graph.h"
#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/widgets/operation_table.h"

#include <QAbstractButton>
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QSignalSpy>
#include <QTextDocumentFragment>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {
namespace {

constexpr std::size_t none = GraphScene::no_box;

using Shown = ShownGraph;

TEST(GraphView, ShowsOneBoxForEachLayerAndPhase) {
    Shown shown;
    const GraphScene& scene = shown.canvas().scene();
    ASSERT_EQ(scene.boxes.size(), 7U); // two layers, three phases each, and the input
    for (const char* layer : {"dense", "dense_1"}) {
        const std::size_t forward = shown.boxOf(layer, profile::Phase::Forward);
        const std::size_t backward = shown.boxOf(layer, profile::Phase::Backward);
        const std::size_t update = shown.boxOf(layer, profile::Phase::Update);
        ASSERT_NE(forward, none);
        ASSERT_NE(backward, none);
        ASSERT_NE(update, none);
        EXPECT_LT(scene.boxes[forward].rect.right(), scene.boxes[backward].rect.left());
        EXPECT_LT(scene.boxes[backward].rect.center().x(), scene.boxes[update].rect.right());
    }
    // Gradients flow up: the first layer's come last, above the second's.
    EXPECT_LT(scene.boxes[shown.boxOf("dense", profile::Phase::Backward)].rect.bottom(),
              scene.boxes[shown.boxOf("dense_1", profile::Phase::Backward)].rect.top());
    EXPECT_GT(scene.boxes[shown.boxOf("dense_1", profile::Phase::Forward)].rect.top(),
              scene.boxes[shown.boxOf("dense", profile::Phase::Forward)].rect.bottom());
}

TEST(GraphView, AddsUpWhatAGroupCosts) {
    Shown shown;
    const OperationGraph& graph = *shown.canvas().graph();
    const GraphBox& box = shown.canvas().scene().boxes[shown.boxOf("dense", profile::Phase::Backward)];
    const GraphGroup& group = graph.groups[box.index];
    ASSERT_EQ(group.members.size(), 3U); // operations 2, 3 and 4
    std::int64_t exchange = 0;
    std::int64_t compute = 0;
    for (const std::int64_t id : {2, 3, 4}) {
        exchange += tests::fixture_exchange_cycles(id);
        compute += tests::fixture_compute_cycles(id);
    }
    const profile::PhaseCycles step = graph.costs.in(analyse::Basis::Step, group.cost.time.cycles);
    EXPECT_EQ(step.exchange, exchange);
    EXPECT_EQ(step.compute, compute);
    EXPECT_EQ(step.sync, 3 * tests::fixture_sync_cycles);
}

TEST(GraphView, TellsPhasesApartByColourAndShape) {
    Shown shown;
    const Theme& theme = Theme::light();
    const std::pair<profile::Phase, QColor> phases[] = {{profile::Phase::Forward, theme.forward},
                                                        {profile::Phase::Backward, theme.backward},
                                                        {profile::Phase::Update, theme.update}};
    for (const auto& [phase, color] : phases) {
        const QColor fill = shown.colorAt(shown.boxOf("dense", phase), {0.5, 0.07});
        EXPECT_LT(std::abs(fill.hslHue() - color.hslHue()), 12) << static_cast<int>(phase);
    }
    // A point that a rounded corner covers, a cut one does not.
    const QRectF rect(0, 0, 100, 50);
    const QPointF corner(4, 4);
    EXPECT_TRUE(
        GraphPainter::outline(rect, profile::Phase::Forward, GraphNode::Kind::Operation).contains(corner));
    EXPECT_FALSE(
        GraphPainter::outline(rect, profile::Phase::Backward, GraphNode::Kind::Operation).contains(corner));
    EXPECT_FALSE(
        GraphPainter::outline(rect, profile::Phase::Update, GraphNode::Kind::Operation).contains({6, 6}));
    EXPECT_TRUE(
        GraphPainter::outline(rect, profile::Phase::Backward, GraphNode::Kind::Operation).contains({6, 6}));
}

TEST(GraphView, AClickOnTheSmallMapGoesThereAndASmallWindowHasNone) {
    Shown shown;
    GraphCanvas& canvas = shown.canvas();
    const auto goesTo = [&](const QSize& size) {
        canvas.resize(size);
        canvas.zoomTo(2);
        const QRectF before = canvas.visible();
        QTest::mouseClick(&canvas, Qt::LeftButton, {}, {size.width() - 18, size.height() - 18});
        return canvas.visible() != before;
    };
    EXPECT_TRUE(goesTo({1100, 640}));
    EXPECT_FALSE(goesTo({950, 500}));
}

TEST(GraphView, ColoursByIpuStageCyclesAndMemory) {
    Shown shown;
    OperationGraph graph = *shown.canvas().graph();
    const GraphScene& scene = shown.canvas().scene();
    // As if the layers lay on two IPUs, and dense_1's backward pass on both.
    for (GraphGroup& group : graph.groups) {
        group.place.ipu = group.layer == 0 ? 4 : 7;
        group.place.stage.reset();
    }
    graph.groups[scene.boxes[shown.boxOf("dense_1", profile::Phase::Backward)].index].place.ipu.reset();
    for (const std::size_t node : {std::size_t{5}, std::size_t{11}}) // updates are alone in their groups
        graph.nodes[node].place.ipu = node < 6 ? 4 : 7;
    const auto box = [&](const char* layer, profile::Phase phase) {
        return scene.boxes[shown.boxOf(layer, phase)];
    };
    using profile::Phase;
    const GraphScale by_ipu(graph, scene, GraphColoring::Ipu);
    EXPECT_EQ(by_ipu.shareOf(graph, box("dense", Phase::Forward)), 0.0);
    EXPECT_EQ(by_ipu.shareOf(graph, box("dense_1", Phase::Forward)), 1.0);
    EXPECT_EQ(by_ipu.shareOf(graph, box("dense_1", Phase::Backward)), std::nullopt);
    EXPECT_EQ(by_ipu.textOf(graph, box("dense_1", Phase::Forward)), QStringLiteral("IPU 7"));
    ASSERT_EQ(by_ipu.names().size(), 2U);
    EXPECT_EQ(by_ipu.names()[1].second, QStringLiteral("7"));
    EXPECT_TRUE(GraphScale(graph, scene, GraphColoring::Stage).names().empty()) << "there is no pipeline";

    // The box with most cycles is at the end of the scale, and others in proportion to it.
    const GraphScale by_cycles(graph, scene, GraphColoring::Cycles);
    const auto cycles = [&](std::initializer_list<std::int64_t> operations) {
        double sum = 0;
        for (const std::int64_t id : operations)
            sum += static_cast<double>(tests::fixture_exchange_cycles(id) +
                                       tests::fixture_compute_cycles(id) + tests::fixture_sync_cycles);
        return sum;
    };
    const double most = std::max(cycles({2, 3, 4}), cycles({8, 9, 10}));
    EXPECT_NEAR(*by_cycles.shareOf(graph, box("dense", Phase::Backward)), cycles({2, 3, 4}) / most, 1e-9);
    EXPECT_NEAR(*by_cycles.shareOf(graph, box("dense", Phase::Forward)), cycles({0, 1}) / most, 1e-9);
    EXPECT_EQ(by_cycles.names().back().second, formatTime(most, graph.clock_hz));

    // Shares are of the same whole, and all cycles beyond the peak's are lost.
    const GraphScale by_share(graph, scene, GraphColoring::Share);
    EXPECT_NEAR(*by_share.shareOf(graph, box("dense", Phase::Backward)), cycles({2, 3, 4}) / most, 1e-9);
    EXPECT_TRUE(by_share.names().back().second.endsWith(QStringLiteral("%")));
    const GraphScale by_loss(graph, scene, GraphColoring::Lost);
    const auto lost = analyse::lost_cycles(graph.groups[box("dense", Phase::Forward).index].cost.time);
    ASSERT_TRUE(lost);
    EXPECT_EQ(
        by_loss.textOf(graph, box("dense", Phase::Forward)),
        formatTime(graph.costs.in(shownBasis(graph, nullptr), static_cast<double>(*lost)), graph.clock_hz));
    const GraphScale by_peak(graph, scene, GraphColoring::Peak);
    EXPECT_EQ(by_peak.textOf(graph, box("dense", Phase::Forward)),
              formatPercent(
                  *graph.costs.share_of_peak(graph.groups[box("dense", Phase::Forward).index].cost.time)));

    // The colours are painted: light for little, dark for much.
    shown.view.colorBy(GraphColoring::Cycles);
    const auto lightness = [&](const char* layer, Phase phase) {
        return shown.colorAt(shown.boxOf(layer, phase), {0.5, 0.07}).lightness();
    };
    EXPECT_GT(lightness("dense", Phase::Forward), lightness("dense_1", Phase::Backward));
    EXPECT_FALSE(shown.view.findChild<QWidget*>(QStringLiteral("graphScale"))->isHidden());
}

// The input leads into dense, that into dense_1, and so on.
TEST(GraphView, TheNeighbourhoodOfABoxKeepsItsColours) {
    using profile::Phase;
    Shown shown;
    auto& canvas = shown.canvas();
    canvas.setFocus();
    QTest::keyClick(&canvas, Qt::Key_V);
    EXPECT_FALSE(canvas.lit()) << "nothing is chosen";
    const std::size_t chosen = shown.boxOf("dense", Phase::Forward);
    const std::size_t far = shown.boxOf("dense_1", Phase::Update);
    QTest::mouseClick(&canvas, Qt::LeftButton, {},
                      canvas.toWidget(canvas.scene().boxes[chosen].rect.center()).toPoint());
    const QColor before = shown.colorAt(far, {0.5, 0.5});
    QTest::keyClick(&canvas, Qt::Key_V);
    ASSERT_TRUE(canvas.lit());
    EXPECT_TRUE(canvas.lit()->contains(chosen));
    EXPECT_TRUE(canvas.lit()->contains(shown.boxOf("dense_1", Phase::Forward)));
    ASSERT_FALSE(canvas.lit()->contains(far));
    EXPECT_NE(shown.colorAt(far, {0.5, 0.07}), before) << "the others are pale";
    const std::size_t near = canvas.lit()->size();
    QTest::keyClick(&canvas, Qt::Key_V);
    EXPECT_GT(canvas.lit()->size(), near);
    for (int more = 0; more < 3; ++more)
        QTest::keyClick(&canvas, Qt::Key_V);
    EXPECT_FALSE(canvas.lit()) << "after four lines all";
}

TEST(GraphView, DrawsThePhasesThatAreWanted) {
    using profile::Phase;
    Shown shown;
    shown.view.hidePhases({Phase::Backward, Phase::Update});
    shown.settle();
    EXPECT_EQ(shown.canvas().scene().boxes.size(), 3U); // two forward passes and the input
    EXPECT_EQ(shown.boxOf("dense", Phase::Backward), none);
    EXPECT_NE(shown.boxOf("dense_1", Phase::Forward), none);
    shown.view.hidePhases({Phase::Forward, Phase::Recompute, Phase::Backward, Phase::Update});
    shown.settle();
    EXPECT_TRUE(shown.canvas().scene().boxes.empty());
    const QJsonObject state = shown.view.saveState();
    shown.view.hidePhases({});
    shown.settle();
    EXPECT_EQ(shown.canvas().scene().boxes.size(), 7U);
    shown.view.restoreState(state);
    shown.settle();
    EXPECT_TRUE(shown.canvas().scene().boxes.empty()) << "what was hidden is kept";
}

TEST(GraphView, AClickOnALayerSelectsItForAllViews) {
    Shown shown;
    QSignalSpy details(&shown.view, &View::detailsChanged);
    QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {},
                      shown.at(shown.boxOf("dense_1", profile::Phase::Forward)));
    EXPECT_EQ(shown.selection.current().layer, 1);
    EXPECT_EQ(shown.selection.current().operation, -1);
    EXPECT_EQ(shown.canvas().marks().chosen.size(), 3U); // its three phases
    EXPECT_EQ(shown.canvas().marks().focus, shown.boxOf("dense_1", profile::Phase::Forward));
    shown.settle();
    ASSERT_FALSE(details.isEmpty());
    EXPECT_TRUE(details.last().first().toString().contains(QLatin1String("dense_1")));
    QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {}, QPoint(3, 3));
    EXPECT_EQ(shown.selection.current().layer, -1);
}

TEST(GraphView, ADoubleClickUnfoldsALayerIntoItsOperations) {
    Shown shown;
    QTest::mouseDClick(&shown.canvas(), Qt::LeftButton, {},
                       shown.at(shown.boxOf("dense", profile::Phase::Backward)));
    shown.settle();
    const GraphScene& scene = shown.canvas().scene();
    ASSERT_EQ(scene.boxes.size(), 10U); // the frame stays, three operations come
    const OperationGraph& graph = *shown.canvas().graph();
    const std::size_t frame = shown.boxOf("dense", profile::Phase::Backward);
    EXPECT_EQ(scene.boxes[frame].kind, GraphBox::Kind::Frame);
    for (const std::int64_t operation : {2, 3, 4}) {
        const GraphBox& box = scene.boxes[scene.box_of_node[*graph.nodeOf(operation)]];
        EXPECT_EQ(box.kind, GraphBox::Kind::Node);
        EXPECT_TRUE(scene.boxes[frame].rect.contains(box.rect));
    }
    const std::size_t relu = scene.box_of_node[*graph.nodeOf(2)];
    QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {}, shown.at(relu));
    EXPECT_EQ(shown.selection.current().operation, 2);
    EXPECT_EQ(shown.selection.current().layer, 0);
    for (const GraphLine& line : scene.lines) { // lines start and end at the borders of their boxes
        EXPECT_TRUE(scene.boxes[line.from].rect.adjusted(-1, -1, 1, 1).contains(line.route.front()));
        EXPECT_TRUE(scene.boxes[line.to].rect.adjusted(-1, -1, 1, 1).contains(line.route.back()));
    }
}

TEST(GraphView, FollowsAnOperationSelectedElsewhere) {
    Shown shown;
    Selection selection;
    selection.operation = 9; // input gradient of dense_1, folded away
    shown.selection.set(selection);
    shown.settle();
    const std::size_t box = shown.canvas().scene().box_of_node[*shown.canvas().graph()->nodeOf(9)];
    EXPECT_EQ(shown.canvas().scene().boxes[box].kind, GraphBox::Kind::Node) << "its layer is unfolded";
    EXPECT_EQ(shown.canvas().marks().focus, box);
    EXPECT_EQ(shown.canvas().marks().chosen, std::set<std::size_t>{box});
    const std::size_t other = shown.boxOf("dense", profile::Phase::Backward);
    EXPECT_EQ(shown.canvas().scene().boxes[other].kind, GraphBox::Kind::Group) << "others stay as they are";
}

TEST(GraphView, SearchGoesFromHitToHitAndUnfoldsTheirLayers) {
    Shown shown;
    QTest::keyClick(&shown.canvas(), Qt::Key_F, Qt::ControlModifier);
    QTest::keyClicks(&shown.view.searchField(), QStringLiteral("weightgrad"));
    auto* found = shown.view.findChild<QLabel*>(QStringLiteral("graphFound"));
    EXPECT_TRUE(found->text().startsWith(QLatin1Char('2'))) << found->text().toStdString();
    EXPECT_EQ(shown.canvas().marks().hits.size(), 2U);
    QTest::keyClick(&shown.view.searchField(), Qt::Key_Return);
    shown.settle();
    EXPECT_EQ(found->text(), QStringLiteral("1 of 2"));
    EXPECT_EQ(shown.selection.current().operation, 4);
    EXPECT_TRUE(
        shown.canvas().visible().contains(shown.canvas().scene().boxes[shown.canvas().marks().focus].rect));
    QTest::keyClick(&shown.canvas(), Qt::Key_N);
    shown.settle();
    EXPECT_EQ(shown.selection.current().operation, 10);
    QTest::keyClick(&shown.canvas(), Qt::Key_N);
    shown.settle();
    EXPECT_EQ(shown.selection.current().operation, 4); // round and round
}

TEST(GraphView, WordsOfASearchMustAllOccur) {
    Shown shown;
    const auto hits = [&](const char* typed) {
        shown.view.searchField().setText(QLatin1String(typed));
        return shown.canvas().marks().hits.size();
    };
    EXPECT_EQ(hits("weightgrad "), 2U) << "the next word is still to come";
    EXPECT_EQ(hits("WeightGrad dense_1"), 1U) << "of the two layers";
    EXPECT_EQ(hits("weightgrad -dense_1"), 1U);
    EXPECT_EQ(hits("  "), 0U);
    EXPECT_EQ(shown.view.findChild<QLabel*>(QStringLiteral("graphFound"))->text(), QString());
}

TEST(GraphView, TheSearchIsLeftByReturnAndByEsc) {
    Shown shown;
    shown.view.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&shown.view));
    auto& field = shown.view.searchField();
    shown.canvas().setFocus();
    QTest::keyClick(&shown.canvas(), Qt::Key_Slash);
    ASSERT_TRUE(field.hasFocus());
    QTest::keyClicks(&field, QStringLiteral("no such thing"));
    QTest::keyClick(&field, Qt::Key_Return);
    EXPECT_TRUE(field.hasFocus()) << "it is written anew";
    QTest::keyClick(&field, Qt::Key_Escape);
    EXPECT_TRUE(shown.canvas().hasFocus());
    QTest::keyClick(&shown.canvas(), Qt::Key_Slash);
    QTest::keyClicks(&field, QStringLiteral("weightgrad"));
    QTest::keyClick(&field, Qt::Key_Return);
    EXPECT_TRUE(shown.canvas().hasFocus());
}

TEST(GraphView, FoldingAllShowsAll) {
    Shown shown;
    QTest::keyClick(&shown.canvas(), Qt::Key_E);
    shown.settle();
    QTest::keyClick(&shown.canvas(), Qt::Key_1);
    QTest::mousePress(&shown.canvas(), Qt::LeftButton, {}, QPoint(20, 20));
    QTest::mouseMove(&shown.canvas(), QPoint(600, 600));
    QTest::mouseRelease(&shown.canvas(), Qt::LeftButton, {}, QPoint(600, 600));
    QTest::keyClick(&shown.canvas(), Qt::Key_C);
    shown.settle();
    EXPECT_TRUE(shown.canvas().visible().contains(shown.canvas().scene().bounds));
}

TEST(GraphView, ItAsksBeforeItShowsThousandsOfBoxes) {
    Shown shown({4, 700, 1, 1, 1}, {700, 500});
    const std::size_t folded = shown.canvas().scene().boxes.size();
    QTest::keyClick(&shown.canvas(), Qt::Key_E);
    auto* question = shown.view.findChild<QMessageBox*>(QStringLiteral("unfolding"));
    ASSERT_NE(question, nullptr);
    shown.settle();
    EXPECT_EQ(shown.canvas().scene().boxes.size(), folded);
    for (QAbstractButton* button : question->buttons())
        if (button->text() == QStringLiteral("Unfold"))
            button->click();
    shown.settle();
    EXPECT_GT(shown.canvas().scene().boxes.size(), std::max<std::size_t>(folded, 4000));
}

TEST(GraphView, ZoomsAtThePointerAndPansByDragging) {
    Shown shown;
    GraphCanvas& canvas = shown.canvas();
    const QPointF at(300, 200);
    const QPointF under = canvas.visible().topLeft() + at / canvas.scale();
    const double before = canvas.scale();
    QWheelEvent wheel(at, canvas.mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&canvas, &wheel);
    EXPECT_GT(canvas.scale(), before);
    const QPointF still = canvas.toWidget(under);
    EXPECT_NEAR(still.x(), at.x(), 0.01);
    EXPECT_NEAR(still.y(), at.y(), 0.01);
    QTest::keyClick(&canvas, Qt::Key_1);
    EXPECT_DOUBLE_EQ(canvas.scale(), 1);
    const QPointF origin = canvas.visible().topLeft();
    QTest::mousePress(&canvas, Qt::LeftButton, {}, QPoint(20, 20));
    QTest::mouseMove(&canvas, QPoint(70, 60));
    QTest::mouseRelease(&canvas, Qt::LeftButton, {}, QPoint(70, 60));
    EXPECT_EQ((canvas.visible().topLeft() - origin).toPoint(), QPoint(-50, -40));
    EXPECT_EQ(shown.selection.current().layer, -1); // dragging chooses nothing
    QTest::keyClick(&canvas, Qt::Key_0);
    EXPECT_TRUE(canvas.visible().contains(canvas.scene().bounds));
}

TEST(GraphView, ShowsATooLargeGraphFromItsTopWithAMap) {
    Shown shown({8, 60, 1, 1, 1}, {1100, 800});
    GraphCanvas& canvas = shown.canvas();
    shown.view.unfoldLayers(); // they are equal, and one box until then
    shown.settle();
    shown.view.canvas().setScene(std::make_shared<OperationGraph>(*canvas.graph()),
                                 canvas.scene()); // as a new one
    EXPECT_FALSE(canvas.visible().contains(canvas.scene().bounds));
    EXPECT_GE(canvas.scale(), 0.5);
    EXPECT_LT(canvas.visible().top(), canvas.scene().boxes[canvas.scene().box_of_node.front()].rect.top());
    const QPoint low(canvas.width() - 30, canvas.height() - 24); // the end of the map
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, low);
    EXPECT_GT(canvas.visible().bottom(), canvas.scene().bounds.bottom() * 0.8);
}

TEST(GraphView, DetailsNameShapesTypesCyclesMemoryAndPlan) {
    Shown shown;
    QSignalSpy details(&shown.view, &View::detailsChanged);
    Selection selection;
    selection.operation = 0;
    shown.selection.set(selection);
    shown.settle();
    ASSERT_FALSE(details.isEmpty());
    const QString html = details.last().first().toString();
    const QString read = QTextDocumentFragment::fromHtml(html).toPlainText();
    for (const char* wanted : {"dense/MatMul", "matmul", "forward", "dense (Dense)", "float32 [32, 128]",
                               "Plan", "vertex AMP", "tiles 64", "balance 75.0 %", "Fixture<float>"})
        EXPECT_TRUE(read.contains(QLatin1String(wanted))) << wanted << " in " << read.toStdString();
    EXPECT_TRUE(html.contains(QStringLiteral("href='layer:0:-1'>dense</a>"))) << html.toStdString();
    const std::int64_t cycles =
        tests::fixture_sync_cycles + tests::fixture_exchange_cycles(0) + tests::fixture_compute_cycles(0);
    EXPECT_TRUE(html.contains(QStringLiteral("%1 per step").arg(cycles))) << html.toStdString();
}

TEST(GraphView, SharesOfAProgramThatNeverRanAreOfItsPlannedTime) {
    tests::ShownView<GraphView> shown([](const std::string& path) {
        auto recorder = *profile::Recorder::create(path, profile::RunRecord{});
        profile::Recorder& r = *recorder;
        r.set(profile::TargetRecord{"pod4", "ipu2", 1, 4, 1000, 1e9, 6});
        r.add(profile::IpuRecord{0, 0, "", 0, 0});
        r.add(profile::OperationRecord{0, "op", "matmul", -1, profile::Phase::Forward});
        r.add(profile::OperationRecord{1, "more", "exp", -1, profile::Phase::Forward});
        r.add(profile::DeviceProgramRecord{0, "predict", 0, false});
        using profile::StepKind;
        r.add(profile::ProgramRecord{0, -1, 0, StepKind::Sequence, "main", -1, -1, -1, 1});
        r.add(profile::ProgramRecord{1, 0, 0, StepKind::Execute, "op", 0, -1, -1, 1, 0, 0, 0, 300});
        r.add(profile::ProgramRecord{2, 0, 1, StepKind::Execute, "more", 1, -1, -1, 1, 1, 0, 0, 100});
        return r.finish(profile::RunStatus::OutOfMemory); // it was never run
    });
    QSignalSpy details(&shown.view, &View::detailsChanged);
    Selection next = shown.selection.current();
    next.operation = 0;
    shown.selection.set(next);
    shown.settle();
    ASSERT_FALSE(details.isEmpty());
    const QString text = QTextDocumentFragment::fromHtml(details.last().first().toString()).toPlainText();
    EXPECT_TRUE(text.contains(QStringLiteral("75.0 % of the planned time of IPU 0"))) << text.toStdString();
}

TEST(GraphView, TellsChangesAgainstABase) {
    Shown shown;
    QSignalSpy details(&shown.view, &View::detailsChanged);
    const tests::TemporaryFolder folder;
    const std::string path = folder / "base.tilescope"; // the same first layer, and no second
    ASSERT_TRUE(tests::record_fixture(path, {64, 1, 1, 1, 1}));
    const auto base = ProfileSource::open(QString::fromStdString(path));
    shown.view.setSources({shown.source, base});
    for (const auto& [operation, change] :
         {std::pair{0, QStringLiteral("350 cycles (%1), =").arg(formatSeconds(350 / 1e9))},
          std::pair{6, QStringLiteral("does not have it")}}) {
        Selection selection;
        selection.operation = operation;
        shown.selection.set(selection);
        ASSERT_TRUE(QTest::qWaitFor([&details, &wanted = change] {
            return !details.isEmpty() && details.last().first().toString().contains(wanted);
        })) << change.toStdString();
    }
    EXPECT_EQ(changeText(200, 206), QStringLiteral("+3.0 %"));
    EXPECT_EQ(changeText(200, 150), QStringLiteral("−25.0 %"));
    EXPECT_EQ(changeText(std::nullopt, 150), QStringLiteral("new"));
    shown.view.setSources({});
}

TEST(GraphView, TheDifferenceDrawsWhatWasRemovedToo) {
    Shown shown(tests::FixtureSize{64, 1, 1, 1, 1});
    const tests::ShownView<GraphView> base(tests::FixtureSize{64, 2, 1, 1, 1});
    shown.showDifference(base.source);
    const OperationGraph& graph = *shown.canvas().graph();
    EXPECT_EQ(std::count_if(
                  graph.nodes.begin(), graph.nodes.end(),
                  [](const GraphNode& node) { return node.gone && node.kind == GraphNode::Kind::Operation; }),
              6);
    const std::size_t box = shown.boxOf("dense_1", profile::Phase::Forward);
    ASSERT_NE(box, none);
    auto* only_changes = shown.view.findChild<QAbstractButton*>(QStringLiteral("onlyChanges"));
    ASSERT_TRUE(only_changes->isVisible());
    only_changes->click();
    ASSERT_TRUE(shown.canvas().lit());
    EXPECT_TRUE(shown.canvas().lit()->contains(box));
    EXPECT_FALSE(shown.canvas().lit()->contains(shown.boxOf("dense", profile::Phase::Update)))
        << "it is the same in both";
    only_changes->click();
    EXPECT_FALSE(shown.canvas().lit());
    QSignalSpy details(&shown.view, &View::detailsChanged);
    QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {}, shown.at(box));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !details.isEmpty(); }));
    EXPECT_EQ(shown.selection.current().operation, -1) << "nothing here has its id";
    EXPECT_TRUE(details.last().first().toString().contains(QStringLiteral("dense_1")));
    shown.view.setSources({});
}

TEST(GraphView, WhatOnlyTheBaseHasIsChosenNoMoreOnceItIsNotDrawn) {
    Shown shown(tests::FixtureSize{64, 1, 1, 1, 1});
    const tests::ShownView<GraphView> base(tests::FixtureSize{64, 2, 1, 1, 1});
    shown.showDifference(base.source);
    shown.view.unfoldOperations();
    shown.settle();
    const OperationGraph& both = *shown.canvas().graph();
    const auto gone = std::find_if(both.nodes.begin(), both.nodes.end(), [](const GraphNode& node) {
        return node.gone && node.kind == GraphNode::Kind::Operation;
    });
    ASSERT_NE(gone, both.nodes.end());
    const std::size_t box =
        shown.canvas().scene().box_of_node[static_cast<std::size_t>(gone - both.nodes.begin())];
    ASSERT_NE(box, none);
    ASSERT_EQ(shown.canvas().scene().boxes[box].kind, GraphBox::Kind::Node);
    shown.canvas().fit();
    QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {}, shown.at(box));
    ASSERT_EQ(shown.canvas().marks().focus, box);
    shown.view.setSources({shown.source, base.source, false});
    shown.settle();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !shown.canvas().scene().boxes.empty(); }, 20000));
    shown.settle();
    EXPECT_EQ(shown.canvas().marks().focus, none);
    EXPECT_TRUE(shown.canvas().marks().chosen.empty());
    shown.view.setSources({});
}

TEST(GraphView, WhatIsAloneInEitherIsToldFromWhatChanged) {
    Shown now(tests::FixtureSize{64, 2, 1, 1, 1});
    const Shown base(tests::FixtureSize{64, 1, 1, 1, 1});
    const auto read = [](Shown& of) { return *of.canvas().graph(); };
    const OperationGraph two = read(now);
    const OperationGraph one = read(const_cast<Shown&>(base));
    const auto count = [](const ComparedGraphs& compared, GraphChange change) {
        int found = 0;
        for (std::size_t node = 0; node < compared.both.nodes.size(); ++node)
            found += compared.both.nodes[node].kind == GraphNode::Kind::Operation &&
                             nodeChange(compared.both, compared.base, node) == change
                         ? 1
                         : 0;
        return found;
    };
    const ComparedGraphs grown = compareGraphs(two, one);
    EXPECT_EQ(count(grown, GraphChange::Added), 6);
    EXPECT_EQ(count(grown, GraphChange::Same), 6);
    const ComparedGraphs shrunk = compareGraphs(one, two);
    EXPECT_EQ(count(shrunk, GraphChange::Removed), 6);
    EXPECT_EQ(count(shrunk, GraphChange::Same), 6);
    EXPECT_EQ(shrunk.both.edges.size(), two.edges.size()) << "what was removed keeps its arrows";

    // As was said by hand, the layer of the one is the second of the other.
    using analyse::PartKind;
    const ComparedGraphs second = compareGraphs(two, one, {{PartKind::Layer, "dense", "dense_1"}});
    EXPECT_EQ(count(second, GraphChange::Added), 6);
    EXPECT_EQ(count(second, GraphChange::More), 6) << "later operations of the fixture take longer";
    const ComparedGraphs alone = compareGraphs(one, one, {{PartKind::Operation, "dense/MatMul", ""}});
    EXPECT_EQ(count(alone, GraphChange::Removed), 1);
    EXPECT_EQ(count(alone, GraphChange::Added), 1);
}

TEST(GraphView, ExportsPicturesAndGraphviz) {
    Shown shown;
    const tests::TemporaryFolder folder;
    for (const char* name : {"graph.svg", "graph.png", "graph.dot", "graph.csv"})
        shown.view.exportTo(QString::fromStdString(folder / name));
    shown.settle();
    QFile svg(QString::fromStdString(folder / "graph.svg"));
    ASSERT_TRUE(svg.open(QIODevice::ReadOnly));
    EXPECT_TRUE(svg.readAll().contains("dense_1"));
    const QImage png(QString::fromStdString(folder / "graph.png"));
    EXPECT_EQ(png.width(), qRound((shown.canvas().scene().bounds.width() + 48) * 2));
    QFile dot(QString::fromStdString(folder / "graph.dot"));
    ASSERT_TRUE(dot.open(QIODevice::ReadOnly));
    EXPECT_TRUE(dot.readAll().contains("digraph"));
    QFile csv(QString::fromStdString(folder / "graph.csv"));
    ASSERT_TRUE(csv.open(QIODevice::ReadOnly));
    const QByteArray lines = csv.readAll();
    EXPECT_TRUE(lines.startsWith("name,kind,phase,group,shape,ipu,stage,cycles per step\n"));
    EXPECT_EQ(lines.count('\n'), 13) << "twelve operations";
    const qsizetype row = lines.indexOf("\ndense_1/MatMul,") + 1;
    ASSERT_GT(row, 0);
    const std::int64_t cycles = tests::fixture_sync_cycles + tests::fixture_exchange_cycles(6) +
                                tests::fixture_compute_cycles(6); // of one of the three steps of an execution
    EXPECT_TRUE(lines.mid(row, lines.indexOf('\n', row) - row).endsWith("," + QByteArray::number(cycles)));
    QTest::keyClick(&shown.canvas(), Qt::Key_C, Qt::ControlModifier);
    EXPECT_EQ(QApplication::clipboard()->image().size(), png.size());
}

} // namespace
} // namespace tilescope::ui
