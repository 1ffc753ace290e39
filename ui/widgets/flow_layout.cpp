// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/flow_layout.h"

#include <QWidget>
#include <algorithm>
#include <utility>

namespace tilescope::ui {

FlowLayout::FlowLayout(int horizontal_spacing, int vertical_spacing)
    : horizontal_(horizontal_spacing), vertical_(vertical_spacing) {
    setContentsMargins({});
}

FlowLayout::~FlowLayout() {
    qDeleteAll(items_);
}

QLayoutItem* FlowLayout::takeAt(int index) {
    return index >= 0 && index < items_.size() ? items_.takeAt(index) : nullptr;
}

QSize FlowLayout::minimumSize() const {
    QSize size;
    for (const QLayoutItem* item : items_)
        if (!item->isEmpty())
            size = size.expandedTo(item->minimumSize());
    return size.grownBy(contentsMargins());
}

QSize FlowLayout::sizeHint() const {
    QSize size;
    for (const QLayoutItem* item : items_) {
        if (item->isEmpty())
            continue;
        const QSize hint = item->sizeHint();
        size = QSize(size.width() + (size.isEmpty() ? 0 : horizontal_) + hint.width(),
                     std::max(size.height(), hint.height()));
    }
    return size.grownBy(contentsMargins());
}

void FlowLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    arrange(rect, true);
}

int FlowLayout::arrange(const QRect& rect, bool move) const {
    const QMargins margins = contentsMargins();
    const QRect room = rect.marginsRemoved(margins);
    int x = room.left();
    int y = room.top();
    int line = 0;
    QList<std::pair<QLayoutItem*, QRect>> placed; // of the line
    const auto end_line = [&] {
        for (const auto& [item, place] : placed)
            if (move)
                item->setGeometry(item->alignment().testFlag(Qt::AlignVCenter)
                                      ? place.translated(0, (line - place.height()) / 2)
                                      : place);
        placed.clear();
    };
    for (QLayoutItem* item : items_) {
        if (item->isEmpty())
            continue;
        const QSize hint = item->sizeHint();
        const int width = std::min(hint.width(), room.width());
        const bool wraps = width < hint.width() && item->hasHeightForWidth();
        const QSize size(width, wraps ? item->heightForWidth(width) : hint.height());
        if (x > room.left() && x + size.width() > room.right() + 1) {
            end_line();
            x = room.left();
            y += line + vertical_;
            line = 0;
        }
        placed.append({item, QRect(QPoint(x, y), size)});
        x += size.width() + horizontal_;
        line = std::max(line, size.height());
    }
    end_line();
    return y + line - rect.top() + margins.bottom();
}

} // namespace tilescope::ui
