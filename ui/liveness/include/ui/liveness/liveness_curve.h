// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/liveness.h"
#include "ui/liveness/band_levels.h"
#include "ui/liveness/step_axis.h"
#include "ui/timeline/span_chart.h"
#include "ui/widgets/painted_parts.h"

#include <QPen>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace tilescope::ui {

class LifetimeDelegate;
struct Theme;

/// Always and not always live bytes over the program's steps, or over the time of one pass of them, with the
/// layers below, and a strip with all of it above. Where several steps
/// share a pixel it is as high as the highest of them, so that no peak is lost; from the lowest up it is
/// paler. Of several tiles a line says what lives on the fullest of them, on an axis of its own at the right.
/// Against a base it may show what is live more, up from 0, or less, down from it.
class LivenessCurve : public SpanChart, public PaintedParts {
    Q_OBJECT
  public:
    using Data = std::shared_ptr<const analyse::Liveness>;
    explicit LivenessCurve(QWidget* parent = nullptr);
    /// Shows all of it, or, where `keep_view`, the steps that were in view.
    void setData(Data live, Data base, bool keep_view);
    void setClock(double hz) { clock_hz_ = hz; } ///< of the time; 0: it is in cycles
    /// Over the time of one pass, or over the steps. The steps in view stay so.
    void setByTime(bool by_time);
    bool byTime() const { return axis_.byTime(); } ///< false also where it is not known
    bool wantsTime() const { return by_time_; }
    const StepAxis& axis() const { return axis_; }
    /// Draws lives of variables over what is in view, as it is across, with a line at `step`.
    void showLives(LifetimeDelegate& lives, std::int64_t step) const;
    /// In steps, whatever is across.
    QVariantList zoom() const override;
    void setZoom(const QVariantList& zoom) override;
    /// What stands below the curve, until setData(); null: nothing does.
    void setBands(std::shared_ptr<const BandLevels> bands);
    QString bandsOf() const; ///< "Layer", "Block", "Phase"; "": there are none
    /// Of the data, what is more or less than in the base, in the place of both curves until setData().
    void setDifference(std::shared_ptr<const analyse::LiveDifference> difference);
    /// Again: other kinds are hidden (hideKinds: "always", "not always", "fullest", "more", "less").
    void measure();
    void setStep(std::int64_t step); ///< marked; brought into view where it is not
    std::int64_t step() const { return step_; }
    /// Whether it reaches up to the limit; it does at first where a third of that is live at the peak.
    bool toLimit() const { return to_limit_; }
    void setToLimit(bool to_limit);
    /// A life of a variable is laid over the curve, steps [from, to]; none: nothing is.
    void setLife(const std::optional<std::pair<std::int64_t, std::int64_t>>& life);
    using Steps = std::pair<std::int64_t, std::int64_t>; ///< [from, to]
    /// Steps that were chosen together; none: the one step is what is looked at.
    const std::optional<Steps>& range() const { return range_; }
    void setRange(const std::optional<Steps>& range);
    /// Shows the range, the life that is laid over the curve, or the step, with some beside it; again: all.
    void frameSubject();
    QSize sizeHint() const override;
    /// "step 12, dense/MatMul: 1.2 MiB, of which 1.0 MiB are always live" at a point; empty: beside the
    /// curve.
    QString textAt(const QPoint& at) const override;
    /// Rows of step, bytes and name, of what is in view.
    QString toText(QChar separator) const;
    std::vector<double> axisMarks() const; ///< bytes that lines across the plot stand at
    /// What lives on the fullest tile of each step is known, of several tiles: a line, unless it is hidden.
    bool hasFullest() const;
    std::vector<double> tileMarks() const; ///< bytes of a tile on the axis at the right; none: it has none
    static QPen fullestPen(const Theme& theme, bool base); ///< of that line, and dashed of the base's

    QAccessible::Role wholeRole() const override { return QAccessible::List; }
    int partCount() const override; ///< steps in view
    Part part(int index) const override;
    int partAt(const QPoint& at) const override;
    int focusedPart() const override;
    void chooseFor(const QPoint& menu); ///< the step there, unless it is in the range that is chosen
    QPoint cursorPlace() const;         ///< where a menu of the step opens by key

  Q_SIGNALS:
    void stepChosen(std::int64_t step);
    void rangeChosen(std::int64_t from, std::int64_t to); ///< by dragging; while it goes on, too

  protected:
    void paintEvent(QPaintEvent*) override;
    QRectF plot() const override;
    QRectF strip() const override;
    double chosenAt() const override;
    void clicked(const QPoint& point) override;
    bool dragged(const QPoint& from, const QPoint& to) override;
    void focusInEvent(QFocusEvent* event) override;

  private:
    struct Band { ///< of one pixel column: bytes
        std::int64_t always = 0, least = 0, most = 0;
    };
    /// Bytes more and less than the base, the largest of the steps of a column.
    struct Change {
        std::int64_t more = 0, less = 0;
    };
    std::pair<std::int64_t, std::int64_t> pointsInView() const; ///< [first, second) of the points
    std::int64_t pointAt(const QPoint& at) const;               ///< -1: there are none
    int partOfPoint(std::int64_t point) const;
    QString nameOf(std::size_t index) const;
    QString valueOf(std::size_t index) const; ///< in words
    int left() const;
    int right() const;             ///< room of the limits' names and of the bytes of the axis at the right
    double limit() const;          ///< bytes of all tiles of the IPU; 0: none is drawn
    QString tileLimitText() const; ///< "624 KiB a tile"
    /// The name of a limit, in the margin at the right: of that of all tiles, of that of each where its axis
    /// has it at another height, or of both.
    struct LimitName {
        double y = 0; ///< of the limit, or of the upper edge where that is below it
        bool within = true;
        QString text; ///< lines
        QRectF box;
    };
    std::vector<LimitName> limitNames(const QRectF& area) const;
    /// What is shown of the always live bytes, and of all, of a point.
    std::pair<std::int64_t, std::int64_t> shown(const analyse::Liveness::Point& point) const;
    /// Of a column of pixels, from the first to behind the last; of none both are the same.
    std::pair<std::size_t, std::size_t> points(const StepAxis& axis, double x) const;
    void takeAxes(); ///< of the data, as is wanted
    void limitAxis(bool keep_view);
    bool writesSeconds() const; ///< across, rather than cycles
    std::optional<Band> bandOf(const std::pair<std::size_t, std::size_t>& points) const;
    QString timeOf(std::size_t index) const; ///< when it begins and how long it takes; "": not by time
    std::vector<AxisTick> ticks() const;
    void paintStrip(QPainter& painter) const;
    std::optional<Change> changeIn(std::size_t first, std::size_t end) const; ///< of these points
    void paintDifference(QPainter& painter) const;
    double y(const QRectF& area, double bytes) const; ///< in the plot, which is measured once for a picture
    double tileY(const QRectF& area, double bytes) const; ///< by the axis at the right
    void paintCurve(QPainter& painter) const;
    /// Through the highest place in the plot of the points of each column, with one pen over the other; where
    /// the run has none the line is broken.
    void paintLine(QPainter& painter, bool of_base, const std::vector<QPen>& pens,
                   const std::function<double(const analyse::Liveness::Point&)>& place) const;
    void paintBase(QPainter& painter) const;
    void paintFullest(QPainter& painter) const;
    void paintTileAxis(QPainter& painter) const;
    void paintAxis(QPainter& painter) const;
    void paintBands(QPainter& painter) const;
    void paintLimit(QPainter& painter) const;
    void paintMarks(QPainter& painter) const;

    const BandLevels::Level& shownBands() const;

    Data data_;
    Data base_;
    StepAxis axis_, base_axis_;
    bool by_time_ = false; ///< wanted
    double clock_hz_ = 0;
    bool fullest_known_ = false, base_fullest_known_ = false; ///< of all points: asked for once
    std::shared_ptr<const BandLevels> bands_;
    std::shared_ptr<const analyse::LiveDifference> difference_;
    bool hides_always_ = false, hides_rest_ = false, hides_more_ = false, hides_less_ = false;
    bool hides_fullest_ = false;
    bool to_limit_ = true;
    double least_ = 0;     ///< bytes at the lower edge
    double most_ = 1;      ///< bytes at the upper edge
    double tile_most_ = 0; ///< the same of the axis at the right, which begins at 0; 0: it is not there
    std::int64_t step_ = -1;
    std::optional<Steps> life_, range_;
};

} // namespace tilescope::ui
