// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"
#include "table.h"

#include <cstdint>

/// The tables whose rows are worked out as they are read: see tables.h.
namespace tilescope::profile {

/// A row of `execution_ipu`: where the cycles of an execution went, on one IPU.
struct ExecutionIpuRow : ScheduleIpuRecord {
    std::int64_t execution_id = 0;
};
struct TraceRow : TraceRecord {
    std::int64_t operation_id = -1; ///< see StepKinds::operation_of()
};
/// A row of the function `tile_values`.
struct TileValueRow {
    std::int64_t tile = 0;
    std::int64_t value = 0;
};
/// A row of the function `tile_regions`.
struct TileRegionRow {
    MemoryCategory category{};
    std::string region;
    std::int64_t non_overlapped = 0;
    std::int64_t overlapped = 0;
};

template<>
inline constexpr auto table_of<ExecutionRecord> = table<ExecutionRecord>(
    "execution", "An engine run of several steps.", key("id"),
    column("id", &ExecutionRecord::id, "", "in order of time"),
    column("kind", &ExecutionRecord::kind, "", "`train`, `evaluate` or `predict`"),
    column("epoch", &ExecutionRecord::epoch, "", "from 0"),
    column("first_step", &ExecutionRecord::first_step, "steps", "within the epoch"),
    column("steps", &ExecutionRecord::steps, "steps"),
    column("start_cycle", &ExecutionRecord::start_cycle, "cycles", "on the run's simulated time line"),
    column("cycles", &ExecutionRecord::cycles, "cycles", "from start to end, host time included"),
    column("wall_us", &ExecutionRecord::wall_us, "us",
           "of the host that simulates; NULL where it is not known of this one alone: in an estimate, and in "
           "the `sqlite3` shell without the extension"),
    column("schedule_id", &ExecutionRecord::schedule_id, "",
           "what the IPUs do in it; -1: computed on the host"));

template<>
inline constexpr auto table_of<ExecutionIpuRow> = table<ExecutionIpuRow>(
    "execution_ipu",
    "Where the cycles of an engine run went, on each IPU. The six add up to `execution.cycles`.",
    key("execution_id, ipu"), column("execution_id", &ExecutionIpuRow::execution_id),
    column("ipu", &ExecutionIpuRow::ipu), column("compute", &ExecutionIpuRow::compute, "cycles"),
    column("exchange", &ExecutionIpuRow::exchange, "cycles", "between tiles"),
    column("sync", &ExecutionIpuRow::sync, "cycles"),
    column("inter_ipu", &ExecutionIpuRow::inter_ipu, "cycles", "between IPUs"),
    column("host", &ExecutionIpuRow::host, "cycles",
           "stream copies, waiting for the host, launching the engine run, loads and stores"),
    column("waiting", &ExecutionIpuRow::waiting, "cycles", "idle while other IPUs work"));

template<>
inline constexpr auto table_of<TraceRow> = table<TraceRow>(
    "trace", "One executed program step on one IPU. Its phases follow each other: sync, exchange, compute.",
    key("ipu, start_cycle"), column("ipu", &TraceRow::ipu),
    column("start_cycle", &TraceRow::start_cycle, "cycles", "on the run's simulated time line"),
    column("execution_id", &TraceRow::execution_id),
    column("step", &TraceRow::step, "", "within the engine run, from 0"),
    column("program_id", &TraceRow::program_id), column("sync", &TraceRow::sync, "cycles"),
    column("exchange", &TraceRow::exchange, "cycles", "of `stream_copy`, `load`, `store`: outside"),
    column("compute", &TraceRow::compute, "cycles"),
    column("operation_id", &TraceRow::operation_id, "",
           "of the step, or of the nearest one around it that has one; -1: none"));

template<>
inline constexpr auto table_of<MetricRecord> = table<MetricRecord>(
    "metric", "Not in the `sqlite3` shell without the extension.", key("execution_id, name"),
    column("execution_id", &MetricRecord::execution_id),
    column("name", &MetricRecord::name, "", "`loss`, `accuracy` …"),
    column("value", &MetricRecord::value, "", "mean over the epoch so far, as Keras shows it"));

template<>
inline constexpr auto table_of<TileValueRow> = table<TileValueRow>(
    "tile_values",
    "A function, `tile_values(entity, entity_id, ipu, metric)`: see *Numbers of every tile*. Not in the "
    "`sqlite3` shell without the extension.",
    key("tile"), column("tile", &TileValueRow::tile, "", "from 0"), column("value", &TileValueRow::value));

template<>
inline constexpr auto table_of<TileRegionRow> = table<TileRegionRow>(
    "tile_regions",
    "A function, `tile_regions(ipu, tile)`: where what is live at the tile's own peak step lies. No rows "
    "where addresses are not recorded. `pva` asks it for `compilation.tiles[].memory.category.NAME.REGION`. "
    "Not in the `sqlite3` shell without the extension.",
    key("category, region"), column("category", &TileRegionRow::category),
    column("region", &TileRegionRow::region, "", "`non_interleaved`, `interleaved` or `overflowed`"),
    column("non_overlapped", &TileRegionRow::non_overlapped, "bytes", "which nothing else ever takes"),
    column("overlapped", &TileRegionRow::overlapped, "bytes", "which other variables take at other steps"));

} // namespace tilescope::profile
