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

/// The steps of an IPU from the last one back.
class WayBack {
  public:
    WayBack(std::int64_t ipu, std::vector<Step> steps) : ipu_(ipu), steps_(std::move(steps)) {}
    std::int64_t ipu() const { return ipu_; }
    /// The one that ends at `time`, and takes any.
    const Step* ending(std::int64_t time) {
        while (!steps_.empty() && steps_.back().end > time)
            steps_.pop_back();
        return steps_.empty() || steps_.back().end != time ? nullptr : &steps_.back();
    }

  private:
    std::int64_t ipu_;
    std::vector<Step> steps_;
};

Result<std::vector<WayBack>> ways_back(const profile::Profile& profile, const Round& round) {
    TRY(const auto ipus, profile.ipus());
    std::vector<WayBack> ways;
    for (const profile::IpuRecord& ipu : ipus) {
        if (ipu.replica != 0)
            continue;
        std::vector<Step> steps;
        TRY(profile.trace_steps(ipu.id, round.start, round.end, nullptr,
                                [&](const profile::TraceSlice& slice) {
                                    if (slice.end_cycle > slice.start_cycle)
                                        steps.push_back({slice.start_cycle, slice.end_cycle,
                                                         slice.cycles.compute, slice.operation_id});
                                    return true;
                                }));
        ways.emplace_back(ipu.id, std::move(steps));
    }
    return ways;
}

using Path = std::map<std::int64_t, PathCost>;
using OnIpus = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>; ///< by operation and IPU

/// Adds what decides how long a round takes. False: parts of the time line are not known.
bool go_back(std::vector<WayBack>& ways, const Round& round, Path& path, OnIpus& on_ipu) {
    std::size_t at = 0; // the IPU that was gone back on
    for (std::int64_t time = round.end; time > round.start;) {
        const Step* step = nullptr;
        for (std::size_t i = 0; step == nullptr && i < ways.size(); ++i) {
            const std::size_t way = (at + i) % ways.size();
            step = ways[way].ending(time);
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
        if (!go_back(ways, round, path, on_ipu))
            return std::map<std::int64_t, PathCost>(); // parts of the time line are not known
    }
    return path;
}

} // namespace tilescope::analyse
