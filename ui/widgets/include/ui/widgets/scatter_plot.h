// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"
#include "ui/widgets/painted_parts.h"

#include <QString>
#include <QVariantList>
#include <QWidget>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace tilescope::ui {

/// An axis: what stands at it, and how its numbers are written.
struct ScatterAxis {
    QString title;
    std::function<QString(double value, double apart)> text; ///< `apart`: from the next (base/axis_text.h)
    /// A date is milliseconds since 1970; decades are logarithmic however near the numbers lie.
    enum class Kind { Number, Bytes, Date, Decades };
    Kind kind = Kind::Number;
};

/// A line that is drawn beneath the points, with its name at its end.
struct ScatterCurve {
    QString name;
    std::vector<QPointF> points; ///< in the numbers of the axes
    bool name_below = false;     ///< the line, else above it
};

struct ScatterPoint {
    std::int64_t key = -1;
    double x = 0;
    double y = 0;
    ThemeColor color = &Theme::accent;
    QString tip;
    double radius = 4.5;             ///< pixels
    QString name = {};               ///< stands beside it where it is clear of others; "": none does
    std::optional<double> roof = {}; ///< the most that y could be: a line leads there while it is pointed at
    /// In a strip beside the axes, for what has no x. Left: x and y are shares of the strip; Right: y is of
    /// the axis, x is not used.
    enum class Aside { Left, No, Right };
    Aside aside = Aside::No;
};

/// Points over two numbers, each with a key; an axis whose numbers are all above 0 and far apart is
/// logarithmic. A click chooses a point, Ctrl+click more, a drag those in a rectangle; arrows go from point
/// to point along x, Space marks one, which stays chosen, Enter and a double click activate. The wheel, + and
/// - zoom, the middle button moves; F shows what is chosen, 0 and a double click beside the points all.
class ScatterPlot : public QWidget, public PaintedParts {
    Q_OBJECT
    Q_PROPERTY(QVariantList zoom READ zoom WRITE setZoom)
  public:
    /// `name`: of the plot; `item`: of what a point is, both as exports and screen readers have them.
    ScatterPlot(const QString& name, QString item, QWidget* parent = nullptr);
    /// Said where there is no point.
    void setNothing(const QString& text);
    void setCurves(std::vector<ScatterCurve> curves); ///< before the points
    void setAxes(ScatterAxis x, ScatterAxis y);
    void setStrips(const QString& left, const QString& right); ///< their names: those of ScatterPoint::aside
    /// `lines`: keys of points that are joined, in order.
    void setPoints(std::vector<ScatterPoint> points, const std::vector<std::vector<std::int64_t>>& lines);
    void setChosen(std::set<std::int64_t> keys);
    const std::set<std::int64_t>& chosenKeys() const { return chosen_; }
    QString chosenName() const;         ///< of the only one: the first line of its tip; else ""
    void chooseFor(const QPoint& menu); ///< the point there, unless it is among those that are chosen
    QPoint cursorPlace() const;         ///< where a menu of what is chosen opens by key
    /// What is shown, to come back to it: place and size, as shares of all; all: empty.
    QVariantList zoom() const;
    void setZoom(const QVariantList& zoom);
    QSize sizeHint() const override { return {600, 260}; }
    QString toText(QChar separator) const; ///< the points, cells parted by the separator, with a header

    QAccessible::Role wholeRole() const override { return QAccessible::List; }
    int partCount() const override { return static_cast<int>(points_.size()); } ///< along x
    Part part(int index) const override;
    int focusedPart() const override;

  Q_SIGNALS:
    void chosen(const std::set<std::int64_t>& keys);
    void activated(std::int64_t key);

  protected:
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent*) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    /// What a direction spans, and how.
    struct Scale {
        double from = 0;
        double to = 1;
        bool logarithmic = false;
        ScatterAxis::Kind kind = ScatterAxis::Kind::Number;
        double share(double value) const; ///< 0 to 1
        double value(double share) const;
        bool evenly() const; ///< ticks stand at equal differences
        std::vector<double> ticks(int most) const;
    };
    Scale scaleOf(std::vector<double> values, const ScatterAxis& axis) const;
    QRectF plot() const;
    int most(Qt::Orientation along) const; ///< ticks for which there is room
    struct Tick {
        double value = 0;
        QString name;
    };
    std::vector<Tick> ticks(Qt::Orientation along) const;
    QPointF place(double x, double y) const;
    QPointF place(const ScatterPoint& point) const;
    bool has(ScatterPoint::Aside strip) const; ///< a point in it
    static constexpr double beside_strip = 8;  ///< pixels between a strip and the axes
    double stripWidth(const QString& name) const;
    QRectF strip(ScatterPoint::Aside which) const;         ///< empty: it has no points
    const ScatterPoint* at(const QPointF& position) const; ///< the nearest within reach; null: none
    double endOfLabels() const;
    void paintAxes(QPainter& painter) const;
    void paintCurves(QPainter& painter) const;
    QRectF nameRect(const ScatterCurve& curve) const;
    void paintPoints(QPainter& painter) const;
    void paintRoofs(QPainter& painter) const;
    void paintNames(QPainter& painter) const;
    void choose(std::set<std::int64_t> keys);
    void move(int by);
    void mark();
    bool zoomed() const { return view_ != QRectF(0, 0, 1, 1); }
    void showPart(QRectF part); ///< of all, as shares from the left and from below
    void zoom(double factor, const QPointF& about);
    QPointF zoomCentre() const; ///< by keys; pixels
    void frameChosen();
    bool inView(const ScatterPoint& point) const {
        constexpr double rounding = 1e-9;
        return view_.adjusted(-rounding, -rounding, rounding, rounding).contains(shareOf(point));
    }
    QPointF shareOf(const ScatterPoint& point) const; ///< what is aside lies in the middle of what is shown

    QString item_;
    QString nothing_;
    ScatterAxis x_axis_, y_axis_;
    QString left_name_, right_name_; ///< of the strips
    std::vector<ScatterCurve> curves_;
    std::vector<ScatterPoint> points_; ///< from left to right
    std::vector<std::vector<const ScatterPoint*>> lines_;
    std::set<std::int64_t> chosen_;
    std::set<std::int64_t> marked_; ///< of these, that stay so while arrows go on
    std::int64_t cursor_ = -1;      ///< of these, where arrows have come to; -1: elsewhere
    Scale all_x_, all_y_;
    QRectF view_{0, 0, 1, 1}; ///< the part that is shown, as showPart() takes it
    Scale x_, y_;             ///< of that part
    QRectF area_;             ///< of the points, as painted last
    const ScatterPoint* hovered_ = nullptr;
    std::optional<QPointF> pressed_;
    std::optional<QPointF> panned_; ///< where the middle button has come to
    QPointF dragged_;
};

} // namespace tilescope::ui
