// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/joining_split.h"

#include <QApplication>
#include <QEvent>
#include <QTabWidget>

namespace tilescope::ui {

JoiningSplit::JoiningSplit(Qt::Orientation way, QWidget* picture, Side side, const QString& title,
                           QTabWidget* tabs, int least_lines)
    : RoomySplit(way), picture_(picture), side_(side), title_(title), tabs_(tabs), least_lines_(least_lines) {
    addWidget(tabs);
    insertWidget(side == Side::Before ? 0 : 1, picture);
}

/// What has the focus keeps it; the picture comes to the front where that was in it.
void JoiningSplit::arrange() {
    const int room = orientation() == Qt::Horizontal ? window()->width() : height();
    const bool joins = room < least_lines_ * fontMetrics().height();
    if (joins == joined_)
        return;
    joined_ = joins;
    QWidget* focus = QApplication::focusWidget();
    const bool within = focus == picture_ || picture_->isAncestorOf(focus);
    if (joins) {
        apart_ = sizes();
        tabs_->insertTab(side_ == Side::Before ? 0 : tabs_->count(), picture_, title_);
        if (within)
            tabs_->setCurrentWidget(picture_);
    } else {
        tabs_->removeTab(tabs_->indexOf(picture_));
        insertWidget(side_ == Side::Before ? 0 : 1, picture_);
        picture_->show();
        setSizes(apart_);
    }
    Q_EMIT arranged();
    if (within)
        focus->setFocus();
}

void JoiningSplit::setRoomySizes(const QList<int>& sizes) {
    if (sizes.size() != 2)
        return;
    apart_ = sizes;
    if (!joined_)
        setSizes(sizes);
}

void JoiningSplit::resizeEvent(QResizeEvent* event) {
    RoomySplit::resizeEvent(event);
    arrange();
}

void JoiningSplit::changeEvent(QEvent* event) {
    RoomySplit::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        arrange();
}

} // namespace tilescope::ui
