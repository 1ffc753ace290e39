// SPDX-License-Identifier: GPL-3.0-or-later
#include "automatic_split.h"

#include "base/balanced_cuts.h"
#include "base/entry.h"
#include "base/try.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <system_error>

namespace tilescope::prepare {
namespace {

void add_cycles(const compile::Executable& e, program::StepId id, std::int64_t times,
                std::vector<double>& cycles) {
    const program::Step& step = e.program.step(id);
    if (step.leaf() && step.operation >= 0)
        if (const graph::LayerId layer = e.graph.operation(graph::OpId(step.operation)).layer;
            layer != graph::no_layer)
            entry(cycles, layer) += static_cast<double>(times * step.cycles());
    for (const program::StepId child : step.children)
        add_cycles(e, child, e.program.loops_over_batches(id) ? times : times * step.repeats, cycles);
}

LayerCosts costs_of(const compile::Executable& e) {
    const std::size_t layers = e.graph.layers.size();
    LayerCosts costs{std::vector<double>(layers, 0), std::vector<double>(layers, 0)};
    add_cycles(e, e.program.root, 1, costs.cycles);
    for (const program::Variable& variable : e.program.variables)
        if (variable.layer >= 0 && variable.value >= 0)
            costs.bytes[static_cast<std::size_t>(variable.layer)] +=
                static_cast<double>(variable.total_bytes());
    return costs;
}

/// Before each layer: cycles to copy over a link what earlier layers make and it or a later one reads, and in
/// training its gradient back.
std::vector<double> cut_cycles(const compile::Executable& e) {
    std::vector<double> bytes(e.graph.layers.size(), 0);
    std::map<std::int32_t, std::int32_t> last_reader; // layer, by value
    for (const graph::Operation& op : e.graph.operations())
        for (const graph::ValueId input : op.inputs)
            if (op.phase == Phase::Forward && op.layer != graph::no_layer)
                last_reader[input.value] = std::max(last_reader[input.value], op.layer.value);
    for (const auto& [id, reader] : last_reader) {
        const graph::Value& value = e.graph.value(graph::ValueId(id));
        if (value.source != graph::Source::Operation || value.layer == graph::no_layer)
            continue;
        for (std::int32_t layer = value.layer.value + 1; layer <= reader; ++layer)
            bytes[static_cast<std::size_t>(layer)] += static_cast<double>(value.type.bytes().value);
    }
    for (double& cost : bytes)
        cost *= (e.graph.training ? 2 : 1) / e.target.link_bytes_per_cycle;
    return bytes;
}

double sum(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

void divide(std::vector<double>& values, double whole) {
    for (double& value : values)
        value = whole > 0 ? value / whole : 0;
}

constexpr std::size_t most_cuts = 5;

using Starts = std::vector<std::size_t>; ///< first layer of each shard

std::map<std::string, std::int32_t> shards_of(const std::vector<graph::Layer>& layers, const Starts& starts) {
    std::map<std::string, std::int32_t> shards;
    for (std::size_t shard = 1; shard < starts.size(); ++shard)
        shards[layers[starts[shard]].name] = static_cast<std::int32_t>(shard);
    return shards;
}

struct LayerRange {
    std::size_t begin = 0, end = 0;
};

/// The best cut that was not tried, with memory, and most that of the fullest shard, counting for as much
/// more as it takes to find one; nothing where there is none.
std::optional<Starts> next_cut(LayerCosts& costs, const std::vector<double>& cuts, std::size_t parts,
                               LayerRange fullest, std::set<Starts>& tried) {
    constexpr int most_steps = 40;
    for (int i = 0; i < most_steps; ++i) {
        Starts starts = balanced_cuts({costs.cycles, costs.bytes}, parts, cuts);
        if (tried.insert(starts).second)
            return starts;
        for (double& bytes : costs.bytes)
            bytes *= 1.15;
        for (std::size_t layer = fullest.begin; layer < fullest.end; ++layer)
            costs.bytes[layer] *= 1.1;
    }
    return std::nullopt;
}

/// What a layer of a shard takes for memory follows what the shard's fullest tile turned out to need. Returns
/// the layers of the fullest shard.
LayerRange lean_on_memory(const compile::Executable& cut, const Starts& starts, LayerCosts& costs) {
    LayerRange fullest;
    std::int64_t most = 0;
    for (std::size_t shard = 0; shard < starts.size() && shard < cut.memory.ipus.size(); ++shard) {
        const std::int64_t needed = cut.memory.ipus[shard].highest_tile_bytes();
        const LayerRange layers{starts[shard],
                                shard + 1 < starts.size() ? starts[shard + 1] : costs.bytes.size()};
        const auto begin = costs.bytes.begin();
        const double held = std::accumulate(begin + static_cast<std::ptrdiff_t>(layers.begin),
                                            begin + static_cast<std::ptrdiff_t>(layers.end), 0.0);
        const double share = static_cast<double>(needed) / static_cast<double>(cut.target.bytes_per_tile) /
                             static_cast<double>(starts.size());
        for (std::size_t i = layers.begin; i < layers.end; ++i)
            costs.bytes[i] *= held > 0 ? 1.15 * share / held : 1;
        if (needed > most) {
            most = needed;
            fullest = layers;
        }
    }
    return fullest;
}

Result<compile::Executable> compiled(const workload::Workload& workload, const std::string& what,
                                     const graph::OperatorRegistry& registry, const compile::Options& options,
                                     const Compiling& compiling, const CancelToken& cancel) {
    TRY(auto graph,
        workload::build_graph(workload, registry,
                              workload.trains() ? workload::Mode::Train : workload::Mode::Evaluate));
    const auto started = [&](const std::string& pass, std::size_t number, std::size_t count) {
        if (compiling)
            compiling(what, pass, number, count);
    };
    return compile::compile(std::move(graph), registry, options, started, &cancel);
}

/// The dumps of a cut that is taken, in the place of those of the one that was before it.
Result<void> take_dumps(const std::filesystem::path& of_cut, const std::string& directory) {
    using std::filesystem::copy_options;
    std::error_code error;
    std::filesystem::copy(of_cut, directory, copy_options::recursive | copy_options::overwrite_existing,
                          error);
    if (error)
        return system_failure("cannot write the dumps", directory, "choose a folder that can be written");
    return {};
}

} // namespace

Result<ModelCosts> model_costs(const workload::Workload& workload, const graph::OperatorRegistry& registry,
                               const compile::Options& options, const Compiling& compiling,
                               const CancelToken& cancel) {
    workload::Workload whole = workload;
    whole.shards.clear();
    whole.automatic_stages = 0;
    whole.pipeline.reset();
    compile::Options on_one_ipu = options;
    on_one_ipu.dump_directory.clear();
    on_one_ipu.schedule = {};
    on_one_ipu.attachment = {};
    std::erase_if(on_one_ipu.planning.rules, // there are no stages yet
                  [](const ipu::PlanningRule& rule) { return rule.part.by_stage(); });
    std::erase_if(on_one_ipu.recompute_parts, [](const ForPart<bool>& rule) { return rule.part.by_stage(); });
    TRY(auto executable,
        compiled(whole, "the model for one IPU, to cut it", registry, on_one_ipu, compiling, cancel));
    ModelCosts costs{{}, costs_of(executable), cut_cycles(executable)};
    divide(costs.cuts, sum(costs.of_layers.cycles));
    divide(costs.of_layers.cycles, sum(costs.of_layers.cycles));
    divide(costs.of_layers.bytes, sum(costs.of_layers.bytes));
    costs.layers = std::move(executable.graph.layers);
    return costs;
}

Result<std::optional<compile::Executable>>
split_automatically(workload::Workload& workload, ModelCosts costs, const graph::OperatorRegistry& registry,
                    compile::Options options, const Compiling& compiling, const CancelToken& cancel) {
    std::optional<compile::Executable> taken;
    const std::int64_t parts = workload.automatic_stages;
    const auto layers = static_cast<std::int64_t>(costs.layers.size());
    if (layers < parts)
        return bad_input("a model of " + std::to_string(layers) + " layers cannot be cut into " +
                             std::to_string(parts),
                         workload.path, "use " + std::to_string(layers) + " shards or stages at most");
    workload.automatic_stages = 0;
    const std::string dumps = options.dump_directory;
    if (!dumps.empty())
        options.dump_directory = (std::filesystem::path(dumps) / "next_cut").string();
    if (const std::int64_t unit = options.schedule.batches_per_update();
        options.schedule.steps_per_execution % unit != 0) // which is refused later, with what would do
        options.schedule.steps_per_execution = unit;
    std::set<Starts> seen;
    LayerRange fullest;
    while (seen.size() < most_cuts) {
        const std::optional<Starts> starts =
            next_cut(costs.of_layers, costs.cuts, static_cast<std::size_t>(parts), fullest, seen);
        if (!starts)
            break;
        workload::Workload candidate = workload;
        candidate.shards = shards_of(costs.layers, *starts);
        if (options.host_only) { // there are no tiles to fit into
            workload.shards = candidate.shards;
            return taken;
        }
        TRY(auto cut,
            compiled(candidate, "cut " + std::to_string(seen.size()), registry, options, compiling, cancel));
        fullest = lean_on_memory(cut, *starts, costs.of_layers);
        const bool fits = cut.fits();
        if (!taken || fits || cut.highest_tile_bytes() < taken->highest_tile_bytes()) {
            taken = std::move(cut);
            workload.shards = candidate.shards;
            if (!dumps.empty())
                TRY(take_dumps(options.dump_directory, dumps));
        }
        if (fits)
            break;
    }
    if (std::error_code ignored; !dumps.empty())
        std::filesystem::remove_all(options.dump_directory, ignored);
    return taken;
}

} // namespace tilescope::prepare
