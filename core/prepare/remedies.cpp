// SPDX-License-Identifier: GPL-3.0-or-later
#include "prepare/remedies.h"

#include "automatic_split.h"
#include "base/step_time.h"
#include "base/text.h"
#include "prepare/attach_devices.h"
#include "run/clock.h"
#include "training/optimisers.h"

#include <algorithm>
#include <cstdio>
#include <optional>

namespace tilescope::prepare {
namespace {

constexpr std::int64_t most_parts = 16; ///< IPUs of a Pod16

struct Change {
    std::string setting;
    std::int64_t ipus = 0; ///< as of a Remedy
};

/// "model.shards=2 on 2 IPUs"
std::string told(const Change& change) {
    return change.setting + (change.ipus > 0 ? " on " + std::to_string(change.ipus) + " IPUs" : "");
}

/// Tries one change after another, and keeps what came of each.
class Trial {
  public:
    Trial(const workload::Workload& workload, const graph::OperatorRegistry& registry,
          const compile::Options& options, const RemedySearch& search, const CancelToken& cancel)
        : workload_(workload), registry_(registry), options_(options), search_(search), cancel_(cancel) {}

    void all() {
        if (streaming_is_short()) {
            sharing();
            state_on_tiles();
            return;
        }
        less_memory_for_plans();
        recomputation();
        offloading();
        offloading_activations();
        smaller_batches();
        more_ipus();
    }
    std::vector<Remedy> remedies;

  private:
    void less_memory_for_plans() {
        for (const double proportion : {0.3, 0.1, 0.05}) {
            if (proportion >= options_.planning.all.available_memory_proportion)
                continue;
            compile::Options less = options_;
            less.planning.all.available_memory_proportion = proportion;
            char text[64];
            std::snprintf(text, sizeof text, "ipu_config.available_memory_proportion=%g", proportion);
            if (is_enough(text, workload_, less))
                return;
        }
    }
    void recomputation() {
        if (!workload_.trains() || options_.recompute)
            return;
        compile::Options again = options_;
        again.recompute = true;
        is_enough("ipu_config.allow_recompute=true", workload_, again);
    }
    /// Whether the tiles have room, and the memory beside them has not.
    bool streaming_is_short() const {
        if (!options_.offload_state)
            return false;
        const auto executable = attempt("the program as it is", workload_, options_);
        return executable && executable->fits_tiles();
    }
    std::string of_updates(const char* setting) const {
        return (workload_.pipeline ? "pipeline." : "compile.") + std::string(setting);
    }
    /// Of the state in streaming memory, by replicas.
    void sharing() {
        if (options_.shard_state || options_.schedule.replicas == 1)
            return;
        compile::Options again = options_;
        again.shard_state = true;
        is_enough(of_updates("replicated_optimizer_state_sharding=true"), workload_, again);
    }
    void state_on_tiles() {
        if (options_.shard_state) // which wants it in streaming memory
            return;
        compile::Options again = options_;
        again.offload_state = false;
        is_enough(of_updates("offload_weight_update_variables=false"), workload_, again);
    }
    /// Of the optimiser's state, where there is any, and streaming memory.
    void offloading() {
        const auto system = system_of(workload_);
        const bool may = workload_.pipeline || options_.schedule.accumulation > 1;
        if (!workload_.trains() || options_.offload_state || !may || !system ||
            system->streaming_bytes == 0 ||
            training::optimiser_slots({workload_.optimiser, workload_.optimiser_settings}) == 0)
            return;
        compile::Options again = options_;
        again.offload_state = true;
        is_enough(of_updates("offload_weight_update_variables=true"), workload_, again);
    }
    /// Of what waits in the stashes of a pipeline.
    void offloading_activations() {
        const auto system = system_of(workload_);
        if (!workload_.trains() || !options_.schedule.stages_overlap() || options_.offload_activations ||
            !system || system->streaming_bytes == 0)
            return;
        compile::Options again = options_;
        again.offload_activations = true;
        is_enough("pipeline.offload_activations=true", workload_, again);
    }
    void smaller_batches() {
        for (std::int64_t batch = workload_.batch_size / 2; workload_.graph.empty() && batch >= 1;
             batch /= 2) {
            workload::Workload smaller = workload_;
            smaller.batch_size = batch;
            if (is_enough("fit.batch_size=" + std::to_string(batch), smaller, options_))
                return;
        }
    }
    void more_ipus() {
        for (std::int64_t parts = 2 * workload_.ipus_per_model();
             workload_.graph.empty() && parts <= most_parts; parts *= 2)
            if (over(parts))
                return;
    }
    bool schedule_goes_with(std::int64_t stages) const {
        if (!workload_.pipeline)
            return true;
        const std::int64_t batches = options_.schedule.accumulation;
        return batches % program::pipeline_overlap(*workload_.pipeline, stages) == 0 &&
               batches >= program::least_micro_batches(*workload_.pipeline, stages);
    }
    /// The same model over `parts` IPUs; nothing where it has too few layers, or its schedule does not go
    /// with as many stages.
    bool over(std::int64_t parts) {
        if (over_the_limit() || !schedule_goes_with(parts))
            return false;
        const std::string key = workload_.pipeline ? "pipeline.stages=" : "model.shards=";
        const Change change{key + std::to_string(parts), parts * options_.schedule.replicas};
        workload::Workload cut = workload_;
        cut.shards.clear();
        cut.automatic_stages = parts;
        cut.device_mapping.clear();
        compile::Options options = options_;
        options.schedule.ipus_per_replica = static_cast<std::int32_t>(parts);
        options.schedule.stage_ipus.clear();
        options.attachment = {}; // the IPUs of a larger device
        options.attachment.streaming_bytes = options_.attachment.streaming_bytes;
        const auto compiling = [&](const std::string& what, const std::string& pass, std::size_t number,
                                   std::size_t count) {
            if (search_.compiling)
                search_.compiling(told(change) + ", " + what, pass, number, count);
        };
        if (!costs_) {
            auto costs = model_costs(cut, registry_, options, compiling, cancel_);
            if (!costs)
                return false;
            costs_ = std::move(*costs);
        }
        const auto executable = split_automatically(cut, *costs_, registry_, options, compiling, cancel_);
        return executable && *executable && keep(change, **executable, cut, options);
    }

    bool over_the_limit() const {
        return cancel_.cancelled() || static_cast<std::int64_t>(remedies.size()) >= search_.most;
    }
    /// Whether the search for a change of this kind is at its end.
    bool is_enough(const std::string& change, const workload::Workload& workload,
                   const compile::Options& options) {
        if (over_the_limit())
            return true;
        const auto executable = attempt(change, workload, options);
        return executable ? keep({change}, *executable, workload, options) : cancel_.cancelled();
    }
    /// `what`: as which its passes are told of.
    std::optional<compile::Executable> attempt(const std::string& what, const workload::Workload& workload,
                                               const compile::Options& options) const {
        const auto mode = workload.trains() ? workload::Mode::Train : workload::Mode::Evaluate;
        auto graph = workload::build_graph(workload, registry_, mode);
        if (!graph)
            return std::nullopt;
        const auto started = [&](const std::string& pass, std::size_t number, std::size_t count) {
            if (search_.compiling)
                search_.compiling(what, pass, number, count);
        };
        auto executable = compile::compile(std::move(*graph), registry_, options, started, &cancel_);
        return executable ? std::optional(std::move(*executable)) : std::nullopt;
    }
    /// Whether it fits.
    bool keep(const Change& change, const compile::Executable& executable, const workload::Workload& workload,
              const compile::Options& options) {
        const std::int64_t steps = std::max<std::int64_t>(options.schedule.steps_per_execution, 1);
        remedies.push_back({change.setting, executable.fits(), executable.highest_tile_bytes(),
                            step_us(run::execution_cycles(executable), steps, options.target.clock_hz),
                            change.ipus,
                            workload.graph.empty() ? std::optional(workload.batch_size) : std::nullopt});
        if (search_.tried)
            search_.tried(remedies.back());
        return executable.fits();
    }

    const workload::Workload& workload_;
    const graph::OperatorRegistry& registry_;
    const compile::Options& options_;
    const RemedySearch& search_;
    const CancelToken& cancel_;
    std::optional<ModelCosts> costs_; ///< the same for any number of IPUs
};

} // namespace

std::vector<Remedy> try_remedies(const workload::Workload& workload, const graph::OperatorRegistry& registry,
                                 const compile::Options& options, const RemedySearch& search,
                                 const CancelToken& cancel) {
    Trial trial(workload, registry, options, search, cancel);
    trial.all();
    return std::move(trial.remedies);
}

std::string describe(const Remedy& remedy) {
    return told({remedy.change, remedy.ipus}) + " (" + count_text(remedy.highest_tile_bytes) + " bytes, " +
           time_text(remedy.step_us * 1e-6) + "/step)";
}

std::string describe(const std::vector<Remedy>& remedies, std::int64_t bytes_per_tile) {
    std::string fitting;
    std::string failing;
    for (const Remedy& remedy : remedies) {
        std::string& list = remedy.fits ? fitting : failing;
        list += (list.empty() ? "" : ", ") + describe(remedy);
    }
    const std::string all = " of " + count_text(bytes_per_tile) + " bytes";
    if (fitting.empty())
        return "tried without success: " + failing + all;
    return "fits with " + fitting + all + (failing.empty() ? "" : "; still too much: " + failing);
}

} // namespace tilescope::prepare
