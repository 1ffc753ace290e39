// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/liveness.h"

#include <cstdint>
#include <memory>
#include <utility>

namespace tilescope::ui {

/// Where program steps stand on an axis: each as wide as the others, or as long as one of its runs takes
/// (Liveness::starts).
class StepAxis {
  public:
    using Data = std::shared_ptr<const analyse::Liveness>;
    StepAxis() = default;
    /// Steps alone where it is not known how long they take.
    StepAxis(Data live, bool by_time)
        : live_(std::move(live)), by_time_(by_time && live_ && live_->pass_cycles() > 0) {}
    bool byTime() const { return by_time_; } ///< in cycles, else in steps
    double at(double step) const;            ///< 7.5: the middle of step 7
    double begin(std::int64_t step) const { return at(static_cast<double>(step)); }
    double end(std::int64_t step) const { return at(static_cast<double>(step + 1)); }
    double middle(std::int64_t step) const { return (begin(step) + end(step)) / 2; }
    double stepAt(double at) const; ///< the other way round; within the steps where it is by time
    /// Index of the point there, the last that begins at it or before; -1: there are none.
    std::int64_t pointAt(double at) const;
    /// Those that any of [from, to) is of, from the first to behind the last, also what takes no time; of
    /// none both are the same.
    std::pair<std::size_t, std::size_t> points(double from, double to) const;
    std::int64_t first() const; ///< where the axis begins, and ends
    std::int64_t last() const;

  private:
    Data live_;
    bool by_time_ = false;
};

} // namespace tilescope::ui
