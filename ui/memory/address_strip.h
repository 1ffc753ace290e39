// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/address_map.h"

#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>

namespace tilescope::ui {

struct Theme;

/// The memory of one tile at a program step, as rows of addresses: what lies where, the gaps and why nothing
/// lies there. Below, what is live over the program's steps, along which one goes: by the pointer, from
/// change to change with Left and Right, from operation to operation with Shift, to the peak with P; Space
/// plays. Up and Down go over variables and the gaps between them; why a gap cannot be used is told. What
/// appears at the step that one goes to stands out for a moment, unless nothing is to move by itself.
class AddressStrip : public QWidget {
    Q_OBJECT
  public:
    using Map = std::shared_ptr<const analyse::AddressMap>;
    explicit AddressStrip(QWidget* parent = nullptr);
    /// Shows a tile at its peak, or at the step shown before where it is the same tile; null: `why` instead.
    void setMap(Map map, const QString& why);
    void setStep(std::int64_t step);
    std::int64_t step() const { return step_; }
    void selectVariable(std::int64_t id);
    QString toText(QChar separator) const;
    /// "could not be used: X lies there in steps 3 to 5, while Y lives".
    QString reason(const analyse::AddressMap::Gap& gap) const;

  Q_SIGNALS:
    void stepChosen(std::int64_t step);
    void variableChosen(std::int64_t id);

  protected:
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    /// Rows of as many bytes, from the lowest address at the top left.
    struct Rows {
        QRectF area;
        int count = 1;
        std::int64_t bytes = 1; ///< of a row
        double height = 1;      ///< with the line between two
    };
    Rows rows() const;
    QRectF track() const;
    double xOfStep(std::int64_t step) const;
    std::int64_t addressAt(const QPointF& at) const; ///< -1: none
    void goTo(std::int64_t step);                    ///< by the user
    void chooseBlock(int direction);
    void chooseLive(std::int64_t variable);
    void chooseGap(std::size_t gap);
    /// The gap below a live variable, by their places in `gaps_` and `live_`; -1: there is none.
    std::ptrdiff_t gapBelow(std::size_t live) const;
    QString heading() const;
    QString tipAt(std::int64_t address) const;
    /// Calls `paint` with the rectangle of each row that bytes [begin, end) lie in.
    template<class Paint>
    void eachRow(const Rows& rows, std::int64_t begin, std::int64_t end, const Paint& paint) const;
    void paintRows(QPainter& painter, const Theme& theme) const;
    void paintTrack(QPainter& painter, const Theme& theme) const;

    Map map_;
    QString why_;
    std::int64_t step_ = 0;
    std::int64_t variable_ = -1;
    std::vector<std::size_t> live_; ///< blocks, at the step
    std::vector<analyse::AddressMap::Gap> gaps_;
    std::optional<std::size_t> gap_;    ///< of these, that the keys are at
    std::vector<std::size_t> appeared_; ///< of live_, with the step that the user went to; for a moment
    QTimer play_, flash_;
};

} // namespace tilescope::ui
