// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/frozen_tree.h"

#include "frozen_header.h"
#include "ui/theme/theme.h"

#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

namespace tilescope::ui {
FrozenTree::FrozenTree(QWidget* parent) : QTreeView(parent) {
    setHeader(new FrozenHeader(this));
    connect(horizontalScrollBar(), &QScrollBar::valueChanged, this, [this] {
        viewport()->update();
        header()->viewport()->update();
    });
}

/// The row once more, so far to the right that its first cell is at the left edge.
void FrozenTree::drawRow(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
    QTreeView::drawRow(painter, option, index);
    const int away = FrozenHeader::scrolled(*header());
    if (away <= 0)
        return;
    const QRect cell(0, option.rect.y(), header()->sectionSize(0), option.rect.height());
    painter->save();
    painter->setClipRect(cell);
    painter->fillRect(cell, palette().base());
    painter->translate(away, 0);
    QTreeView::drawRow(painter, option, index);
    painter->restore();
    painter->setPen(Theme::of(this).grid);
    painter->drawLine(cell.topRight(), cell.bottomRight());
}

void FrozenTree::mousePressEvent(QMouseEvent* event) {
    QMouseEvent there = FrozenHeader::within(*event, *header());
    QTreeView::mousePressEvent(&there);
}

void FrozenTree::mouseReleaseEvent(QMouseEvent* event) {
    QMouseEvent there = FrozenHeader::within(*event, *header());
    QTreeView::mouseReleaseEvent(&there);
}

void FrozenTree::mouseDoubleClickEvent(QMouseEvent* event) {
    QMouseEvent there = FrozenHeader::within(*event, *header());
    QTreeView::mouseDoubleClickEvent(&there);
}

} // namespace tilescope::ui
