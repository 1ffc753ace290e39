// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"
#include "table.h"

/// The tables of schedules, each stored once, and of the blocks that they are made of: see tables.h.
namespace tilescope::profile {

template<>
inline constexpr auto table_of<ScheduleRecord> = table<ScheduleRecord>(
    "schedule", "What the IPUs do in an engine run, each once.", key("id"), column("id", &ScheduleRecord::id),
    column("device_program_id", &ScheduleRecord::device_program_id));

template<>
inline constexpr auto table_of<ScheduleIpuRecord> = table<ScheduleIpuRecord>(
    "schedule_ipu",
    "Where the cycles of an engine run go, on each IPU. The six add up to `execution_group.cycles`.",
    key("schedule_id, ipu"), column("schedule_id", &ScheduleIpuRecord::schedule_id),
    column("ipu", &ScheduleIpuRecord::ipu), column("compute", &ScheduleIpuRecord::compute, "cycles"),
    column("exchange", &ScheduleIpuRecord::exchange, "cycles", "between tiles"),
    column("sync", &ScheduleIpuRecord::sync, "cycles"),
    column("inter_ipu", &ScheduleIpuRecord::inter_ipu, "cycles", "between IPUs"),
    column("host", &ScheduleIpuRecord::host, "cycles",
           "stream copies, waiting for the host, launching the engine run, loads and stores"),
    column("waiting", &ScheduleIpuRecord::waiting, "cycles", "idle while other IPUs work"));

/// What tiles of an IPU do in an engine run, in rounds that are alike.
template<class Round>
constexpr auto table_of_rounds(const char* name, const char* what) {
    return table<Round>(
        name, what, key("schedule_id, ipu, start_cycle, step"), column("schedule_id", &Round::schedule_id),
        column("ipu", &Round::ipu),
        column("step", &Round::step, "", "the first one, within the engine run, from 0"),
        column("start_cycle", &Round::start_cycle, "cycles",
               "of the first one, since the engine run started"),
        column("repeats", &Round::repeats, "", "how many of them are alike"),
        column("period_cycles", &Round::period_cycles, "cycles", "from one start to the next"),
        column("block_id", &Round::block_id));
}

template<>
inline constexpr auto table_of<ScheduleRoundRecord> = table_of_rounds<ScheduleRoundRecord>(
    "schedule_round", "What an IPU does in an engine run: a block for each weight update (each step, where "
                      "it does not train).");

template<>
inline constexpr auto table_of<ScheduleIoRecord> = table<ScheduleIoRecord>(
    "schedule_io",
    "What the I/O tiles of an IPU exchange with the host in an engine run, where that overlaps compute. What "
    "the other tiles wait of it is `host` in `schedule_ipu`.",
    key("schedule_id, ipu"), column("schedule_id", &ScheduleIoRecord::schedule_id),
    column("ipu", &ScheduleIoRecord::ipu), column("cycles", &ScheduleIoRecord::cycles, "cycles"),
    column("hidden_cycles", &ScheduleIoRecord::hidden_cycles, "cycles",
           "of these, while the other tiles compute: no part of `execution_group.cycles`"));

template<>
inline constexpr auto table_of<ScheduleIoRoundRecord> = table_of_rounds<ScheduleIoRoundRecord>(
    "schedule_io_round",
    "What the I/O tiles of an IPU do in an engine run, beside what `schedule_round` has of its other tiles.");

template<>
inline constexpr auto table_of<BlockPartRecord> = table<BlockPartRecord>(
    "block_part",
    "Blocks: pieces of the time line of an IPU, each of which is here once, wherever it occurs. A part of a "
    "block is a program step or a smaller block, once or repeated.",
    key("block_id, position"), column("block_id", &BlockPartRecord::block_id),
    column("position", &BlockPartRecord::position, "", "from 0, in order of time"),
    column("start_cycle", &BlockPartRecord::start_cycle, "cycles", "since the block began"),
    column("repeats", &BlockPartRecord::repeats),
    column("period_cycles", &BlockPartRecord::period_cycles, "cycles",
           "from the start of one repeat to that of the next"),
    column("part_block_id", &BlockPartRecord::part_block_id, "",
           "the smaller block, whose id is smaller; -1: a program step"),
    column("program_id", &BlockPartRecord::program_id, "", "of a program step, as what follows"),
    column("sync", &BlockPartRecord::sync, "cycles"),
    column("exchange", &BlockPartRecord::exchange, "cycles", "of `stream_copy`, `load`, `store`: outside"),
    column("compute", &BlockPartRecord::compute, "cycles"));

} // namespace tilescope::profile
