// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/tile_balance.h"
#include "ui/widgets/class_bars.h"

#include <cstdint>
#include <vector>

namespace tilescope::ui {

/// How many tiles take how many cycles, with tiles that do nothing apart.
class TileHistogram : public ClassBars {
    Q_OBJECT
  public:
    explicit TileHistogram(QWidget* parent = nullptr);
    /// cycles[tile]; empty: there is nothing to show, and `why` says why.
    void setCycles(const std::vector<std::int64_t>& cycles, const QString& why);

  Q_SIGNALS:
    void chosen(const std::vector<std::int64_t>& tiles); ///< of a class
    void activated(const std::vector<std::int64_t>& tiles);

  private:
    analyse::TileBalance balance_;
};

} // namespace tilescope::ui
