// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

namespace tilescope::ui {

/// The tiles of one IPU as a grid of squares, shaded by a value. Click or drag selects tiles.
class TileMap : public QWidget {
    Q_OBJECT
  public:
    explicit TileMap(QWidget* parent = nullptr);
    /// Values by tile; `full` is what the darkest shade stands for.
    void setValues(std::vector<std::int64_t> values, std::int64_t full);
    void setSelectedTiles(const std::vector<std::int64_t>& tiles);
    QSize sizeHint() const override { return {260, 260}; }

  Q_SIGNALS:
    void tilesSelected(const std::vector<std::int64_t>& tiles);

  protected:
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent*) override;
    void mouseMoveEvent(QMouseEvent*) override;
    void mouseReleaseEvent(QMouseEvent*) override;

  private:
    struct Grid {
        int columns = 1;
        int rows = 1;
        double side = 1;
        QPointF origin;
    };
    Grid grid() const;
    std::int64_t tileAt(const QPointF& at) const; ///< -1: none
    std::vector<std::int64_t> tilesBetween(std::int64_t a, std::int64_t b) const;

    std::vector<std::int64_t> values_;
    std::int64_t full_ = 1;
    std::vector<bool> selected_;
    std::int64_t drag_begin_ = -1;
    std::int64_t drag_end_ = -1;
};

} // namespace tilescope::ui
