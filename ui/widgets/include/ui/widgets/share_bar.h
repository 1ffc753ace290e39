// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"

#include <QString>
#include <QWidget>
#include <vector>

namespace tilescope::ui {

/// Parts of a whole as one horizontal bar with a legend under it.
class ShareBar : public QWidget {
    Q_OBJECT
  public:
    struct Part {
        QString name;
        ThemeColor color = &Theme::text;
        double value = 0;
        QString text; ///< of the value, in the legend
    };
    explicit ShareBar(QWidget* parent = nullptr);
    void setParts(std::vector<Part> parts);
    const std::vector<Part>& parts() const { return parts_; }
    QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent*) override;

  private:
    std::vector<Part> parts_;
};

} // namespace tilescope::ui
