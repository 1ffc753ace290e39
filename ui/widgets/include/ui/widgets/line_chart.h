// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"

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

/// Curves over a common axis, by Qt Charts. Its context menu copies and exports them.
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

  private:
    void draw();
    std::vector<Curve> curves_;
    std::optional<std::pair<double, double>> x_range_;
    QChartView* view_;
    QString x_title_;
};

} // namespace tilescope::ui
