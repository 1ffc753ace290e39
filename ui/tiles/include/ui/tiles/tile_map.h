// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/floor_plan.h"
#include "ui/tiles/tile_cursor.h"
#include "ui/widgets/painted_parts.h"

#include <QString>
#include <QWidget>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace tilescope::ui {

struct Theme;

/// The tiles of one IPU, or of several side by side, as cells of a floor plan, or in the order of their
/// numbers (SharedTileOrder), shaded by a value with its scale below; the one with the most is ringed. Click
/// or drag selects a rectangle of places, Alt+drag a run of numbers; arrows walk, [ and ] go to the IPU
/// before and after, Shift extends. Tiles are numbered through all IPUs.
class TileMap : public QWidget, public PaintedParts {
    Q_OBJECT
  public:
    /// How a value is told, beside where the scale ends.
    enum class Scale { ShareOfMemory, Bytes, Cycles, Difference, Number };
    /// The value of a tile that has none; it is drawn as an outline.
    static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();
    explicit TileMap(QWidget* parent = nullptr);
    void setTitle(const QString& title); ///< above the plan: what is shown
    /// The same behind what the plan is called, whatever its order: ": cycles of one run".
    void setTitleBehindHeading(const QString& rest);
    /// So many of each IPU, the last ones, are for the host: their names say so.
    void setIoTiles(std::int64_t tiles) { io_tiles_ = tiles; }
    /// Values by tile; `full` is what the darkest shade stands for; what is more has colours of its own. Of
    /// differences it is what both ends of the scale stand for.
    void setValues(std::vector<std::int64_t> values, std::int64_t full, std::vector<std::int64_t> ipus,
                   Scale scale = Scale::ShareOfMemory);
    /// What a value of Scale::Number is a multiple of: 1 at first.
    void setStep(double step) { step_ = step; }
    void setSelectedTiles(const std::vector<std::int64_t>& tiles);
    QSize sizeHint() const override { return {280, 260}; }
    /// The figures, cells parted by the separator, with a header.
    QString toText(QChar separator) const;
    /// "Floor plan", "Floor plan, schematic" or "Tiles by number".
    QString heading() const;
    /// What is known of where the tiles lie, for people.
    QString note() const;
    QAccessible::Role wholeRole() const override { return QAccessible::Table; }
    int partCount() const override { return static_cast<int>(values_.size()); } ///< tiles
    Part part(int index) const override;
    int partAt(const QPoint& at) const override { return static_cast<int>(tileAt(at)); }
    int focusedPart() const override { return static_cast<int>(cursor_.tile()); }

    void chooseFor(const QPoint& menu); ///< the tile there, unless it is among those that are chosen
    QPoint cursorPlace() const;         ///< where a menu of what is chosen opens by key

  Q_SIGNALS:
    void tilesSelected(const std::vector<std::int64_t>& tiles);
    void tileActivated(); ///< Enter, where any is selected

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
        int across = 1; ///< blocks side by side
        double side = 1;
        double fabric = 0;      ///< between the two parts of a block
        double block_width = 1; ///< with the gap to the next
        double block_height = 1;
        double top = 0;       ///< of the first block
        double head = 0;      ///< above the cells of a block: its name
        double name = 0;      ///< the widest of them
        bool in_words = true; ///< "IPU 3"; else "3"
    };
    std::size_t blocks() const { return std::max<std::size_t>(1, ipus_.size()); }
    std::int64_t perBlock() const;
    void replan();
    Grid grid() const;
    QString headOf(std::size_t block, bool in_words) const; ///< else the number alone
    int titleHeight() const;
    QRectF cell(const Grid& grid, std::int64_t tile) const;
    std::int64_t tileAt(const QPointF& at) const; ///< -1: none
    /// Those chosen by a drag from one to another: of two IPUs, those of the first.
    std::vector<std::int64_t> tilesBetween(std::int64_t a, std::int64_t b, bool by_number) const;
    void goTo(std::int64_t tile, bool extend);
    bool extending(const QMouseEvent& event) const;
    QString nameOf(std::int64_t tile) const;
    QString amount(std::int64_t value) const;
    void tellAccessible();
    void paintHeads(QPainter& painter, const Grid& g, const Theme& theme) const;
    void paintMarks(QPainter& painter, const Grid& g, const Theme& theme) const;
    void paintFullest(QPainter& painter, const Theme& theme, double left) const;
    void paintScale(QPainter& painter, const Theme& theme) const;
    QColor shade(const Theme& theme, std::int64_t value) const;

    QString title_;
    std::optional<QString> behind_heading_;
    analyse::FloorPlan plan_; ///< of one IPU
    std::vector<std::int64_t> values_;
    std::vector<std::int64_t> ipus_;
    std::int64_t io_tiles_ = 0;
    std::int64_t full_ = 1;
    std::int64_t fullest_ = -1; ///< the first with the most
    Scale scale_ = Scale::ShareOfMemory;
    double step_ = 1;
    TileCursor cursor_;
    std::int64_t drag_begin_ = -1;
    std::int64_t drag_end_ = -1;
    bool by_number_ = false; ///< the drag
};

} // namespace tilescope::ui
