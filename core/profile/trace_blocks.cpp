// SPDX-License-Identifier: GPL-3.0-or-later
#include "trace_blocks.h"

namespace tilescope::profile {

void join(TraceSlice& sum, const TraceSlice& next) {
    if (sum.merged == 0) {
        const TraceSlice before = sum;
        sum = next;
        sum.start_cycle = before.start_cycle;
        sum.cycles += before.cycles;
        sum.program_id = -1;
        if (before.execution_id != next.execution_id)
            sum.execution_id = sum.step = -1;
        return;
    }
    sum.end_cycle = next.end_cycle;
    sum.cycles += next.cycles;
    sum.program_id = -1;
    if (sum.execution_id != next.execution_id)
        sum.execution_id = sum.step = -1;
    if (next.merged == 0)
        return;
    sum.merged += next.merged;
    sum.activities += next.activities;
    if (next.longest_cycles > sum.longest_cycles) {
        sum.longest_cycles = next.longest_cycles;
        sum.longest_program_id = next.longest_program_id;
    }
    if (sum.step != next.step)
        sum.step = -1;
    if (sum.operation_id != next.operation_id)
        sum.operation_id = several;
    if (sum.layer_id != next.layer_id)
        sum.layer_id = several;
}

void TraceBlocks::add(const TraceRecord& row, const StepKinds& kinds,
                      const std::function<void(const TraceBlockRecord&)>& complete,
                      const std::function<void(std::int64_t)>& withdraw) {
    Ipu& ipu = ipus_[row.ipu];
    if (!ipu.ordered)
        return;
    if (row.start_cycle < ipu.last_end) {
        ipu.ordered = false;
        withdraw(row.ipu);
        return;
    }
    const TraceSlice slice = kinds.slice(row);
    ipu.last_end = slice.end_cycle;
    for (std::size_t i = 0; i < ipu.open.size(); ++i) {
        TraceBlockRecord& block = ipu.open[i];
        const bool full = block.sum.merged == trace_block_rows[i];
        if (block.sum.merged > 0 && (full || block.sum.execution_id != row.execution_id)) {
            complete(block);
            ++block.block;
            block.sum.merged = 0;
        }
        if (block.sum.merged > 0) {
            join(block.sum, slice);
            continue;
        }
        block.ipu = row.ipu;
        block.level = static_cast<std::int64_t>(i) + 1;
        block.sum = slice;
    }
}

} // namespace tilescope::profile
