// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace tilescope::analyse {

/// What of an IPU is told over time, beside what its time is spent on.
enum class Counter {
    LiveBytes,    ///< bytes that are live over all its tiles, while a program step runs
    ExchangeRate, ///< bytes per cycle over its exchange: between its tiles, with other IPUs and the host
    FlopRate,     ///< floating-point operations per cycle
    BusyTiles     ///< share of the tiles that compute
};
inline constexpr std::array<Counter, 4> counters = {Counter::LiveBytes, Counter::ExchangeRate,
                                                    Counter::FlopRate, Counter::BusyTiles};

/// The figures of program steps behind the counters. Exchanges move their bytes evenly over their phase; the
/// floating-point operations of an operation go evenly over the cycles in which its steps compute; and while
/// a compute set runs, the share of its tiles that do is its balance. Not known are live bytes, bytes
/// exchanged and busy tiles of steps of a program that the profile does not describe.
class Counters {
  public:
    /// Errors: those of reading the profile.
    static Result<Counters> read(const profile::Profile& profile);

    const profile::StepFigure& figure(Counter counter, std::int64_t ipu) const;
    /// The most that it is per cycle, of all IPUs over the whole time line: what a scale ends with. 0: it is
    /// not known of any step that ran.
    double most(Counter counter) const { return most_[static_cast<std::size_t>(counter)]; }

  private:
    profile::StepFigure bytes_, flops_, busy_;
    /// By IPU; those of replicas, which do the same, are one.
    std::map<std::int64_t, std::shared_ptr<const profile::StepFigure>> live_;
    std::array<double, counters.size()> most_{};
};

/// Of [begin, end) of stretches of `width` cycles from `from` on, as near as these tell: of a stretch that it
/// cuts its share.
profile::FigureSum figure_over(const std::vector<profile::FigureSum>& stretches, std::int64_t from,
                               std::int64_t width, double begin, double end);

} // namespace tilescope::analyse
