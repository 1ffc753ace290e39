// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/passes.h"
#include "ipu/elementwise_cycles.h"
#include "program/exchange_traffic.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tilescope::compile {
namespace {

using graph::ValueId;
using program::Step;
using program::StepId;
using program::StepKind;

constexpr std::int64_t instruction_bytes = 4;

StepId sequence(program::Program& program, StepId parent, const std::string& name,
                std::int32_t operation = -1) {
    Step step;
    step.name = name;
    step.operation = operation;
    return program.add_step(std::move(step), parent);
}

void stream_copy(ops::LoweringState& state, StepId parent, ValueId id, const std::string& name,
                 bool to_device) {
    const ops::Placed& placed = state.values[static_cast<std::size_t>(id.value)];
    program::Exchange exchange = program::host_exchange(
        state.target, placed.mapping, graph::element_bytes(state.graph.type(id).dtype), to_device);
    exchange.name = name;
    Step step;
    step.kind = StepKind::StreamCopy;
    step.name = name;
    step.exchange = static_cast<std::int32_t>(state.program.exchanges.size());
    step.sync_cycles = state.target.global_sync_cycles;
    step.exchange_cycles = exchange.cycles;
    step.uses = {placed.variable};
    state.program.exchanges.push_back(std::move(exchange));
    state.program.add_step(std::move(step), parent);
}

/// State whose new value was made elsewhere than in place is copied back at the end of the step.
void write_back(ops::LoweringState& state, const graph::Variable& variable, StepId parent) {
    const ops::Placed& now = state.values[static_cast<std::size_t>(variable.next.value)];
    const ops::Placed& home = state.values[static_cast<std::size_t>(variable.value.value)];
    if (now.variable == home.variable)
        return;
    const graph::Value& next = state.graph.value(variable.next);
    if (next.source != graph::Source::Operation)
        return;
    const graph::Operation& op = state.graph.operation(next.producer);
    ops::LoweringContext context(state, op, parent);
    const std::int64_t bytes = graph::element_bytes(next.type.dtype);
    std::vector<program::VariableId> uses{home.variable};
    context.bring(now, bytes, variable.name, home.mapping.view(), program::needs_of(home.mapping), uses);
    std::vector<std::int64_t> cycles = home.mapping.elements_per_tile();
    for (std::int64_t& value : cycles)
        value = ipu::copy_cycles(state.target, value * bytes, bytes);
    context.execute("WriteVariable", {"Copy", 40, 3}, cycles, std::move(uses));
}

} // namespace

Result<std::string> lower(Compilation& c) {
    const graph::Graph& graph = c.graph();
    program::Program& program = c.executable.program;
    program.tiles = c.options.target.tiles_per_ipu;
    ipu::ConvPlanner planner(c.options.target, c.options.available_memory_proportion);
    ops::LoweringState state{
        graph, c.options.target, program, planner, std::vector<ops::Placed>(graph.values().size()), {}, 0};

    const StepId root = sequence(program, StepId(-1), graph.name);
    Step repeat;
    repeat.kind = StepKind::Repeat;
    repeat.name = "steps";
    repeat.repeats = c.options.steps_per_execution;
    const StepId loop = program.add_step(std::move(repeat), root);
    const StepId infeed = sequence(program, loop, "infeed");
    for (const graph::Operation& op : graph.operations()) {
        ops::LoweringContext context(state, op, sequence(program, loop, op.name, op.id.value));
        c.registry.at(op.kind).lower(context);
    }
    const StepId write = sequence(program, loop, "write variables");
    for (const graph::Variable& variable : graph.variables) {
        if (state.values[static_cast<std::size_t>(variable.value.value)].variable == program::no_variable)
            ops::place_value(state, variable.value, ops::linear_mapping(state, graph.type(variable.value)));
        if (variable.next != graph::no_value)
            write_back(state, variable, write);
    }
    for (const graph::Feed& feed : graph.feeds)
        if (state.values[static_cast<std::size_t>(feed.value.value)].variable != program::no_variable)
            stream_copy(state, infeed, feed.value, feed.name, true);
    const StepId outfeed = sequence(program, loop, "outfeed");
    for (const graph::Fetch& fetch : graph.fetches) {
        if (state.values[static_cast<std::size_t>(fetch.value.value)].variable == program::no_variable)
            ops::place_value(state, fetch.value, ops::linear_mapping(state, graph.type(fetch.value)));
        stream_copy(state, outfeed, fetch.value, fetch.name, false);
    }
    c.executable.plans = std::move(state.plans);
    return std::to_string(program.leaves().size()) + " program steps, " +
           std::to_string(program.compute_sets.size()) + " compute sets, " +
           std::to_string(program.exchanges.size()) + " exchanges, " +
           std::to_string(program.variables.size()) + " variables";
}

Result<std::string> add_code(Compilation& c) {
    program::Program& program = c.executable.program;
    if (!c.options.target.compile_ipu_code)
        return std::string("code is not counted (compile_ipu_code is false)");
    const auto tiles = static_cast<std::size_t>(program.tiles);
    std::int64_t total = 0;
    const auto add = [&](std::string name, program::Category category, std::vector<std::int32_t> bytes) {
        program::Variable variable;
        variable.name = std::move(name);
        variable.category = category;
        variable.always_live = true;
        variable.tile_bytes = std::move(bytes);
        total += variable.total_bytes();
        program.add_variable(std::move(variable));
    };
    // A codelet's code is on every tile that runs it, once.
    std::map<std::string, std::vector<std::int32_t>> codelets;
    for (const program::ComputeSet& set : program.compute_sets)
        for (const program::VertexGroup& group : set.vertices) {
            auto& bytes = codelets.try_emplace(group.codelet, tiles, 0).first->second;
            for (std::size_t t = 0; t < tiles; ++t)
                if (set.tile_cycles[t] > 0)
                    bytes[t] = static_cast<std::int32_t>(group.code_bytes);
        }
    for (auto& [name, bytes] : codelets)
        add(name, program::Category::VertexCode, std::move(bytes));

    // Every tile runs every step: sync, set-up, call and return. An exchange adds an instruction for each 64
    // words that the tile sends or receives.
    const auto leaves = static_cast<std::int32_t>(program.leaves().size());
    add("control code", program::Category::ControlCode,
        std::vector<std::int32_t>(tiles, 4 * leaves * static_cast<std::int32_t>(instruction_bytes)));
    std::vector<std::int32_t> internal(tiles, 0);
    std::vector<std::int32_t> host(tiles, 0);
    for (const program::Exchange& exchange : program.exchanges) {
        auto& bytes = exchange.kind == program::ExchangeKind::Host ? host : internal;
        for (std::size_t t = 0; t < tiles; ++t) {
            const std::int64_t moved = exchange.sent[t] + exchange.received[t];
            if (moved > 0)
                bytes[t] += static_cast<std::int32_t>(instruction_bytes * (4 + ceil_div(moved, 256)));
        }
    }
    add("internal exchange code", program::Category::InternalExchangeCode, std::move(internal));
    add("host exchange code", program::Category::HostExchangeCode, std::move(host));
    return std::to_string(total) + " bytes of code";
}

} // namespace tilescope::compile
