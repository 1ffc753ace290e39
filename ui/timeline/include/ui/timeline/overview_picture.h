// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/time_stack.h"
#include "ui/timeline/timeline_lane.h"

#include <QImage>
#include <QSize>
#include <cstdint>
#include <utility>
#include <vector>

namespace tilescope::ui {

struct ChartStyle;

/// All of a time line in one strip. It is the same in each frame of a move, and kept until something of it
/// changes.
class OverviewPicture {
  public:
    void set(std::vector<OverviewPiece> pieces, std::int64_t ipus); ///< whose time the pieces add up
    /// `size`: pixels of the device.
    const QImage& image(std::pair<std::int64_t, std::int64_t> limits, const QSize& size,
                        const ChartStyle& style);

  private:
    struct Look {
        std::pair<std::int64_t, std::int64_t> limits;
        QSize size;
        TimeStack::Colors phases, activities;
        bool operator==(const Look&) const = default;
    };
    void draw(const Look& look, const ChartStyle& style);

    std::vector<OverviewPiece> pieces_;
    std::int64_t ipus_ = 1;
    Look look_;
    QImage image_; ///< null: of none yet
};

} // namespace tilescope::ui
