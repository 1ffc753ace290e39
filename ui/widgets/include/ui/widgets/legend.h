// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/chart_style.h"

#include <QBrush>
#include <QString>
#include <QWidget>
#include <functional>
#include <vector>

namespace tilescope::ui {

/// Colours or hatches with their names, in one line, or in several where there is no room for one.
class Legend : public QWidget {
    Q_OBJECT
  public:
    struct Entry {
        QString name;
        QBrush brush;
        /// Where it is not a square that is filled: what it looks like in a box that is twice as wide.
        std::function<void(QPainter& painter, const QRectF& box)> draw = {};
    };
    /// `entries` is asked at each painting, so that the colours follow the theme.
    explicit Legend(std::vector<Entry> (*entries)(const ChartStyle&), QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

  protected:
    void paintEvent(QPaintEvent*) override;

  private:
    int swatchWidth(const Entry& entry) const;
    std::vector<QRect> places(const std::vector<Entry>& entries, int width) const;

    std::vector<Entry> (*entries_)(const ChartStyle&);
};

/// The phases of the clock.
std::vector<Legend::Entry> phaseEntries(const ChartStyle& style);

} // namespace tilescope::ui
