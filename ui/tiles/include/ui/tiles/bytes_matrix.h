// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/matrix_sums.h"
#include "ui/widgets/told_keys.h"

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

/// What each of some (tiles, IPUs) sends to each other: a row for each sender, a column for each receiver,
/// shaded by bytes on a scale of equal ratios, with the sums beside it. Where there are more than room,
/// blocks of neighbours are one cell; cells with room for it have their bytes in figures. Wheel, or W and S,
/// zooms; drag shows the part that it goes over, F or a double click all; arrows walk; click or Enter chooses
/// a cell. Of a difference of two such it shows what is more and what is less.
class BytesMatrix : public QWidget {
    Q_OBJECT
    Q_PROPERTY(QVariantList zoom READ zoom WRITE setZoom)
  public:
    using Bytes = std::shared_ptr<const std::vector<std::int64_t>>; ///< [from * tiles + to]
    void setTitle(const QString& title);
    /// Null or empty: there is none, and `note` says why. `count`: how many send to each other.
    void setBytes(Bytes bytes, std::int64_t count, const QString& note = {});
    /// What `now` has more or less than another, the base, of as many.
    void setDifference(Bytes difference, Bytes now, std::int64_t count, const QString& note = {});
    void setSelected(const std::vector<std::int64_t>& numbers); ///< marked beside the cells
    void setCurrent(std::int64_t from, std::int64_t to);        ///< the cursor is there; -1: nowhere
    /// What stands beside the cells, where there is room: figures with their names.
    using Facts = std::vector<std::pair<QString, QString>>;
    void setFacts(Facts facts);
    /// What is shown, to come back to it: first and number of those that send, of those that receive; all:
    /// empty.
    QVariantList zoom() const;
    void setZoom(const QVariantList& zoom);
    QSize sizeHint() const override { return {420, 360}; }
    /// The cells that are not empty as they are shown, parted by the separator, with a header.
    virtual QString toText(QChar separator) const;
    void chooseFor(const QPoint& menu); ///< the cell there; elsewhere what is chosen stays so
    QPoint cursorPlace() const;         ///< where a menu of what is chosen opens by key
    QRectF cellOf(std::int64_t from, std::int64_t to) const; ///< in the widget; for tests and tools

  protected:
    using Range = analyse::TileRange; ///< numbers along one side
    /// `name`: of the whole, until it has a title; `of_keys`: in the overview of keys, and what others than
    /// those of all such do there.
    BytesMatrix(const QString& name, const QString& of_keys, const QList<ToldKeys>& choosing,
                QWidget* parent);
    virtual QString nameOf(Range range) const = 0;          ///< "tile 3", "tiles 0 to 15"
    virtual QString cellText(std::int64_t block) const = 0; ///< what a cell is: "16 × 16 tiles"
    virtual QStringList ends() const = 0; ///< heads of the first and last sender, and receiver, of a cell
    /// What is said of a cell behind its bytes.
    virtual QString moreOf(Range from, Range to) const {
        static_cast<void>(from), static_cast<void>(to);
        return {};
    }
    /// By a click or Enter; `other`: with Ctrl.
    virtual void cellChosen(Range from, Range to, bool other) = 0;
    virtual void cellReached(Range from, Range to) {
        static_cast<void>(from), static_cast<void>(to);
    }                               ///< by keys
    virtual void cellActivated() {} ///< by Enter, after it was chosen
    virtual void allChosen() {}     ///< Esc

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
    static std::int64_t blockFor(std::int64_t count, double side);
    void show(Range rows, Range columns);
    void showAll() { show({0, count_}, {0, count_}); }
    void zoom(double factor, QPointF at); ///< `at`: what stays where it is
    Place placeAt(const QPointF& at) const;
    QRectF cell(Place place) const;
    std::int64_t at(Place place) const;
    std::int64_t nowAt(Place place) const; ///< of a difference
    bool ofTwo() const { return now_ != nullptr; }
    void take(Bytes bytes, Bytes now, std::int64_t count, const QString& note);
    Range partOf(Range range, int block) const;
    QString textOf(Place place) const;
    QString sumText(const QPointF& at) const; ///< of the bar there; "": there is none
    void choose(Place place, bool other);
    void walk(int rows, int columns);
    void tellAccessible();
    void paintCells(QPainter& painter, const Theme& theme);
    void paintNumbers(QPainter& painter, const Theme& theme) const;
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
    std::int64_t count_ = 0;
    Range rows_, columns_;
    std::int64_t block_ = 1;                    ///< of a cell in each direction
    int down_ = 0, across_ = 0;                 ///< cells
    std::vector<std::int64_t> cells_;           ///< [row * across_ + column]
    std::vector<std::int64_t> sent_, received_; ///< of a block, to and from all
    std::int64_t least_ = 0, most_ = 0;         ///< of the cells that are not empty
    std::int64_t end_ = 1;                      ///< of the scale of a difference
    analyse::TileSums sums_;
    std::vector<bool> selected_; ///< by number
    QImage image_;               ///< a pixel for each cell; null: to be painted anew
    Place cursor_;
    QPointF drag_begin_, drag_end_;
    bool pressed_ = false;
};

} // namespace tilescope::ui
