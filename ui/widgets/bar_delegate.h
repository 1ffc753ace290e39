// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRect>
#include <QStyledItemDelegate>

namespace tilescope::ui {

/// Where the arrow of a row that holds others is; names begin right of it.
QRect arrowPlace(const QRect& cell);

/// Draws a soft bar behind the numbers of a bar column, and how a row is folded before its name. Of a path
/// that is cut the middle goes, of a sentence the end.
class BarDelegate : public QStyledItemDelegate {
    Q_OBJECT
  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

  protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

} // namespace tilescope::ui
