// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/graph/graph_coloring.h"
#include "ui/theme/theme.h"

#include <QFont>
#include <QPainterPath>

class QPainter;

namespace tilescope::ui {

/// What stands out in a drawing; boxes and lines by index.
struct GraphMarks {
    std::set<std::size_t> chosen;
    std::size_t focus = GraphScene::no_box; ///< of `chosen`, the one that keys move
    std::set<std::size_t> hits;             ///< of a search
    std::size_t hovered_box = GraphScene::no_box;
    std::size_t hovered_line = GraphScene::no_box;
    bool has(std::size_t box) const { return chosen.contains(box) || box == hovered_box; }
    bool hasLine(const GraphScene& scene, std::size_t line) const; ///< itself, or an end of it
};

/// Paints drawings of graphs: in the window, in pictures, in the small map.
class GraphPainter {
  public:
    static constexpr double detail_scale = 0.16; ///< below it there are no arrows, outlines and stubs
    /// `scale`: pixels for one unit of the scene; little of what would be too small to see is painted.
    GraphPainter(const OperationGraph& graph, const GraphScene& scene, const Theme& theme, const QFont& font,
                 double scale);
    void paint(QPainter& painter, const GraphMarks& marks, const QRectF& exposed) const;
    /// What is chosen or under the pointer, over a picture of the rest.
    void paintMarked(QPainter& painter, const GraphMarks& marks, const QRectF& exposed) const;
    /// Some boxes and the lines between them, over a pale picture of all.
    void paintLit(QPainter& painter, const std::set<std::size_t>& boxes, const GraphMarks& marks,
                  const QRectF& exposed) const;
    /// Cards tell the change of cycles against `base` (not null) in place of their share; `difference`: their
    /// colours, too.
    void compareWith(const GraphBaseline* base, bool difference) {
        base_ = base;
        difference_ = base != nullptr && difference;
    }
    /// Boxes have their colours by `scale`, which must stay; without, or by phase, those of their phase.
    void colorBy(const GraphScale& scale) { shades_ = &scale; }
    /// Boxes as plain colours, for a small map.
    void paintSmall(QPainter& painter) const;

    /// Told apart without colour too: forward is rounded, backward and recompute have cut corners, updates
    /// are round, data and parameters slant.
    static QPainterPath outline(const QRectF& rect, profile::Phase phase, GraphNode::Kind kind);
    static QColor phaseColor(const Theme& theme, profile::Phase phase);
    static QColor changeColor(const Theme& theme, GraphChange change);

  private:
    void paintLine(QPainter& painter, const GraphLine& line, bool strong, bool faint) const;
    void paintBox(QPainter& painter, std::size_t box, const GraphMarks& marks) const;
    void paintLineTexts(QPainter& painter, const QRectF& exposed) const;
    void paintStubs(QPainter& painter, const QRectF& exposed) const;
    /// "1.0 MiB", "IPU 0 to 1, 1.0 MiB".
    QString lineText(const GraphLine& line) const;
    bool crossesIpus(const GraphLine& line) const;
    bool shaded() const; ///< by another scale than the phases
    void paintBox(QPainter& painter, const GraphBox& box, bool chosen, bool focus, bool hit,
                  bool hovered) const;
    void paintFrameTitle(QPainter& painter, const GraphBox& box) const;
    void paintName(QPainter& painter, const GraphBox& box) const;
    void paintCard(QPainter& painter, const GraphBox& box) const;
    /// The figure in the corner of a card, and its colour.
    std::pair<QString, QColor> figureOf(const GraphBox& box) const;
    void paintCost(QPainter& painter, const QRectF& rect, const GraphCost& cost) const;
    profile::Phase phaseOf(const GraphBox& box) const;
    const GraphPlace& placeOf(const GraphBox& box) const;
    GraphChange changeOf(const GraphBox& box) const; ///< there must be a base
    QColor colorOf(const GraphBox& box) const;
    GraphNode::Kind kindOf(const GraphBox& box) const;

    const OperationGraph& graph_;
    const GraphScene& scene_;
    const Theme& theme_;
    QFont font_;
    double scale_;
    const GraphBaseline* base_ = nullptr;
    bool difference_ = false;
    const GraphScale* shades_ = nullptr;
    std::int64_t largest_ = 1; ///< cycles of the box that takes most
};

} // namespace tilescope::ui
