// SPDX-License-Identifier: GPL-3.0-or-later
#include "prepare/remedies.h"

#include "automatic_split.h"
#include "base/text.h"

#include <algorithm>
#include <functional>

namespace tilescope::prepare {
namespace {

constexpr std::int64_t most_parts = 16; ///< IPUs of a Pod16

std::optional<Remedy> tried(std::string change, const workload::Workload& workload,
                            const graph::OperatorRegistry& registry, const compile::Options& options,
                            const CancelToken& cancel) {
    const auto mode = workload.trains() ? workload::Mode::Train : workload::Mode::Evaluate;
    auto graph = workload::build_graph(workload, registry, mode);
    if (!graph)
        return std::nullopt;
    const auto executable = compile::compile(std::move(*graph), registry, options, {}, &cancel);
    if (!executable)
        return std::nullopt;
    return Remedy{std::move(change), executable->fits(), executable->highest_tile_bytes()};
}

/// The same model over `parts` IPUs; nothing where it has too few layers, or its schedule does not go with as
/// many stages.
std::optional<Remedy> over_more_ipus(std::int64_t parts, workload::Workload workload,
                                     const graph::OperatorRegistry& registry, compile::Options options,
                                     const CancelToken& cancel) {
    if (workload.pipeline &&
        options.schedule.accumulation % program::pipeline_overlap(*workload.pipeline, parts) != 0)
        return std::nullopt;
    workload.shards.clear();
    workload.automatic_stages = parts;
    if (!split_automatically(workload, registry, options, cancel))
        return std::nullopt;
    options.schedule.ipus_per_replica = static_cast<std::int32_t>(parts);
    options.attachment = {}; // the IPUs of a larger device
    const std::string key = workload.pipeline ? "pipeline.stages=" : "model.shards=";
    return tried(key + std::to_string(parts) + " on " + std::to_string(parts * options.schedule.replicas) +
                     " IPUs",
                 workload, registry, options, cancel);
}

} // namespace

std::vector<Remedy> try_remedies(const workload::Workload& workload, const graph::OperatorRegistry& registry,
                                 const compile::Options& options, const CancelToken& cancel) {
    std::vector<Remedy> remedies;
    const auto keep = [&](std::optional<Remedy> remedy) {
        const bool fits = remedy && remedy->fits;
        if (remedy)
            remedies.push_back(std::move(*remedy));
        return fits || cancel.cancelled();
    };
    if (workload.trains() && !options.recompute) {
        compile::Options again = options;
        again.recompute = true;
        keep(tried("ipu_config.allow_recompute=true", workload, registry, again, cancel));
    }
    for (std::int64_t batch = workload.batch_size / 2; workload.graph.empty() && batch >= 1; batch /= 2) {
        workload::Workload smaller = workload;
        smaller.batch_size = batch;
        if (keep(tried("fit.batch_size=" + std::to_string(batch), smaller, registry, options, cancel)))
            break;
    }
    for (const double proportion : {0.3, 0.1, 0.05}) {
        if (proportion >= options.planning.available_memory_proportion)
            continue;
        compile::Options less = options;
        less.planning.available_memory_proportion = proportion;
        char text[64];
        std::snprintf(text, sizeof text, "ipu_config.available_memory_proportion=%g", proportion);
        if (keep(tried(text, workload, registry, less, cancel)))
            break;
    }
    for (std::int64_t parts = 2 * workload.ipus_per_model(); workload.graph.empty() && parts <= most_parts;
         parts *= 2)
        if (keep(over_more_ipus(parts, workload, registry, options, cancel)))
            break;
    return remedies;
}

std::string describe(const std::vector<Remedy>& remedies, std::int64_t bytes_per_tile) {
    std::string fitting;
    std::string failing;
    for (const Remedy& remedy : remedies) {
        std::string& list = remedy.fits ? fitting : failing;
        list += (list.empty() ? "" : ", ") + remedy.change + " (" + count_text(remedy.highest_tile_bytes) +
                " bytes)";
    }
    const std::string all = " of " + count_text(bytes_per_tile) + " bytes";
    if (remedies.empty())
        return "the profile holds every tile";
    if (fitting.empty())
        return "tried without success: " + failing + all;
    return "fits with " + fitting + all + (failing.empty() ? "" : "; still too much: " + failing);
}

} // namespace tilescope::prepare
