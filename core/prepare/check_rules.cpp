// SPDX-License-Identifier: GPL-3.0-or-later
#include "check_rules.h"

#include "base/nearest_name.h"
#include "base/try.h"

#include <algorithm>

namespace tilescope::prepare {
namespace {

using workload::Workload;

Result<void> check_part(const PartOfModel& part, const std::string& place, const Workload& w,
                        const graph::Graph& graph, const std::vector<std::string>& names) {
    const std::int32_t stages = graph.shards();
    for (const std::int32_t stage : part.stages)
        if (stage >= stages)
            return bad_input("there is no stage or shard " + std::to_string(stage), place + ".stages",
                             stages > 1 ? "use 0 to " + std::to_string(stages - 1)
                                        : "remove it: the model is not cut");
    for (const std::int32_t ipu : part.ipus)
        if (ipu >= w.ipus_per_model())
            return bad_input("there is no IPU " + std::to_string(ipu) + " in a replica of " +
                                 std::to_string(w.ipus_per_model()),
                             place + ".ipus",
                             w.ipus_per_model() > 1 ? "use 0 to " + std::to_string(w.ipus_per_model() - 1)
                                                    : "remove it: the model has one IPU");
    const PartOfModel named{{}, {}, part.layers};
    if (!part.layers.empty() && std::none_of(names.begin(), names.end(), [&](const std::string& name) {
            return named.holds_for(0, name);
        }))
        return bad_input("there is no layer \"" + part.layers + "\"", place + ".layers",
                         remedy_for(part.layers, names, "use names of the model's layers, with *"));
    return {};
}

std::string numbered(const Workload& w, const char* key, std::size_t i) {
    return w.path + ": " + key + "[" + std::to_string(i) + "]";
}

} // namespace

Result<void> check_rules(const Workload& w, const graph::Graph& graph) {
    std::vector<std::string> names;
    for (const graph::Layer& layer : graph.layers)
        names.push_back(layer.name);
    for (std::size_t i = 0; i < w.planning.rules.size(); ++i)
        TRY(check_part(w.planning.rules[i].part, numbered(w, "ipu_config.products", i), w, graph, names));
    for (std::size_t i = 0; i < w.recompute_parts.size(); ++i)
        TRY(check_part(w.recompute_parts[i].part, numbered(w, "ipu_config.allow_recompute", i), w, graph,
                       names));
    for (const graph::Feed& feed : graph.feeds) // an input layer has a type too
        names.push_back(feed.name);
    for (std::size_t i = 0; i < w.dtypes.size(); ++i)
        TRY(check_part(w.dtypes[i].part, numbered(w, "model.dtype", i), w, graph, names));
    return {};
}

} // namespace tilescope::prepare
