// SPDX-License-Identifier: GPL-3.0-or-later
#include "lowering/context.h"

#include "base/entry.h"
#include "base/units.h"
#include "ipu/elementwise_cycles.h"
#include "program/exchange_traffic.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace tilescope::lowering {
namespace {

std::int64_t total(const std::vector<std::int64_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

std::vector<std::int32_t> scaled(const std::vector<std::int64_t>& values, std::int64_t factor) {
    std::vector<std::int32_t> result(values.size());
    std::transform(values.begin(), values.end(), result.begin(),
                   [factor](std::int64_t v) { return static_cast<std::int32_t>(v * factor); });
    return result;
}

} // namespace

std::vector<std::int32_t> last_uses(const graph::Graph& graph, const graph::OperatorRegistry& registry) {
    const auto outlives = static_cast<std::int32_t>(graph.operations().size());
    std::vector<std::size_t> memory(graph.values().size());
    std::iota(memory.begin(), memory.end(), std::size_t{0});
    std::vector<std::int32_t> last(graph.values().size(), -1);
    const auto of = [&](graph::ValueId id) { return entry(memory, id); };
    for (const graph::Operation& op : graph.operations()) {
        if (registry.at(op.kind).view || op.kind == "split")
            for (const graph::ValueId output : op.outputs)
                entry(memory, output) = of(op.inputs[0]);
        for (const graph::ValueId input : op.inputs)
            last[of(input)] = op.id.value;
    }
    for (const graph::Fetch& fetch : graph.fetches)
        last[of(fetch.value)] = outlives;
    for (const graph::Variable& variable : graph.variables)
        if (variable.next != graph::no_value)
            last[of(variable.next)] = outlives;
    std::vector<std::int32_t> result(last.size());
    for (std::size_t v = 0; v < last.size(); ++v)
        result[v] = last[memory[v]];
    return result;
}

std::string signature(const graph::Graph& graph, const graph::Operation& op) {
    std::string text = op.kind + op.attributes.json();
    for (const graph::ValueId id : op.inputs)
        text += "," + graph::to_string(graph.type(id));
    return text;
}

program::TileMapping linear_mapping(LoweringState& state, const graph::TensorType& type) {
    const std::int64_t bytes = graph::element_bytes(type.dtype);
    const std::int64_t grain = std::max<std::int64_t>(1, state.target.data_path_bytes / bytes);
    auto mapping = program::TileMapping::linear(type.shape, state.compute_tiles(), grain,
                                                minimum_bytes_per_tile / bytes, state.next_tile);
    state.next_tile = (state.next_tile + mapping.parts()) % state.compute_tiles();
    return mapping;
}

Placed place_value(LoweringState& state, graph::ValueId id, program::TileMapping mapping) {
    if (state.around)
        if (const auto outside = state.around->fixed.find(id.value); outside != state.around->fixed.end()) {
            const Placed placed = place_value(state.around->state, outside->second, std::move(mapping));
            return entry(state.values, id) = placed;
        }
    const graph::Value& value = state.graph.value(id);
    program::Variable variable;
    variable.name = value.name;
    variable.category =
        value.source == graph::Source::Constant ? MemoryCategory::Constants : MemoryCategory::Variables;
    variable.dtype = value.type.dtype;
    variable.shape = graph::to_string(value.type.shape);
    variable.ipu = state.ipu;
    variable.operation = value.producer.value;
    variable.layer = value.layer.value;
    variable.value = id.value;
    variable.always_live = value.source == graph::Source::Variable || value.source == graph::Source::Constant;
    if (state.around) {
        variable.name.insert(0, state.around->prefix);
        variable.operation = state.around->operation;
        variable.layer = state.around->layer;
        variable.value = -1;
    }
    variable.tile_bytes = scaled(mapping.elements_per_tile(), graph::element_bytes(value.type.dtype));
    const bool of_batch = value.source == graph::Source::Operation || value.source == graph::Source::Feed;
    Placed placed{state.program.add_variable(std::move(variable)), std::move(mapping),
                  of_batch ? state.stage : any_stage};
    entry(state.values, id) = placed;
    return placed;
}

Placed place_remotely(LoweringState& state, graph::ValueId id, program::TileMapping mapping) {
    Placed placed = place_value(state, id, std::move(mapping));
    program::Variable& variable = state.program.variable(placed.variable);
    variable.streaming_bytes = variable.total_bytes();
    std::fill(variable.tile_bytes.begin(), variable.tile_bytes.end(), 0);
    return placed;
}

namespace {

std::map<std::int32_t, const graph::Operation*> accumulations_of(const graph::Graph& graph) {
    std::map<std::int32_t, const graph::Operation*> result;
    const auto users = graph.users();
    for (const graph::Operation& op : graph.operations())
        if (op.kind == "accumulate" && entry(users, op.inputs[1]).size() == 1)
            result.emplace(op.inputs[1].value, &op);
    for (const graph::Fetch& fetch : graph.fetches)
        result.erase(fetch.value.value);
    return result;
}

} // namespace

LoweringContext::LoweringContext(LoweringState& state, const graph::Operation& operation,
                                 program::StepId sequence)
    : state_(state), operation_(operation), sequence_(sequence) {}

std::string LoweringContext::full_name() const {
    return state_.around ? state_.around->prefix + operation_.name : operation_.name;
}

std::string LoweringContext::path() const {
    return state_.around ? state_.around->path + operation_.name + "/" : std::string();
}

program::Step LoweringContext::leaf(StepKind kind, StepWork work) const {
    program::Step step;
    step.kind = kind;
    step.name = full_name() + "/" + work.text();
    work.verb.insert(0, path());
    step.work = std::move(work);
    step.ipu = state_.ipu;
    step.operation = whole_operation();
    return step;
}

std::int32_t LoweringContext::whole_operation() const {
    return state_.around ? state_.around->operation : operation_.id.value;
}

std::int32_t LoweringContext::whole_layer() const {
    return state_.around ? state_.around->layer : operation_.layer.value;
}

Placed& LoweringContext::placed_value(graph::ValueId id) {
    Placed& home = entry(state_.values, id);
    if (home.variable == program::no_variable || state_.is_here(home))
        return home;
    const auto [found, fresh] = state_.copies.try_emplace({id.value, state_.place()});
    if (fresh)
        found->second = copied_here(id, from_neighbour(id, home));
    return found->second;
}

/// What skips stages goes from each to the next over their IPUs, for stages read of their neighbours only.
/// In each stage between a copy waits for the end of its slot.
/// Source: IPU TensorFlow, driver/passes/pipeline_fifo_inserter.cc, pipeline_communication_optimizer.cc.
Placed LoweringContext::from_neighbour(graph::ValueId id, const Placed& home) {
    const std::int32_t stage = state_.stage, ipu = state_.ipu;
    if (state_.stage_ipus.empty() || stage == any_stage || home.stage == any_stage ||
        std::abs(stage - home.stage) < 2)
        return home;
    state_.stage += home.stage < stage ? -1 : 1;
    state_.ipu = state_.stage_ipus[static_cast<std::size_t>(state_.stage)];
    Placed passed = placed_value(id);
    state_.stage = stage;
    state_.ipu = ipu;
    program::Variable& waiting = state_.program.variable(passed.variable);
    waiting.always_live = true;
    waiting.interleaved = false;
    return passed;
}

/// Tile by tile under the same mapping.
Placed LoweringContext::copied_here(graph::ValueId id, const Placed& from) {
    const graph::Value& value = state_.graph.value(id);
    program::Variable variable = state_.program.variable(from.variable);
    variable.name = value.name + "/on IPU " + std::to_string(state_.ipu);
    variable.category = MemoryCategory::Variables;
    variable.ipu = state_.ipu;
    variable.value = -1;
    variable.always_live = false;
    variable.role = StepRole::Copy;
    const std::int32_t home = state_.home(from);
    std::int32_t slots = 1;
    if (home == state_.ipu) {
        // From the end of a slot on it waits while the other stages of the IPU work, once for each slot
        // between.
        variable.name = value.name + "/for stage " + std::to_string(state_.stage);
        variable.always_live = true;
        variable.interleaved = false;
        slots = std::abs(state_.stage - from.stage);
    }
    for (std::int32_t& bytes : variable.tile_bytes)
        bytes = bytes / from.slots * slots;
    Placed copy{state_.program.add_variable(std::move(variable)), from.mapping, state_.stage, slots};
    if (home == state_.ipu)
        copy_within(from, copy, value);
    else if (state_.devices[home] == state_.devices[state_.ipu])
        copy_over_links(from, copy, value);
    else
        copy_over_host(from, copy, value);
    return copy;
}

/// A view is made by its own operation, whatever made the variable that it is of; what the body of a loop
/// makes is of the loop.
std::int32_t LoweringContext::maker_of(const Placed& from, const graph::Value& value) const {
    return state_.around ? state_.program.variable(from.variable).operation : value.producer.value;
}

/// Between two stages of one IPU: on each tile.
void LoweringContext::copy_within(const Placed& from, const Placed& to, const graph::Value& value) {
    const std::int64_t bytes = graph::element_bytes(value.type.dtype);
    std::vector<std::int64_t> cycles = from.mapping.elements_per_tile();
    for (std::int64_t& n : cycles)
        n = n == 0 ? 0 : ipu::copy_cycles(target(), n * bytes, bytes);
    execute({StepRole::Copy, "copy", value.name}, ipu::codelets::copy, cycles, {from.variable, to.variable});
    state_.program.steps.back().made_by = maker_of(from, value);
}

void LoweringContext::copy_over_links(const Placed& from, const Placed& to, const graph::Value& value) {
    program::Exchange exchange =
        program::inter_ipu_copy(from.mapping, graph::element_bytes(value.type.dtype));
    exchange.ipu = state_.home(from);
    exchange.peer = state_.ipu;
    program::Step step = leaf(StepKind::Exchange, {StepRole::Copy, "copy", value.name});
    step.ipu = exchange.ipu;
    step.peer = exchange.peer;
    step.uses = {from.variable, to.variable};
    step.made_by = maker_of(from, value);
    append_copy(std::move(step), std::move(exchange));
}

/// Out of one device and, when it has come to the host, into the other.
void LoweringContext::copy_over_host(const Placed& from, const Placed& to, const graph::Value& value) {
    const std::int64_t bytes = graph::element_bytes(value.type.dtype);
    for (const bool in : {false, true}) {
        const std::int32_t ipu = in ? state_.ipu : state_.home(from);
        program::Exchange exchange = state_.host_exchange(ipu, from.mapping, bytes, in);
        exchange.ipu = ipu;
        program::Step step = leaf(StepKind::StreamCopy, {StepRole::Copy, "copy", value.name});
        step.ipu = exchange.ipu;
        step.peer = in ? state_.home(from) : -1;
        step.sync_cycles = state_.target.global_sync_cycles;
        step.exchange_cycles = exchange.cycles + state_.target.cycles_of_us(state_.target.host_sync_us);
        step.uses = {in ? to.variable : from.variable};
        step.made_by = maker_of(from, value);
        append_copy(std::move(step), std::move(exchange));
    }
}

void LoweringContext::append_copy(program::Step step, program::Exchange exchange) {
    exchange.name = step.name;
    exchange.operation = whole_operation();
    step.exchange = state_.program.add_exchange(std::move(exchange), step.uses);
    state_.program.add_step(std::move(step), sequence_);
}

const graph::TensorType& LoweringContext::input_type(std::size_t i) const {
    return state_.graph.type(operation_.inputs[i]);
}

const graph::TensorType& LoweringContext::output_type(std::size_t i) const {
    return state_.graph.type(operation_.outputs[i]);
}

program::TileMapping LoweringContext::linear(const graph::TensorType& type) {
    return linear_as_before(type, -1 - linear_mappings_++);
}

program::TileMapping LoweringContext::linear_as_before(const graph::TensorType& type, std::int64_t which) {
    if (signature_.empty())
        signature_ = signature(state_.graph, operation_);
    StartTiles& starts = state_.first_tiles[{state_.ipu, signature_, which}];
    const std::int64_t turn = starts.times++ / most_alike % most_first_tiles;
    if (turn == static_cast<std::int64_t>(starts.tiles.size())) {
        starts.tiles.push_back(state_.next_tile);
        return linear_mapping(state_, type);
    }
    const std::int64_t next = std::exchange(state_.next_tile, starts.tiles[static_cast<std::size_t>(turn)]);
    program::TileMapping mapping = linear_mapping(state_, type);
    state_.next_tile = next;
    return mapping;
}

bool LoweringContext::placed(std::size_t i) const {
    return entry(state_.values, operation_.inputs[i]).variable != program::no_variable;
}

const program::TileMapping& LoweringContext::input_mapping(std::size_t i) {
    if (!placed(i))
        place_value(state_, operation_.inputs[i],
                    linear_as_before(input_type(i), static_cast<std::int64_t>(i)));
    return placed_value(operation_.inputs[i]).mapping;
}

program::VariableId LoweringContext::input_variable(std::size_t i) {
    input_mapping(i);
    return placed_value(operation_.inputs[i]).variable;
}

Placed LoweringContext::input(std::size_t i) {
    input_mapping(i);
    return placed_value(operation_.inputs[i]);
}

void LoweringContext::place_input(std::size_t i, program::TileMapping mapping) {
    place_value(state_, operation_.inputs[i], std::move(mapping));
}

program::VariableId LoweringContext::place_output(std::size_t i, program::TileMapping mapping) {
    return place_value(state_, operation_.outputs[i], std::move(mapping)).variable;
}

std::optional<program::VariableId>
LoweringContext::place_in_accumulator(const program::TileMapping& mapping) {
    if (state_.around)
        return std::nullopt;
    if (!state_.accumulations)
        state_.accumulations = accumulations_of(state_.graph);
    const auto found = state_.accumulations->find(operation_.outputs[0].value);
    if (found == state_.accumulations->end())
        return std::nullopt;
    const graph::ValueId accumulator = found->second->inputs[0];
    if (entry(state_.values, accumulator).variable == program::no_variable)
        place_value(state_, accumulator, mapping);
    const Placed placed = entry(state_.values, accumulator);
    if (!state_.is_here(placed) || !(placed.mapping == mapping))
        return std::nullopt;
    entry(state_.values, operation_.outputs[0]) = placed;
    return placed.variable;
}

void LoweringContext::alias_output(std::size_t i, std::size_t k) {
    input_mapping(k);
    const Placed source = placed_value(operation_.inputs[k]);
    placed_value(operation_.outputs[i]) = source;
}

bool LoweringContext::updates_variable(std::size_t k) const {
    return std::any_of(
        state_.graph.variables.begin(), state_.graph.variables.end(), [&](const graph::Variable& variable) {
            return variable.value == operation_.inputs[k] && variable.next == operation_.outputs[0];
        });
}

void LoweringContext::alias_output(std::size_t i, std::size_t k, program::TileMapping part) {
    input_mapping(k);
    const Placed& whole = placed_value(operation_.inputs[k]);
    entry(state_.values, operation_.outputs[i]) = {whole.variable, std::move(part), whole.stage, whole.slots};
}

bool LoweringContext::may_overwrite(std::size_t k) const {
    const graph::ValueId id = operation_.inputs[k];
    const graph::Value& value = state_.graph.value(id);
    const Placed& home = entry(state_.values, id);
    if (value.type != output_type() || !placed(k) || !state_.is_here(home) ||
        entry(state_.last_use, id) != operation_.id.value)
        return false;
    if (value.source == graph::Source::Variable)
        return updates_variable(k);
    // What a body is fed is there for one step, but for what is the same in each.
    const bool own =
        value.source == graph::Source::Operation ||
        (state_.around && value.source == graph::Source::Feed && value.index < state_.around->first_fixed);
    return own && !state_.program.variable(home.variable).always_live;
}

void LoweringContext::bring(std::size_t i, const program::Shape& shape,
                            const std::vector<program::TileNeed>& needs,
                            std::vector<program::VariableId>& uses) {
    input_mapping(i);
    const Placed from = placed_value(operation_.inputs[i]);
    bring(from, graph::element_bytes(input_type(i).dtype), state_.graph.value(operation_.inputs[i]).name,
          shape, needs, uses);
}

void LoweringContext::bring(const Placed& from, std::int64_t element_bytes, const std::string& name,
                            const program::Shape& shape, const std::vector<program::TileNeed>& needs,
                            std::vector<program::VariableId>& uses) {
    auto exchange = state_.exchanges.between(from.mapping, shape, element_bytes, needs);
    if (!exchange) {
        uses.push_back(from.variable);
        return;
    }
    std::vector<std::int32_t> bytes(static_cast<std::size_t>(tiles()), 0);
    for (const program::TileNeed& need : needs)
        bytes[static_cast<std::size_t>(need.tile)] +=
            static_cast<std::int32_t>(need.box.elements() * element_bytes);
    const auto buffer = buffer_for(from, name + "/rearranged", StepRole::Bring, std::move(bytes));
    this->exchange({StepRole::Bring, "exchange", name}, std::move(*exchange), {from.variable, buffer});
    uses.push_back(buffer);
}

program::VariableId LoweringContext::buffer_for(const Placed& from, const std::string& name, StepRole role,
                                                std::vector<std::int32_t> tile_bytes) {
    const auto buffer = temporary(name, state_.program.variable(from.variable).dtype, std::move(tile_bytes));
    state_.program.variable(buffer).category = MemoryCategory::RearrangementBuffers;
    state_.program.variable(buffer).role = role;
    return buffer;
}

void LoweringContext::exchange(const StepWork& work, program::Exchange exchange,
                               std::vector<program::VariableId> uses) {
    append(StepKind::Exchange, work, std::move(exchange), state_.target.sync_cycles, std::move(uses));
}

void LoweringContext::stream(StepKind kind, const program::TileMapping& mapping, std::int64_t element_bytes,
                             std::vector<program::VariableId> uses, const std::string& of) {
    append(kind, {StepRole::Exchange, to_string(kind), of},
           program::streaming_exchange(state_.target, mapping, element_bytes, kind == StepKind::Load,
                                       state_.streaming_sharers),
           state_.target.global_sync_cycles, std::move(uses));
}

void LoweringContext::append(StepKind kind, const StepWork& work, program::Exchange exchange,
                             std::int64_t sync_cycles, std::vector<program::VariableId> uses) {
    program::Step step = leaf(kind, work);
    exchange.name = step.name;
    exchange.operation = step.operation;
    exchange.ipu = state_.ipu;
    step.sync_cycles = sync_cycles;
    step.exchange_cycles = exchange.cycles;
    step.exchange = state_.program.add_exchange(std::move(exchange), uses);
    step.uses = std::move(uses);
    state_.program.add_step(std::move(step), sequence_);
}

program::Moves LoweringContext::moves(const program::TileMapping& from, const program::Shape& shape,
                                      std::int64_t element_bytes,
                                      const std::vector<program::TileNeed>& needs) {
    return state_.program.moves_of(from, shape, element_bytes, needs);
}

void LoweringContext::exchange_balanced(const StepWork& work, program::Exchange exchange,
                                        std::vector<program::VariableId> uses, std::int64_t receivers,
                                        bool in_pairs) {
    if (program::balance(target(), exchange, receivers, in_pairs))
        this->exchange(work, std::move(exchange), std::move(uses));
}

Placed LoweringContext::rearrange(const Placed& from, program::TileMapping mapping,
                                  std::int64_t element_bytes, std::int64_t channels,
                                  const std::vector<std::int64_t>& made, const std::string& name) {
    std::vector<program::VariableId> uses;
    if (total(made) >= total(from.mapping.elements_per_tile())) {
        bring(from, element_bytes, name, mapping.view(), program::needs_of(mapping), uses);
    } else { // some of them; which tile sends which is not followed
        program::Exchange exchange;
        exchange.sent = from.mapping.elements_per_tile();
        for (const std::int64_t n : made)
            exchange.received.push_back(n * element_bytes);
        uses.push_back(buffer_for(from, name + "/rearranged", StepRole::Bring, scaled(made, element_bytes)));
        exchange_balanced({StepRole::Bring, "exchange", name}, std::move(exchange),
                          {from.variable, uses.back()});
    }
    std::vector<std::int64_t> cycles = made;
    for (std::int64_t& n : cycles)
        n = ipu::transform_cycles(target(), n * element_bytes, element_bytes, channels);
    const auto turned =
        buffer_for(from, name + "/in order", StepRole::Rearrange, scaled(made, element_bytes));
    uses.push_back(turned);
    execute({StepRole::Rearrange, "Rearrange", name}, ipu::codelets::copy, cycles, std::move(uses));
    return {turned, std::move(mapping)};
}

void LoweringContext::begin_repeat(const std::string& name, std::int64_t times) {
    program::Step step;
    step.kind = StepKind::Repeat;
    step.name = full_name() + "/" + name;
    step.operation = whole_operation();
    step.repeats = times;
    outer_ = sequence_;
    sequence_ = state_.program.add_step(std::move(step), sequence_);
}

void LoweringContext::end_repeat() {
    sequence_ = outer_;
}

void LoweringContext::interleave(program::VariableId variable, bool must) {
    program::Variable& v = state_.program.variable(variable);
    v.interleaved = must && !v.always_live;
}

program::VariableId LoweringContext::temporary(const std::string& name, std::optional<DType> dtype,
                                               std::vector<std::int32_t> tile_bytes) {
    program::Variable variable;
    variable.name = full_name() + "/" + name;
    variable.ipu = state_.ipu;
    variable.dtype = dtype;
    variable.operation = whole_operation();
    variable.layer = whole_layer();
    variable.tile_bytes = std::move(tile_bytes);
    return state_.program.add_variable(std::move(variable));
}

void LoweringContext::execute(const std::string& verb, const ipu::Codelet& codelet,
                              const std::vector<std::int64_t>& cycles, std::vector<program::VariableId> uses,
                              const std::string& types) {
    execute({StepRole::Compute, verb, {}}, codelet, cycles, std::move(uses), types);
}

void LoweringContext::execute(const StepWork& work, const ipu::Codelet& codelet,
                              const std::vector<std::int64_t>& cycles, std::vector<program::VariableId> uses,
                              const std::string& types, const std::vector<std::int64_t>& list_bytes) {
    program::Step step = leaf(StepKind::Execute, work);
    program::ComputeSet set;
    set.name = step.name;
    set.ipu = state_.ipu;
    set.operation = step.operation;
    set.tile_cycles = scaled(cycles, 1);
    const auto busy = static_cast<std::int64_t>(
        std::count_if(cycles.begin(), cycles.end(), [](std::int64_t c) { return c > 0; }));
    set.vertices.push_back({codelet.name + (types.empty() ? "" : "<" + types + ">"), busy, busy,
                            codelet.code_bytes(), !codelet.counted});

    program::Variable vertex_state;
    vertex_state.name = set.name + "/vertex state";
    vertex_state.ipu = state_.ipu;
    vertex_state.category = MemoryCategory::VertexInstanceState;
    vertex_state.operation = whole_operation();
    vertex_state.layer = whole_layer();
    vertex_state.role = work.role;
    vertex_state.always_live = true;
    vertex_state.tile_bytes.resize(cycles.size());
    for (std::size_t t = 0; t < cycles.size(); ++t)
        if (cycles[t] > 0)
            vertex_state.tile_bytes[t] =
                static_cast<std::int32_t>(codelet.state_bytes() + (list_bytes.empty() ? 0 : list_bytes[t]));
    set.state = state_.program.add_variable(std::move(vertex_state));

    step.compute_cycles = set.cycles();
    step.uses = std::move(uses);
    step.compute_set = state_.program.add_compute_set(std::move(set));
    state_.program.add_step(std::move(step), sequence_);
}

ipu::ProductPlanning LoweringContext::planning(ipu::ProductKind kind) const {
    const LoweringState* whole = &state_;
    while (whole->around)
        whole = &whole->around->state;
    const graph::Operation& op = whole->graph.operation(graph::OpId(whole_operation()));
    const std::int32_t layer = whole_layer();
    return state_.planning.planning_of(
        {kind, std::max(op.placement.shard, 0), op.phase,
         layer < 0 ? std::string() : whole->graph.layers[static_cast<std::size_t>(layer)].name});
}

ipu::ConvProblem LoweringContext::product(ipu::ProductKind kind) const {
    const ipu::ProductPlanning how = planning(kind);
    const std::int64_t bytes = graph::element_bytes(input_type(0).dtype);
    ipu::ConvProblem problem;
    problem.types = {bytes, bytes == 2 && how.half_partials ? 2 : 4};
    problem.memory_proportion = how.available_memory_proportion;
    return problem;
}

const std::vector<ipu::ConvPlan>& LoweringContext::plan(const ipu::ConvProblem& problem) {
    const auto& plans = state_.planner.plan(problem);
    state_.plans.push_back({graph::OpId(whole_operation()), full_name(), plans, {}});
    return plans;
}

void LoweringContext::set_placed_cost(const ipu::ConvCost& cost) {
    state_.plans.back().placed = cost;
}

} // namespace tilescope::lowering
