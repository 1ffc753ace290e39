// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::analyse {

using profile::PipelineActivity;
inline constexpr std::array<PipelineActivity, 7> pipeline_activities = {
    PipelineActivity::Forward, PipelineActivity::Recompute, PipelineActivity::Backward,
    PipelineActivity::Copy,    PipelineActivity::Update,    PipelineActivity::Waiting,
    PipelineActivity::Idle};

using PipelineShares = std::array<double, pipeline_activities.size()>; ///< by activity

/// Cycles of a stage by activity.
struct PipelineCycles {
    std::array<std::int64_t, pipeline_activities.size()> by_activity{};
    std::int64_t& operator[](PipelineActivity a) { return by_activity[static_cast<std::size_t>(a)]; }
    std::int64_t operator[](PipelineActivity a) const { return by_activity[static_cast<std::size_t>(a)]; }
    PipelineCycles& operator+=(const PipelineCycles& other);
    std::int64_t total() const;
    double share(PipelineActivity a) const; ///< of all cycles; 0 where there are none
    /// Cycles of its passes and of the update, streams from and to the host among them.
    std::int64_t work() const;
    std::int64_t lost() const { return total() - work(); } ///< the others
    double utilisation() const;                            ///< share of work(); 0 where there are no cycles
};
/// Of several stages together.
PipelineCycles sum_of(const std::vector<PipelineCycles>& stages);

struct PipelineStage {
    std::int64_t stage = 0;
    PipelineCycles cycles;
    std::int64_t passes = 0; ///< forward and backward passes, one per micro-batch each
};

/// A slot of the schedule; all stages begin and end it together.
struct PipelineSlot {
    std::int64_t slot = 0;
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::int64_t backward_half = -1; ///< cycle at which all turn to backward passes; -1: no halves, or one
};

/// What a pipeline does for one weight update (without training: in one engine run). Cycles count from the
/// begin of the first micro-batch.
struct PipelineUpdate {
    std::vector<PipelineStage> stages; ///< in order
    std::vector<PipelineSlot> schedule;
    std::int64_t micro_batches = 0;
    std::int64_t cycles = 0;
    bool training = false; ///< there are backward passes
    bool halves = false;   ///< a slot has a forward and a backward pass of a stage: Grouped, PopART
    /// What all would save if in each slot, or half of one, the passes of all stages that have a micro-batch
    /// in it were as long as their mean: the others wait for the longest. Without copies, and what all wait
    /// for.
    double uneven_cycles = 0;

    /// How many passes a stage could make: one in each slot, or one each way.
    std::int64_t places() const;
    /// Share of these places in which the stage makes none: the ramps of the schedule.
    double bubble(const PipelineStage& stage) const;
    double bubble() const; ///< share of all places of all stages
    /// Of one micro-batch of one replica: the cycles of the update by all of them; nullopt: there are none.
    std::optional<double> cycles_per_batch(std::int64_t replicas) const;
    PipelineCycles all_stages() const;
};

/// `records` by stage and time, as Profile::pipeline_slots gives them.
PipelineUpdate pipeline_update(const std::vector<profile::PipelineSlotRecord>& records);

/// What makes the bubble of a pipeline of S stages and N micro-batches, as Grouped, Interleaved and
/// Sequential schedules fill and empty their stages: "2 (S − 1) ÷ (N + 2 (S − 1))"; "" where it follows none
/// of these.
std::string bubble_formula(const PipelineUpdate& update);

/// Cycles of a weight update, from the begin of the first micro-batch on; 0 where there are no records.
std::int64_t update_cycles(const std::vector<profile::PipelineSlotRecord>& records);

/// Cycles by stage, in order, within [from, to).
std::vector<PipelineCycles> pipeline_cycles(const std::vector<profile::PipelineSlotRecord>& records,
                                            std::int64_t from, std::int64_t to);

/// First and last cycle of a micro-batch's passes, over all stages; {0, 0} where it has none.
std::pair<std::int64_t, std::int64_t>
micro_batch_span(const std::vector<profile::PipelineSlotRecord>& records, std::int64_t micro_batch);

/// The passes that a micro-batch makes, in their order: forward through the stages, recomputed and backward
/// again. Copies and waiting between them are left out.
std::vector<profile::PipelineSlotRecord> passes_of(const std::vector<profile::PipelineSlotRecord>& records,
                                                   std::int64_t micro_batch);

/// Forward, recomputation or backward: a pass that a stage makes for one micro-batch.
bool works_on_micro_batch(profile::PipelineActivity activity);
/// A pass of a micro-batch in a stage; null: it makes none.
const profile::PipelineSlotRecord* pass_of(const std::vector<profile::PipelineSlotRecord>& records,
                                           std::int64_t stage, std::int64_t micro_batch,
                                           profile::PipelineActivity activity);
/// The pass of a stage that begins next after a cycle, or `before` it; null: there is none.
const profile::PipelineSlotRecord* pass_next_to(const std::vector<profile::PipelineSlotRecord>& records,
                                                std::int64_t stage, std::int64_t cycle, bool before);

/// A FIFO in which activations wait for their backward pass.
struct Stash {
    std::string tensor;
    std::int64_t stage = -1;
    std::int64_t ipu = 0;
    std::int64_t depth = 0; ///< micro-batches
    std::int64_t bytes = 0; ///< over all tiles, of all that it holds
    /// Of one micro-batch.
    std::int64_t bytes_each() const { return depth > 0 ? bytes / depth : bytes; }
};
/// Stashes among `variables`, in their order; `tensors` name what they hold, `operations` say of which stage.
std::vector<Stash> stashes(const std::vector<profile::VariableRecord>& variables,
                           const std::vector<profile::TensorRecord>& tensors,
                           const std::vector<profile::OperationRecord>& operations);

struct StashFigures {
    std::int64_t bytes = 0;
    std::int64_t deepest = 0; ///< micro-batches
};
/// Of the stashes of a stage together, or of all where it is below 0.
StashFigures stash_figures(const std::vector<Stash>& stashes, std::int64_t stage = -1);

} // namespace tilescope::analyse
