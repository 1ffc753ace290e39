// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

namespace tilescope::ui {

/// A table whose first column stays where it is when the others are scrolled sideways.
class FrozenTable : public QTableView {
    Q_OBJECT
  public:
    explicit FrozenTable(QWidget* parent = nullptr);
    QModelIndex indexAt(const QPoint& at) const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    bool away() const; ///< the first column was scrolled, in part or whole
};

} // namespace tilescope::ui
