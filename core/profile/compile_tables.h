// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"
#include "table.h"

/// The tables of what compiling did: see tables.h.
namespace tilescope::profile {

/// Rows of `plan_item`, which are lists in a PlanRecord.
struct PlanItemRow {
    std::int64_t operation_id = 0;
    std::string product;
    std::int64_t rank = 0;
    bool placed = false;
    std::int64_t position = 0;
    std::string name;
    CostKind kind = CostKind::Compute;
    std::int64_t cycles = 0;
};

template<>
inline constexpr auto table_of<PlanRecord> = table<PlanRecord>(
    "plan", "The planner's choice for each product of an operation, and its runners-up.",
    key("operation_id, product, rank"), Storing::TextsOnce, column("operation_id", &PlanRecord::operation_id),
    column("product", &PlanRecord::product, "",
           "which product it is for: the operation's name, or that of one in the body of its loop"),
    column("rank", &PlanRecord::rank, "", "0: chosen; 1, 2 … would have been next"),
    column("description", &PlanRecord::description, "",
           "JSON: vertex, units, channels per group, transforms, splits, tiles"),
    column("cycles", &PlanRecord::cycles, "cycles", "the sum of those by which plans are compared"),
    column("temporary_bytes", &PlanRecord::temporary_bytes, "bytes", "on the fullest tile"));

template<>
inline constexpr auto table_of<PlanItemRow> = table<PlanItemRow>(
    "plan_item", "What a plan's cycles are the sum of (page *cost model*).",
    key("operation_id, product, rank, placed, position"), Storing::TextsOnce,
    column("operation_id", &PlanItemRow::operation_id), column("product", &PlanItemRow::product),
    column("rank", &PlanItemRow::rank, "", "these three as in `plan`"),
    column("placed", &PlanItemRow::placed, "",
           "0: by which plans are compared; 1: of the chosen one, the same with its operands where they lie"),
    column("position", &PlanItemRow::position, "", "in the order in which they happen, from 0"),
    column("name", &PlanItemRow::name, "", "`exchange_inputs`, `partials`, `reduce` …"),
    column("kind", &PlanItemRow::kind, "", "what they go to: `compute`, `exchange` or `sync`"),
    column("cycles", &PlanItemRow::cycles, "cycles"));

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
