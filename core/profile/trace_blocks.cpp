// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/trace_blocks.h"

namespace tilescope::profile {

void TraceBlocks::add(const TraceRecord& row, const std::function<void(const TraceBlockRecord&)>& complete,
                      const std::function<void(std::int64_t)>& withdraw) {
    Ipu& ipu = ipus_[row.ipu];
    if (!ipu.ordered)
        return;
    if (row.start_cycle < ipu.last_end) {
        ipu.ordered = false;
        withdraw(row.ipu);
        return;
    }
    const std::int64_t cycles = row.sync + row.exchange + row.compute;
    ipu.last_end = row.start_cycle + cycles;
    for (std::size_t i = 0; i < ipu.open.size(); ++i) {
        TraceBlockRecord& block = ipu.open[i];
        if (block.rows == 0) {
            block.ipu = row.ipu;
            block.level = static_cast<std::int64_t>(i) + 1;
            block.start_cycle = row.start_cycle;
            block.execution_id = row.execution_id;
            block.step = row.step;
        }
        block.end_cycle = ipu.last_end;
        ++block.rows;
        if (block.execution_id != row.execution_id)
            block.execution_id = block.step = -1;
        if (block.step != row.step)
            block.step = -1;
        if (cycles > block.longest_cycles || block.rows == 1) {
            block.longest_cycles = cycles;
            block.longest_program_id = row.program_id;
        }
        block.sync += row.sync;
        block.exchange += row.exchange;
        block.compute += row.compute;
        if (block.rows == trace_block_rows[i]) {
            complete(block);
            const std::int64_t next = block.block + 1;
            block = {};
            block.block = next;
        }
    }
}

} // namespace tilescope::profile
