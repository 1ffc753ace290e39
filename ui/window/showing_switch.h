// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/history.h"

#include <QWidget>

class QButtonGroup;

namespace tilescope::ui {

/// New, base, both or the difference: what views show of two files.
class ShowingSwitch : public QWidget {
    Q_OBJECT
  public:
    explicit ShowingSwitch(QWidget* parent = nullptr);
    void setCurrent(Showing showing);

  Q_SIGNALS:
    void chosen(tilescope::ui::Showing showing);

  private:
    QButtonGroup* buttons_;
};

} // namespace tilescope::ui
