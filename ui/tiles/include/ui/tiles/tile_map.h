// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/tiles/tile_cursor.h"

#include <QWidget>
#include <vector>

namespace tilescope::ui {

struct Theme;

/// The tiles of one IPU, or of several side by side, as squares in rows of fixed length, in the order of
/// their numbers, shaded by a value with its scale below. Click or drag selects tiles, arrows walk, Shift
/// extends. Tiles are numbered through all IPUs.
class TileMap : public QWidget {
    Q_OBJECT
  public:
    explicit TileMap(QWidget* parent = nullptr);
    /// Values by tile; `full` is what the darkest shade stands for; what is more has colours of its own.
    void setValues(std::vector<std::int64_t> values, std::int64_t full, std::vector<std::int64_t> ipus);
    void setSelectedTiles(const std::vector<std::int64_t>& tiles);
    QSize sizeHint() const override { return {280, 260}; }

  Q_SIGNALS:
    void tilesSelected(const std::vector<std::int64_t>& tiles);

  protected:
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent*) override;
    void mouseMoveEvent(QMouseEvent*) override;
    void mouseReleaseEvent(QMouseEvent*) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    /// Blocks of cells, one for each IPU.
    struct Grid {
        int columns = 1; ///< of cells in a block
        int rows = 1;
        int across = 1; ///< blocks side by side
        double side = 1;
        double block_width = 1; ///< with the gap to the next
        double block_height = 1;
        double head = 0; ///< above the cells of a block: its name
    };
    std::size_t blocks() const { return std::max<std::size_t>(1, ipus_.size()); }
    std::int64_t perBlock() const;
    Grid grid() const;
    QRectF cell(const Grid& grid, std::int64_t tile) const;
    std::int64_t tileAt(const QPointF& at) const; ///< -1: none
    std::vector<std::int64_t> tilesBetween(std::int64_t a, std::int64_t b) const;
    QString nameOf(std::int64_t tile) const;
    void paintScale(QPainter& painter, const Theme& theme) const;

    std::vector<std::int64_t> values_;
    std::vector<std::int64_t> ipus_;
    std::int64_t full_ = 1;
    TileCursor cursor_;
    std::int64_t drag_begin_ = -1;
    std::int64_t drag_end_ = -1;
};

} // namespace tilescope::ui
