// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTreeView>

namespace tilescope::ui {

/// A tree whose first column stays where it is when the others are scrolled sideways.
class FrozenTree : public QTreeView {
    Q_OBJECT
  public:
    explicit FrozenTree(QWidget* parent = nullptr);

  protected:
    void drawRow(QPainter* painter, const QStyleOptionViewItem& option,
                 const QModelIndex& index) const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
};

} // namespace tilescope::ui
