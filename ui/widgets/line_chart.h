// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QPointF>
#include <QString>
#include <QVector>
#include <QWidget>
#include <vector>

class QChartView;

namespace tilescope::ui {

struct Curve {
    QString name;
    QColor color;
    QVector<QPointF> points;
    bool dashed = false;
};

/// Curves over a common axis, by Qt Charts.
class LineChart : public QWidget {
    Q_OBJECT
  public:
    explicit LineChart(const QString& x_title, QWidget* parent = nullptr);
    void setCurves(const std::vector<Curve>& curves);

  private:
    QChartView* view_;
    QString x_title_;
};

} // namespace tilescope::ui
