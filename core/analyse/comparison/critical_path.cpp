// SPDX-License-Identifier: GPL-3.0-or-later
#include "critical_path.h"

#include "base/try.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace tilescope::analyse {
namespace {

/// The program steps of one round of an engine run, which other rounds repeat.
struct Round {
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::int64_t repeats = 1;
};

/// Of the first engine run of the program that is described: each kind of its rounds.
Result<std::vector<Round>> rounds_of(const profile::Profile& profile) {
    TRY(const auto spans, profile.schedule_spans());
    TRY(const auto groups, profile.execution_groups());
    std::vector<Round> rounds;
    for (const profile::ScheduleSpan& span : spans)
        for (const profile::ExecutionGroupRecord& group : groups) {
            if (span.device_program_id != 0 || group.schedule_id != span.schedule_id || span.updates <= 0)
                continue;
            for (const profile::ScheduleSpan::Turns& turns : span.turns) {
                const std::int64_t start = group.start_cycle + turns.start_cycle;
                rounds.push_back({start,
                                  turns.cycles > 0 ? start + turns.cycles : group.start_cycle + group.cycles,
                                  turns.count});
            }
            return rounds;
        }
    return rounds;
}

struct Step {
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::int64_t compute = 0;
    std::int64_t operation = -1;
};

/// The steps of an IPU from the last one back. A round may have millions, of which only those on the path are
/// looked at: they are read a stretch at a time.
class WayBack {
  public:
    WayBack(const profile::Profile& profile, const Round& round, std::int64_t ipu)
        : profile_(profile), round_(round), ipu_(ipu),
          span_(std::max<std::int64_t>(1, (round.end - round.start) / 256)) {}
    std::int64_t ipu() const { return ipu_; }
    /// The one that ends at `time`, which comes before all that were asked for, and takes any; or null.
    Result<const Step*> ending(std::int64_t time) {
        if (time <= from_ || time > to_) {
            TRY(read(time));
        }
        while (!steps_.empty() && steps_.back().end > time)
            steps_.pop_back();
        return steps_.empty() || steps_.back().end != time ? nullptr : &steps_.back();
    }

  private:
    Result<void> read(std::int64_t time) {
        constexpr std::size_t most = 16384; // steps at once, about
        from_ = std::max(round_.start, time - span_);
        to_ = time;
        steps_.clear();
        TRY(profile_.trace_steps(ipu_, from_, to_, nullptr, [this](const profile::TraceSlice& slice) {
            if (slice.end_cycle > slice.start_cycle)
                steps_.push_back(
                    {slice.start_cycle, slice.end_cycle, slice.cycles.compute, slice.operation_id});
            return true;
        }));
        if (steps_.size() > most)
            span_ = std::max<std::int64_t>(1, span_ / 2);
        else if (steps_.size() < most / 4 && span_ < round_.end - round_.start)
            span_ *= 2;
        return {};
    }

    const profile::Profile& profile_;
    const Round& round_;
    std::int64_t ipu_;
    std::int64_t span_;              ///< of a stretch, cycles
    std::int64_t from_ = 0, to_ = 0; ///< of the one that was read
    std::vector<Step> steps_;        ///< of it, but for those that were passed
};

Result<std::vector<WayBack>> ways_back(const profile::Profile& profile, const Round& round) {
    TRY(const auto ipus, profile.ipus());
    std::vector<WayBack> ways;
    for (const profile::IpuRecord& ipu : ipus)
        if (ipu.replica == 0)
            ways.emplace_back(profile, round, ipu.id);
    return ways;
}

/// What is added by operation and IPU.
class PathSums {
  public:
    void add(std::int64_t operation, std::int64_t ipu, std::int64_t cycles, std::int64_t compute) {
        Sum& sum = sums_[{operation, ipu}];
        sum.cycles += cycles;
        sum.compute += compute;
    }
    void add(const PathSums& others, std::int64_t times) {
        for (const auto& [key, sum] : others.sums_)
            add(key.first, key.second, sum.cycles * times, sum.compute * times);
    }
    std::map<std::int64_t, PathCost> by_operation() const {
        std::map<std::int64_t, PathCost> path;
        std::int64_t most = 0; // on one IPU
        for (const auto& [key, sum] : sums_) {
            const auto [cost, is_first] = path.try_emplace(key.first);
            cost->second.cycles += sum.cycles;
            cost->second.compute += sum.compute;
            if (is_first || sum.cycles > most) {
                most = sum.cycles;
                cost->second.ipu = key.second;
            }
        }
        return path;
    }

  private:
    struct Sum {
        std::int64_t cycles = 0;
        std::int64_t compute = 0;
    };
    std::map<std::pair<std::int64_t, std::int64_t>, Sum> sums_;
};

/// Goes back along what decides how long a round takes. Where all IPUs repeat the same, as they do while a
/// pipeline is full, so does the path: once it comes by the same place of the same IPU again, what it passed
/// since is added for all repeats that are left, and passed over.
class PathBack {
  public:
    PathBack(const profile::Profile& profile, const Round& round, std::vector<WayBack> ways)
        : profile_(profile), round_(round), ways_(std::move(ways)) {}

    /// False: parts of the time line are not known.
    Result<bool> go(PathSums& sums) {
        time_ = round_.end;
        for (std::int64_t steps = 0; time_ > round_.start; ++steps) {
            if (steps % look_after == 0 && !repeats_) {
                TRY(look_for_repeats());
            }
            TRY(const bool known, step());
            if (!known)
                return false;
            pass_over();
        }
        all_.add(since_, 1);
        sums.add(all_, round_.repeats);
        return true;
    }

  private:
    static constexpr std::int64_t look_after = 256; ///< steps: looking costs more than a step

    Result<bool> step() {
        const Step* step = nullptr;
        for (std::size_t i = 0; step == nullptr && i < ways_.size(); ++i) {
            const std::size_t way = (at_ + i) % ways_.size();
            TRY(step, ways_[way].ending(time_));
            if (step != nullptr)
                at_ = way;
        }
        if (step == nullptr || step->start < round_.start)
            return false;
        since_.add(step->operation, ways_[at_].ipu(), step->end - step->start, step->compute);
        time_ = step->start;
        return true;
    }

    /// The most of one period that all IPUs are in, if any.
    Result<void> look_for_repeats() {
        std::map<std::int64_t, std::pair<std::size_t, std::int64_t>> found; // by period: IPUs, latest start
        for (const WayBack& way : ways_) {
            TRY(const auto repeats, profile_.trace_repeats(way.ipu(), time_ - 1));
            std::set<std::int64_t> told;
            for (const profile::TraceRepeats& each : repeats)
                if (told.insert(each.period_cycles).second) { // the outermost of that period
                    auto& [ipus, start] = found[each.period_cycles];
                    ++ipus;
                    start = std::max(start, each.start_cycle);
                }
        }
        std::int64_t most = 2; // fewer are not worth it
        for (const auto& [period, in] : found)
            if (const std::int64_t left = (time_ - in.second) / period;
                in.first == ways_.size() && left > most) {
                most = left;
                repeats_ = {in.second, period, left};
            }
        mark();
        until_next_mark_ = 1;
        return {};
    }

    void mark() {
        all_.add(since_, 1);
        since_ = {};
        mark_ = {time_, at_};
        since_mark_ = 0;
    }

    /// Where the path is where it was some periods before, passes over the others but one. Until then the
    /// place to come by again is set ever later (Brent 1980), since the first ones may lie before the path
    /// falls into step.
    void pass_over() {
        if (!repeats_)
            return;
        const std::int64_t length = mark_.first - time_;
        if (at_ == mark_.second && length % repeats_->period_cycles == 0) {
            const std::int64_t times = (time_ - repeats_->start_cycle) / length - 1;
            if (times > 0) {
                all_.add(since_, times);
                time_ -= times * length;
            }
            mark();
            repeats_.reset();
        } else if (time_ <= repeats_->start_cycle) {
            repeats_.reset();
        } else if (++since_mark_ == until_next_mark_) {
            until_next_mark_ *= 2;
            mark();
        }
    }

    const profile::Profile& profile_;
    const Round& round_;
    std::vector<WayBack> ways_;                         ///< of the IPUs of the first replica
    std::int64_t time_ = 0;                             ///< all later is passed
    std::size_t at_ = 0;                                ///< the IPU that was gone back on
    PathSums all_, since_;                              ///< before and since the mark
    std::optional<profile::TraceRepeats> repeats_;      ///< that all IPUs are in
    std::pair<std::int64_t, std::size_t> mark_;         ///< time and IPU
    std::int64_t since_mark_ = 0, until_next_mark_ = 1; ///< steps
};

} // namespace

Result<std::map<std::int64_t, PathCost>> critical_path(const profile::Profile& profile) {
    PathSums sums;
    TRY(const auto rounds, rounds_of(profile));
    for (const Round& round : rounds) {
        TRY(auto ways, ways_back(profile, round));
        TRY(const bool known, PathBack(profile, round, std::move(ways)).go(sums));
        if (!known)
            return std::map<std::int64_t, PathCost>(); // parts of the time line are not known
    }
    return sums.by_operation();
}

} // namespace tilescope::analyse
