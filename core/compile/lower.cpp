// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/entry.h"
#include "base/host_work.h"
#include "base/text.h"
#include "base/worker_pool.h"
#include "compile/operation_stages.h"
#include "compile/passes.h"
#include "host_copies.h"
#include "ipu/elementwise_cycles.h"
#include "lowering/remote.h"
#include "parts_by_layer.h"
#include "program/exchange_traffic.h"
#include "stashes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace tilescope::compile {
namespace {

using graph::ValueId;
using program::Step;
using program::StepId;

StepId sequence(program::Program& program, StepId parent, const std::string& name,
                std::int32_t operation = -1, ProgramPart part = ProgramPart::Whole) {
    Step step;
    step.name = name;
    step.part = part;
    step.operation = operation;
    return program.add_step(std::move(step), parent);
}

/// The IPU of an operation: its shard, or else where its first operand lies.
std::int32_t ipu_of(const lowering::LoweringState& state, const program::Schedule& schedule,
                    const graph::Operation& op) {
    if (op.placement.shard >= 0)
        return schedule.ipu_of(op.placement.shard);
    for (const ValueId input : op.inputs)
        if (const lowering::Placed& placed = entry(state.values, input);
            placed.variable != program::no_variable)
            return state.home(placed);
    return 0;
}

bool of_host(const graph::Graph& graph, ValueId id) {
    const graph::Value& value = graph.value(id);
    return value.source == graph::Source::Operation && graph.operation(value.producer).placement.on_host();
}

/// What an operation of the device reads of operations of the host that no other has read yet.
std::vector<ValueId> made_by_host(const lowering::LoweringState& state, const graph::Operation& op) {
    std::vector<ValueId> values;
    for (const ValueId input : op.inputs)
        if (of_host(state.graph, input) && entry(state.values, input).variable == program::no_variable &&
            std::find(values.begin(), values.end(), input) == values.end())
            values.push_back(input);
    return values;
}

/// What an operation of the host reads of the device's comes over first.
void fetch_for_host(lowering::LoweringState& state, const graph::Operation& op, StepId parent,
                    ProgramPart part, std::int32_t waits) {
    std::vector<ValueId> values;
    for (const ValueId input : op.inputs)
        if (state.graph.value(input).source == graph::Source::Operation && !of_host(state.graph, input))
            values.push_back(input);
    if (values.empty())
        return;
    HostCopies out(state, sequence(state.program, parent, op.name + "/outfeed", -1, part),
                   op.name + "/outfeed", false, waits);
    for (const ValueId value : values)
        out.add(value, state.graph.value(value).name);
    out.lower();
}

/// State that no operation of the device reads, and that one of the host makes anew or reads.
bool is_of_host(const graph::Graph& graph, const graph::Variable& variable) {
    bool by_host = variable.next != graph::no_value && of_host(graph, variable.next);
    for (const graph::Operation& op : graph.operations())
        if (std::find(op.inputs.begin(), op.inputs.end(), variable.value) != op.inputs.end()) {
            if (!op.placement.on_host())
                return false;
            by_host = true;
        }
    return by_host;
}

/// State whose new value was made elsewhere than in place is copied back at the end of the step.
void write_back(lowering::LoweringState& state, const graph::Variable& variable, StepId parent) {
    const lowering::Placed& now = entry(state.values, variable.next);
    const lowering::Placed& home = entry(state.values, variable.value);
    if (now.variable == home.variable)
        return;
    state.ipu = state.home(home);
    const graph::Value& next = state.graph.value(variable.next);
    if (next.source != graph::Source::Operation)
        return;
    const graph::Operation& op = state.graph.operation(next.producer);
    lowering::LoweringContext context(state, op, parent);
    const std::int64_t bytes = graph::element_bytes(next.type.dtype);
    std::vector<program::VariableId> uses{home.variable};
    context.bring(context.here(variable.next), bytes, variable.name, home.mapping.view(),
                  program::needs_of(home.mapping), uses);
    std::vector<std::int64_t> cycles = home.mapping.elements_per_tile();
    for (std::int64_t& value : cycles)
        value = ipu::copy_cycles(state.target, value * bytes, bytes);
    context.execute("WriteVariable", ipu::codelets::copy, cycles, std::move(uses));
}

/// The sums over the micro-batches start anew after each weight update.
void zero_accumulators(const Compilation& c, lowering::LoweringState& state, StepId parent) {
    std::map<std::int32_t, const graph::Operation*> readers; // of each sum, the update's last
    for (const graph::Operation& op : state.graph.operations())
        for (const ValueId input : op.inputs)
            if (const graph::Value& value = state.graph.value(input);
                op.phase == Phase::Update && value.source == graph::Source::Operation &&
                state.graph.operation(value.producer).kind == "accumulate")
                readers[input.value] = &op;
    for (const auto& [sum, reader] : readers) {
        if (c.cancelled())
            return;
        const lowering::Placed& placed = state.values[static_cast<std::size_t>(sum)];
        const std::int64_t bytes = graph::element_bytes(state.graph.type(ValueId(sum)).dtype);
        state.ipu = state.home(placed);
        std::vector<std::int64_t> cycles = placed.mapping.elements_per_tile();
        for (std::int64_t& n : cycles)
            n = ipu::fill_cycles(state.target, bytes, n);
        lowering::LoweringContext context(state, *reader, parent);
        context.execute("ZeroAccumulator", ipu::codelets::fill, cycles, {placed.variable});
    }
}

/// The products of all operations are planned side by side, those that are equal once.
void plan_products(const Compilation& c, lowering::LoweringState& state) {
    std::vector<ipu::ConvProblem> problems;
    std::vector<const graph::Operation*> of;
    for (const graph::Operation& op : state.graph.operations())
        if (const auto* problem = state.lowerings.problem(op.kind);
            problem != nullptr && !op.placement.on_host()) {
            problems.push_back((*problem)(lowering::LoweringContext(state, op, StepId(-1))));
            of.push_back(&op);
        }
    WorkerPool pool(c.options.threads);
    const std::size_t some =
        16 * pool.threads(); // enough for all threads, few enough to tell of the progress
    for (std::size_t first = 0; first < problems.size() && !c.cancelled(); first += some) {
        c.tell({Work::Plan, of[first]->name, first, problems.size()});
        const auto begin = problems.begin() + static_cast<std::ptrdiff_t>(first);
        const auto count = std::min(some, problems.size() - first);
        state.planner.plan_ahead({begin, begin + static_cast<std::ptrdiff_t>(count)}, pool);
    }
}

/// By stage: its IPU; none where two stages share one.
std::vector<std::int32_t> distinct_ipus_of_stages(const program::Schedule& schedule, std::int32_t stages) {
    std::vector<std::int32_t> ipus(static_cast<std::size_t>(stages));
    for (std::int32_t stage = 0; stage < stages; ++stage)
        ipus[static_cast<std::size_t>(stage)] = schedule.ipu_of(stage);
    const std::set<std::int32_t> distinct(ipus.begin(), ipus.end());
    return distinct.size() == ipus.size() ? ipus : std::vector<std::int32_t>();
}

/// What the tiles that compute do until those of the host are done. How long is known to the clock only.
StepId add_io_wait(program::Program& program, StepId infeed) {
    Step step;
    step.kind = StepKind::StreamCopy;
    step.work = host_work(HostWork::Wait, "I/O tiles");
    step.name = step.work.text();
    step.ipu = program.ipus > 1 ? program::all_ipus : 0;
    return program.add_step(std::move(step), infeed);
}

} // namespace

Result<std::string> lower(Compilation& c) {
    const graph::Graph& graph = c.graph();
    program::Program& program = c.executable.program;
    const program::Schedule& schedule = c.options.schedule;
    program.tiles = c.options.target.tiles_per_ipu;
    program.ipus = schedule.ipus_per_replica;
    const IoPlacement io = place_io(graph, c.options.target, schedule, c.options.io_tiles);
    program.io_tiles = io.tiles;
    program.io_overlaps = io.overlaps;
    ipu::Target compute = c.options.target;
    compute.tiles_per_ipu -= io.tiles;
    ipu::ConvPlanner planner(compute, c.cancel);
    program::ExchangeBook exchanges(program, c.options.target);
    const lowering::LoweringTable lowerings = lowering::standard_lowerings(c.registry);
    lowering::LoweringState state{graph,
                                  lowerings,
                                  c.options.target,
                                  program,
                                  planner,
                                  exchanges,
                                  std::vector<lowering::Placed>(graph.values().size()),
                                  {},
                                  0,
                                  lowering::last_uses(graph, c.registry),
                                  c.options.planning};
    state.io_tiles = io.tiles;
    state.streaming_sharers =
        std::max<std::int64_t>(1, c.options.attachment.most_on_a_machine(schedule.ipus()));
    for (std::int32_t ipu = 0; ipu < schedule.ipus_per_replica; ++ipu)
        state.host_sharers.push_back(
            c.options.attachment.most_on_a_machine(schedule.ipus(), ipu, schedule.ipus_per_replica));

    plan_products(c, state);
    const StepId root = sequence(program, StepId(-1), graph.name);
    Step repeat;
    repeat.kind = StepKind::Repeat;
    repeat.name = "steps";
    repeat.repeats = schedule.updates_per_execution();
    const StepId loop = program.add_step(std::move(repeat), root);
    program.rounds = loop;
    StepId batch = loop; // what each micro-batch runs
    if (schedule.accumulation > 1) {
        Step micro;
        micro.kind = StepKind::Repeat;
        micro.name = "micro-batches";
        micro.repeats = schedule.accumulation;
        micro.part = ProgramPart::MicroBatches;
        batch = program.add_step(std::move(micro), loop);
        program.micro_batches = batch;
    }
    const StepId infeed = sequence(program, batch, "infeed", -1, ProgramPart::Infeed);
    const StepId work = batch == loop ? loop : sequence(program, batch, "forward and backward");
    const auto part_of = [](const graph::Operation& op) {
        return op.phase == Phase::Update ? ProgramPart::Update : ProgramPart::MicroBatches;
    };
    state.ipu = schedule.ipu_of(0);
    state.stage = schedule.stages_overlap() ? 0 : lowering::any_stage;
    if (schedule.stages_overlap())
        state.stage_ipus = distinct_ipus_of_stages(schedule, graph.shards());
    for (const graph::Feed& feed : graph.feeds)
        if (feed.linear)
            lowering::place_value(state, feed.value, lowering::linear_mapping(state, graph.type(feed.value)));
    for (const graph::Operation& op : graph.operations())
        if (!op.placement.on_host() && op.placement.shard >= 0)
            state.devices[schedule.ipu_of(op.placement.shard)] = op.placement.device;
    // A pipeline's first stage is fed and its last one read; without one all IPUs meet the host together.
    const auto waits = [&](std::int32_t ipu) {
        return schedule.pipeline ? ipu : program.ipus > 1 ? program::all_ipus : 0;
    };
    const std::int32_t last = schedule.ipu_of(graph.shards() - 1);
    std::vector<std::int32_t> stages = operation_stages(graph);
    PartsByLayer parts(graph, program);
    for (const graph::Operation& op : graph.operations()) {
        if (c.cancelled())
            return cancelled();
        c.tell({Work::Lower, op.name, static_cast<std::size_t>(&op - graph.operations().data()),
                graph.operations().size()});
        const StepId parent = op.phase == Phase::Update ? loop : work;
        if (op.placement.on_host()) {
            fetch_for_host(state, op, parent, part_of(op), waits(last));
            continue;
        }
        parts.begin();
        state.ipu = ipu_of(state, schedule, op);
        if (schedule.stages_overlap() && op.phase != Phase::Update)
            state.stage = entry(stages, op.id) = stage_on(schedule, entry(stages, op.id), state.ipu);
        else
            state.stage = lowering::any_stage; // an update is of all micro-batches
        const std::vector<ValueId> arriving = made_by_host(state, op);
        const StepId arrival =
            arriving.empty() ? parent : sequence(program, parent, op.name + "/infeed", -1, part_of(op));
        lowering::LoweringContext context(state, op,
                                          sequence(program, parent, op.name, op.id.value, part_of(op)));
        lowerings.at(op.kind)(context);
        lowering::load_awaited(state, op);
        HostCopies into(state, arrival, op.name + "/infeed", true, waits(state.ipu));
        for (const ValueId value : arriving)
            into.add(value, graph.value(value).name);
        into.lower();
        parts.end(op);
    }
    c.parts = parts.take();
    if (schedule.stages_overlap())
        Stashes(c, state, *schedule.pipeline, stages).lower();
    state.stage = lowering::any_stage;
    // What the update makes goes to the host once, before sums start anew.
    const auto of_update = [&](const graph::Fetch& fetch) {
        const graph::Value& value = graph.value(fetch.value);
        return batch != loop && value.source == graph::Source::Operation &&
               graph.operation(value.producer).phase == Phase::Update;
    };
    const auto outfeed = [&](bool from_update, StepId parent, ProgramPart part) {
        std::vector<const graph::Fetch*> fetches;
        for (const graph::Fetch& fetch : graph.fetches)
            if (!of_host(graph, fetch.value) && of_update(fetch) == from_update)
                fetches.push_back(&fetch);
        if (fetches.empty())
            return;
        HostCopies out(state, sequence(program, parent, "outfeed", -1, part), "outfeed", false, waits(last),
                       io.placed && part == ProgramPart::Outfeed);
        for (const graph::Fetch* fetch : fetches) {
            if (entry(state.values, fetch->value).variable == program::no_variable)
                lowering::place_value(state, fetch->value,
                                      lowering::linear_mapping(state, graph.type(fetch->value)));
            out.add(fetch->value, fetch->name);
        }
        out.lower();
    };
    outfeed(true, loop, ProgramPart::Update);
    const StepId write = sequence(program, loop, "write variables", -1, ProgramPart::Update);
    for (const graph::Variable& variable : graph.variables) {
        if (c.cancelled())
            return cancelled();
        const bool placed = entry(state.values, variable.value).variable != program::no_variable;
        if (!placed && is_of_host(graph, variable))
            continue;
        if (!placed)
            lowering::place_value(state, variable.value,
                                  lowering::linear_mapping(state, graph.type(variable.value)));
        if (variable.next != graph::no_value)
            write_back(state, variable, write);
    }
    zero_accumulators(c, state, write);
    HostCopies into(state, infeed, "infeed", true, waits(schedule.ipu_of(0)), io.placed);
    for (const graph::Feed& feed : graph.feeds)
        if (entry(state.values, feed.value).variable != program::no_variable)
            into.add(feed.value, feed.name);
    into.lower();
    outfeed(false, batch, ProgramPart::Outfeed);
    if (io.overlaps)
        program.io_wait = add_io_wait(program, infeed);
    if (c.cancelled())
        return cancelled();
    c.executable.plans = std::move(state.plans);
    return counted_text(std::ssize(program.leaves()), "program step") + ", " +
           counted_text(std::ssize(program.compute_sets), "compute set") + ", " +
           counted_text(std::ssize(program.exchanges), "exchange") + ", " +
           counted_text(std::ssize(program.variables), "variable");
}

} // namespace tilescope::compile
