// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/graph/graph_painter.h"
#include "ui/widgets/painted_parts.h"

#include <QWidget>
#include <memory>
#include <optional>
#include <set>

namespace tilescope::ui {

class GraphBackdrop;

/// Shows a drawing of a graph: drag pans, the wheel zooms at the pointer, a click chooses, a double click
/// unfolds or folds; arrow keys go from box to box, Return unfolds or folds, Escape chooses none. A small map
/// appears when not all of it fits, but in a small window.
class GraphCanvas : public QWidget, public PaintedParts {
    Q_OBJECT
    Q_PROPERTY(QVariantList zoom READ zoom WRITE setZoom)
  public:
    explicit GraphCanvas(QWidget* parent = nullptr);

    using Graph = std::shared_ptr<const OperationGraph>;
    /// Shows another drawing. What is under the middle of the same graph's old one stays there; a new graph
    /// is shown whole, or from its top where that would be too small to read.
    void setScene(Graph graph, GraphScene scene);
    void clear(const QString& why);
    void setFigures(Graph graph); ///< of the scene that is shown: the same graph with other costs
    /// Null: none. `difference`: boxes have the colours of what has become of them.
    void setBase(std::shared_ptr<const GraphBaseline> base, bool difference);
    void colorBy(GraphColoring coloring);
    const GraphScale& shades() const { return shades_; } ///< of what is shown
    const GraphScene& scene() const { return *scene_; }
    const OperationGraph* graph() const { return graph_.get(); }
    GraphMetrics metrics() const;

    void setMarks(std::set<std::size_t> chosen, std::size_t focus);
    /// The boxes that keep their full colours, with the lines between them; all others are pale. nullopt:
    /// none is pale.
    void setLit(std::optional<std::set<std::size_t>> boxes);
    const std::optional<std::set<std::size_t>>& lit() const { return lit_; }
    void setHits(std::set<std::size_t> boxes);
    const GraphMarks& marks() const { return marks_; }

    double scale() const { return scale_; }
    QVariantList zoom() const; ///< to come back to it: scale and upper left corner; as a new graph is: empty
    void setZoom(const QVariantList& zoom);
    void zoomBy(double factor);
    void zoomTo(double scale);
    void fit();
    void frame(const QRectF& rect); ///< fills the view with it, but not beyond 125 %
    void reveal(std::size_t box);   ///< scrolls until it is seen
    QPointF toWidget(const QPointF& scene) const;
    QRectF visible() const; ///< in scene coordinates

    QSize sizeHint() const override { return {800, 560}; }
    QAccessible::Role wholeRole() const override { return QAccessible::Tree; }
    int partCount() const override { return static_cast<int>(scene_->boxes.size()); }
    Part part(int index) const override;
    int focusedPart() const override;

  Q_SIGNALS:
    void boxChosen(std::size_t box); ///< GraphScene::no_box: the background was clicked
    void boxOpened(std::size_t box);
    void hovered(const QString& text);
    void viewChanged();
    void shadesChanged();

  protected:
    void paintEvent(QPaintEvent*) override;
    void wheelEvent(QWheelEvent*) override;
    void mousePressEvent(QMouseEvent*) override;
    void mouseMoveEvent(QMouseEvent*) override;
    void mouseReleaseEvent(QMouseEvent*) override;
    void mouseDoubleClickEvent(QMouseEvent*) override;
    void keyPressEvent(QKeyEvent*) override;
    void changeEvent(QEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void leaveEvent(QEvent*) override;
    void resizeEvent(QResizeEvent*) override;

  private:
    void shade();
    QPointF toScene(const QPointF& widget) const;
    void zoomAt(const QPointF& at, double scale);
    void showFirst();
    void keepInSight();
    GraphPainter painterAt(double scale) const;
    bool isCrowded() const; ///< more is in view than can be painted at each move
    void changed();
    void hover(const QPointF& at);
    const GraphStub* stubUnder(const QPointF& at) const; ///< null: none
    QString describe(std::size_t index) const;
    QString describeStub(const GraphStub& stub) const;
    QString describeLine(std::size_t index) const;
    QRectF mapRect() const; ///< of the small map; empty: everything is seen, or it would hide too much
    void paintMap(QPainter& painter);
    std::size_t neighbour(int key) const;

    Graph graph_;
    std::shared_ptr<const GraphBaseline> base_;
    bool difference_ = false;
    std::shared_ptr<const GraphScene> scene_ = std::make_shared<const GraphScene>();
    GraphScale shades_;
    GraphColoring coloring_ = GraphColoring::Phase;
    GraphMarks marks_;
    std::optional<std::set<std::size_t>> lit_;
    QString empty_text_;
    double scale_ = 1;
    QPointF origin_;        ///< scene point at the upper left corner
    bool untouched_ = true; ///< nobody has moved the view since the graph came: it follows the window's size
    QPixmap map_;
    GraphBackdrop* backdrop_;
    enum class Drag { None, Pan, Map } drag_ = Drag::None;
    QPointF pressed_at_;
    QPointF pressed_origin_;
    bool moved_ = false;
    bool followed_ = false; ///< the last click was on a stub
};

} // namespace tilescope::ui
