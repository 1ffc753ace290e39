// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

namespace tilescope::ui {

/// The tip that is shown, held where it is until Esc or a click elsewhere: its text can be read out, chosen
/// and copied.
class HeldTip : public QFrame {
    Q_OBJECT
  public:
    /// Shows it; false: no tip is shown.
    static bool hold(QWidget* window);

  private:
    HeldTip(const QString& text, const QPoint& at, QWidget* window);
};

} // namespace tilescope::ui
