// SPDX-License-Identifier: GPL-3.0-or-later
#include "bar_delegate.h"

#include "ui/theme/theme.h"
#include "ui/widgets/data_table.h"

#include <QPainter>
#include <QPolygonF>
#include <algorithm>

namespace tilescope::ui {
namespace {

/// Points right where the row is folded, down where it is not.
void paintArrow(QPainter& painter, const QRect& place, bool unfolded, const QColor& color) {
    constexpr double wing = 3.5;
    const QPointF middle = QRectF(place).center() + QPointF(3, 0.5);
    const auto at = [&](double along, double across) {
        return middle + (unfolded ? QPointF(across, along) : QPointF(along, across));
    };
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, 1.5));
    painter.drawPolyline(QPolygonF({at(-wing / 2, -wing), at(wing / 2, 0), at(-wing / 2, wing)}));
    painter.restore();
}

} // namespace

QRect arrowPlace(const QRect& cell) {
    constexpr int wide = 20;
    return {cell.left(), cell.top(), wide, cell.height()};
}

void BarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
    const QVariant share = index.data(DataTableModel::ShareRole);
    if (share.isValid()) {
        const Theme& theme = Theme::of(option.widget);
        QRect bar = option.rect.adjusted(4, 4, -4, -4);
        constexpr int least = 2;
        bar.setWidth(std::max(least, static_cast<int>(bar.width() * share.toDouble())));
        QColor color = theme.accent;
        color.setAlpha(theme.dark ? 60 : 38);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(color);
        painter->drawRoundedRect(bar, 3, 3);
        painter->restore();
    }
    const auto fold = static_cast<DataTableModel::Fold>(index.data(DataTableModel::FoldRole).toInt());
    if (index.column() != 0 || fold == DataTableModel::Flat)
        return PathDelegate::paint(painter, option, index);
    // What is selected stands on one tint from edge to edge.
    QStyleOptionViewItem empty = option;
    initStyleOption(&empty, index);
    empty.text.clear();
    option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &empty, painter, option.widget);
    const QRect arrow = arrowPlace(option.rect);
    if (fold != DataTableModel::Within && index.data(DataTableModel::HoldsRole).toBool())
        paintArrow(*painter, arrow, fold == DataTableModel::Unfolded, Theme::of(option.widget).muted);
    QStyleOptionViewItem name = option;
    name.rect.setLeft(arrow.right() + 1 + (fold == DataTableModel::Within ? arrow.width() : 0));
    name.state &= ~QStyle::State_HasFocus;
    PathDelegate::paint(painter, name, index);
}

} // namespace tilescope::ui
