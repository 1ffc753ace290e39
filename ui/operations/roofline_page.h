// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/roofline.h"

#include <QWidget>
#include <cstdint>
#include <optional>

namespace tilescope::ui {

class Legend;
class ScatterPlot;
class ThemedLabel;

/// What each operation reaches beside what its IPU could: in the colour of its phase (grey: it stands for
/// operations of several), as large as it takes cycles. The legend hides phases.
class RooflinePage : public QWidget {
    Q_OBJECT
  public:
    explicit RooflinePage(QWidget* parent = nullptr);
    void setRoofline(const std::optional<analyse::Roofline>& roofline); ///< nullopt: the file does not say
    void setChosen(std::int64_t operation);
    ScatterPlot* plot() const { return plot_; }

  Q_SIGNALS:
    void chosen(std::int64_t operation);

  private:
    void showPoints();
    bool has(std::optional<profile::Phase> phase) const;

    std::optional<analyse::Roofline> roofline_;
    ThemedLabel* note_;
    Legend* legend_;
    ScatterPlot* plot_;
};

} // namespace tilescope::ui
