// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace tilescope::ui {

/// Makes a widget half as strong while what it shows is of what was asked before. Costs one rectangle in a
/// picture, where a graphics effect has the widget drawn to a picture of its own first. Starts hidden.
class Veil : public QWidget {
    Q_OBJECT
  public:
    explicit Veil(QWidget* over); ///< which owns it

  protected:
    bool eventFilter(QObject* of, QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
};

} // namespace tilescope::ui
