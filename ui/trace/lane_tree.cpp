// SPDX-License-Identifier: GPL-3.0-or-later
#include "lane_tree.h"

#include "trace_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/told_keys.h"

#include <QApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QTreeWidgetItemIterator>

namespace tilescope::ui {
namespace {

constexpr int ipu_role = Qt::UserRole;
constexpr int kind_role = Qt::UserRole + 1;
constexpr int pinned_role = Qt::UserRole + 2;

} // namespace

LaneTree::LaneTree(QWidget* parent) : QTreeWidget(parent) {
    setObjectName(QStringLiteral("laneTree"));
    setAccessibleName(text("Lanes"));
    setProperty("list", true);
    setColumnCount(3);
    setHeaderHidden(true);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setTabKeyNavigation(false);
    setMouseTracking(true);
    tellKeys(this, text("Lanes"),
             {{text("Space"), text("shows or hides the lane")},
              {text("P"), text("holds it at the top, or lets it go")},
              {text("+, -"), text("higher, lower")},
              {text("Alt+Up, Alt+Down"), text("moves it among those of its kind")}});
    const int side = fontMetrics().height();
    setIconSize({side, side});
    setIndentation(side);
    header()->setStretchLastSection(false);
    header()->setMinimumSectionSize(1);
    header()->setSectionResizeMode(Name, QHeaderView::Stretch);
    for (const Column column : {Eye, Pin}) {
        header()->setSectionResizeMode(column, QHeaderView::Fixed);
        header()->resizeSection(column, std::max(24, side * 2));
    }
    connect(model(), &QAbstractItemModel::modelReset, this, [this] { // its rows are gone: nothing is dragged
        pressed_ = nullptr;
        drop_.reset();
    });
}

QTreeWidgetItem* LaneTree::add(QTreeWidgetItem* above, const Row& row, const QString& name, Sight sight) {
    auto* item = above == nullptr ? new QTreeWidgetItem(this) : new QTreeWidgetItem(above);
    item->setText(Name, name);
    if (row.ipu)
        item->setData(Name, ipu_role, static_cast<qint64>(*row.ipu));
    if (row.kind)
        item->setData(Name, kind_role, static_cast<int>(*row.kind));
    const bool hidden = sight == Sight::Hidden;
    item->setIcon(Eye, themeIcon(hidden ? QStringLiteral("hidden") : QStringLiteral("shown"),
                                 sight == Sight::Shown ? &Theme::text : &Theme::muted));
    item->setToolTip(Eye, hidden                 ? text("Hidden: show it (Space)")
                          : sight == Sight::Some ? text("Shown on some IPUs: show it on all (Space)")
                                                 : text("Shown: hide it (Space)"));
    const QString state = hidden                 ? text("hidden")
                          : sight == Sight::Some ? text("shown on some IPUs")
                                                 : text("shown");
    item->setData(Name, Qt::AccessibleTextRole, QStringLiteral("%1, %2").arg(name, state));
    if (hidden)
        item->setForeground(Name, Theme::of(this).muted);
    return item;
}

void LaneTree::setPinned(QTreeWidgetItem* item, bool pinned) {
    item->setData(Pin, pinned_role, true);
    item->setToolTip(Pin, pinned ? text("Pinned at the top: let it go (P)") : text("Pin it at the top (P)"));
    item->setIcon(Pin, pinned ? themeIcon(QStringLiteral("pinned"), &Theme::accent)
                              : themeIcon(QStringLiteral("pin"), &Theme::border));
    if (pinned)
        item->setData(Name, Qt::AccessibleTextRole,
                      text("%1, pinned").arg(item->data(Name, Qt::AccessibleTextRole).toString()));
}

LaneTree::Row LaneTree::rowOf(const QTreeWidgetItem* item) {
    Row row;
    if (const QVariant ipu = item->data(Name, ipu_role); ipu.isValid())
        row.ipu = ipu.toLongLong();
    if (const QVariant kind = item->data(Name, kind_role); kind.isValid())
        row.kind = static_cast<LaneKind>(kind.toInt());
    return row;
}

QTreeWidgetItem* LaneTree::find(const Row& row) const {
    for (QTreeWidgetItemIterator all(const_cast<LaneTree*>(this)); *all != nullptr; ++all) // NOLINT
        if (rowOf(*all) == row)
            return *all;
    return nullptr;
}

QRect LaneTree::eyeOf(const QTreeWidgetItem* item) const {
    const QRect row = visualItemRect(item);
    return {header()->sectionViewportPosition(Eye), row.top(), header()->sectionSize(Eye), row.height()};
}

/// IPUs among themselves, and lanes of one.
bool LaneTree::movable(const QTreeWidgetItem* item) {
    const Row row = rowOf(item);
    return row.kind ? item->parent() != nullptr : row.ipu.has_value();
}

QList<QTreeWidgetItem*> LaneTree::alike(const QTreeWidgetItem* item) const {
    QList<QTreeWidgetItem*> all;
    const int count = item->parent() != nullptr ? item->parent()->childCount() : topLevelItemCount();
    for (int i = 0; i < count; ++i) {
        QTreeWidgetItem* each = item->parent() != nullptr ? item->parent()->child(i) : topLevelItem(i);
        if (movable(each))
            all << each;
    }
    return all;
}

std::optional<LaneTree::Drop> LaneTree::dropAt(int y) const {
    std::optional<Drop> drop;
    for (QTreeWidgetItem* each : alike(pressed_)) {
        const QRect row = visualItemRect(each);
        int bottom = row.bottom();
        if (each->isExpanded() && each->childCount() > 0)
            bottom = visualItemRect(each->child(each->childCount() - 1)).bottom();
        if (y < (row.top() + bottom) / 2)
            return Drop{each, row.top()};
        drop = Drop{nullptr, bottom + 1};
    }
    return drop;
}

void LaneTree::keyPressEvent(QKeyEvent* event) {
    QTreeWidgetItem* item = currentItem();
    const bool up = event->key() == Qt::Key_Up;
    if (item == nullptr)
        return QTreeWidget::keyPressEvent(event);
    if (event->key() == Qt::Key_Space)
        return Q_EMIT eyeClicked(item);
    if (event->key() == Qt::Key_P && item->data(Pin, pinned_role).toBool())
        return Q_EMIT pinClicked(item);
    if (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Minus)
        return Q_EMIT heightWanted(item, event->key() == Qt::Key_Plus ? 1.25 : 0.8);
    if ((up || event->key() == Qt::Key_Down) && event->modifiers().testFlag(Qt::AltModifier)) {
        const auto among = alike(item);
        const qsizetype at = among.indexOf(item);
        if (movable(item) && (up ? at > 0 : at + 1 < among.size()))
            Q_EMIT movedBefore(item, up ? among[at - 1] : at + 2 < among.size() ? among[at + 2] : nullptr);
        return;
    }
    QTreeWidget::keyPressEvent(event);
}

void LaneTree::mousePressEvent(QMouseEvent* event) {
    QTreeWidgetItem* item = itemAt(event->pos());
    const int column = columnAt(event->pos().x());
    if (event->button() == Qt::LeftButton && item != nullptr && column == Eye)
        return Q_EMIT eyeClicked(item);
    if (event->button() == Qt::LeftButton && item != nullptr && column == Pin &&
        item->data(Pin, pinned_role).toBool())
        return Q_EMIT pinClicked(item);
    QTreeWidget::mousePressEvent(event);
    pressed_ = event->button() == Qt::LeftButton && item != nullptr && movable(item) ? item : nullptr;
    pressed_at_ = event->pos();
}

void LaneTree::mouseMoveEvent(QMouseEvent* event) {
    if (pressed_ == nullptr || !event->buttons().testFlag(Qt::LeftButton)) {
        const int column = columnAt(event->pos().x());
        viewport()->setCursor(column == Name || itemAt(event->pos()) == nullptr ? Qt::ArrowCursor
                                                                                : Qt::PointingHandCursor);
        return QTreeWidget::mouseMoveEvent(event);
    }
    if (!drop_ && (event->pos() - pressed_at_).manhattanLength() < QApplication::startDragDistance())
        return;
    scrollTo(indexAt({0, event->pos().y()})); // further ones come into sight
    drop_ = dropAt(event->pos().y());
    viewport()->setCursor(Qt::ClosedHandCursor);
    viewport()->update();
}

void LaneTree::mouseReleaseEvent(QMouseEvent* event) {
    QTreeWidgetItem* item = std::exchange(pressed_, nullptr);
    const auto drop = std::exchange(drop_, std::nullopt);
    viewport()->setCursor(Qt::ArrowCursor);
    viewport()->update();
    if (item != nullptr && drop)
        return Q_EMIT movedBefore(item, drop->before);
    QTreeWidget::mouseReleaseEvent(event);
}

void LaneTree::paintEvent(QPaintEvent* event) {
    QTreeWidget::paintEvent(event);
    if (!drop_)
        return;
    QPainter painter(viewport());
    painter.fillRect(QRect(0, drop_->y - 1, viewport()->width(), 2), Theme::of(this).accent);
}

} // namespace tilescope::ui
