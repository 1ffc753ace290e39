// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/lifetime_delegate.h"

#include "ui/session/format.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"

#include <QPainter>
#include <algorithm>

namespace tilescope::ui {

Cell liveCell(const profile::VariableRecord& variable) {
    if (variable.always_live)
        return numberCell(LifetimeDelegate::tr("always"), -1);
    Cell cell = writtenCell(formatSteps(variable.live_from, variable.live_to), countCell(variable.live_from));
    cell.exact = cell.text;
    return cell;
}

void LifetimeDelegate::setSpan(double from, double to, std::int64_t step) {
    from_ = from;
    to_ = to;
    step_ = step;
}

void LifetimeDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const {
    QStyleOptionViewItem empty = option;
    initStyleOption(&empty, index);
    empty.text.clear();
    const QStyle* style = option.widget->style();
    style->drawControl(QStyle::CE_ItemViewItem, &empty, painter, option.widget);
    const auto life = lives_.find(index.data(DataTableModel::KeyRole).toLongLong());
    if (life == lives_.end() || to_ <= from_)
        return;
    const Theme& theme = Theme::of(option.widget);
    const QRectF area = QRectF(option.rect).adjusted(4, 6, -4, -6);
    const auto on_axis = [this](std::int64_t step) {
        return axis_ ? axis_(static_cast<double>(step)) : static_cast<double>(step);
    };
    const auto x = [&](double at) {
        return area.left() + std::clamp((at - from_) / (to_ - from_), 0.0, 1.0) * area.width();
    };
    const auto bar = [&](const Steps& steps, const QColor& color) {
        const double first = on_axis(steps.first), end = on_axis(steps.second + 1);
        if (end > from_ && first < to_)
            painter->fillRect(QRectF(x(first), area.top(), std::max(2.0, x(end) - x(first)), area.height()),
                              color);
    };
    for (const Life& of : life->second) {
        if (of.needed != of.held)
            bar(of.held, ChartStyle::mixed(theme.panel, theme.categories[0], 0.35));
        if (of.needed)
            bar(*of.needed, theme.categories[0]);
    }
    if (const double step = on_axis(step_); step >= from_ && step < to_) {
        painter->setPen(QPen(theme.text, 1));
        const double at = x((step + on_axis(step_ + 1)) / 2);
        painter->drawLine(QPointF(at, option.rect.top()), QPointF(at, option.rect.bottom()));
    }
}

} // namespace tilescope::ui
