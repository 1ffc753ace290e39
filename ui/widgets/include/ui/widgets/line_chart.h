// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"
#include "ui/widgets/legend.h"

#include <QPen>
#include <QPointF>
#include <QString>
#include <QVector>
#include <QWidget>
#include <optional>
#include <utility>
#include <vector>

class QChartView;
class QGraphicsLineItem;
class QLabel;

namespace tilescope::ui {

struct Curve {
    QString name;
    ThemeColor color = &Theme::text;
    QVector<QPointF> points;
    bool dashed = false;
    bool marks = false; ///< rings at the points, in place of a line
    bool limit = false; ///< a level that others are held against: a thin line without dots
};

/// Curves over a common axis, by Qt Charts; its legend hides and shows them. Under the pointer, and at the
/// cursor that the arrow keys move, it tells the values of all of them. Its context menu copies and exports
/// all of them.
class LineChart : public QWidget {
    Q_OBJECT
  public:
    explicit LineChart(const QString& x_title, QWidget* parent = nullptr);
    /// `x_range`: what the axis spans; without it, what the points do.
    void setCurves(std::vector<Curve> curves, std::optional<std::pair<double, double>> x_range = {});
    /// All points, one per line: curve, x, y; with a header.
    QString toText(QChar separator) const;
    /// What is told of the place of the cursor; "": there is none.
    QString readOut() const;
    /// Moves it to the points that lie nearest along the axis; nullopt: takes it away.
    void setCursor(std::optional<double> x);

  protected:
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void draw();
    int ticksThatFit() const;
    int ticksAcross() const;
    int ticks_ = 0, across_ = 0; ///< that were asked for last
    double last_ = 0;            ///< of the axis across
    QPen penOf(const Curve& curve) const;
    std::vector<double> places() const; ///< of points that are shown, along the axis
    void showCursor();
    std::vector<Legend::Entry> entries() const;
    std::vector<Curve> curves_;
    std::optional<std::pair<double, double>> x_range_;
    Legend* legend_;
    QChartView* view_;
    QGraphicsLineItem* line_ = nullptr; ///< of the cursor; of the chart
    QLabel* read_out_;
    std::optional<double> cursor_;
    QString x_title_;
};

} // namespace tilescope::ui
