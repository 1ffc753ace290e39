// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace tilescope::ui {

/// What the shapes and colours of a drawing stand for.
class GraphLegend : public QWidget {
    Q_OBJECT
  public:
    explicit GraphLegend(QWidget* parent = nullptr);
    QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent*) override;
};

} // namespace tilescope::ui
