// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/frozen_tree.h"

#include "ui/theme/theme.h"

#include <QHeaderView>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

namespace tilescope::ui {
namespace {

/// How far the first section of `header` was scrolled away.
int scrolled(const QHeaderView& header) {
    return header.offset();
}

/// What is done to the frozen column is done to the one that was scrolled away.
QMouseEvent within(const QMouseEvent& event, const QHeaderView& header) {
    const bool frozen = scrolled(header) > 0 && event.position().x() < header.sectionSize(0);
    const QPointF place = event.position() - QPointF(frozen ? scrolled(header) : 0, 0);
    return {event.type(), place, event.globalPosition(), event.button(), event.buttons(), event.modifiers()};
}

class FrozenHeader : public QHeaderView {
  public:
    explicit FrozenHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
        setSectionsClickable(true);
        setHighlightSections(true);
    }

  protected:
    void paintEvent(QPaintEvent* event) override {
        QHeaderView::paintEvent(event);
        if (scrolled(*this) <= 0)
            return;
        QPainter painter(viewport());
        const QRect first(0, 0, sectionSize(0), height());
        painter.fillRect(first, Theme::of(this).panel);
        paintSection(&painter, first, 0);
    }
    void mousePressEvent(QMouseEvent* event) override {
        QMouseEvent there = within(*event, *this);
        QHeaderView::mousePressEvent(&there);
    }
    void mouseReleaseEvent(QMouseEvent* event) override {
        QMouseEvent there = within(*event, *this);
        QHeaderView::mouseReleaseEvent(&there);
    }
};

} // namespace

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
    const int away = scrolled(*header());
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
    QMouseEvent there = within(*event, *header());
    QTreeView::mousePressEvent(&there);
}

void FrozenTree::mouseReleaseEvent(QMouseEvent* event) {
    QMouseEvent there = within(*event, *header());
    QTreeView::mouseReleaseEvent(&there);
}

void FrozenTree::mouseDoubleClickEvent(QMouseEvent* event) {
    QMouseEvent there = within(*event, *header());
    QTreeView::mouseDoubleClickEvent(&there);
}

} // namespace tilescope::ui
