// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/graph/layered_layout.h"
#include "ui/graph/operation_graph.h"

#include <QPointF>
#include <QRectF>
#include <QString>
#include <set>

namespace tilescope::ui {

/// Sizes that follow the font of the window, in pixels at 100 %.
struct GraphMetrics {
    double character = 7; ///< mean width
    double line = 17;     ///< height of a line of text
    double cardHeight() const { return 2 * line + 26; }
    double sourceHeight() const { return 2 * line + 10; }
    double titleHeight() const { return line + 14; }
    double padding() const { return 14; }
};

/// Something drawn at a place: a node, a folded group, or an unfolded one around its members.
struct GraphBox {
    enum class Kind { Frame, Group, Node };
    Kind kind = Kind::Node;
    std::size_t index = 0; ///< of the group (Frame, Group), or of the node
    QRectF rect;
};

/// The tensors between two boxes, as one line with an arrow at its end.
struct GraphLine {
    std::size_t from = 0; ///< boxes
    std::size_t to = 0;
    std::vector<QPointF> route; ///< see Layout::routes
    std::vector<std::size_t> tensors;
    std::int64_t bytes = 0;
    QRectF bounds;
    bool stub = false; ///< drawn at its ends alone, unless one points at it
};

/// One end of lines that are drawn at their ends alone: a tick at the border of a box, and the name of what
/// they lead to or come from.
struct GraphStub {
    std::size_t box = 0;
    bool out = true;                ///< lines lead away from the box, below it; else they come in from above
    std::vector<std::size_t> lines; ///< of the scene, the one with most bytes first
    QString name;                   ///< of the box that they join, or how many they are
    QRectF rect;                    ///< of tick and name
};

/// The drawing of a graph: what stands where. Frames come before what is within them.
struct GraphScene {
    std::vector<GraphBox> boxes;
    std::vector<GraphLine> lines;
    std::vector<GraphStub> stubs;
    std::vector<std::size_t> box_of_node; ///< that shows a node: itself, or its folded group; or no_box
    QRectF bounds;
    std::size_t boxAt(const QPointF& at) const;                 ///< innermost; no_box: none
    std::size_t lineAt(const QPointF& at, double within) const; ///< that is drawn in whole
    const GraphStub* stubAt(const QPointF& at) const;           ///< null: none
    std::size_t farEnd(const GraphStub& stub,
                       std::size_t line) const { ///< the box that one of its lines joins
        return stub.out ? lines[line].to : lines[line].from;
    }
    static constexpr std::size_t no_box = static_cast<std::size_t>(-1);
};

/// What stands in a box: the name of an operation within its layer, or that of the layer or block.
QString nameOf(const OperationGraph& graph, const GraphBox& box);

/// The boxes that so many lines, whichever way, lead to from some; of one that is unfolded, from what is in
/// it.
std::set<std::size_t> neighbourhood(const GraphScene& scene, const std::set<std::size_t>& from, int lines);

/// What many boxes read, and bundles of lines that go far from forward to backward, would hide all others:
/// they become stubs.
void makeStubs(const OperationGraph& graph, const GraphMetrics& metrics, GraphScene& scene);

/// What of a graph is drawn.
struct GraphChoice {
    std::set<QString> unfolded;      ///< groups, by key
    std::set<profile::Phase> hidden; ///< with what they alone use
};

/// Lays out `graph` as it is chosen. Forward runs down on the left, backward beside it back up, updates on
/// the right. Empty only when cancelled.
std::optional<GraphScene> layOutGraph(const OperationGraph& graph, const GraphChoice& choice,
                                      const GraphMetrics& metrics, const CancelToken* cancel = nullptr);

} // namespace tilescope::ui
