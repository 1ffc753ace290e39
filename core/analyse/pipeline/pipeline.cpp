// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/pipeline.h"

#include "base/share.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace tilescope::analyse {

using profile::PipelineSlotRecord;

PipelineCycles& PipelineCycles::operator+=(const PipelineCycles& other) {
    for (std::size_t i = 0; i < by_activity.size(); ++i)
        by_activity[i] += other.by_activity[i];
    return *this;
}

std::int64_t PipelineCycles::total() const {
    return std::accumulate(by_activity.begin(), by_activity.end(), std::int64_t{0});
}

double PipelineCycles::share(PipelineActivity a) const {
    return share_of((*this)[a], total()).value_or(0);
}

std::int64_t PipelineCycles::work() const {
    return (*this)[PipelineActivity::Forward] + (*this)[PipelineActivity::Recompute] +
           (*this)[PipelineActivity::Backward] + (*this)[PipelineActivity::Update];
}

double PipelineCycles::utilisation() const {
    return share_of(work(), total()).value_or(0);
}

PipelineCycles sum_of(const std::vector<PipelineCycles>& stages) {
    PipelineCycles sum;
    for (const PipelineCycles& stage : stages)
        sum += stage;
    return sum;
}

std::int64_t PipelineUpdate::places() const {
    return static_cast<std::int64_t>(schedule.size()) * (halves ? 2 : 1);
}

double PipelineUpdate::bubble(const PipelineStage& stage) const {
    return share_of(places() - stage.passes, places()).value_or(0);
}

double PipelineUpdate::bubble() const {
    std::int64_t passes = 0;
    for (const PipelineStage& stage : stages)
        passes += stage.passes;
    const std::int64_t all = places() * static_cast<std::int64_t>(stages.size());
    return share_of(all - passes, all).value_or(0);
}

std::optional<double> PipelineUpdate::cycles_per_batch(std::int64_t replicas) const {
    const std::int64_t batches = micro_batches * replicas;
    return batches > 0 ? std::optional(static_cast<double>(cycles) / static_cast<double>(batches))
                       : std::nullopt;
}

PipelineCycles PipelineUpdate::all_stages() const {
    PipelineCycles sum;
    for (const PipelineStage& stage : stages)
        sum += stage.cycles;
    return sum;
}

namespace {

bool is_backward(PipelineActivity a) {
    return a == PipelineActivity::Backward || a == PipelineActivity::Recompute;
}
bool is_pass(PipelineActivity a) {
    return a == PipelineActivity::Forward || a == PipelineActivity::Backward;
}

/// The slots in order. A backward half begins with the first backward pass of the slot, on any stage; where
/// another stage still runs forward then, as in PopART's schedule, there is none.
std::vector<PipelineSlot> slots_of(const std::vector<PipelineSlotRecord>& records, bool halves) {
    std::map<std::int64_t, PipelineSlot> found;
    std::map<std::int64_t, std::int64_t> forward_end; // by slot
    for (const PipelineSlotRecord& r : records) {
        if (r.slot < 0)
            continue;
        if (r.activity == PipelineActivity::Forward)
            forward_end[r.slot] = std::max(forward_end[r.slot], r.end_cycle);
        PipelineSlot& slot =
            found.try_emplace(r.slot, PipelineSlot{r.slot, r.start_cycle, r.end_cycle, -1}).first->second;
        slot.start = std::min(slot.start, r.start_cycle);
        slot.end = std::max(slot.end, r.end_cycle);
        if (halves && is_backward(r.activity) &&
            (slot.backward_half < 0 || r.start_cycle < slot.backward_half))
            slot.backward_half = r.start_cycle;
    }
    std::vector<PipelineSlot> slots;
    for (auto& [number, slot] : found) {
        if (slot.backward_half == slot.start || slot.backward_half < forward_end[number])
            slot.backward_half = -1; // nobody runs forward any more, or somebody still does
        slots.push_back(slot);
    }
    return slots;
}

double uneven_cycles_of(const std::vector<PipelineSlotRecord>& records,
                        const std::vector<PipelineSlot>& schedule) {
    std::map<std::int64_t, std::int64_t> half_at; // by slot; -1: it has no halves
    for (const PipelineSlot& slot : schedule)
        half_at[slot.slot] = slot.backward_half;
    std::map<std::pair<std::int64_t, bool>, std::map<std::int64_t, std::int64_t>> passes; // by stage
    for (const PipelineSlotRecord& r : records)
        if (r.slot >= 0 && r.micro_batch >= 0) { // it takes part, if only by waiting
            const std::int64_t half = half_at[r.slot];
            std::int64_t& length = passes[{r.slot, half >= 0 && r.start_cycle >= half}][r.stage];
            length += works_on_micro_batch(r.activity) ? r.end_cycle - r.start_cycle : 0;
        }
    double cycles = 0;
    for (const auto& [part, stages] : passes) {
        std::int64_t longest = 0, sum = 0;
        for (const auto& [stage, length] : stages) {
            longest = std::max(longest, length);
            sum += length;
        }
        cycles +=
            static_cast<double>(longest) - static_cast<double>(sum) / static_cast<double>(stages.size());
    }
    return cycles;
}

} // namespace

std::string bubble_formula(const PipelineUpdate& update) {
    if (update.stages.empty() || update.micro_batches <= 0)
        return {};
    const auto s = static_cast<double>(update.stages.size());
    const auto n = static_cast<double>(update.micro_batches);
    const auto is = [bubble = update.bubble()](double share) {
        constexpr double exactly = 1e-12;
        return std::abs(bubble - share) < exactly;
    };
    if (update.halves)
        return is(2 * (s - 1) / (n + 2 * (s - 1))) ? "2 (S − 1) ÷ (N + 2 (S − 1))" : "";
    return is((s - 1) / (n + s - 1)) ? "(S − 1) ÷ (N + S − 1)" : is(1 - 1 / s) ? "1 − 1 ÷ S" : "";
}

std::int64_t update_cycles(const std::vector<PipelineSlotRecord>& records) {
    std::int64_t end = 0;
    for (const PipelineSlotRecord& slot : records)
        end = std::max(end, slot.end_cycle);
    return end;
}

PipelineUpdate pipeline_update(const std::vector<PipelineSlotRecord>& records) {
    PipelineUpdate update;
    std::map<std::int64_t, PipelineStage> stages;
    using Pass = std::pair<std::int64_t, PipelineActivity>; // slot and direction
    std::map<std::int64_t, std::set<Pass>> passes;
    for (const PipelineSlotRecord& r : records) {
        const PipelineActivity activity = r.activity;
        PipelineStage& stage = stages[r.stage];
        stage.stage = r.stage;
        stage.cycles[activity] += r.end_cycle - r.start_cycle;
        if (is_pass(activity)) {
            passes[r.stage].insert({r.slot, activity});
            // One stage makes both passes in one slot: the slots have halves.
            update.halves = update.halves || (passes[r.stage].contains({r.slot, PipelineActivity::Forward}) &&
                                              passes[r.stage].contains({r.slot, PipelineActivity::Backward}));
        }
        update.training = update.training || is_backward(activity);
        update.micro_batches = std::max(update.micro_batches, r.micro_batch + 1);
    }
    update.cycles = update_cycles(records);
    for (auto& [number, stage] : stages) {
        stage.passes = static_cast<std::int64_t>(passes[number].size());
        update.stages.push_back(stage);
    }
    update.schedule = slots_of(records, update.halves);
    update.uneven_cycles = uneven_cycles_of(records, update.schedule);
    return update;
}

std::vector<PipelineCycles> pipeline_cycles(const std::vector<PipelineSlotRecord>& records, std::int64_t from,
                                            std::int64_t to) {
    std::map<std::int64_t, PipelineCycles> stages;
    for (const PipelineSlotRecord& r : records)
        stages[r.stage][r.activity] +=
            std::max<std::int64_t>(0, std::min(to, r.end_cycle) - std::max(from, r.start_cycle));
    std::vector<PipelineCycles> cycles;
    cycles.reserve(stages.size());
    for (const auto& [number, sum] : stages)
        cycles.push_back(sum);
    return cycles;
}

bool works_on_micro_batch(PipelineActivity activity) {
    return activity == PipelineActivity::Forward || activity == PipelineActivity::Recompute ||
           activity == PipelineActivity::Backward;
}

const PipelineSlotRecord* pass_of(const std::vector<PipelineSlotRecord>& records, std::int64_t stage,
                                  std::int64_t micro_batch, PipelineActivity activity) {
    const auto found = std::find_if(records.begin(), records.end(), [&](const PipelineSlotRecord& r) {
        return r.stage == stage && r.micro_batch == micro_batch && r.activity == activity &&
               works_on_micro_batch(activity);
    });
    return found == records.end() ? nullptr : &*found;
}

const PipelineSlotRecord* pass_next_to(const std::vector<PipelineSlotRecord>& records, std::int64_t stage,
                                       std::int64_t cycle, bool before) {
    const PipelineSlotRecord* nearest = nullptr;
    for (const PipelineSlotRecord& r : records) {
        const bool there = before ? r.start_cycle < cycle : r.start_cycle > cycle;
        if (r.stage != stage || !works_on_micro_batch(r.activity) || !there)
            continue;
        if (nearest == nullptr ||
            (before ? r.start_cycle > nearest->start_cycle : r.start_cycle < nearest->start_cycle))
            nearest = &r;
    }
    return nearest;
}

std::pair<std::int64_t, std::int64_t> micro_batch_span(const std::vector<PipelineSlotRecord>& records,
                                                       std::int64_t micro_batch) {
    std::pair<std::int64_t, std::int64_t> span{0, 0};
    bool any = false;
    for (const PipelineSlotRecord& r : records) {
        if (r.micro_batch != micro_batch || !is_pass(r.activity))
            continue;
        span = any ? std::pair(std::min(span.first, r.start_cycle), std::max(span.second, r.end_cycle))
                   : std::pair(r.start_cycle, r.end_cycle);
        any = true;
    }
    return span;
}

std::vector<profile::PipelineSlotRecord> passes_of(const std::vector<profile::PipelineSlotRecord>& records,
                                                   std::int64_t micro_batch) {
    std::vector<profile::PipelineSlotRecord> passes;
    std::copy_if(records.begin(), records.end(), std::back_inserter(passes),
                 [&](const profile::PipelineSlotRecord& r) {
                     return r.micro_batch == micro_batch && works_on_micro_batch(r.activity);
                 });
    std::stable_sort(passes.begin(), passes.end(),
                     [](const auto& a, const auto& b) { return a.start_cycle < b.start_cycle; });
    return passes;
}

std::vector<Stash> stashes(const std::vector<profile::VariableRecord>& variables,
                           const std::vector<profile::TensorRecord>& tensors,
                           const std::vector<profile::OperationRecord>& operations) {
    std::map<std::int64_t, std::int64_t> stage_of; // by operation
    for (const profile::OperationRecord& op : operations)
        stage_of[op.id] = op.stage;
    std::map<std::int64_t, std::string> names;
    for (const profile::TensorRecord& tensor : tensors)
        names[tensor.id] = tensor.name;
    std::vector<Stash> found;
    for (const profile::VariableRecord& v : variables)
        if (v.stash_depth > 0) {
            const auto name = names.find(v.tensor_id);
            const auto stage = stage_of.find(v.operation_id);
            found.push_back({name == names.end() ? v.name : name->second,
                             stage == stage_of.end() ? -1 : stage->second, v.ipu, v.stash_depth,
                             v.bytes + v.streaming_bytes});
        }
    return found;
}

StashFigures stash_figures(const std::vector<Stash>& stashes, std::int64_t stage) {
    StashFigures sum;
    for (const Stash& stash : stashes)
        if (stage < 0 || stash.stage == stage) {
            sum.bytes += stash.bytes;
            sum.deepest = std::max(sum.deepest, stash.depth);
        }
    return sum;
}

} // namespace tilescope::analyse
