// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/whole_turns.h"

#include "base/try.h"
#include "each_execution.h"
#include "ui/timeline/lane_items.h"

#include <algorithm>
#include <map>

namespace tilescope::ui {
namespace {

// Of the resolution of a window, which is between half a pixel and one.
constexpr std::int64_t narrow = 4; ///< turns below it are not told apart
constexpr std::int64_t seen = 3;   ///< a stretch is as long, or longer by a part of a turn
constexpr std::int64_t finer = 8;  ///< by how much stretches may begin too late or too early: a part of 1

/// How many turns make a stretch; 0: they are told apart.
std::int64_t turns_of_a_stretch(std::int64_t turn, std::int64_t resolution) {
    return turn <= 0 || turn >= narrow * resolution ? 0 : 1 + (seen * resolution - 1) / turn;
}

class WholeTurns {
  public:
    WholeTurns(const TraceTables& tables, const TraceWindow& window)
        : tables_(tables), window_(window), resolution_(std::max<std::int64_t>(1, window.resolution)) {}

    std::vector<Stretch> all() {
        each_execution(tables_, window_, seen * resolution_,
                       [this](const profile::ExecutionGroupRecord& group, std::int64_t first,
                              std::int64_t count) { add(group, first, count); });
        return std::move(stretches_);
    }

  private:
    void add(const profile::ExecutionGroupRecord& group, std::int64_t first, std::int64_t count) {
        const profile::ExecutionRecord execution = group.at(first);
        if (count > 1)
            return add(execution.start_cycle, execution.start_cycle + count * group.period_cycles);
        const auto turns = tables_.turnsOf(execution);
        if (!turns || turns->updates.cycles <= 0)
            return;
        const std::int64_t length = turns->updates.cycles;
        std::int64_t u = turns->at(window_.from);
        if (const std::int64_t many = turns_of_a_stretch(length, resolution_); many > 0) {
            for (u -= u % many; u < turns->updates.count && turns->start(u) < window_.to; u += many)
                add(turns->start(u), turns->start(std::min(u + many, turns->updates.count)));
            return;
        }
        const std::vector<Stretch>& within = of_update(turns->program);
        for (; u < turns->updates.count && turns->start(u) < window_.to; ++u)
            for (const Stretch& stretch : within)
                add(turns->start(u) + stretch.first, turns->start(u) + stretch.second);
    }
    void add(std::int64_t from, std::int64_t to) {
        if (to > window_.from && from < window_.to && to > from)
            stretches_.emplace_back(from, to);
    }
    /// Of the slots of the IPU's stages, since its first micro-batch; empty without a pipeline.
    const std::vector<Stretch>& of_update(std::int64_t program) {
        const auto [found, fresh] = of_update_.try_emplace(program);
        const auto pipeline = tables_.pipelines.find(program);
        if (!fresh || pipeline == tables_.pipelines.end())
            return found->second;
        const auto slots = tables_.slotsOn(pipeline->second, window_.ipu);
        // Where no slot begins so much later that a stretch could end with it, there are no more.
        const std::int64_t last = slots.empty() ? 0 : slots.back().start_cycle - seen * resolution_;
        for (std::size_t i = 0; i < slots.size() && slots[i].start_cycle <= last;) {
            const auto one = next_turn(slots, i, slots.size(), 1, static_cast<double>(narrow * resolution_));
            const auto end = one ? next_turn(slots, i, slots.size(), static_cast<double>(seen * resolution_),
                                             static_cast<double>((seen + narrow) * resolution_))
                                 : std::nullopt;
            if (end)
                found->second.emplace_back(slots[i].start_cycle, slots[*end].start_cycle);
            i = end.value_or(i + 1);
        }
        return found->second;
    }

    const TraceTables& tables_;
    const TraceWindow& window_;
    std::int64_t resolution_;
    std::vector<Stretch> stretches_;
    std::map<std::int64_t, std::vector<Stretch>> of_update_; ///< by device program
};

} // namespace

std::vector<Stretch> whole_turns(const TraceTables& tables, const TraceWindow& window) {
    return WholeTurns(tables, window).all();
}

std::vector<profile::TraceSlice> joined(const std::vector<profile::TraceSlice>& slices,
                                        const std::vector<Stretch>& stretches, std::int64_t resolution) {
    std::vector<profile::TraceSlice> result;
    auto stretch = stretches.begin();
    const Stretch* of_last = nullptr;
    const auto goes_on = [&](const profile::TraceSlice& slice) { // from the last one, where no stretch is
        const profile::TraceSlice& last = result.back();
        return slice.end_cycle - last.start_cycle < resolution && slice.start_cycle == last.end_cycle &&
               slice.traced == last.traced;
    };
    for (const profile::TraceSlice& slice : slices) {
        while (stretch != stretches.end() && stretch->second <= slice.start_cycle)
            ++stretch;
        const bool within = stretch != stretches.end() && stretch->first <= slice.start_cycle && slice.traced;
        const Stretch* const of_this = within ? &*stretch : nullptr;
        if (!result.empty() && of_this == of_last && (within || goes_on(slice)))
            join(result.back(), slice);
        else
            result.push_back(slice);
        of_last = of_this;
    }
    return result;
}

Result<std::vector<profile::TraceSlice>> seen_slices(const TraceTables& tables, const profile::Profile& file,
                                                     const TraceWindow& window) {
    const std::vector<Stretch> stretches = whole_turns(tables, window);
    const std::int64_t resolution =
        stretches.empty() ? window.resolution : std::max<std::int64_t>(1, window.resolution / finer);
    TRY(auto slices, file.trace(window.ipu, window.from, window.to, resolution));
    return stretches.empty() ? std::move(slices) : joined(slices, stretches, window.resolution);
}

} // namespace tilescope::ui
