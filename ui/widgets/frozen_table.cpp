// SPDX-License-Identifier: GPL-3.0-or-later
#include "frozen_table.h"

#include "frozen_header.h"
#include "ui/theme/theme.h"

#include <QAbstractItemDelegate>
#include <QPainter>
#include <QScrollBar>

namespace tilescope::ui {

FrozenTable::FrozenTable(QWidget* parent) : QTableView(parent) {
    setHorizontalHeader(new FrozenHeader(this));
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    connect(horizontalScrollBar(), &QScrollBar::valueChanged, this, [this] {
        viewport()->update();
        horizontalHeader()->viewport()->update();
    });
}

bool FrozenTable::away() const {
    return FrozenHeader::scrolled(*horizontalHeader()) > 0 && !isColumnHidden(0);
}

QModelIndex FrozenTable::indexAt(const QPoint& at) const {
    const QModelIndex found = QTableView::indexAt(at);
    return found.isValid() && away() && at.x() < columnWidth(0) ? found.siblingAtColumn(0) : found;
}

void FrozenTable::paintEvent(QPaintEvent* event) {
    QTableView::paintEvent(event);
    if (!away() || model() == nullptr)
        return;
    QPainter painter(viewport());
    const int width = columnWidth(0);
    painter.fillRect(QRect(0, 0, width, viewport()->height()), palette().base());
    QStyleOptionViewItem option;
    initViewItemOption(&option);
    const int first = rowAt(0);
    for (int row = std::max(0, first); row < model()->rowCount(rootIndex()); ++row) {
        const int top = rowViewportPosition(row);
        if (top > viewport()->height())
            break;
        const QModelIndex index = model()->index(row, 0, rootIndex());
        QStyleOptionViewItem cell = option;
        cell.rect = QRect(0, top, width, rowHeight(row));
        if (selectionModel()->isSelected(index))
            cell.state |= QStyle::State_Selected;
        if (index == currentIndex() && hasFocus())
            cell.state |= QStyle::State_HasFocus;
        itemDelegateForIndex(index)->paint(&painter, cell, index);
    }
    painter.setPen(Theme::of(this).grid);
    painter.drawLine(width - 1, 0, width - 1, viewport()->height());
}

} // namespace tilescope::ui
