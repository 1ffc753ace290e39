// SPDX-License-Identifier: GPL-3.0-or-later
// Keys and pointer of the chart of tiles.
#include "ui/session/format.h"
#include "ui/tiles/tile_chart.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {

void TileChart::keyPressEvent(QKeyEvent* event) {
    const bool extend = (event->modifiers() & Qt::ShiftModifier) != 0;
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
        return Q_EMIT tilesSelected(cursor_.moved(event->key() == Qt::Key_Left ? -1 : 1, extend));
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        return Q_EMIT tilesSelected(cursor_.moved(event->key() == Qt::Key_PageUp ? -64 : 64, extend));
    case Qt::Key_Home:
    case Qt::Key_End:
        return Q_EMIT tilesSelected(cursor_.moved(event->key() == Qt::Key_Home ? -tiles() : tiles(), extend));
    case Qt::Key_Escape:
        return Q_EMIT tilesSelected({});
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return cursor_.any() ? Q_EMIT tileActivated() : QWidget::keyPressEvent(event);
    case Qt::Key_Plus:
    case Qt::Key_Minus: {
        const double at = cursor_.tile() >= 0 ? static_cast<double>(cursor_.tile()) : (from_ + to_) / 2;
        return zoomAbout(at, event->key() == Qt::Key_Plus ? 0.5 : 2);
    }
    case Qt::Key_0:
        return setRange(0, static_cast<double>(tiles()));
    case Qt::Key_Z:
        to_data_ = !to_data_;
        return update();
    default:
        return QWidget::keyPressEvent(event);
    }
}

void TileChart::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void TileChart::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

void TileChart::wheelEvent(QWheelEvent* event) {
    if (tiles() == 0)
        return;
    zoomAbout(tileAt(event->position().x()), std::pow(0.85, event->angleDelta().y() / 120.0));
    event->accept();
}

void TileChart::zoomAbout(double tile, double factor) {
    setRange(tile - (tile - from_) * factor, tile + (to_ - tile) * factor);
}

void TileChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)
        return event->ignore();
    panning_ = event->button() == Qt::MiddleButton || (event->modifiers() & Qt::ShiftModifier) != 0;
    moved_ = false;
    press_x_ = pan_x_ = event->position().x();
    drag_begin_ = drag_end_ = std::clamp(tileAt(event->position().x()), 0.0, static_cast<double>(tiles()));
}

void TileChart::mouseMoveEvent(QMouseEvent* event) {
    if (tiles() == 0)
        return;
    const double at = tileAt(event->position().x());
    moved_ = moved_ || std::abs(event->position().x() - press_x_) >= QApplication::startDragDistance();
    if (drag_begin_ >= 0 && panning_) {
        if (!moved_) // Shift and a click extends what is chosen
            return;
        const double by = (pan_x_ - event->position().x()) / std::max(1, plot().width()) * (to_ - from_);
        pan_x_ = event->position().x();
        setRange(from_ + by, to_ + by);
        return;
    }
    if (drag_begin_ >= 0)
        drag_end_ = std::clamp(at, 0.0, static_cast<double>(tiles()));
    hovered_ = static_cast<std::int64_t>(std::floor(at));
    if (hovered_ >= 0 && hovered_ < tiles()) {
        const auto t = static_cast<std::size_t>(hovered_);
        QString text =
            inHtml(QStringLiteral("<b>%1</b>: %2"),
                   {nameOf(hovered_), difference_ ? formatSignedBytes(static_cast<double>(totals_[t]))
                                                  : formatBytes(totals_[t])});
        if (t < with_gaps_.size())
            text += tr(", %1 with gaps").arg(formatBytes(with_gaps_[t]));
        for (auto s = series_.rbegin(); s != series_.rend() && !difference_; ++s)
            if (t < s->values.size() && s->values[t] > 0)
                text += inHtml(QStringLiteral("<br><span style='color:%1'>■</span> %2 %3"),
                               {s->color.in(Theme::of(this)).name(), s->name, formatBytes(s->values[t])});
        QToolTip::showText(event->globalPosition().toPoint(), text, this);
    }
    update();
}

void TileChart::mouseReleaseEvent(QMouseEvent* event) {
    if (drag_begin_ >= 0 && event->button() == Qt::LeftButton && tiles() > 0 && (!panning_ || !moved_))
        chooseDragged(event->modifiers());
    drag_begin_ = -1;
    panning_ = false;
    update();
}

void TileChart::chooseDragged(Qt::KeyboardModifiers modifiers) {
    auto first = static_cast<std::int64_t>(std::floor(std::min(drag_begin_, drag_end_)));
    auto last =
        std::min(static_cast<std::int64_t>(std::floor(std::max(drag_begin_, drag_end_))), tiles() - 1);
    const bool one = first == last;
    if (one && (modifiers & Qt::ControlModifier) != 0)
        return Q_EMIT tilesSelected(cursor_.toggled(first, tilesPerIpu()));
    if (one && (modifiers & Qt::ShiftModifier) != 0) {
        const std::int64_t anchor = cursor_.movedTo(first, true);
        last = std::max(anchor, first);
        first = std::min(anchor, first);
    } else if (one && cursor_.only(first)) { // a click on it lets go of it
        return Q_EMIT tilesSelected({});
    }
    std::vector<std::int64_t> chosen;
    for (std::int64_t t = first; t <= last; ++t)
        chosen.push_back(t);
    Q_EMIT tilesSelected(chosen);
}

void TileChart::chooseFor(const QPoint& menu) {
    const auto tile = static_cast<std::int64_t>(std::floor(tileAt(menu.x())));
    if (tile >= 0 && tile < tiles() && !cursor_.chosen(tile))
        Q_EMIT tilesSelected({tile});
}

QPoint TileChart::cursorPlace() const {
    const QRect area = plot();
    return cursor_.tile() < 0 ? area.center()
                              : QPoint(std::clamp(static_cast<int>(xOf(static_cast<double>(cursor_.tile()))),
                                                  area.left(), area.right()),
                                       area.center().y());
}

void TileChart::mouseDoubleClickEvent(QMouseEvent*) {
    setRange(0, static_cast<double>(tiles()));
    Q_EMIT tilesSelected({});
}

void TileChart::leaveEvent(QEvent*) {
    hovered_ = -1;
    update();
}

} // namespace tilescope::ui
