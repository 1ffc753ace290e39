// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace tilescope::ui {

/// The colours of the phases of the clock, named.
class PhaseLegend : public QWidget {
    Q_OBJECT
  public:
    explicit PhaseLegend(QWidget* parent = nullptr);
    QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent*) override;
};

} // namespace tilescope::ui
