// SPDX-License-Identifier: GPL-3.0-or-later
#include "time_walk.h"

#include <algorithm>
#include <utility>

namespace tilescope::profile {
namespace {

/// Division that rounds down.
std::int64_t down(std::int64_t a, std::int64_t b) {
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

} // namespace

std::pair<std::int64_t, std::int64_t> overlapping(const TimePart& part, std::int64_t begin, TimeRange range) {
    if (range.from >= range.to || begin >= range.to)
        return {0, -1};
    // What takes no time is in the range in which it begins.
    const std::int64_t length = std::max<std::int64_t>(part.length, 1);
    if (part.repeats == 1)
        return begin + length <= range.from ? std::pair<std::int64_t, std::int64_t>{0, -1}
                                            : std::pair<std::int64_t, std::int64_t>{0, 0};
    const std::int64_t period = std::max<std::int64_t>(part.period, 1); // 0 on the host only
    const std::int64_t first =
        begin + length > range.from ? 0 : down(range.from - begin - length, period) + 1;
    const std::int64_t last = down(range.to - 1 - begin, period);
    return {first, std::min(last, part.repeats - 1)};
}

std::vector<TraceRepeats> repeats_at(const std::vector<TimePart>& line, std::int64_t at) {
    std::vector<TraceRepeats> repeats;
    const auto* parts = &line;
    for (std::int64_t begin = 0; parts != nullptr;) {
        const auto* inner = std::exchange(parts, nullptr);
        const auto part = std::find_if(inner->begin(), inner->end(), [&](const TimePart& each) {
            return begin + each.start <= at && at < begin + each.end();
        });
        if (part == inner->end())
            break;
        begin += part->start;
        if (part->repeats > 1)
            repeats.push_back({begin, part->period, part->repeats});
        if (part->kind == TimePart::Kind::Node) {
            begin += overlapping(*part, begin, {at, at + 1}).first * part->period;
            parts = &part->node->parts;
        }
    }
    return repeats;
}

StepCursor::StepCursor(const std::vector<TimePart>& line, StepFilter filter) : filter_(std::move(filter)) {
    stack_.push_back({&line, 0, 0, -1, -1, 0});
    if (line.size() > 1 && filter_.range.from > 0) { // executions follow each other
        const auto found = std::partition_point(
            line.begin(), line.end(), [&](const TimePart& part) { return part.end() <= filter_.range.from; });
        stack_.back().part = static_cast<std::size_t>(found - line.begin());
    }
}

bool StepCursor::holds_wanted(const TimePart& part) {
    if (part.kind == TimePart::Kind::Step)
        return !filter_.programs ||
               std::binary_search(filter_.programs->begin(), filter_.programs->end(), part.program_id);
    if (part.kind != TimePart::Kind::Node)
        return false;
    if (!filter_.programs)
        return true;
    if (const auto known = holding_.find(part.node.get()); known != holding_.end())
        return known->second;
    const bool holds = std::any_of(part.node->parts.begin(), part.node->parts.end(),
                                   [&](const TimePart& inner) { return holds_wanted(inner); });
    holding_.emplace(part.node.get(), holds);
    return holds;
}

std::pair<std::int64_t, std::int64_t> StepCursor::wanted(const Frame& frame, const TimePart& part) const {
    auto [first, last] = overlapping(part, frame.begin + part.start, filter_.range);
    const auto within = [&, &low = first,
                         &high = last](const std::pair<std::int64_t, std::int64_t>& numbers) {
        low = std::max(low, numbers.first - part.first);
        high = std::min(high, numbers.second - part.first);
    };
    if (part.numbers == TimePart::Numbers::Executions)
        within(filter_.executions);
    if (part.numbers == TimePart::Numbers::Steps)
        within(filter_.steps);
    return {first, last};
}

const TraceRecord* StepCursor::next() {
    while (!stack_.empty()) {
        Frame& frame = stack_.back();
        if (frame.part == frame.parts->size()) {
            stack_.pop_back();
            continue;
        }
        const TimePart& part = (*frame.parts)[frame.part];
        const auto [first, last] = wanted(frame, part);
        const bool skipped = frame.repeat < 0 && (first > last || !holds_wanted(part));
        const std::int64_t repeat = std::max(frame.repeat, first);
        if (skipped || repeat > last) {
            ++frame.part;
            frame.repeat = -1;
            continue;
        }
        frame.repeat = repeat + 1;
        const std::int64_t start = frame.begin + part.start + repeat * part.period;
        const std::int64_t number = part.first + repeat;
        const std::int64_t execution =
            part.numbers == TimePart::Numbers::Executions ? number : frame.execution;
        const std::int64_t step = part.numbers == TimePart::Numbers::Steps ? number : frame.step;
        if (part.kind == TimePart::Kind::Node) {
            stack_.push_back({&part.node->parts, start, 0, -1, execution, step});
            continue;
        }
        record_ = {
            execution,          step, part.program_id, 0, start, part.cycles.sync, part.cycles.exchange,
            part.cycles.compute};
        return &record_;
    }
    return nullptr;
}

namespace {

/// Neighbours are added up as long as the sum is shorter than `resolution`.
class Merger {
  public:
    /// Of two neighbours the sum is no shorter than that, so that it is known how many there are at most:
    /// room that is not used costs less than to move what is there as it grows.
    Merger(TimeRange range, std::int64_t resolution) : resolution_(resolution) {
        constexpr std::uint64_t most_at_once = 32768;
        const auto span = range.to > range.from
                              ? static_cast<std::uint64_t>(range.to) - static_cast<std::uint64_t>(range.from)
                              : 0;
        slices_.reserve(
            std::min(most_at_once,
                     2 * (span / static_cast<std::uint64_t>(std::max<std::int64_t>(resolution, 1))) + 2));
    }

    void add(const TraceSlice& slice) {
        if (slices_.empty() || slice.end_cycle - slices_.back().start_cycle >= resolution_ ||
            slice.start_cycle != slices_.back().end_cycle || slice.traced != slices_.back().traced)
            slices_.push_back(slice);
        else
            join(slices_.back(), slice);
    }
    std::vector<TraceSlice> take() { return std::move(slices_); }

  private:
    std::int64_t resolution_;
    std::vector<TraceSlice> slices_;
};

/// Goes down to parts that are long enough to be seen, and adds up the others as they are: so a picture costs
/// its width, not the number of steps.
class Painter {
  public:
    Painter(const StepKinds& kinds, TimeRange range, std::int64_t resolution)
        : kinds_(kinds), range_(range), resolution_(resolution), merger_(range, resolution) {}

    void paint(const std::vector<TimePart>& parts, std::int64_t begin, std::int64_t execution,
               std::int64_t step) {
        for (const TimePart& part : parts) {
            const std::int64_t start = begin + part.start;
            const auto [first, last] = overlapping(part, start, range_);
            if (first > last)
                continue;
            const std::int64_t whole = part.end() - part.start;
            if (resolution_ > 1 && whole < resolution_)
                give(part, start, 0, part.repeats, execution, step);
            else if (resolution_ > 1 && part.length < resolution_ && part.repeats > 1)
                together(part, start, first, last, execution, step);
            else
                for (std::int64_t i = first; i <= last; ++i)
                    one(part, start, i, execution, step);
        }
    }
    std::vector<TraceSlice> take() { return merger_.take(); }

  private:
    void give(const TimePart& part, std::int64_t start, std::int64_t index, std::int64_t count,
              std::int64_t execution, std::int64_t step) {
        TraceSlice slice = slice_of(part, kinds_, start + index * part.period, index, count);
        if (slice.execution_id == outer)
            slice.execution_id = execution;
        if (slice.step == outer)
            slice.step = step;
        merger_.add(slice);
    }

    /// As many repeats at once as are shorter than the resolution.
    void together(const TimePart& part, std::int64_t start, std::int64_t first, std::int64_t last,
                  std::int64_t execution, std::int64_t step) {
        const std::int64_t most = 1 + (resolution_ - 1 - part.length) / part.period;
        for (std::int64_t i = first - first % most; i <= last; i += most)
            give(part, start, i, std::min(most, part.repeats - i), execution, step);
    }

    void one(const TimePart& part, std::int64_t start, std::int64_t index, std::int64_t execution,
             std::int64_t step) {
        if (part.kind != TimePart::Kind::Node) {
            give(part, start, index, 1, execution, step);
            return;
        }
        const std::int64_t number = part.first + index;
        paint(part.node->parts, start + index * part.period,
              part.numbers == TimePart::Numbers::Executions ? number : execution,
              part.numbers == TimePart::Numbers::Steps ? number : step);
    }

    const StepKinds& kinds_;
    TimeRange range_;
    std::int64_t resolution_;
    Merger merger_;
};

} // namespace

std::vector<TraceSlice> picture(const std::vector<TimePart>& line, const StepKinds& kinds, TimeRange range,
                                std::int64_t resolution) {
    Painter painter(kinds, range, resolution);
    painter.paint(line, 0, -1, -1);
    return painter.take();
}

} // namespace tilescope::profile
