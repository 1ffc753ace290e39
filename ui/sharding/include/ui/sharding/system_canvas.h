// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/sharding/system_painter.h"
#include "ui/widgets/painted_parts.h"

#include <QAbstractScrollArea>
#include <QVariantList>

namespace tilescope::ui {

/// The IPUs of a run as boxes, with arrows for what goes over the links. A click chooses an IPU or an arrow,
/// arrow keys go from IPU to IPU; Ctrl+wheel, + and - zoom, and the boxes go into as many rows as that takes;
/// dragging the background scrolls.
class SystemCanvas : public QAbstractScrollArea, public PaintedParts {
    Q_OBJECT
    Q_PROPERTY(QVariantList zoom READ shownZoom WRITE setShownZoom)
  public:
    explicit SystemCanvas(QWidget* parent = nullptr);

    void setMap(const SystemMap& map);
    const SystemMap& map() const { return map_; }
    QString toText(QChar separator) const; ///< what goes over the links, with a header
    const SystemLayout& layoutShown() const { return layout_; }
    const std::vector<LinkLabel>& labelsShown() const { return labels_; } ///< beside arrows, as last painted
    void setCompact(bool compact);
    bool compact() const { return compact_; }
    void setCurrentIpu(std::int64_t id);    ///< -1: none
    void setCurrentLink(std::int64_t link); ///< index in the map; -1: none
    const SystemMarks& marks() const { return marks_; }
    void chooseFor(const QPoint& menu); ///< the box or the arrow there; elsewhere what is chosen stays so
    QPoint cursorPlace() const;         ///< where a menu of what is chosen opens by key

    double zoom() const { return zoom_; }
    QVariantList shownZoom() const; ///< to come back to it; fitted: empty
    void setShownZoom(const QVariantList& zoom);
    void zoomBy(double factor);
    void fit();          ///< all of it, as far as it stays legible; kept until one zooms
    void frameCurrent(); ///< the chosen IPU fills the view; again: all of it
    QRectF toWidget(const QRectF& rect) const; ///< of the layout, in the viewport; for tests and tools
    QPointF toWidget(const QPointF& at) const;

    QAccessible::Role wholeRole() const override { return QAccessible::Tree; }
    int partCount() const override; ///< boxes, then arrows
    Part part(int index) const override;
    int partAt(const QPoint& at) const override;
    int focusedPart() const override;

  Q_SIGNALS:
    void ipuChosen(qint64 id);
    void linkChosen(qint64 link); ///< -1: the background was clicked
    void hovered(const QString& text);

  protected:
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void wheelEvent(QWheelEvent*) override;
    void mousePressEvent(QMouseEvent*) override;
    void mouseMoveEvent(QMouseEvent*) override;
    void mouseReleaseEvent(QMouseEvent*) override;
    void keyPressEvent(QKeyEvent*) override;
    void focusInEvent(QFocusEvent*) override;
    void focusOutEvent(QFocusEvent*) override;
    bool viewportEvent(QEvent*) override;

  private:
    QPointF toLayout(const QPointF& at) const;
    SystemMetrics metrics() const;
    void arrange();
    void hover(const QPointF& widget, const QPoint& global);
    void reveal(std::size_t box);
    void setZoom(double zoom);

    SystemMap map_;
    SystemLayout layout_;
    std::vector<LinkLabel> labels_;
    QStringList labels_hide_; ///< kinds that the legend hid when they were placed
    bool label_anew_ = true;
    SystemMarks marks_;
    std::int64_t current_ipu_ = -1;
    bool compact_ = false;
    double zoom_ = 1;
    bool fitted_ = true;
    bool dragging_ = false;
    bool moved_ = false;
    QPoint pressed_;
    QPoint pressed_scroll_;
};

} // namespace tilescope::ui
