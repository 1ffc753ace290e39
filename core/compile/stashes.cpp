// SPDX-License-Identifier: GPL-3.0-or-later
#include "stashes.h"

#include "base/entry.h"
#include "ipu/elementwise_cycles.h"
#include "lowering/remote.h"

#include <algorithm>
#include <set>

namespace tilescope::compile {

using program::StepId;
using program::VariableId;

Stashes::Stashes(const Compilation& c, lowering::LoweringState& state, PipelineSchedule schedule,
                 const std::vector<std::int32_t>& stages)
    : c_(c), state_(state), schedule_(schedule), stages_(stages),
      sequences_(state.graph.operations().size(), StepId(-1)), pops_(sequences_.size(), 0) {
    for (std::size_t i = 0; i < state.program.steps.size(); ++i) {
        const program::Step& step = state.program.steps[i];
        if (step.kind != StepKind::Sequence || step.operation < 0)
            continue;
        StepId& whole = sequences_[static_cast<std::size_t>(step.operation)];
        if (whole.value < 0)
            whole = StepId(static_cast<std::int32_t>(i));
    }
}

void Stashes::lower() {
    const graph::Graph& graph = state_.graph;
    std::set<std::int32_t> stashed; // program variables
    for (const graph::Operation& op : graph.operations()) {
        if (c_.cancelled())
            return;
        if (op.phase != Phase::Backward && op.phase != Phase::Recompute)
            continue;
        const std::int32_t stage = entry(stages_, op.id);
        for (const graph::ValueId input : op.inputs) {
            const graph::Value& value = graph.value(input);
            const bool forward = value.source == graph::Source::Feed ||
                                 (value.source == graph::Source::Operation &&
                                  graph.operation(value.producer).phase == Phase::Forward);
            const lowering::Placed* placed = &entry(state_.values, input);
            if (!forward || placed->variable == program::no_variable)
                continue;
            if (placed->stage != stage) { // it came from another stage
                const auto copy = state_.copies.find({input.value, stage});
                if (copy == state_.copies.end())
                    continue;
                placed = &copy->second;
            }
            if (stashed.insert(placed->variable.value).second)
                add(input, lowering::Placed(*placed), op);
        }
    }
    read_popped();
}

void Stashes::add(graph::ValueId id, const lowering::Placed& placed, const graph::Operation& reader) {
    const std::int64_t depth = program::stash_depth(schedule_, state_.graph.shards(), placed.stage);
    if (depth == 0)
        return;
    const graph::Operation* writer = writer_of(id, placed.stage);
    const graph::Value& value = state_.graph.value(id);
    program::Variable copied = state_.program.variable(placed.variable);
    if (writer != nullptr)
        copied.operation = writer->id.value;
    copied.category = MemoryCategory::Variables;
    copied.value = -1;
    for (std::int32_t& bytes : copied.tile_bytes)
        bytes /= placed.slots;
    program::Variable fifo = copied;
    fifo.name = value.name + "/stash of " + std::to_string(depth);
    fifo.stash_depth = depth;
    fifo.copy_of = id.value;
    fifo.always_live = true;
    fifo.role = StepRole::Push;
    fifo.interleaved = false;
    for (std::int32_t& bytes : fifo.tile_bytes)
        bytes *= static_cast<std::int32_t>(depth);
    const bool remote = c_.options.offload_activations;
    if (remote) {
        fifo.streaming_bytes = fifo.total_bytes();
        std::fill(fifo.tile_bytes.begin(), fifo.tile_bytes.end(), 0);
    }
    copied.name = value.name + "/of the stash";
    copied.always_live = false;
    copied.role = StepRole::Pop;
    const VariableId stash = state_.program.add_variable(std::move(fifo));
    const VariableId popped = state_.program.add_variable(std::move(copied));
    const std::int64_t bytes = graph::element_bytes(value.type.dtype);
    state_.ipu = state_.home(placed);
    const graph::DType dtype = value.type.dtype;
    if (writer != nullptr)
        steps_of(*writer, false, [&](lowering::LoweringContext& context) {
            if (remote)
                lowering::store_remotely(context, placed, stash, dtype, value.name);
            else
                copy(context, {StepRole::Push, "push", value.name}, placed, bytes, {placed.variable, stash});
        });
    const StepId pop = steps_of(reader, true, [&](lowering::LoweringContext& context) {
        if (remote)
            lowering::load_remotely(context, stash, {popped, placed.mapping}, dtype, value.name);
        else
            copy(context, {StepRole::Pop, "pop", value.name}, placed, bytes, {stash, popped});
    });
    popped_[pop.value] = {placed.variable, popped};
}

/// What came from the host or another stage is stashed by the first forward operation of the stage that reads
/// it.
const graph::Operation* Stashes::writer_of(graph::ValueId id, std::int32_t stage) const {
    const auto runs_here = [&](const graph::Operation& op) {
        return entry(sequences_, op.id).value >= 0 && entry(stages_, op.id) == stage;
    };
    const graph::Value& value = state_.graph.value(id);
    if (value.source == graph::Source::Operation && runs_here(state_.graph.operation(value.producer)))
        return &state_.graph.operation(value.producer);
    for (const graph::Operation& op : state_.graph.operations())
        if (op.phase == Phase::Forward && runs_here(op) &&
            std::find(op.inputs.begin(), op.inputs.end(), id) != op.inputs.end())
            return &op;
    return nullptr;
}

template<class Append>
StepId Stashes::steps_of(const graph::Operation& op, bool before, const Append& append) {
    const StepId sequence = entry(sequences_, op.id);
    const auto first = static_cast<std::ptrdiff_t>(state_.program.step(sequence).children.size());
    lowering::LoweringContext context(state_, op, sequence);
    append(context);
    std::vector<StepId>& steps = state_.program.step(sequence).children;
    const StepId last = steps.back();
    if (before) {
        std::rotate(steps.begin() + entry(pops_, op.id), steps.begin() + first, steps.end());
        entry(pops_, op.id) += static_cast<std::int32_t>(steps.end() - steps.begin() - first);
    }
    return last;
}

void Stashes::copy(lowering::LoweringContext& context, const StepWork& work, const lowering::Placed& placed,
                   std::int64_t bytes, std::vector<VariableId> uses) const {
    std::vector<std::int64_t> cycles = placed.mapping.elements_per_tile();
    for (std::int64_t& n : cycles)
        n = ipu::slice_cycles(state_.target, bytes, n);
    context.execute(work, ipu::codelets::dynamic_slice, cycles, std::move(uses));
}

/// What a backward pass reads of a forward value, and puts in its place, is what comes out of the stash.
void Stashes::read_popped() {
    program::Program& program = state_.program;
    std::map<std::int32_t, VariableId> open; // by variable: what its pop, which has been, gave
    const auto now = [&](VariableId& id) {
        if (const auto found = open.find(id.value); found != open.end())
            id = found->second;
    };
    for (const StepId id : program.leaves()) {
        program::Step& step = program.step(id);
        if (const auto found = popped_.find(id.value); found != popped_.end())
            open[found->second.stashed.value] = found->second.popped;
        if (step.operation < 0)
            continue;
        const Phase phase = state_.graph.operation(graph::OpId(step.operation)).phase;
        if (phase != Phase::Backward && phase != Phase::Recompute)
            continue;
        for (VariableId& used : step.uses)
            now(used);
        if (step.exchange >= 0)
            for (program::MovedVariable& moved :
                 program.exchanges[static_cast<std::size_t>(step.exchange)].moved)
                now(moved.variable);
    }
}

} // namespace tilescope::compile
