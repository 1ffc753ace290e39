// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"

#include <QString>
#include <QWidget>
#include <vector>

namespace tilescope::ui {

/// Parts of a whole as one horizontal bar with a legend under it; with a base, a second bar under the first.
class ShareBar : public QWidget {
    Q_OBJECT
  public:
    struct Part {
        QString name;
        ThemeColor color = &Theme::text;
        double value = 0;
        QString text;    ///< of the value, in the legend
        double base = 0; ///< the value there
    };
    explicit ShareBar(QWidget* parent = nullptr);
    /// `now`, `base`: what the two bars are of; without them there is one.
    void setParts(std::vector<Part> parts, const QString& now = {}, const QString& base = {});
    const std::vector<Part>& parts() const { return parts_; }
    QSize sizeHint() const override; ///< as high as the legend needs at the width that it has
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

  protected:
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override;

  private:
    /// Calls `visit(part, text, left, top)` for each entry of the legend; gives the end of the last line.
    template<class Visit>
    int eachEntry(const Visit& visit) const;
    void paintBar(QPainter& painter, double top, const QString& name, double Part::*value) const;
    int legendTop() const;
    int nameWidth() const; ///< of the bars' names and the room behind them
    std::vector<Part> parts_;
    QString now_, base_;
    int legend_end_ = 0; ///< as the layout last heard
};

} // namespace tilescope::ui
