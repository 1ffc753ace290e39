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

namespace tilescope::ui {

struct Curve {
    QString name;
    ThemeColor color = &Theme::text;
    QVector<QPointF> points;
    bool dashed = false;
};

/// Curves over a common axis, by Qt Charts; its legend hides and shows them. Its context menu copies and
/// exports all of them.
class LineChart : public QWidget {
    Q_OBJECT
  public:
    explicit LineChart(const QString& x_title, QWidget* parent = nullptr);
    /// `x_range`: what the axis spans; without it, what the points do.
    void setCurves(std::vector<Curve> curves, std::optional<std::pair<double, double>> x_range = {});
    /// All points, one per line: curve, x, y; with a header.
    QString toText(QChar separator) const;

  protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void draw();
    int ticksThatFit() const;
    int ticks_ = 0; ///< that were asked for last
    QPen penOf(const Curve& curve) const;
    std::vector<Legend::Entry> entries() const;
    std::vector<Curve> curves_;
    std::optional<std::pair<double, double>> x_range_;
    Legend* legend_;
    QChartView* view_;
    QString x_title_;
};

} // namespace tilescope::ui
