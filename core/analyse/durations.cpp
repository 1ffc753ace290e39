// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/durations.h"

#include "base/try.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tilescope::analyse {
namespace {

using profile::ExecutionGroupRecord;
using profile::TraceSlice;

/// A part of the time line that stands for `count` alike. One that a range cuts has a cycle more on that
/// side, so that what goes on beyond is seen to do so.
struct Sample {
    Range range;
    std::int64_t count = 1;
};

/// What is walked in place of `range`: an execution of each schedule for all of those that lie within it,
/// and those that it cuts.
std::vector<Sample> samples(const std::vector<ExecutionGroupRecord>& groups, const Range& range) {
    std::vector<Sample> result;
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> of_schedule; // and length
    const auto cut = [&](const ExecutionGroupRecord& group, std::int64_t index) {
        const auto execution = group.at(index);
        const Range inner{std::max(range.first - 1, execution.start_cycle),
                          std::min(range.second + 1, execution.start_cycle + execution.cycles)};
        if (inner.first < inner.second)
            result.push_back({inner, 1});
    };
    for (const ExecutionGroupRecord& group : groups) {
        const std::int64_t period = std::max<std::int64_t>(1, group.period_cycles);
        const auto index_from = [&](std::int64_t cycle) { // the first that begins there or later
            return std::clamp<std::int64_t>((cycle - group.start_cycle + period - 1) / period, 0,
                                            group.count);
        };
        const std::int64_t first = range.first <= group.start_cycle ? 0 : index_from(range.first);
        const std::int64_t fit = range.second - group.cycles - group.start_cycle; // where the last may begin
        const std::int64_t end = fit < 0 ? 0 : std::min(group.count, fit / period + 1);
        if (first > 0)
            cut(group, first - 1);
        if (end <= first) {
            if (first < group.count)
                cut(group, first);
            continue;
        }
        const auto [place, added] = of_schedule.try_emplace({group.schedule_id, group.cycles}, result.size());
        const std::int64_t start = group.start_cycle + first * period;
        if (added)
            result.push_back({{start, start + group.cycles}, end - first});
        else
            result[place->second].count += end - first;
        if (end < group.count)
            cut(group, end);
    }
    return result;
}

/// Counts how many passes take how long.
class Passes {
  public:
    Passes(const Range& range, std::int64_t ipu) : range_(range), ipu_(ipu) {}
    void take(const TraceSlice& step, std::int64_t count) {
        if (open_ && step.start_cycle == at_.second && step.step == step_ &&
            step.execution_id == execution_) {
            at_.second = step.end_cycle;
            return;
        }
        close(count);
        open_ = true;
        at_ = {step.start_cycle, step.end_cycle};
        step_ = step.step;
        execution_ = step.execution_id;
        program_ = step.program_id;
    }
    void close(std::int64_t count) {
        if (std::exchange(open_, false) && at_.first >= range_.first && at_.second <= range_.second) {
            counts[at_.second - at_.first] += count;
            if (at_.second - at_.first > longest.longest)
                longest = {0, 0, 0, 0, at_.second - at_.first, at_, ipu_, program_};
        }
    }
    std::map<std::int64_t, std::int64_t> counts; ///< by cycles
    Durations longest;

  private:
    Range range_;
    std::int64_t ipu_;
    bool open_ = false;
    Range at_{};
    std::int64_t step_ = -1;
    std::int64_t execution_ = -1;
    std::int64_t program_ = -1;
};

std::int64_t nearest_rank(const std::map<std::int64_t, std::int64_t>& counts, std::int64_t percent,
                          std::int64_t all) {
    const std::int64_t rank = (all * percent + 99) / 100;
    std::int64_t seen = 0;
    for (const auto& [cycles, count] : counts)
        if ((seen += count) >= rank)
            return cycles;
    return counts.rbegin()->first;
}

} // namespace

Result<std::optional<Durations>> durations(const profile::Profile& profile, std::int64_t ipu, Range range,
                                           const std::vector<std::int64_t>& steps) {
    TRY(const auto ipus, profile.ipus());
    TRY(const auto groups, profile.execution_groups());
    Durations result;
    std::map<std::int64_t, std::int64_t> counts;
    for (const profile::IpuRecord& one : ipus) {
        if (ipu != every_ipu && ipu != one.id)
            continue;
        Passes passes(range, one.id);
        for (const Sample& sample : samples(groups, range)) {
            TRY(profile.trace_steps(one.id, sample.range.first, sample.range.second, &steps,
                                    [&](const TraceSlice& step) {
                                        passes.take(step, sample.count);
                                        return true;
                                    }));
            passes.close(sample.count);
        }
        for (const auto& [cycles, count] : passes.counts)
            counts[cycles] += count;
        if (passes.longest.longest > result.longest)
            result = passes.longest;
    }
    double sum = 0;
    for (const auto& [cycles, count] : counts) {
        result.passes += count;
        sum += static_cast<double>(cycles) * static_cast<double>(count);
    }
    if (result.passes == 0)
        return std::optional<Durations>();
    result.mean = sum / static_cast<double>(result.passes);
    result.p50 = nearest_rank(counts, 50, result.passes);
    result.p99 = nearest_rank(counts, 99, result.passes);
    return std::optional(result);
}

} // namespace tilescope::analyse
