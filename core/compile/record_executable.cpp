// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/record_executable.h"

#include "base/entry.h"
#include "compile/operation_stages.h"
#include "compile/passes.h"
#include "compile/step_stages.h"
#include "graph/flops.h"
#include "ipu/code_memory.h"
#include "mapping/axis_numbers.h"
#include "operators/fused_elementwise.h"
#include "operators/replica_groups.h"
#include "profile/tile_array.h"
#include "ring_replicas.h"
#include "tile_code.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tilescope::compile {
namespace {

std::vector<std::int64_t> widen(const std::vector<std::int32_t>& values) {
    return {values.begin(), values.end()};
}

/// The IPU of the first replica that runs each operation, its shard where it needs no step; -1: the host.
std::vector<std::int64_t> ipus_of_operations(const Executable& e) {
    std::vector<std::int64_t> ipus(e.graph.operations().size(), 0);
    for (const graph::Operation& op : e.graph.operations())
        entry(ipus, op.id) = op.placement.on_host() ? -1 : e.schedule.ipu_of(std::max(op.placement.shard, 0));
    for (const program::Step& step : e.program.steps)
        if (step.leaf() && step.operation >= 0 && step.ipu >= 0 && step.peer < 0)
            ipus[static_cast<std::size_t>(step.operation)] = step.ipu;
    return ipus;
}

void record_graph(const Executable& e, const graph::OperatorRegistry& registry, profile::Recorder& recorder,
                  const CancelToken* cancel) {
    const graph::Graph& g = e.graph;
    for (std::size_t i = 0; i < g.layers.size(); ++i)
        recorder.add(profile::LayerRecord{static_cast<std::int64_t>(i), g.layers[i].name, g.layers[i].kind,
                                          graph::to_string(g.layers[i].output_shape),
                                          g.layers[i].parameters});
    std::vector<bool> used(g.values().size(), false);
    const std::vector<std::int64_t> ipus = ipus_of_operations(e);
    const std::vector<std::int32_t> stages = operation_stages(e.graph);
    for (const graph::Operation& op : g.operations()) {
        if (is_cancelled(cancel))
            return;
        profile::OperationRecord record;
        record.id = op.id.value;
        record.name = op.name;
        record.kind = op.kind;
        record.layer_id = op.layer.value;
        record.phase = op.phase;
        record.ipu = entry(ipus, op.id);
        const std::int32_t stage = entry(stages, op.id);
        record.stage = !e.schedule.pipeline ? -1
                       : record.ipu < 0     ? stage
                                        : stage_on(e.schedule, stage, static_cast<std::int32_t>(record.ipu));
        record.attributes = op.attributes.json();
        if (operators::of_group(op.kind) != nullptr)
            record.group_replicas = op.attributes.integer(operators::group_attribute, 1);
        record.parts = operators::fused_kinds(op.attributes);
        for (const graph::ValueId id : op.inputs) {
            record.inputs.push_back(id.value);
            entry(used, id) = true;
        }
        for (const graph::ValueId id : op.outputs) {
            record.outputs.push_back(id.value);
            entry(used, id) = true;
        }
        record.flops = graph::flops_of(g, op, registry);
        recorder.add(record);
    }
    for (std::size_t i = 0; i < used.size(); ++i) {
        const graph::Value& value = g.values()[i];
        if (used[i])
            recorder.add(profile::TensorRecord{static_cast<std::int64_t>(i), value.name, value.type.dtype,
                                               graph::to_string(value.type.shape), value.type.bytes().value});
    }
}

/// Neighbouring steps that are alike are one row: most of them are another IPU's.
void record_liveness(const Executable& e, profile::Recorder& recorder, const CancelToken* cancel) {
    const auto alike = [](const LivenessPoint& a, const LivenessPoint& b) {
        return std::tie(a.always_live, a.not_always_live, a.max_tile) ==
               std::tie(b.always_live, b.not_always_live, b.max_tile);
    };
    for (std::size_t ipu = 0; ipu < e.memory.ipus.size(); ++ipu) {
        const std::vector<LivenessPoint>& points = e.memory.ipus[ipu].liveness;
        for (std::size_t s = 0; s < points.size() && !is_cancelled(cancel);) {
            std::size_t end = s + 1;
            while (end < points.size() && alike(points[end], points[s]))
                ++end;
            recorder.add(
                profile::LivenessSpanRecord{static_cast<std::int64_t>(ipu), static_cast<std::int64_t>(s),
                                            static_cast<std::int64_t>(end - s), points[s].always_live,
                                            points[s].not_always_live, points[s].max_tile});
            s = end;
        }
    }
}

/// Where each step stands in the program tree, and how often it runs in an engine run.
struct Tree {
    std::vector<std::int64_t> parent, position, runs;
};

Tree tree_of(const program::Program& p) {
    Tree tree{std::vector<std::int64_t>(p.steps.size(), -1), std::vector<std::int64_t>(p.steps.size(), 0),
              std::vector<std::int64_t>(p.steps.size(), 1)};
    for (std::size_t i = 0; i < p.steps.size(); ++i) // parents stand before their children
        for (std::size_t k = 0; k < p.steps[i].children.size(); ++k) {
            const program::StepId child = p.steps[i].children[k];
            entry(tree.parent, child) = static_cast<std::int64_t>(i);
            entry(tree.position, child) = static_cast<std::int64_t>(k);
            entry(tree.runs, child) = tree.runs[i] * p.steps[i].repeats;
        }
    return tree;
}

/// As the table `exchange_moves` has them.
std::string axes_text(const std::vector<program::Axis>& axes) {
    std::string text;
    for (const program::Axis& axis : axes)
        text += (text.empty() ? "" : ", ") + graph::to_string(mapping::numbers_of(axis));
    return "[" + text + "]";
}

void record_exchange(std::int64_t id, const program::Exchange& exchange, profile::Recorder& recorder) {
    recorder.add(profile::ExchangeRecord{id, exchange.name, exchange.kind, exchange.operation,
                                         exchange.bytes(), exchange.cycles, exchange.ipu, exchange.peer,
                                         exchange.ring_phase});
    for (std::size_t i = 0; i < exchange.moved.size(); ++i)
        recorder.add(profile::ExchangeVariableRecord{
            id, static_cast<std::int64_t>(i), exchange.moved[i].variable.value, exchange.moved[i].bytes});
    if (const auto& m = exchange.moves)
        recorder.add(profile::ExchangeMovesRecord{id, axes_text(m->axes), m->first_tile, m->element_bytes,
                                                  m->needs, m->first_need_tile});
    recorder.add_tile_values("exchange", id, exchange.ipu, "sent", exchange.sent);
    recorder.add_tile_values("exchange", id, exchange.peer < 0 ? exchange.ipu : exchange.peer, "received",
                             exchange.received);
}

constexpr std::size_t told_of = 256; ///< rows between two words on the progress

void record_program(const Executable& e, profile::Recorder& recorder, const CancelToken* cancel,
                    const WithinPass& within) {
    const program::Program& p = e.program;
    const std::vector<program::StepId> leaves = p.leaves();
    std::map<std::int32_t, std::int64_t> order;
    for (std::size_t i = 0; i < leaves.size(); ++i)
        order[leaves[i].value] = static_cast<std::int64_t>(i);
    const Tree tree = tree_of(p);
    const std::vector<StepStage> stages = step_stages(e);
    for (std::size_t i = 0; i < p.steps.size(); ++i) {
        if (is_cancelled(cancel))
            return;
        if (within && i % told_of == 0)
            within({Work::Record, "steps", i, p.steps.size()});
        const program::Step& s = p.steps[i];
        const auto leaf = order.find(static_cast<std::int32_t>(i));
        recorder.add(profile::ProgramRecord{static_cast<std::int64_t>(i),
                                            tree.parent[i],
                                            tree.position[i],
                                            s.kind,
                                            s.name,
                                            s.operation,
                                            s.compute_set,
                                            s.exchange,
                                            s.repeats,
                                            leaf == order.end() ? -1 : leaf->second,
                                            s.sync_cycles,
                                            s.exchange_cycles,
                                            s.compute_cycles,
                                            s.ipu,
                                            s.peer,
                                            tree.runs[i],
                                            s.part,
                                            s.work.role,
                                            s.work.verb,
                                            s.work.of,
                                            s.code_bytes,
                                            stages[i].stage,
                                            stages[i].peer_stage,
                                            stages[i].activity});
    }
    for (std::size_t i = 0; i < p.compute_sets.size(); ++i) {
        if (is_cancelled(cancel))
            return;
        const program::ComputeSet& set = p.compute_sets[i];
        const auto id = static_cast<std::int64_t>(i);
        recorder.add(profile::ComputeSetRecord{id, set.name, set.operation, set.cycles(), set.balance()});
        for (const program::VertexGroup& group : set.vertices)
            recorder.add(profile::VertexRecord{id, group.codelet, group.count, group.tiles});
        recorder.add_tile_values("compute_set", id, set.ipu, "cycles", widen(set.tile_cycles));
    }
    for (std::size_t i = 0; i < p.exchanges.size(); ++i) {
        if (is_cancelled(cancel))
            return;
        record_exchange(static_cast<std::int64_t>(i), p.exchanges[i], recorder);
    }
    for (std::size_t i = 0; i < p.needs.lists.size() && !is_cancelled(cancel); ++i) {
        const program::NeedList& list = p.needs.lists[i];
        recorder.add(profile::TileNeedsRecord{static_cast<std::int64_t>(i), graph::to_string(list.shape),
                                              profile::pack_tile_values(list.differences)});
    }
    record_liveness(e, recorder, cancel);
}

/// How often a step and those below it run where it runs `times` times.
void count_runs(const Executable& e, program::StepId id, std::int64_t times,
                std::vector<std::int64_t>& runs) {
    const program::Step& step = e.program.step(id);
    entry(runs, id) = times;
    for (const program::StepId child : step.children)
        count_runs(e, child, times * step.repeats, runs);
}

/// The replica that each one sends to in an all-reduce of an IPU of the model around rings of so many.
std::vector<std::int64_t> ring_neighbours(const Executable& e, std::int32_t ipu, std::int32_t replicas) {
    std::vector<std::int64_t> next;
    for (std::int32_t first = 0; first < e.schedule.replicas; first += replicas) {
        ipu::IpuIds places;
        for (std::int32_t replica = first; replica < first + replicas; ++replica)
            places.push_back(e.attachment.at(replica * e.program.ipus + ipu));
        const ipu::IpuIds ring = e.attachment.topology.ring(places);
        for (const std::int32_t place : places) {
            auto after = std::find(ring.begin(), ring.end(), place) + 1;
            after = after == ring.end() ? ring.begin() : after;
            next.push_back(first + (std::find(places.begin(), places.end(), *after) - places.begin()));
        }
    }
    return next;
}

/// What each pair of IPUs exchanges for one weight update.
void record_link_traffic(const Executable& e, profile::Recorder& recorder, const CancelToken* cancel) {
    std::vector<std::int64_t> runs(e.program.steps.size(), 0);
    for (const program::StepId part : e.program.step(e.program.rounds).children) // of one weight update
        count_runs(e, part, 1, runs);
    std::map<std::tuple<std::int64_t, std::int64_t, profile::LinkKind>, profile::LinkTrafficRecord> traffic;
    for (std::size_t i = 0; i < e.program.steps.size() && !is_cancelled(cancel); ++i) {
        const program::Step& step = e.program.steps[i];
        if (step.exchange < 0)
            continue;
        const program::Exchange& exchange = e.program.exchanges[static_cast<std::size_t>(step.exchange)];
        if (exchange.kind != ExchangeKind::InterIpu)
            continue;
        const bool copy = exchange.peer >= 0; // else each replica sends to the next of the ring
        const auto next =
            copy ? std::vector<std::int64_t>()
                 : ring_neighbours(e, exchange.ipu, ring_replicas(e.graph, exchange, e.schedule.replicas));
        for (std::int64_t replica = 0; replica < e.schedule.replicas; ++replica) {
            const std::int64_t ipu = replica * e.program.ipus + exchange.ipu;
            const std::int64_t peer =
                copy ? replica * e.program.ipus + exchange.peer
                     : next[static_cast<std::size_t>(replica)] * e.program.ipus + exchange.ipu;
            const auto kind = copy ? profile::LinkKind::Copy : profile::LinkKind::AllReduce;
            auto& row = traffic[{ipu, peer, kind}];
            row = {ipu,
                   peer,
                   kind,
                   row.copies + runs[i],
                   row.bytes + runs[i] * exchange.bytes(),
                   row.cycles + runs[i] * exchange.cycles};
        }
    }
    for (const auto& [key, row] : traffic)
        recorder.add(row);
}

struct ByCategory {
    std::vector<std::int64_t> always, not_always;
};

void record_ipu_memory(const Executable& e, std::size_t index, std::int64_t ipu,
                       const std::map<std::string, ByCategory>& categories, profile::Recorder& recorder) {
    const IpuMemory& memory = e.memory.ipus[index];
    for (const auto& [category, sum] : categories) {
        recorder.add_tile_values("category:" + category, 0, ipu, "always_live", sum.always);
        recorder.add_tile_values("category:" + category, 0, ipu, "not_always_live", sum.not_always);
    }
    recorder.add_tile_values("memory", 0, ipu, "total", memory.peak);
    recorder.add_tile_values("memory", 0, ipu, "total_with_gaps", memory.with_gaps);
    recorder.add_tile_values("memory", 0, ipu, "always_live", memory.always_live);
    std::vector<std::int64_t> rest = memory.peak;
    for (std::size_t t = 0; t < rest.size(); ++t)
        rest[t] -= memory.interleaved[t] + memory.overflowed[t];
    recorder.add_tile_values("memory", 0, ipu, "non_interleaved", rest);
    recorder.add_tile_values("memory", 0, ipu, "interleaved", memory.interleaved);
    recorder.add_tile_values("memory", 0, ipu, "overflowed", memory.overflowed);
    const std::vector<std::int64_t> code = code_by_tile(e.program, static_cast<std::int32_t>(index));
    recorder.add_tile_values("memory", 0, ipu, "code", code);
    recorder.add_tile_values("memory", 0, ipu, "code_limit",
                             std::vector(code.size(), ipu::code_memory_bytes(e.target)));
    const std::vector<program::StepId> leaves = e.program.leaves();
    for (const std::int64_t tile : memory.oversize_tiles) {
        const auto t = static_cast<std::size_t>(tile);
        const auto step = static_cast<std::size_t>(memory.peak_step[t]);
        recorder.add(profile::OversizeTileRecord{ipu, tile, memory.with_gaps[t],
                                                 step < leaves.size() ? leaves[step].value : -1});
    }
}

std::vector<profile::PlanItem> items_of(const ipu::ConvCost& cost) {
    std::vector<profile::PlanItem> items;
    for (const ipu::CostItem& item : ipu::cost_items(cost))
        items.push_back({item.name, item.kind, item.cycles});
    return items;
}

/// The memory of the first replica, for which the others stand.
void record_memory(const Executable& e, profile::Recorder& recorder, const CancelToken* cancel,
                   const WithinPass& within) {
    const program::Program& p = e.program;
    const auto tiles = static_cast<std::size_t>(p.tiles);
    std::vector<std::map<std::string, ByCategory>> categories(e.memory.ipus.size());
    for (std::size_t v = 0; v < p.variables.size(); ++v) {
        if (is_cancelled(cancel))
            return;
        if (within && v % told_of == 0)
            within({Work::Record, "variables", v, p.variables.size()});
        const program::Variable& variable = p.variables[v];
        const LiveRange range = e.memory.needed[v];
        if (!variable.always_live && range.from < 0)
            continue; // nothing ever touches it: it is not allocated
        const auto id = static_cast<std::int64_t>(v);
        const std::string category = to_string(variable.category);
        recorder.add(profile::VariableRecord{
            id, variable.name, variable.category, variable.layer, variable.operation,
            variable.copy_of >= 0 ? variable.copy_of : variable.value, variable.ipu, variable.dtype,
            variable.shape, variable.total_bytes(), variable.always_live, range.from, range.to,
            variable.stash_depth, variable.streaming_bytes, variable.role});
        recorder.add_tile_values("variable", id, variable.ipu, "bytes", widen(variable.tile_bytes));
        recorder.add_tile_values("variable", id, variable.ipu, "address", widen(e.memory.addresses[v]));
        const auto ipu = static_cast<std::size_t>(variable.ipu);
        auto& sum = categories[ipu]
                        .try_emplace(category, ByCategory{std::vector<std::int64_t>(tiles, 0),
                                                          std::vector<std::int64_t>(tiles, 0)})
                        .first->second;
        const std::vector<std::int32_t>& peak_step = e.memory.ipus[ipu].peak_step;
        for (std::size_t t = 0; t < tiles; ++t) {
            if (variable.always_live)
                sum.always[t] += variable.tile_bytes[t];
            else if (range.from <= peak_step[t] && peak_step[t] <= range.to)
                sum.not_always[t] += variable.tile_bytes[t];
        }
    }
    for (std::size_t ipu = 0; ipu < e.memory.ipus.size() && !is_cancelled(cancel); ++ipu)
        record_ipu_memory(e, ipu, static_cast<std::int64_t>(ipu), categories[ipu], recorder);
}

} // namespace

void record(const Executable& e, const graph::OperatorRegistry& registry, profile::Recorder& recorder,
            const CancelToken* cancel, const WithinPass& within) {
    record_graph(e, registry, recorder, cancel);
    for (const profile::CompileEventRecord& event : e.events)
        recorder.add(event);
    for (const profile::RemovedOperationRecord& removed : e.removed)
        recorder.add(removed);
    if (e.program.tiles == 0) // computed on the host: no program
        return;
    record_program(e, recorder, cancel, within);
    record_link_traffic(e, recorder, cancel);
    record_memory(e, recorder, cancel, within);
    for (const lowering::OperationPlan& plan : e.plans) {
        if (is_cancelled(cancel))
            return;
        for (std::size_t rank = 0; rank < plan.plans.size(); ++rank) {
            const ipu::ConvCost& cost = plan.plans[rank].cost;
            recorder.add(profile::PlanRecord{
                plan.operation.value, plan.product, static_cast<std::int64_t>(rank),
                ipu::describe(plan.plans[rank]), cost.cycles(), cost.temporary_bytes, items_of(cost),
                rank == 0 ? items_of(plan.placed) : std::vector<profile::PlanItem>()});
        }
    }
}

void record_steps(const Executable& e, const profile::DeviceProgramRecord& program,
                  const std::map<std::string, std::int64_t>& described, profile::Recorder& recorder,
                  const CancelToken* cancel) {
    const program::Program& p = e.program;
    const Tree tree = tree_of(p);
    const std::vector<StepStage> stages = step_stages(e);
    const auto operation = [&](std::int32_t id) {
        if (id < 0)
            return std::int64_t{-1};
        const auto found = described.find(e.graph.operations()[static_cast<std::size_t>(id)].name);
        return found == described.end() ? profile::not_described : found->second;
    };
    for (std::size_t i = 0; i < p.steps.size() && !is_cancelled(cancel); ++i) {
        const program::Step& s = p.steps[i];
        const program::Exchange* const exchange =
            s.exchange < 0 ? nullptr : &p.exchanges[static_cast<std::size_t>(s.exchange)];
        const bool between = exchange != nullptr && exchange->kind == ExchangeKind::InterIpu;
        recorder.add(profile::FurtherStepRecord{
            program.root_id + static_cast<std::int64_t>(i),
            program.id,
            tree.parent[i] < 0 ? -1 : program.root_id + tree.parent[i],
            tree.position[i],
            s.kind,
            s.name,
            operation(s.operation),
            s.repeats,
            s.sync_cycles,
            s.exchange_cycles,
            s.compute_cycles,
            s.ipu,
            s.peer,
            tree.runs[i],
            between,
            s.part,
            exchange == nullptr ? 0 : exchange->bytes(),
            s.compute_set < 0 ? -1 : p.compute_sets[static_cast<std::size_t>(s.compute_set)].balance(),
            s.work.role,
            s.work.verb,
            s.work.of,
            stages[i].stage});
    }
}

} // namespace tilescope::compile
