// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/compile_time.h"
#include "ui/timeline/span_chart.h"
#include "ui/widgets/painted_parts.h"

#include <memory>
#include <optional>

namespace tilescope::ui {

/// Where the time of a compilation went: the whole, below it the passes, below these their parts; the longer
/// beside its like, the darker. A strip above has all of it. With a base, its compilation stands below on the
/// same scale.
class FlameChart : public SpanChart, public PaintedParts {
    Q_OBJECT
  public:
    using Data = std::shared_ptr<const analyse::CompileTime>;
    explicit FlameChart(QWidget* parent = nullptr);
    void setData(Data now, Data base, bool keep_view);
    void choose(std::int64_t event); ///< brought into view; -1: none
    std::int64_t chosen() const { return chosen_; }
    void step(int direction);           ///< to the neighbour of the chosen one in its row
    void climb(int direction);          ///< -1: to what it is a part of; 1: to its first part
    void frameChosen();                 ///< fills the view with the chosen one
    void chooseFor(const QPoint& menu); ///< the part there; elsewhere what is chosen stays so
    QPoint cursorPlace() const;         ///< where a menu of what is chosen opens by key
    QString textAt(const QPoint& point) const override;
    QRectF box(const analyse::CompilePart& part) const; ///< of the new file, in the widget
    QString toText(QChar separator) const;
    QSize sizeHint() const override;

    QAccessible::Role wholeRole() const override { return QAccessible::Tree; }
    int partCount() const override { return data_ ? static_cast<int>(data_->parts.size()) : 0; }
    Part part(int index) const override;
    int focusedPart() const override;

  Q_SIGNALS:
    void partChosen(std::int64_t event);
    void partActivated(std::int64_t event);

  protected:
    void paintEvent(QPaintEvent*) override;
    QRectF plot() const override;
    QRectF strip() const override;
    double chosenAt() const override;
    void clicked(const QPoint& point) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

  private:
    const analyse::CompilePart* partOf(std::int64_t event) const;
    const analyse::CompilePart* at(const QPoint& point, bool* of_base = nullptr) const;
    int rowHeight() const;
    double top(bool of_base) const; ///< of the first row
    QRectF boxOf(const analyse::CompilePart& part, bool of_base) const;
    void paintParts(QPainter& painter, const analyse::CompileTime& time, bool of_base) const;
    void paintStrip(QPainter& painter) const;
    void paintAxis(QPainter& painter) const;
    void tell(std::int64_t event);
    QString valueOf(const analyse::CompilePart& part, bool of_base) const; ///< its time and its share

    Data data_;
    Data base_;
    std::int64_t chosen_ = -1;
};

} // namespace tilescope::ui
