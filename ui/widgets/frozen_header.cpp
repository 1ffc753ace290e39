// SPDX-License-Identifier: GPL-3.0-or-later
#include "frozen_header.h"

#include "ui/theme/theme.h"

#include <QPainter>

namespace tilescope::ui {

FrozenHeader::FrozenHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
    setSectionsClickable(true);
    setHighlightSections(true);
}

QMouseEvent FrozenHeader::within(const QMouseEvent& event, const QHeaderView& header) {
    const bool frozen = scrolled(header) > 0 && event.position().x() < header.sectionSize(0);
    const QPointF place = event.position() - QPointF(frozen ? scrolled(header) : 0, 0);
    return {event.type(), place, event.globalPosition(), event.button(), event.buttons(), event.modifiers()};
}

void FrozenHeader::paintEvent(QPaintEvent* event) {
    QHeaderView::paintEvent(event);
    if (scrolled(*this) <= 0)
        return;
    QPainter painter(viewport());
    const QRect first(0, 0, sectionSize(0), height());
    painter.fillRect(first, Theme::of(this).panel);
    paintSection(&painter, first, 0);
}

void FrozenHeader::mousePressEvent(QMouseEvent* event) {
    QMouseEvent there = within(*event, *this);
    QHeaderView::mousePressEvent(&there);
}

void FrozenHeader::mouseReleaseEvent(QMouseEvent* event) {
    QMouseEvent there = within(*event, *this);
    QHeaderView::mouseReleaseEvent(&there);
}

} // namespace tilescope::ui
