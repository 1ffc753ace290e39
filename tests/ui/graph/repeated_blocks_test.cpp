// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/view_test_support.h"
#include "ui/graph/graph_view.h"
#include "ui/widgets/legend.h"

#include <QSignalSpy>
#include <algorithm>
#include <vector>

namespace tilescope::ui {
namespace {

using profile::Phase;
using tests::ShownView;
constexpr std::size_t nowhere = GraphScene::no_box;

/// An embedding, `blocks` blocks of attention and norm, and a head: each with an operation per phase, the
/// attention with two forward. Each operation takes a cycle more than the one before it.
class Transformer {
  public:
    explicit Transformer(int blocks) {
        std::size_t last = forward("embedding", -1);
        std::vector<std::size_t> layers{graph.groups.size() - 1};
        for (int block = 0; block < blocks; ++block) {
            const std::string name = "layer_" + std::to_string(block);
            last = forward(name + "_attention", static_cast<std::ptrdiff_t>(last));
            layers.push_back(graph.groups.size() - 1);
            last = add(layers.back(), "Softmax", Phase::Forward, static_cast<std::ptrdiff_t>(last));
            last = forward(name + "_norm", static_cast<std::ptrdiff_t>(last));
            layers.push_back(graph.groups.size() - 1);
        }
        last = forward("head", static_cast<std::ptrdiff_t>(last));
        layers.push_back(graph.groups.size() - 1);
        for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer)
            last = add(group(text(graph.groups[*layer].name.toStdString()), Phase::Backward), "Gradient",
                       Phase::Backward, static_cast<std::ptrdiff_t>(last));
        foldBlocks(graph);
    }

    OperationGraph graph;

    const GraphGroup* find(const char* name, Phase phase) const {
        for (const GraphGroup& each : graph.groups)
            if (each.name == QString::fromUtf8(name) && each.phase == phase)
                return &each;
        return nullptr;
    }

  private:
    static QString text(const std::string& name) { return QString::fromStdString(name); }

    std::size_t group(const QString& name, Phase phase) {
        GraphGroup made;
        made.name = name;
        made.key = QStringLiteral("%1, %2").arg(name, phaseName(phase));
        made.kind = name.section(QLatin1Char('_'), -1);
        made.phase = phase;
        made.layer =
            static_cast<std::int64_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
        graph.groups.push_back(made);
        return graph.groups.size() - 1;
    }

    std::size_t forward(const std::string& name, std::ptrdiff_t from) {
        names_.push_back(text(name));
        return add(group(text(name), Phase::Forward), "MatMul", Phase::Forward, from);
    }

    std::size_t add(std::size_t group, const char* type, Phase phase, std::ptrdiff_t from) {
        GraphNode node;
        const std::size_t index = graph.nodes.size();
        node.id = static_cast<std::int64_t>(index);
        node.name = node.label = QStringLiteral("%1/%2").arg(graph.groups[group].name, QLatin1String(type));
        node.type = QLatin1String(type);
        node.shape = QStringLiteral("[4]");
        node.phase = phase;
        node.group = group;
        node.layer = graph.groups[group].layer;
        node.cost.time.cycles.compute = static_cast<std::int64_t>(index) + 1;
        graph.groups[group].members.push_back(index);
        graph.groups[group].cost =
            analyse::together(std::vector<const GraphCost*>{&graph.groups[group].cost, &node.cost});
        graph.nodes.push_back(node);
        graph.tensors.push_back({});
        graph.tensors.back().bytes = 16;
        if (from >= 0)
            graph.edges.push_back({static_cast<std::size_t>(from), index, index});
        return index;
    }

    std::vector<QString> names_;
};

GraphScene laidOut(const OperationGraph& graph, std::set<QString> unfolded, std::set<Phase> hidden = {}) {
    auto scene = layOutGraph(graph, {std::move(unfolded), std::move(hidden)}, {});
    EXPECT_TRUE(scene.has_value());
    return scene ? *std::move(scene) : GraphScene{};
}

std::vector<std::string> namesOf(const OperationGraph& graph, const GraphScene& scene, GraphBox::Kind kind) {
    std::vector<std::string> names;
    for (const GraphBox& box : scene.boxes)
        if (box.kind == kind)
            names.push_back(
                (kind == GraphBox::Kind::Node ? graph.nodes[box.index].name : graph.groups[box.index].name)
                    .toStdString());
    std::sort(names.begin(), names.end());
    return names;
}

TEST(RepeatedBlocks, AreOneStackForEachPhase) {
    const Transformer model(4);
    const GraphGroup* forward = model.find("layer_* × 4", Phase::Forward);
    const GraphGroup* backward = model.find("layer_* × 4", Phase::Backward);
    ASSERT_NE(forward, nullptr);
    ASSERT_NE(backward, nullptr);
    EXPECT_EQ(forward->blocks, 4U);
    EXPECT_EQ(forward->parts.size(), 4U);
    EXPECT_EQ(forward->kind, QStringLiteral("2 layers each"));
    EXPECT_EQ(forward->members.size(), 12U) << "three operations in each of four blocks";
    // Forward operations are 1 (embedding), 2 to 13, 14 (head); their gradients follow from the end.
    EXPECT_EQ(forward->cost.time.cycles.compute, 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13);
    EXPECT_EQ(backward->cost.time.cycles.compute, 16 + 17 + 18 + 19 + 20 + 21 + 22 + 23);
    const GraphGroup* third = model.find("layer_2", Phase::Forward);
    ASSERT_NE(third, nullptr);
    EXPECT_EQ(third->parts.size(), 2U);
    EXPECT_EQ(third->cost.time.cycles.compute, 8 + 9 + 10);
    EXPECT_EQ(model.find("head", Phase::Forward)->within, OperationGraph::no_group);
}

TEST(RepeatedBlocks, UnfoldInTheirPlaceAndHaveAFrame) {
    const Transformer model(4);
    using Kind = GraphBox::Kind;
    using Names = std::vector<std::string>;
    const QString stack = model.find("layer_* × 4", Phase::Forward)->key;
    const QString block = model.find("layer_1", Phase::Forward)->key;
    const GraphScene folded = laidOut(model.graph, {});
    EXPECT_EQ(namesOf(model.graph, folded, Kind::Group), (Names{"layer_* × 4", "layer_* × 4"}));
    EXPECT_EQ(folded.boxes.size(), 6U) << "embedding, stack and head, twice";

    const GraphScene blocks = laidOut(model.graph, {stack}, {Phase::Backward});
    EXPECT_EQ(namesOf(model.graph, blocks, Kind::Frame), Names{"layer_* × 4"});
    EXPECT_EQ(namesOf(model.graph, blocks, Kind::Group), (Names{"layer_0", "layer_1", "layer_2", "layer_3"}));

    const GraphScene layers = laidOut(model.graph, {stack, block}, {Phase::Backward});
    EXPECT_EQ(namesOf(model.graph, layers, Kind::Frame), (Names{"layer_* × 4", "layer_1"}));
    EXPECT_EQ(namesOf(model.graph, layers, Kind::Group),
              (Names{"layer_0", "layer_1_attention", "layer_2", "layer_3"}));
    EXPECT_EQ(namesOf(model.graph, layers, Kind::Node),
              (Names{"embedding/MatMul", "head/MatMul", "layer_1_norm/MatMul"}));
    // Frames come before what is in them, are around all of it, and touch nothing else.
    const GraphBox& outer = layers.boxes[0];
    const GraphBox& inner = layers.boxes[1];
    EXPECT_EQ(model.graph.groups[outer.index].name, QStringLiteral("layer_* × 4"));
    EXPECT_TRUE(outer.rect.contains(inner.rect));
    EXPECT_TRUE(layers.bounds.contains(outer.rect));
    for (std::size_t b = 2; b < layers.boxes.size(); ++b) {
        const GraphBox& box = layers.boxes[b];
        const QString name =
            box.kind == Kind::Node ? model.graph.nodes[box.index].name : model.graph.groups[box.index].name;
        const bool in_stack = name.startsWith(QLatin1String("layer_"));
        const bool in_block = name.startsWith(QLatin1String("layer_1"));
        EXPECT_EQ(outer.rect.contains(box.rect), in_stack) << name.toStdString();
        EXPECT_EQ(outer.rect.intersects(box.rect), in_stack) << name.toStdString();
        EXPECT_EQ(inner.rect.contains(box.rect), in_block) << name.toStdString();
        EXPECT_EQ(inner.rect.intersects(box.rect), in_block) << name.toStdString();
    }
    // A stack that is folded hides what is unfolded in it.
    EXPECT_EQ(laidOut(model.graph, {block}).boxes.size(), 6U);
}

TEST(RepeatedBlocks, AreEqualThoughTheFirstOneHoldsAConstantThatAllUse) {
    Transformer model(4);
    OperationGraph& graph = model.graph;
    unfoldBlocks(graph);
    const std::size_t first = graph.nodes[1].group; // layer_0_attention
    GraphNode constant;
    constant.kind = GraphNode::Kind::Parameter;
    constant.name = QStringLiteral("scalar");
    constant.group = first;
    const std::size_t index = graph.nodes.size();
    graph.nodes.push_back(constant);
    graph.groups[first].members.push_back(index);
    graph.tensors.push_back({});
    for (const std::size_t reader : {std::size_t{1}, std::size_t{3}, std::size_t{4}, std::size_t{7}})
        graph.edges.push_back({index, reader, graph.tensors.size() - 1});
    foldBlocks(graph);
    const GraphGroup* stack = model.find("layer_* × 4", Phase::Forward);
    ASSERT_NE(stack, nullptr);
    EXPECT_EQ(stack->parts.size(), 4U);
}

TEST(RepeatedBlocks, AreNoneWhereLittleRepeats) {
    const Transformer model(3); // two blocks of two layers would be folded away
    EXPECT_EQ(model.graph.groups.size(), model.graph.layer_groups);
}

/// The fixture's layers are equal: dense, dense_1 …
struct FoldedView : ShownView<GraphView> {
    using ShownView::ShownView;
    GraphCanvas& canvas() { return view.canvas(); }
    std::size_t boxOf(const char* name, Phase phase) {
        const GraphScene& scene = canvas().scene();
        for (std::size_t b = 0; b < scene.boxes.size(); ++b)
            if (const GraphBox& box = scene.boxes[b]; box.kind != GraphBox::Kind::Node)
                if (const GraphGroup& group = canvas().graph()->groups[box.index];
                    group.name == QString::fromUtf8(name) && group.phase == phase)
                    return b;
        return nowhere;
    }
    QPoint at(std::size_t box) {
        return canvas().toWidget(canvas().scene().boxes[box].rect.center()).toPoint();
    }
};

TEST(RepeatedBlocks, OpenAndCloseByKeys) {
    FoldedView shown(tests::FixtureSize{8, 12, 1, 1, 1});
    const std::size_t folded = shown.canvas().scene().boxes.size();
    ASSERT_NE(shown.boxOf("dense × 12", Phase::Forward), nowhere);
    ASSERT_NE(shown.boxOf("dense × 12", Phase::Backward), nowhere);
    QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {},
                      shown.at(shown.boxOf("dense × 12", Phase::Forward)));
    QTest::keyClick(&shown.canvas(), Qt::Key_Return);
    shown.settle();
    EXPECT_EQ(shown.canvas().scene().boxes.size(), folded + 12); // a frame, and twelve layers for one box
    const std::size_t layer = shown.boxOf("dense_3", Phase::Forward);
    ASSERT_NE(layer, nowhere);
    QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {}, shown.at(layer));
    EXPECT_EQ(shown.selection.current().layer, 3);
    QTest::keyClick(&shown.canvas(), Qt::Key_Backspace);
    shown.settle();
    EXPECT_EQ(shown.canvas().scene().boxes.size(), folded);
    EXPECT_EQ(shown.canvas().marks().focus, shown.boxOf("dense × 12", Phase::Forward));
    QTest::keyClick(&shown.canvas(), Qt::Key_L);
    shown.settle();
    EXPECT_EQ(shown.boxOf("dense_3", Phase::Backward) != nowhere, true);
    QTest::keyClick(&shown.canvas(), Qt::Key_C);
    shown.settle();
    EXPECT_EQ(shown.canvas().scene().boxes.size(), folded);
}

TEST(RepeatedBlocks, UnfoldForWhatIsSelectedElsewhere) {
    FoldedView shown(tests::FixtureSize{8, 12, 1, 1, 1});
    Selection selection;
    selection.layer = 5;
    shown.selection.set(selection);
    shown.settle();
    const std::size_t box = shown.boxOf("dense_5", Phase::Forward);
    ASSERT_NE(box, nowhere);
    EXPECT_TRUE(shown.canvas().marks().chosen.contains(box));
    EXPECT_TRUE(shown.canvas().marks().chosen.contains(shown.boxOf("dense_5", Phase::Backward)));
}

TEST(RepeatedBlocks, AddUpWhatTheBaseTook) {
    FoldedView now(tests::FixtureSize{8, 12, 1, 1, 1});
    FoldedView base(tests::FixtureSize{8, 9, 1, 1, 1});
    const ComparedGraphs compared = compareGraphs(*now.canvas().graph(), *base.canvas().graph());
    const auto& groups = compared.both.groups;
    const auto stack = std::find_if(groups.begin(), groups.end(), [](const GraphGroup& group) {
        return group.name == QStringLiteral("dense × 12") && group.phase == Phase::Forward;
    });
    ASSERT_NE(stack, groups.end());
    std::int64_t cycles = 0; // the base has nine of the layers
    for (std::int64_t layer = 0; layer < 9; ++layer)
        for (const std::int64_t id : {6 * layer, 6 * layer + 1})
            cycles += tests::fixture_exchange_cycles(id) + tests::fixture_compute_cycles(id) +
                      tests::fixture_sync_cycles;
    EXPECT_EQ(baseCycles(compared.both, compared.base, compared.base.groups,
                         static_cast<std::size_t>(stack - groups.begin())),
              cycles);
}

TEST(RepeatedBlocks, TellTheirLayersInTheDetails) {
    FoldedView shown(tests::FixtureSize{8, 12, 1, 1, 1});
    QSignalSpy details(&shown.view, &View::detailsChanged);
    QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {},
                      shown.at(shown.boxOf("dense × 12", Phase::Forward)));
    shown.settle();
    ASSERT_FALSE(details.isEmpty());
    const QString read = details.last().first().toString();
    std::int64_t cycles = 0; // of the layers but the first, each with two operations forward
    for (std::int64_t layer = 1; layer < 12; ++layer)
        for (const std::int64_t id : {6 * layer, 6 * layer + 1})
            cycles += tests::fixture_exchange_cycles(id) + tests::fixture_compute_cycles(id) +
                      tests::fixture_sync_cycles;
    QString text = QString::number(cycles);
    for (qsizetype at = text.size() - 3; at > 0; at -= 3)
        text.insert(at, QLatin1Char(','));
    EXPECT_TRUE(read.contains(QStringLiteral("dense_* × 11: %1 cycles").arg(text))) << read.toStdString();
}

TEST(RepeatedBlocks, TheLegendHidesPhases) {
    FoldedView shown(tests::FixtureSize{8, 12, 1, 1, 1});
    auto* legend = shown.view.findChild<Legend*>(QStringLiteral("graphLegend"));
    ASSERT_NE(legend, nullptr);
    const int backward = 2; // forward, recompute, backward
    QTest::mouseClick(legend, Qt::LeftButton, {}, legend->part(backward).rect.center());
    shown.settle();
    EXPECT_EQ(shown.boxOf("dense × 12", Phase::Backward), nowhere);
    EXPECT_NE(shown.boxOf("dense × 12", Phase::Forward), nowhere);
    QTest::mouseClick(legend, Qt::LeftButton, {}, legend->part(backward).rect.center());
    shown.settle();
    EXPECT_NE(shown.boxOf("dense × 12", Phase::Backward), nowhere);
    shown.view.hidePhases({Phase::Update});
    EXPECT_EQ(legend->hidden(), QStringList{QStringLiteral("update")});
}

} // namespace
} // namespace tilescope::ui
