// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"
#include "ui/tiles/tile_cursor.h"

#include <QString>
#include <QVariantList>
#include <QWidget>
#include <vector>

namespace tilescope::ui {

/// One layer of the stack: a value per tile.
struct TileSeries {
    QString name;
    ThemeColor color = &Theme::text;
    std::vector<std::int64_t> values;
};

/// Bytes over the tiles of one IPU, or of several one after the other; series stacked, gaps outlined on top.
/// Wheel zooms, middle or Shift-drag pans, drag selects tiles, Ctrl and a click adds one or takes it out,
/// Shift and a click extends, double click shows all; arrows move from tile to tile, Shift extends, Enter
/// goes on from what is selected, Z leaves the limit out of the scale. Tiles are numbered through all IPUs.
class TileChart : public QWidget {
    Q_OBJECT
    Q_PROPERTY(QVariantList zoom READ zoom WRITE setZoom)
  public:
    explicit TileChart(QWidget* parent = nullptr);
    void setTitle(const QString& title); ///< above the plot: of what and when these bytes are
    void setSeries(std::vector<TileSeries> series);
    /// By tile what is more or less than in the base, from a line in the middle, in place of series.
    void setDifference(std::vector<std::int64_t> bytes);
    /// Whose tiles these are, in order, each as many.
    void setIpus(std::vector<std::int64_t> ipus);
    /// Tiles stand for those of their number on several IPUs: whose each is, and bytes of the one that holds
    /// the least. Empty: they do not.
    void setNumbers(std::vector<std::int64_t> ipus, std::vector<std::int64_t> least);
    /// Bytes by tile to the end of its highest allocation; empty: gaps are not shown.
    void setGaps(std::vector<std::int64_t> with_gaps);
    void setLimit(std::int64_t bytes);
    /// So many of each IPU, the last ones, are for the host: their names say so.
    void setIoTiles(std::int64_t tiles) { io_tiles_ = tiles; }
    void setBase(std::vector<std::int64_t> totals, const QString& name);
    /// Bytes by tile of what is selected, drawn over the bars; empty: nothing is.
    void setOverlay(std::vector<std::int64_t> bytes, const QString& name);
    void setSelectedTiles(const std::vector<std::int64_t>& tiles);
    QVariantList zoom() const; ///< what is shown, to come back to it: [from, to) in tiles; all: empty
    void setZoom(const QVariantList& zoom);
    QSize sizeHint() const override { return {600, 220}; }
    QSize minimumSizeHint() const override;
    /// The figures, cells parted by the separator, with a header.
    QString toText(QChar separator) const;

    void chooseFor(const QPoint& menu); ///< the tile there, unless it is among those that are chosen
    QPoint cursorPlace() const;         ///< where a menu of what is chosen opens by key

  Q_SIGNALS:
    void tilesSelected(const std::vector<std::int64_t>& tiles);
    void tileActivated(); ///< Enter, where any is selected

  protected:
    void paintEvent(QPaintEvent*) override;
    void wheelEvent(QWheelEvent*) override;
    void mousePressEvent(QMouseEvent*) override;
    void mouseMoveEvent(QMouseEvent*) override;
    void mouseReleaseEvent(QMouseEvent*) override;
    void mouseDoubleClickEvent(QMouseEvent*) override;
    void leaveEvent(QEvent*) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    std::int64_t tiles() const;
    QRect plot() const;
    double tileAt(double x) const;
    double xOf(double tile) const;
    void setRange(double from, double to);
    void zoomAbout(double tile, double factor); ///< what is seen becomes so many times as wide
    double highestShown() const;
    std::int64_t tilesPerIpu() const;
    QString nameOf(std::int64_t tile) const; ///< "Tile 45", "IPU 3 tile 45"
    void tellAccessible();
    void paintAxes(QPainter& painter, double highest) const;
    void paintColumns(QPainter& painter, double highest);
    int columns() const;
    int tilesPerColumn() const;
    QString limitName() const;
    QString limitText(bool within) const;
    QString notes() const;
    QRect notesPlace() const;
    void paintNotes(QPainter& painter) const;
    void paintLimit(QPainter& painter, double highest) const;
    void paintBeyond(QPainter& painter, double highest) const;
    void chooseDragged(Qt::KeyboardModifiers modifiers);
    void paintDifference(QPainter& painter, double highest);
    double lowestShown(double highest) const { return difference_ ? -highest : 0; }
    void paintChosen(QPainter& painter) const;

    std::vector<TileSeries> series_;
    std::vector<std::int64_t> totals_;
    std::vector<std::int64_t> base_;
    std::vector<std::int64_t> with_gaps_;
    std::vector<std::int64_t> ipus_;
    std::vector<std::int64_t> number_ipus_; ///< by tile, where these are by number alone
    std::vector<std::int64_t> least_;       ///< the same
    std::vector<std::int64_t> overlay_;
    QString title_, base_name_, overlay_name_;
    std::int64_t limit_ = 0;
    std::int64_t io_tiles_ = 0;
    bool difference_ = false; ///< totals_ are differences
    bool to_data_ = false;    ///< the scale ends with the data, wherever the limit is
    TileCursor cursor_;
    int notes_height_ = 0; ///< as they were painted last
    double from_ = 0;
    double to_ = 1;
    double drag_begin_ = -1;
    double drag_end_ = -1;
    bool panning_ = false;
    bool moved_ = false; ///< since the button was pressed
    double press_x_ = 0;
    double pan_x_ = 0;
    std::int64_t hovered_ = -1;
};

} // namespace tilescope::ui
