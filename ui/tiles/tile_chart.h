// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"

#include <QString>
#include <QWidget>
#include <vector>

namespace tilescope::ui {

/// One layer of the stack: a value per tile.
struct TileSeries {
    QString name;
    ThemeColor color = &Theme::text;
    std::vector<std::int64_t> values;
};

/// Bytes over tiles, series stacked. Wheel zooms, middle or Shift-drag pans, drag selects tiles, double click
/// shows all. A line may mark a limit, another the base file's totals.
class TileChart : public QWidget {
    Q_OBJECT
  public:
    explicit TileChart(QWidget* parent = nullptr);
    void setSeries(std::vector<TileSeries> series);
    void setLimit(std::int64_t bytes, const QString& label);
    void setBase(std::vector<std::int64_t> totals, const QString& name);
    void setSelectedTiles(const std::vector<std::int64_t>& tiles);
    QSize sizeHint() const override { return {600, 220}; }

  Q_SIGNALS:
    void tilesSelected(const std::vector<std::int64_t>& tiles);

  protected:
    void paintEvent(QPaintEvent*) override;
    void wheelEvent(QWheelEvent*) override;
    void mousePressEvent(QMouseEvent*) override;
    void mouseMoveEvent(QMouseEvent*) override;
    void mouseReleaseEvent(QMouseEvent*) override;
    void mouseDoubleClickEvent(QMouseEvent*) override;
    void leaveEvent(QEvent*) override;

  private:
    std::int64_t tiles() const;
    QRect plot() const;
    double tileAt(double x) const;
    double xOf(double tile) const;
    void setRange(double from, double to);
    void paintAxes(QPainter& painter, double highest) const;

    std::vector<TileSeries> series_;
    std::vector<std::int64_t> totals_;
    std::vector<std::int64_t> base_;
    QString base_name_;
    std::int64_t limit_ = 0;
    QString limit_label_;
    std::vector<bool> selected_;
    double from_ = 0;
    double to_ = 1;
    double drag_begin_ = -1;
    double drag_end_ = -1;
    bool panning_ = false;
    double pan_x_ = 0;
    std::int64_t hovered_ = -1;
};

} // namespace tilescope::ui
