// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/matrix_sums.h"

#include <QImage>
#include <QString>
#include <QVariantList>
#include <QWidget>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tilescope::ui {

struct Theme;

/// What each tile sends to each other: a row for each sender, a column for each receiver, shaded by bytes on
/// a scale of equal ratios, with the sums beside it. Where there are more tiles than room, blocks of
/// neighbours are one cell. Wheel, or W and S, zooms; drag shows the part that it goes over, F or a double
/// click all; arrows walk; click or Enter chooses the receiving tiles of a cell, with Ctrl the sending ones.
/// Of a difference of two such it shows what is more and what is less.
class TileMatrix : public QWidget {
    Q_OBJECT
    Q_PROPERTY(QVariantList zoom READ zoom WRITE setZoom)
  public:
    using Bytes = std::shared_ptr<const std::vector<std::int64_t>>; ///< [from * tiles + to]
    explicit TileMatrix(QWidget* parent = nullptr);
    void setTitle(const QString& title);
    /// Null or empty: there is none, and `note` says why.
    void setBytes(Bytes bytes, std::int64_t tiles, const QString& note = {});
    /// What `now` has more or less than another, the base, of as many tiles.
    void setDifference(Bytes difference, Bytes now, std::int64_t tiles, const QString& note = {});
    void setSelectedTiles(const std::vector<std::int64_t>& tiles);
    /// What stands beside the cells, where there is room: figures with their names.
    using Facts = std::vector<std::pair<QString, QString>>;
    void setFacts(Facts facts);
    /// What is shown, to come back to it: first and number of tiles that send, of those that receive; all:
    /// empty.
    QVariantList zoom() const;
    void setZoom(const QVariantList& zoom);
    QSize sizeHint() const override { return {420, 360}; }
    /// The cells that are not empty as they are shown, parted by the separator, with a header.
    QString toText(QChar separator) const;

  Q_SIGNALS:
    void tilesSelected(const std::vector<std::int64_t>& tiles);

  protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void changeEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    static constexpr double border = 8;
    static constexpr double sums_side = 16; ///< what the bars beside the cells may take
    static constexpr double palest = 0.12;  ///< of the ramp: the fewest bytes are not nothing
    static constexpr double drag_from = 5;  ///< pixels; less is a click
    /// Tiles along one side, from the first one that is shown.
    using Range = analyse::TileRange;
    /// A cell, by the number of its block in each direction.
    struct Place {
        int row = -1, column = -1;
        bool any() const { return row >= 0 && column >= 0; }
    };
    bool known() const { return bytes_ != nullptr && !bytes_->empty(); }
    QRectF room() const; ///< for cells, before they are whole pixels
    double scaleWidth() const;
    bool scaleBeside() const;
    QRectF plot() const;
    void fold();
    static std::int64_t blockFor(std::int64_t tiles, double side);
    void show(Range rows, Range columns);
    void showAll() { show({0, tiles_}, {0, tiles_}); }
    void zoom(double factor, QPointF at); ///< `at`: what stays where it is
    Place placeAt(const QPointF& at) const;
    QRectF cell(Place place) const;
    std::int64_t at(Place place) const;
    std::int64_t nowAt(Place place) const; ///< of a difference
    bool ofTwo() const { return now_ != nullptr; }
    void take(Bytes bytes, Bytes now, std::int64_t tiles, const QString& note);
    Range tilesOf(Range range, int block) const;
    QString textOf(Place place) const;
    QString tileText(Range tiles) const;
    void choose(Place place, bool senders);
    void walk(int rows, int columns);
    void tellAccessible();
    void paintCells(QPainter& painter, const Theme& theme);
    void paintSums(QPainter& painter, const Theme& theme) const;
    void paintAxes(QPainter& painter, const Theme& theme) const;
    void paintMarks(QPainter& painter, const Theme& theme) const;
    void paintBusiest(QPainter& painter, const Theme& theme) const;
    void paintScale(QPainter& painter, const Theme& theme) const;
    void paintFacts(QPainter& painter, const Theme& theme, const QRectF& room) const;
    double share(std::int64_t bytes) const;
    QColor colourOf(const Theme& theme, std::int64_t bytes) const;

    QString title_, note_;
    Facts facts_;
    Bytes bytes_;
    Bytes now_; ///< where bytes_ is the difference to something else; null: it is none
    std::int64_t tiles_ = 0;
    Range rows_, columns_;
    std::int64_t block_ = 1;                    ///< tiles of a cell in each direction
    int down_ = 0, across_ = 0;                 ///< cells
    std::vector<std::int64_t> cells_;           ///< [row * across_ + column]
    std::vector<std::int64_t> sent_, received_; ///< of a block of tiles, to and from all tiles
    std::int64_t least_ = 0, most_ = 0;         ///< of the cells that are not empty
    std::int64_t end_ = 1;                      ///< of the scale of a difference
    analyse::TileSums sums_;
    std::vector<bool> chosen_; ///< by tile
    QImage image_;             ///< a pixel for each cell; null: to be painted anew
    Place cursor_;
    QPointF drag_begin_, drag_end_;
    bool pressed_ = false;
};

} // namespace tilescope::ui
