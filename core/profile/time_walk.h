// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "time_tree.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

/// What is asked of the time line of an IPU: its steps one by one, pictures of it, and sums.
namespace tilescope::profile {

struct TimeRange {
    std::int64_t from = 0;
    std::int64_t to = 0;
};

/// Which program steps are wanted. Executions and steps within them are those from .first to .second.
struct StepFilter {
    TimeRange range{0, std::numeric_limits<std::int64_t>::max()};
    std::optional<std::vector<std::int64_t>> programs; ///< sorted
    std::pair<std::int64_t, std::int64_t> executions{0, std::numeric_limits<std::int64_t>::max()};
    std::pair<std::int64_t, std::int64_t> steps{0, std::numeric_limits<std::int64_t>::max()};
};

/// Goes through the program steps of a time line, and passes over what has none that is wanted.
class StepCursor {
  public:
    StepCursor(const std::vector<TimePart>& line, StepFilter filter);

    /// The next one (its cycles, execution, step and program; `ipu` stays 0); nullptr after the last.
    const TraceRecord* next();

  private:
    struct Frame {
        const std::vector<TimePart>* parts;
        std::int64_t begin; ///< of the node
        std::size_t part = 0;
        std::int64_t repeat = -1; ///< of the part: the one to go on with; -1: none yet
        std::int64_t execution = -1;
        std::int64_t step = 0;
    };
    /// The repeats of a part that may hold something wanted, as indexes from .first to .second.
    std::pair<std::int64_t, std::int64_t> wanted(const Frame& frame, const TimePart& part) const;
    bool holds_wanted(const TimePart& part);

    StepFilter filter_;
    std::unordered_map<const TimeNode*, bool> holding_; ///< nodes that were asked for, whether they hold any
    std::vector<Frame> stack_;
    TraceRecord record_;
};

/// Slices of the line over a range, neighbours merged where they are shorter than `resolution`.
std::vector<TraceSlice> picture(const std::vector<TimePart>& line, const StepKinds& kinds, TimeRange range,
                                std::int64_t resolution);

/// What a range was spent on, by kind and program.
std::vector<StepSum> sums_of(const std::vector<TimePart>& line, const StepKinds& kinds, TimeRange range);

/// The repeats that a cycle of the line lies in, the outermost first.
std::vector<TraceRepeats> repeats_at(const std::vector<TimePart>& line, std::int64_t at);

/// The repeats of a part that overlap a range, as indexes from .first to .second (none: .second < .first);
/// `begin` is the start of the first one.
std::pair<std::int64_t, std::int64_t> overlapping(const TimePart& part, std::int64_t begin, TimeRange range);

} // namespace tilescope::profile
