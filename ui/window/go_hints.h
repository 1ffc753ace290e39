// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/all_views.h"

#include <QFrame>
#include <QList>
#include <QTimer>

namespace tilescope::ui {

/// What the letter after G leads to: shown over the window a moment after G was pressed, until the next key
/// or click.
class GoHints : public QFrame {
    Q_OBJECT
  public:
    GoHints(const QList<ViewPlace>& places, QWidget* window);
    static constexpr int after_ms = 400;

  protected:
    bool eventFilter(QObject* of, QEvent* event) override;

  private:
    void appear();
    void end();
    QTimer wait_;
};

} // namespace tilescope::ui
