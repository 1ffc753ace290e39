// SPDX-License-Identifier: GPL-3.0-or-later
#include "time_walk.h"

#include <algorithm>
#include <cmath>

/// Sums along the time line. What a range covers whole counts with the sum that is kept with it; only at the
/// two ends are parts looked into.
namespace tilescope::profile {
namespace {

constexpr auto in_order = {&PhaseCycles::sync, &PhaseCycles::exchange, &PhaseCycles::inter_ipu,
                           &PhaseCycles::host, &PhaseCycles::compute,  &PhaseCycles::waiting};

/// What of a part that is no node, begun at `start`, lies in a range. The phases of a program step follow
/// each other; those of an execution count by the share of it.
PhaseCycles within(const TimePart& part, const PhaseCycles& cycles, std::int64_t start, TimeRange range) {
    const std::int64_t end = start + part.length;
    if (start >= range.from && end <= range.to)
        return cycles;
    PhaseCycles inside;
    const std::int64_t seen = std::min(range.to, end) - std::max(range.from, start);
    const double share = static_cast<double>(seen) / static_cast<double>(part.length);
    std::int64_t at = start;
    for (const auto phase : in_order) {
        const std::int64_t length = cycles.*phase;
        inside.*phase =
            part.kind == TimePart::Kind::Untraced
                ? std::llround(static_cast<double>(length) * share)
                : std::max<std::int64_t>(0, std::min(range.to, at + length) - std::max(range.from, at));
        at += length;
    }
    return inside;
}

class Summer {
  public:
    explicit Summer(const StepKinds& kinds) : kinds_(kinds) {}

    void add(const StepSum& sum, std::int64_t times) {
        StepSum& total =
            sums_.try_emplace({sum.kind, sum.program_id}, StepSum{sum.kind, sum.program_id}).first->second;
        total.cycles += sum.cycles.times(times);
        total.runs += sum.runs * times;
        total.longest = std::max(total.longest, sum.longest);
    }

    /// Repeats `count` of a part that are wholly in the range.
    void add_whole(const TimePart& part, std::int64_t count) {
        if (count <= 0)
            return;
        if (part.kind != TimePart::Kind::Node) {
            add(leaf(part), count);
            return;
        }
        const TimeNode& node = *part.node;
        keep_sums(node);
        for (const StepSum& sum : node.sums)
            add(sum, count);
        if (node.sums.empty())
            for (const TimePart& inner : node.parts)
                add_whole(inner, inner.repeats * count);
    }

    void add(const std::vector<TimePart>& parts, std::int64_t begin, TimeRange range) {
        for (const TimePart& part : parts) {
            const std::int64_t start = begin + part.start;
            const auto [first, last] = overlapping(part, start, range);
            if (first > last)
                continue;
            const auto cut = [&](std::int64_t i) {
                return start + i * part.period < range.from ||
                       start + i * part.period + part.length > range.to;
            };
            const bool first_cut = cut(first);
            const bool last_cut = last > first && cut(last);
            add_whole(part, last - first + 1 - (first_cut ? 1 : 0) - (last_cut ? 1 : 0));
            if (first_cut)
                add_cut(part, start + first * part.period, range);
            if (last_cut)
                add_cut(part, start + last * part.period, range);
        }
    }

    std::vector<StepSum> take() {
        std::vector<StepSum> result;
        result.reserve(sums_.size());
        for (const auto& [key, sum] : sums_)
            result.push_back(sum);
        return result;
    }

  private:
    /// Where most of a node's steps are of different programs, its sums are about as many as those of its
    /// parts: they would double the memory at each level of the tree, and save nothing.
    void keep_sums(const TimeNode& node) const {
        if (node.sums_read > 0)
            return;
        Summer own(kinds_);
        for (const TimePart& part : node.parts) {
            own.add_whole(part, part.repeats);
            node.sums_read += part.kind == TimePart::Kind::Node ? part.node->sums_read : 1;
        }
        if (2 * own.sums_.size() > node.sums_read)
            return;
        node.sums = own.take();
        node.sums_read = node.sums.size();
    }

    StepSum leaf(const TimePart& part) const {
        const TraceSlice slice = slice_of(part, kinds_, 0, 0, 1);
        const bool step = part.kind == TimePart::Kind::Step;
        return {part.kind, step ? part.program_id : -1, slice.cycles, slice.merged, step ? part.length : 0};
    }

    void add_cut(const TimePart& part, std::int64_t start, TimeRange range) {
        if (part.kind == TimePart::Kind::Node) {
            add(part.node->parts, start, range);
            return;
        }
        StepSum sum = leaf(part);
        sum.cycles = within(part, sum.cycles, start, range);
        add(sum, 1);
    }

    const StepKinds& kinds_;
    StepSums sums_;
};

} // namespace

std::vector<StepSum> sums_of(const std::vector<TimePart>& line, const StepKinds& kinds, TimeRange range) {
    Summer summer(kinds);
    summer.add(line, 0, range);
    return summer.take();
}

void SliceFigures::add(const SliceFigures& next) {
    cycles += next.cycles;
    if (next.merged == 0)
        return;
    if (merged == 0 || next.longest_cycles > longest_cycles) {
        longest = next.longest;
        longest_cycles = next.longest_cycles;
    }
    merged += next.merged;
    activities += next.activities;
}

void join(TraceSlice& sum, const TraceSlice& next) {
    if (sum.merged == 0) {
        const TraceSlice before = sum;
        sum = next;
        static_cast<SliceFigures&>(sum) = before;
        sum.add(next);
        sum.start_cycle = before.start_cycle;
        sum.program_id = -1;
        if (before.execution_id != next.execution_id)
            sum.execution_id = sum.step = -1;
        return;
    }
    sum.end_cycle = next.end_cycle;
    sum.add(next);
    sum.program_id = -1;
    if (sum.execution_id != next.execution_id)
        sum.execution_id = sum.step = -1;
    if (next.merged == 0)
        return;
    if (sum.step != next.step)
        sum.step = -1;
    if (sum.operation_id != next.operation_id)
        sum.operation_id = several;
    if (sum.layer_id != next.layer_id)
        sum.layer_id = several;
}

} // namespace tilescope::profile
