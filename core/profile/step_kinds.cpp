// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_kinds.h"

#include <algorithm>

namespace tilescope::profile {
namespace {

constexpr std::int64_t most_ids = std::int64_t{1} << 26; ///< a damaged file may name any

template<class T>
bool holds(const std::vector<T>& table, std::int64_t id) {
    return id >= 0 && id < static_cast<std::int64_t>(table.size());
}

/// Grows to hold `id`: ids are dense. Those that no writer gives are left out.
template<class T>
void put(std::vector<T>& table, std::int64_t id, T value) {
    if (id < 0 || id >= most_ids)
        return;
    const auto index = static_cast<std::size_t>(id);
    if (table.size() <= index)
        table.resize(index + 1);
    table[index] = value;
}

std::int64_t& part(ActivityCycles& cycles, Phase phase) {
    switch (phase) {
    case Phase::Recompute:
        return cycles.recompute;
    case Phase::Backward:
        return cycles.backward;
    case Phase::Update:
        return cycles.update;
    case Phase::Forward:
        break;
    }
    return cycles.forward;
}

} // namespace

/// One that no table holds stays one that none holds.
StepKinds::Id StepKinds::short_id(std::int64_t id) {
    return static_cast<Id>(std::clamp<std::int64_t>(id, -1, most_ids));
}

void StepKinds::shrink() {
    operations_.shrink_to_fit();
    between_.shrink_to_fit();
    steps_.shrink_to_fit();
}

void StepKinds::add(const OperationRecord& operation) {
    put(operations_, operation.id, {operation.layer_id, operation.phase});
}

void StepKinds::add(const ExchangeRecord& exchange) {
    put(between_, exchange.id, exchange.kind == ExchangeKind::InterIpu);
}

void StepKinds::add(const ProgramRecord& step) {
    put(steps_, step.id,
        {short_id(step.parent_id), short_id(step.operation_id), short_id(step.exchange_id),
         leaves_ipus(step.kind), step.peer >= 0});
}

void StepKinds::add(const FurtherStepRecord& step) {
    put(steps_, step.id,
        {short_id(step.parent_id), short_id(step.operation_id), -1, leaves_ipus(step.kind), step.peer >= 0,
         step.between_ipus});
}

std::int64_t StepKinds::operation_of(std::int64_t id) const {
    constexpr int deepest = 64; // of any program tree; a damaged one may be a ring
    for (int depth = 0; depth < deepest && holds(steps_, id); ++depth) {
        const Step& step = steps_[static_cast<std::size_t>(id)];
        if (step.operation >= 0)
            return step.operation;
        id = step.parent;
    }
    return -1;
}

TraceSlice StepKinds::slice(const TraceRecord& row) const {
    static const Step unknown;
    const Step& step =
        holds(steps_, row.program_id) ? steps_[static_cast<std::size_t>(row.program_id)] : unknown;
    const std::int64_t length = row.sync + row.exchange + row.compute;
    TraceSlice slice;
    slice.start_cycle = row.start_cycle;
    slice.end_cycle = row.start_cycle + length;
    slice.execution_id = row.execution_id;
    slice.step = row.step;
    slice.program_id = slice.longest = row.program_id;
    slice.longest_cycles = length;
    slice.operation_id = operation_of(row.program_id);
    slice.cycles.sync = row.sync;
    slice.cycles.compute = row.compute;
    (step.host ? slice.cycles.host
     : step.links || (holds(between_, step.exchange) && between_[static_cast<std::size_t>(step.exchange)])
         ? slice.cycles.inter_ipu
         : slice.cycles.exchange) = row.exchange;
    if (holds(operations_, slice.operation_id)) {
        const Operation& operation = operations_[static_cast<std::size_t>(slice.operation_id)];
        slice.layer_id = operation.layer;
        (step.copy ? slice.activities.copy : part(slice.activities, operation.phase)) = length;
    } else {
        slice.activities.other = length;
    }
    return slice;
}

} // namespace tilescope::profile
