// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/updates_of_run.h"
#include "base/error.h"
#include "profile/profile.h"
#include "ui/trace/trace_program.h"
#include "ui/widgets/too_full.h"

#include <QString>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::ui {

/// What a time line needs to know of a file besides its slices: when what is executed, and where.
class TraceTables {
  public:
    TraceTables();
    /// Reads what any picture needs; what is drawn is asked for by range later.
    static Result<TraceTables> read(const profile::Profile& file);

    /// What is known of the program. A question to the file reads it where none has done so.
    Result<const TraceProgram*> program(const profile::Profile& file) const;
    /// The same without the file: empty until it was read, or what was known before the file has grown.
    const TraceProgram& program() const;
    bool knowsProgram() const;
    void keepProgramOf(const TraceTables& before); ///< until its own is read

    QString executionName(std::int64_t id) const;
    std::optional<profile::ExecutionRecord> execution(std::int64_t id) const;

    /// The weight updates (or steps) of an execution, one after another.
    struct Turns {
        std::int64_t begin = 0; ///< cycle
        std::int64_t end = 0;
        analyse::UpdatesOfRun updates;
        std::int64_t program = 0; ///< device program; 0: the one that the profile describes
        std::vector<profile::ScheduleSpan::Turns> alike; ///< in order; their starts are cycles
        std::int64_t start(std::int64_t turn) const;
        /// The last one that begins at a cycle or before it; 0 where none does.
        std::int64_t at(std::int64_t cycle) const;
    };
    std::int64_t programOf(std::int64_t execution) const; ///< device program; -1: not known
    /// nullopt where the program steps of the execution are not known.
    std::optional<Turns> turnsOf(const profile::ExecutionRecord& execution) const;
    /// The cycles [first, second) of a step, or of the weight update that it is part of, both numbers from 0
    /// on, in the runs that the file is about (analyse::main_kind); nullopt: they are not known.
    std::optional<std::pair<std::int64_t, std::int64_t>> stepCycles(std::int64_t epoch,
                                                                    std::int64_t step) const;
    std::int64_t epochs() const; ///< of these runs
    std::int64_t steps() const;  ///< of an epoch of theirs, the longest

    /// Where the cycles of executions of a schedule go on an IPU; null: it is not known.
    const profile::ScheduleIpuRecord* scheduleOnIpu(std::int64_t schedule, std::int64_t ipu) const;
    /// Null where the program steps of a schedule are not known.
    const profile::ScheduleSpan* schedule(std::int64_t id) const;
    struct Pipeline {                                   ///< of a device program
        std::vector<profile::PipelineSlotRecord> slots; ///< by stage and time
        /// By shard, those of IPUs with several stages, as `analyse::slots_on` says.
        std::map<std::int64_t, std::vector<profile::PipelineSlotRecord>> merged;
        std::int64_t cycles = 0; ///< of a weight update
    };
    /// What the stages of an IPU do in a weight update, in order of time.
    std::span<const profile::PipelineSlotRecord> slotsOn(const Pipeline& pipeline, std::int64_t ipu) const;

    profile::ExecutionKind main_kind = profile::ExecutionKind::Train;
    double clock_hz = 0;
    std::optional<double> samples_per_s; ///< of these runs
    std::int64_t tiles_per_ipu = 0;
    std::pair<std::int64_t, std::int64_t> range; ///< cycles of the whole time line
    std::vector<profile::IpuRecord> ipus;
    std::vector<profile::ExecutionGroupRecord> executions; ///< in order
    std::vector<profile::ScheduleIpuRecord> schedule_ipus; ///< by schedule and IPU
    std::vector<profile::ScheduleSpan> schedules;          ///< by id

    /// Steps of a weight update, as executions count them: 1 where gradients are not accumulated. Without
    /// training, of a run of the pipeline.
    std::int64_t steps_per_update = 1;
    /// Whether the runs that the file is about, or execution `id`, update weights after several steps.
    bool updates() const { return main_kind == profile::ExecutionKind::Train && steps_per_update > 1; }
    bool updates(std::int64_t id) const;
    /// What execution `id` does again and again: an update of the weights, a step, or the steps that go
    /// through a pipeline together. How many steps that is; 1 where it is not known.
    std::int64_t stepsOfTurn(std::int64_t id) const;
    std::map<std::int64_t, Pipeline> pipelines;          ///< by device program; those that have one
    std::map<std::string, std::int64_t> device_programs; ///< ids by analyse::DeviceProgram::key
    std::map<std::int64_t, std::int64_t> stage_ipus;     ///< as `analyse::stage_ipus` says
    std::vector<profile::LinkTrafficRecord> links;

    std::vector<std::int64_t> fed; ///< IPUs of the first replica that have stream copies

    /// Nothing was executed: the time line is that of one execution as it would be.
    bool planned = false;
    QString never_run;               ///< why nothing was executed, where that is known
    std::optional<TooFull> too_full; ///< where that is the reason

  private:
    struct Known;
    std::shared_ptr<Known> known_; ///< of the program
};

} // namespace tilescope::ui
