// SPDX-License-Identifier: GPL-3.0-or-later
#include "critical_path.h"

#include "base/try.h"

#include <algorithm>
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

using Path = std::map<std::int64_t, PathCost>;
using OnIpus = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>; ///< by operation and IPU

/// Adds what decides how long a round takes. False: parts of the time line are not known.
Result<bool> go_back(std::vector<WayBack>& ways, const Round& round, Path& path, OnIpus& on_ipu) {
    std::size_t at = 0; // the IPU that was gone back on
    for (std::int64_t time = round.end; time > round.start;) {
        const Step* step = nullptr;
        for (std::size_t i = 0; step == nullptr && i < ways.size(); ++i) {
            const std::size_t way = (at + i) % ways.size();
            TRY(step, ways[way].ending(time));
            if (step != nullptr)
                at = way;
        }
        if (step == nullptr || step->start < round.start)
            return false;
        const std::int64_t cycles = (step->end - step->start) * round.repeats;
        PathCost& cost = path[step->operation];
        cost.cycles += cycles;
        cost.compute += step->compute * round.repeats;
        std::int64_t& here = on_ipu[{step->operation, ways[at].ipu()}];
        here += cycles;
        if (const auto most = on_ipu.find({step->operation, cost.ipu}); cost.ipu < 0 || most->second < here)
            cost.ipu = ways[at].ipu();
        time = step->start;
    }
    return true;
}

} // namespace

Result<std::map<std::int64_t, PathCost>> critical_path(const profile::Profile& profile) {
    std::map<std::int64_t, PathCost> path;
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> on_ipu; // by operation and IPU
    TRY(const auto rounds, rounds_of(profile));
    for (const Round& round : rounds) {
        TRY(auto ways, ways_back(profile, round));
        TRY(const bool known, go_back(ways, round, path, on_ipu));
        if (!known)
            return std::map<std::int64_t, PathCost>(); // parts of the time line are not known
    }
    return path;
}

} // namespace tilescope::analyse
