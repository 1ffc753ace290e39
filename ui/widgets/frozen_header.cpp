// SPDX-License-Identifier: GPL-3.0-or-later
#include "frozen_header.h"

#include "ui/theme/theme.h"

#include <QPainter>
#include <QStyleOptionHeader>
#include <algorithm>

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

void FrozenHeader::setFurther(std::vector<std::pair<int, Qt::SortOrder>> keys) {
    further_ = std::move(keys);
    viewport()->update();
}

int FrozenHeader::rankOf(int section) const {
    if (further_.empty() || section < 0)
        return 0;
    if (section == sortIndicatorSection())
        return 1;
    const auto found = std::find_if(further_.begin(), further_.end(),
                                    [section](const auto& key) { return key.first == section; });
    constexpr int second = 2;
    return found == further_.end() ? 0 : second + static_cast<int>(found - further_.begin());
}

void FrozenHeader::initStyleOptionForIndex(QStyleOptionHeader* option, int section) const {
    QHeaderView::initStyleOptionForIndex(option, section);
    Qt::SortOrder order = sortIndicatorOrder();
    for (const auto& [column, of_it] : further_)
        if (column == section)
            order = of_it;
    if (option->sortIndicator != QStyleOptionHeader::None || rankOf(section) > 1)
        option->sortIndicator =
            order == Qt::DescendingOrder ? QStyleOptionHeader::SortDown : QStyleOptionHeader::SortUp;
}

QSize FrozenHeader::sectionSizeFromContents(int section) const {
    const QString head = model() == nullptr
                             ? QString()
                             : model()->headerData(section, orientation(), Qt::DisplayRole).toString();
    const auto known = sizes_.constFind(head);
    return known != sizes_.constEnd() ? *known
                                      : *sizes_.insert(head, QHeaderView::sectionSizeFromContents(section));
}

bool FrozenHeader::event(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        sizes_.clear();
    return QHeaderView::event(event);
}

/// The arrow, and above it the place of the column among those that rows are sorted by.
void FrozenHeader::paintSection(QPainter* painter, const QRect& rect, int section) const {
    painter->save(); // the style leaves a clip behind
    QHeaderView::paintSection(painter, rect, section);
    painter->restore();
    const int rank = rankOf(section);
    if (rank == 0)
        return;
    QFont small = font();
    constexpr double part = 0.8;
    small.setPointSizeF(part * small.pointSizeF());
    small.setWeight(QFont::DemiBold);
    const QFontMetricsF metrics(small);
    const QString number = QString::number(rank);
    painter->save();
    painter->setFont(small);
    painter->setPen(Theme::of(this).accent);
    const double arrow = 0.22 * fontMetrics().height(); // its middle from the right
    const double above = 0.36 * fontMetrics().height(); // the number, from its middle
    painter->drawText(
        QPointF(rect.right() - arrow - metrics.horizontalAdvance(number) / 2.0, rect.center().y() - above),
        number);
    painter->restore();
}

/// At the edge between two heads the pointer drags, also with Shift held.
void FrozenHeader::mousePressEvent(QMouseEvent* event) {
    QMouseEvent there = within(*event, *this);
    pressed_ = clicked_ && event->button() == Qt::LeftButton &&
                       (event->modifiers() & Qt::ShiftModifier) != 0 && cursor().shape() != Qt::SplitHCursor
                   ? logicalIndexAt(there.position().toPoint())
                   : -1;
    if (pressed_ < 0)
        QHeaderView::mousePressEvent(&there);
}

void FrozenHeader::mouseReleaseEvent(QMouseEvent* event) {
    QMouseEvent there = within(*event, *this);
    if (const int pressed = std::exchange(pressed_, -1); pressed >= 0) {
        if (logicalIndexAt(there.position().toPoint()) == pressed)
            clicked_(pressed);
        return;
    }
    QHeaderView::mouseReleaseEvent(&there);
}

} // namespace tilescope::ui
