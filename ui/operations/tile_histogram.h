// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/class_bars.h"

#include <cstdint>
#include <vector>

namespace tilescope::ui {

/// How many tiles take how many cycles: twenty classes from 0 to the slowest, with tiles that do nothing
/// apart.
class TileHistogram : public ClassBars {
    Q_OBJECT
  public:
    explicit TileHistogram(QWidget* parent = nullptr);
    /// cycles[tile]; empty: there is nothing to show, and `why` says why.
    void setCycles(std::vector<std::int64_t> cycles, const QString& why);

  Q_SIGNALS:
    void chosen(const std::vector<std::int64_t>& tiles); ///< of a class
    void activated(const std::vector<std::int64_t>& tiles);

  private:
    std::vector<std::int64_t> tilesOf(std::size_t index) const;
    std::vector<std::int64_t> cycles_; ///< by tile
    std::vector<std::int64_t> counts_; ///< tiles by class
    std::int64_t slowest_ = 0;
};

} // namespace tilescope::ui
