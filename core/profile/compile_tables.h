// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"
#include "table.h"

/// The tables of what compiling did: see tables.h.
namespace tilescope::profile {

template<>
inline constexpr auto table_of<PlanRecord> = table<PlanRecord>(
    "plan", "The planner's choice for each product of an operation, and its runners-up.",
    key("operation_id, product, rank"), Storing::TextsOnce, column("operation_id", &PlanRecord::operation_id),
    column("product", &PlanRecord::product, "",
           "which product it is for: the operation's name, or that of one in the body of its loop"),
    column("rank", &PlanRecord::rank, "", "0: chosen; 1, 2 … would have been next"),
    column("description", &PlanRecord::description, "",
           "JSON: vertex, units, channels per group, transforms, splits, tiles"),
    column("cost", &PlanRecord::cost, "",
           "JSON: cycles of each part by which plans are compared; of the chosen one in `placed` those with "
           "its operands "
           "where they lie (page *cost model*)"),
    column("cycles", &PlanRecord::cycles, "cycles", "the sum of those by which plans are compared"),
    column("temporary_bytes", &PlanRecord::temporary_bytes, "bytes", "on the fullest tile"));

template<>
inline constexpr auto table_of<CompileEventRecord> = table<CompileEventRecord>(
    "compile_event", "A tree of compiler passes.", key("id"), column("id", &CompileEventRecord::id),
    column("parent_id", &CompileEventRecord::parent_id),
    column("name", &CompileEventRecord::name, "", "of the pass"),
    column("start_us", &CompileEventRecord::start_us, "us", "wall time since compilation began"),
    column("duration_us", &CompileEventRecord::duration_us, "us", "wall time"),
    column("detail", &CompileEventRecord::detail, "", "what it changed: \"45 -> 42 operations\""));

template<>
inline constexpr auto table_of<RemovedOperationRecord> = table<RemovedOperationRecord>(
    "removed_operation", "The operations that a pass took out of the graph, alone or into another one.",
    key("compile_event_id, position"), Storing::TextsOnce,
    column("compile_event_id", &RemovedOperationRecord::compile_event_id, "", "of the pass"),
    column("position", &RemovedOperationRecord::position, "", "in order of execution, from 0"),
    column("name", &RemovedOperationRecord::name),
    column("kind", &RemovedOperationRecord::kind, "", "the operator"),
    column("layer_id", &RemovedOperationRecord::layer_id));

} // namespace tilescope::profile
