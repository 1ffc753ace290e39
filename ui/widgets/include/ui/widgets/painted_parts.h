// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAccessible>
#include <QPoint>
#include <QRect>
#include <QString>

class QKeyEvent;
class QWidget;

namespace tilescope::ui {

/// What a widget that paints its parts by itself says of them to screen readers: a widget that derives from
/// this, too, has them as accessible children, made when they are asked for.
class PaintedParts {
  public:
    PaintedParts();
    virtual ~PaintedParts() = default;
    PaintedParts(const PaintedParts&) = delete;
    PaintedParts& operator=(const PaintedParts&) = delete;

    struct Part {
        QString name;
        QString value;
        QRect rect; ///< in the widget
        QAccessible::Role role = QAccessible::ListItem;
        bool selected = false;
    };
    virtual QAccessible::Role wholeRole() const = 0;
    virtual int partCount() const = 0;
    virtual Part part(int index) const = 0;
    /// At a place in the widget; -1: none. What is within another comes after it.
    virtual int partAt(const QPoint& at) const;
    virtual int focusedPart() const { return -1; } ///< where the keys are; -1: nowhere
};

/// What a key does where parts lie one after another and one can be chosen: `back` and `forward` go to the
/// next one, within what there is; Return, Enter and Space choose it.
enum class PartKey { Other, Moves, Chooses };
PartKey takePartKey(const QKeyEvent& event, Qt::Key back, Qt::Key forward, int count, int& focused);

/// The keys are at another part of `widget` now (PaintedParts::focusedPart).
void tellFocusedPart(QWidget& widget);

} // namespace tilescope::ui
