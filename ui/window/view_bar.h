// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QToolBar;

namespace tilescope::ui {

/// What a bar has no room for, as a menu of its last button: with the words that it has in the bar.
class RestOfBar : public QObject {
    Q_OBJECT
  public:
    explicit RestOfBar(QToolBar* bar);

  protected:
    bool eventFilter(QObject* of, QEvent* event) override;

  private:
    void showMenu();
    QToolBar* bar_;
};

} // namespace tilescope::ui
