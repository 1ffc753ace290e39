// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/graph/graph_coloring.h"

#include <QWidget>

namespace tilescope::ui {

/// The scale of colours of a graph: a swatch for each IPU or stage with its number, or a ramp with its ends.
class GraphScaleBar : public QWidget {
    Q_OBJECT
  public:
    using QWidget::QWidget;
    void setScale(const GraphScale& scale);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {40, sizeHint().height()}; }

  protected:
    void paintEvent(QPaintEvent*) override;

  private:
    bool ramp() const;
    GraphScale scale_;
};

} // namespace tilescope::ui
