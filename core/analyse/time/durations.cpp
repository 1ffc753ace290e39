// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/durations.h"

#include "analyse/program_time.h"
#include "analyse/replicas.h"
#include "base/try.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <vector>

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
        const std::int64_t first = group.begun_before(range.first);
        const std::int64_t end = group.begun_before(range.second - group.cycles + 1); // of those that fit
        if (first > 0)
            cut(group, first - 1);
        if (end <= first) {
            if (first < group.count)
                cut(group, first);
            continue;
        }
        const auto [place, added] = of_schedule.try_emplace({group.schedule_id, group.cycles}, result.size());
        const std::int64_t start = group.at(first).start_cycle;
        if (added)
            result.push_back({{start, start + group.cycles}, end - first});
        else
            result[place->second].count += end - first;
        if (end < group.count)
            cut(group, end);
    }
    return result;
}

/// How many passes of one thing take how long.
class Passes {
  public:
    /// The next of its program steps on an IPU.
    void take(const TraceSlice& step, const Range& range, std::int64_t ipu, std::int64_t count) {
        if (open_ && step.start_cycle == at_.second && step.step == step_ &&
            step.execution_id == execution_) {
            at_.second = step.end_cycle;
            return;
        }
        close(range, ipu, count);
        open_ = true;
        at_ = {step.start_cycle, step.end_cycle};
        step_ = step.step;
        execution_ = step.execution_id;
    }
    /// There are no more in this part of the time line.
    void close(const Range& range, std::int64_t ipu, std::int64_t count) {
        if (!std::exchange(open_, false) || at_.first < range.first || at_.second > range.second)
            return;
        const std::int64_t cycles = at_.second - at_.first;
        if (last_ == nullptr || last_->first != cycles) // mostly they are as long as the one before
            last_ = &*counts_.try_emplace(cycles, 0).first;
        last_->second += count;
        if (cycles > found_.longest) {
            found_.longest = cycles;
            found_.where = at_;
            found_.ipu = ipu;
        }
    }
    /// passes 0: there is none.
    Durations durations() const {
        Durations result = found_;
        double sum = 0;
        for (const auto& [cycles, count] : counts_) {
            result.passes += count;
            sum += static_cast<double>(cycles) * static_cast<double>(count);
        }
        if (result.passes == 0)
            return result;
        result.mean = sum / static_cast<double>(result.passes);
        result.p50 = nearest_rank(50, result.passes);
        result.p99 = nearest_rank(99, result.passes);
        return result;
    }

  private:
    std::int64_t nearest_rank(std::int64_t percent, std::int64_t all) const {
        const std::int64_t rank = (all * percent + 99) / 100;
        std::int64_t seen = 0;
        for (const auto& [cycles, count] : counts_)
            if ((seen += count) >= rank)
                return cycles;
        return counts_.rbegin()->first;
    }

    using Counts = std::map<std::int64_t, std::int64_t>; ///< by cycles
    Counts counts_;
    Counts::value_type* last_ = nullptr; ///< of these, that was counted last; it stays where it is
    Durations found_;
    bool open_ = false;
    Range at_{};
    std::int64_t step_ = -1;
    std::int64_t execution_ = -1;
};

/// By id, which are dense; an IPU runs few of all program steps.
class PassesById {
  public:
    Passes* at(std::int64_t id) {
        if (id < 0)
            return nullptr;
        const auto index = static_cast<std::size_t>(id);
        if (by_id_.size() <= index)
            by_id_.resize(index + 1, nullptr);
        if (by_id_[index] == nullptr)
            by_id_[index] = &all_.emplace_back();
        return by_id_[index];
    }
    std::deque<Passes>& all() { return all_; }
    std::map<std::int64_t, Durations> durations() const {
        std::map<std::int64_t, Durations> result;
        for (std::size_t id = 0; id < by_id_.size(); ++id)
            if (by_id_[id] != nullptr)
                if (const Durations found = by_id_[id]->durations(); found.passes > 0)
                    result[static_cast<std::int64_t>(id)] = found;
        return result;
    }

  private:
    std::deque<Passes> all_; ///< which stay where they are
    std::vector<Passes*> by_id_;
};

} // namespace

Result<RangeDurations> range_durations(const profile::Profile& profile, std::int64_t ipu, Range range) {
    TRY(const auto ipus, profile.ipus());
    TRY(auto groups, profile.execution_groups());
    if (groups.empty()) { // it was never run
        TRY(const auto planned, planned_execution(profile));
        if (planned)
            groups.push_back(*planned);
    }
    PassesById operations, layers, programs;
    for (const profile::IpuRecord& one : ipus) {
        const bool wanted = ipu == every_ipu ? first_like(one, ipus) == one.id : ipu == one.id;
        if (!wanted)
            continue;
        const std::int64_t alike =
            ipu != every_ipu ? 1 : std::count_if(ipus.begin(), ipus.end(), [&](const auto& other) {
                return first_like(other, ipus) == one.id;
            });
        for (Sample sample : samples(groups, range)) {
            sample.count *= alike; // replicas do the same
            TRY(profile.trace_steps(
                one.id, sample.range.first, sample.range.second, nullptr, [&](const TraceSlice& step) {
                    for (Passes* passes : {operations.at(step.operation_id), layers.at(step.layer_id),
                                           programs.at(step.program_id)})
                        if (passes != nullptr)
                            passes->take(step, range, one.id, sample.count);
                    return true;
                }));
            for (PassesById* kind : {&operations, &layers, &programs})
                for (Passes& passes : kind->all())
                    passes.close(range, one.id, sample.count);
        }
    }
    return RangeDurations{operations.durations(), layers.durations(), programs.durations()};
}

} // namespace tilescope::analyse
