// SPDX-License-Identifier: GPL-3.0-or-later
#include "stashes.h"

#include "base/entry.h"
#include "ipu/elementwise_cycles.h"

#include <algorithm>
#include <set>

namespace tilescope::compile {

void Stashes::lower() {
    const graph::Graph& graph = state_.graph;
    std::set<std::int32_t> stashed; // program variables
    for (const graph::Operation& op : graph.operations()) {
        if (c_.cancelled())
            return;
        if (op.phase != Phase::Backward && op.phase != Phase::Recompute)
            continue;
        const lowering::Placed& made = entry(state_.values, op.outputs[0]);
        const std::int32_t ipu = made.variable == program::no_variable ? 0 : state_.home(made);
        for (const graph::ValueId input : op.inputs) {
            const graph::Value& value = graph.value(input);
            const bool forward = value.source == graph::Source::Feed ||
                                 (value.source == graph::Source::Operation &&
                                  graph.operation(value.producer).phase == Phase::Forward);
            const lowering::Placed* placed = &entry(state_.values, input);
            if (!forward || placed->variable == program::no_variable)
                continue;
            if (state_.home(*placed) != ipu) { // it came over the links
                const auto copy = state_.copies.find({input.value, ipu});
                if (copy == state_.copies.end())
                    continue;
                placed = &copy->second;
            }
            if (stashed.insert(placed->variable.value).second)
                add(input, lowering::Placed(*placed), op);
        }
    }
}

void Stashes::add(graph::ValueId id, const lowering::Placed& placed, const graph::Operation& reader) {
    const std::int32_t stage = state_.home(placed);
    const std::int64_t depth = program::stash_depth(schedule_, state_.graph.shards(), stage);
    if (depth == 0)
        return;
    const graph::Value& value = state_.graph.value(id);
    program::Variable fifo = state_.program.variable(placed.variable);
    fifo.name = value.name + "/stash of " + std::to_string(depth);
    fifo.category = MemoryCategory::Variables;
    fifo.value = -1;
    fifo.stash_depth = depth;
    fifo.stashed = id.value;
    fifo.always_live = true;
    fifo.role = StepRole::Push;
    fifo.interleaved = false;
    for (std::int32_t& bytes : fifo.tile_bytes)
        bytes *= static_cast<std::int32_t>(depth);
    const program::VariableId stash = state_.program.add_variable(std::move(fifo));
    const std::int64_t bytes = graph::element_bytes(value.type.dtype);
    state_.ipu = stage;
    const graph::Operation* writer = writer_of(id, stage);
    if (writer != nullptr)
        copy(*writer, {StepRole::Push, "push", value.name}, placed, bytes, {placed.variable, stash});
    copy(reader, {StepRole::Pop, "pop", value.name}, placed, bytes, {stash, placed.variable});
}

/// What came from the host or another IPU is stashed by the first forward operation of the stage that reads
/// it.
const graph::Operation* Stashes::writer_of(graph::ValueId id, std::int32_t stage) const {
    const auto runs_here = [&](const graph::Operation& op) {
        const lowering::Placed& made = entry(state_.values, op.outputs[0]);
        return made.variable != program::no_variable && state_.home(made) == stage;
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

void Stashes::copy(const graph::Operation& op, const StepWork& work, const lowering::Placed& placed,
                   std::int64_t bytes, std::vector<program::VariableId> uses) {
    lowering::LoweringContext context(state_, op, parent_);
    std::vector<std::int64_t> cycles = placed.mapping.elements_per_tile();
    for (std::int64_t& n : cycles)
        n = ipu::slice_cycles(state_.target, bytes, n);
    context.execute(work, ipu::codelets::dynamic_slice, cycles, std::move(uses));
}

} // namespace tilescope::compile
