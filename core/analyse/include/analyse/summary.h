// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/accuracy.h"
#include "analyse/costs.h"
#include "analyse/device_program.h"
#include "analyse/insights.h"
#include "analyse/io_tiles.h"
#include "analyse/live_bytes.h"
#include "analyse/pipeline.h"
#include "analyse/tile_memory.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::analyse {

struct EpochResult {
    std::int64_t epoch = 0;                              ///< 1-based, as it is shown
    std::vector<std::pair<std::string, double>> metrics; ///< "loss" first
};

/// Losses and metrics of training by epoch, and those of the evaluation.
struct RunResults {
    std::vector<EpochResult> epochs;
    std::vector<std::pair<std::string, double>> evaluation;
};
RunResults results_of(const std::vector<profile::EpochMetricRecord>& rows);

/// What one layer costs and holds, in one replica. Operations of no layer are one row without a name.
struct LayerCost {
    std::int64_t id = -1;
    std::string name;
    std::string kind;
    std::int64_t parameters = 0;
    profile::PhaseCycles cycles; ///< per Summary::basis, of the IPUs that run it together
    std::optional<double> share; ///< of the elapsed time of these IPUs; nullopt before the first engine run
    std::optional<double> share_or_planned; ///< Costs::share_or_planned
    std::vector<std::int64_t> ipus;         ///< of the first replica, that run it
    std::int64_t flops = 0;                 ///< per Summary::basis
    std::optional<double> peak_share;       ///< Costs::share_of_peak
    LiveBytes memory;                       ///< of its variables
};

struct IpuSummary {
    std::int64_t id = 0, replica = 0, stage = -1;
    std::optional<double>
        utilisation; ///< compute cycles / all cycles of the engine runs counted by `executions`
    std::optional<std::int64_t> memory_bytes;
    profile::PhaseCycles phases = {};      ///< of these engine runs
    std::vector<std::int64_t> stages = {}; ///< all that it has, the first of which is `stage`
};

/// What one stage of a pipeline does in one weight update.
struct StageSummary {
    PipelineStage stage;
    std::optional<std::int64_t> memory_bytes; ///< of its IPU in the first replica
    /// Cycles in which it passes micro-batches on, forward and backward.
    std::int64_t work() const;
};

/// What the laid-out program takes of the tiles' memory, over all IPUs.
struct MemorySummary {
    std::int64_t total_bytes = 0; ///< sum over tiles of the most live at once
    std::int64_t total_bytes_with_gaps = 0;
    std::int64_t always_live_bytes = 0;
    std::int64_t streaming_bytes = 0;       ///< of what lies in streaming memory, on no tile
    FullestTile fullest;                    ///< by the most live at once
    FullestTile fullest_with_gaps;          ///< by the highest end of its allocations: these bytes must fit
    FullestTile most_code;                  ///< by its instructions
    std::optional<std::int64_t> code_limit; ///< of these on a tile; nullopt: the file does not say
    std::vector<profile::CategoryBytes> categories; ///< at each tile's own peak step
};

/// Why a figure is absent.
struct Absence {
    std::string figure; ///< of the report's document, or a group of it: "timing.step_us", "memory"
    std::string reason; ///< "out of memory before the first execution"
};

/// The headline figures of a run: everything that the report shows. What was not measured is absent, and
/// `absent` says why; it is never 0.
struct Summary {
    profile::RunRecord run;
    profile::TargetRecord target;
    std::vector<profile::OutputRecord> outputs;
    std::vector<EpochResult> epochs;
    std::vector<std::pair<std::string, double>> evaluation;

    std::optional<std::int64_t> cycles_total; ///< of all engine runs
    profile::ExecutionKind kind{};      ///< training, or else what there is: the figures of time are of it
    std::int64_t executions = 0;        ///< engine runs of that kind
    std::int64_t steps = 0;             ///< of those
    std::optional<std::int64_t> cycles; ///< of those, from start to end
    std::optional<double> step_us;      ///< simulated; wall time where the device is the host
    std::optional<double> samples_per_s;
    std::optional<double> samples_per_s_per_ipu;   ///< over all IPUs of the run, those of replicas too
    std::optional<double> peak_share;              ///< of an engine run: Costs::share_of_peak
    std::optional<double> model_flops_utilisation; ///< that without what is computed again
    std::optional<profile::PhaseCycles> by_phase;  ///< of those engine runs, all IPUs added up
    IoTiles io;                                    ///< the same of the I/O tiles
    profile::ExecutionTotals evaluated;            ///< the evaluation beside training
    std::optional<double> evaluation_step_us;      ///< like step_us
    std::optional<double> compile_s;               ///< wall time
    Loops loops;
    Basis basis = Basis::Step; ///< what the layers' cycles are per
    std::int64_t elapsed = 0;  ///< cycles of one engine run from start to end; 0: none has ended
    std::int64_t planned = 0;  ///< the same as planned, where none has; else 0

    /// All that the run compiled; memory, layers, stages and insights are of the first one.
    std::vector<DeviceProgram> programs;
    std::optional<MemorySummary> memory;
    std::vector<IpuSummary> ipus;
    std::vector<StageSummary> stages; ///< in order; empty where there is no pipeline
    double uneven_cycles = 0;         ///< of a weight update, IPU beside IPU: PipelineUpdate has what it is
    std::vector<LayerCost> layers;
    std::vector<Insight> insights;
    ErrorBands error_bands; ///< of predicted figures, by kind
    std::vector<Absence> absent;

    /// Why a figure of the document, or the group that it belongs to, is absent; "" where it is not.
    std::string why_absent(const std::string& figure) const;
    /// Elapsed time in cycles and microseconds per something; nullopt where no engine run has ended.
    std::optional<double> elapsed_cycles(Basis per) const;
    std::optional<double> elapsed_us(Basis per) const;
    std::optional<double> planned_cycles(Basis per) const; ///< nullopt where one has, or there is no program
    /// What the highest allocation of the fullest tile leaves of its memory, in bytes; below 0 where the run
    /// does not fit, nullopt where nothing was laid out.
    std::optional<std::int64_t> free_bytes() const;
};

/// Time of a step in engine runs of one kind: simulated, or wall time where the device is the host. nullopt
/// where there are none; an estimate computes nothing on the host.
std::optional<double> step_us(const profile::RunRecord& run, const profile::TargetRecord& target,
                              const profile::ExecutionTotals& totals);
/// Wall time of a step on the host that simulates; nullopt for an estimate, which only times.
std::optional<double> wall_step_us(const profile::RunRecord& run, const profile::ExecutionTotals& totals);
/// Samples of a step, which is one batch of one replica, in a second; nullopt where one of the two is not
/// known.
std::optional<double> samples_per_s(std::optional<std::int64_t> batch_size, std::optional<double> step_us);
/// Samples that pass in some cycles at a rate (samples/s); nullopt where the rate or the clock is not known.
std::optional<double> samples_in(std::int64_t cycles, double clock_hz, std::optional<double> samples_per_s);
/// Compute cycles of all cycles; nullopt where there are none.
std::optional<double> utilisation(const profile::PhaseCycles& phases);

/// `basis`: what the cycles of layers are per, where the run has it; else its usual one.
Result<Summary> summarise(const profile::Profile& profile, std::optional<Basis> basis = {});

/// The document of `report --format json`; its keys are stable. A figure that is absent is null, and key
/// "absent" says why.
nlohmann::ordered_json document(const Summary& summary);

} // namespace tilescope::analyse
