// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/block_builder.h"

#include <algorithm>
#include <tuple>

namespace tilescope::profile {
namespace {

bool alike(const BlockPartRecord& a, const BlockPartRecord& b) {
    return a.part_block_id == b.part_block_id && a.program_id == b.program_id && a.sync == b.sync &&
           a.exchange == b.exchange && a.compute == b.compute;
}

} // namespace

void BlockBuilder::step(std::int64_t start_cycle, std::int64_t program_id, std::int64_t sync,
                        std::int64_t exchange, std::int64_t compute) {
    Part part;
    part.record.start_cycle = start_cycle;
    part.record.program_id = program_id;
    part.record.sync = sync;
    part.record.exchange = exchange;
    part.record.compute = compute;
    part.length = sync + exchange + compute;
    append(part);
}

void BlockBuilder::append(const Part& part) {
    Parts& parts = open_.back();
    if (!parts.empty() && part.record.repeats == 1 && alike(parts.back().record, part.record)) {
        BlockPartRecord& last = parts.back().record;
        const std::int64_t period =
            last.repeats > 1 ? last.period_cycles : part.record.start_cycle - last.start_cycle;
        if (period > 0 && period >= part.length &&
            part.record.start_cycle == last.start_cycle + last.repeats * period) {
            last.period_cycles = period;
            ++last.repeats;
            return;
        }
    }
    parts.push_back(part);
}

void BlockBuilder::begin() {
    open_.emplace_back();
}

void BlockBuilder::end() {
    Parts parts = std::move(open_.back());
    open_.pop_back();
    if (!parts.empty())
        append(parts.size() == 1 ? parts.front() : block_of(std::move(parts)));
}

BlockBuilder::Part BlockBuilder::block_of(Parts parts) {
    Part block;
    block.record.start_cycle = parts.front().record.start_cycle;
    std::vector<BlockPartRecord> records;
    for (const Part& part : parts) {
        BlockPartRecord& record = records.emplace_back(part.record);
        record.start_cycle -= block.record.start_cycle;
        block.length = std::max(block.length, record.start_cycle +
                                                  (record.repeats - 1) * record.period_cycles + part.length);
    }
    block.record.part_block_id = keep_(std::move(records));
    return block;
}

BlockBuilder::Block BlockBuilder::finish() {
    Parts parts = std::move(open_.front());
    open_.assign(1, {});
    if (parts.empty())
        return {};
    const BlockPartRecord& only = parts.front().record;
    if (parts.size() == 1 && only.part_block_id >= 0 && only.repeats == 1)
        return {only.part_block_id, only.start_cycle};
    const Part block = block_of(std::move(parts));
    return {block.record.part_block_id, block.record.start_cycle};
}

std::vector<ScheduleRoundRecord> rounds_of(std::vector<TraceRecord> rows, std::int64_t start_cycle,
                                           const BlockBuilder::Keep& keep) {
    std::stable_sort(rows.begin(), rows.end(), [](const TraceRecord& a, const TraceRecord& b) {
        return std::tie(a.ipu, a.start_cycle) < std::tie(b.ipu, b.start_cycle);
    });
    std::vector<ScheduleRoundRecord> rounds;
    std::int64_t end = 0; // of the last block
    for (std::size_t i = 0; i < rows.size();) {
        const TraceRecord& first = rows[i];
        BlockBuilder builder(keep);
        std::int64_t block_end = first.start_cycle;
        for (; i < rows.size() && rows[i].ipu == first.ipu && rows[i].step == first.step; ++i) {
            builder.step(rows[i].start_cycle, rows[i].program_id, rows[i].sync, rows[i].exchange,
                         rows[i].compute);
            block_end = std::max(block_end, rows[i].end_cycle());
        }
        const BlockBuilder::Block block = builder.finish();
        const std::int64_t start = block.start_cycle - start_cycle;
        ScheduleRoundRecord* last = rounds.empty() ? nullptr : &rounds.back();
        if (last != nullptr && last->ipu == first.ipu && last->block_id == block.id &&
            last->step + last->repeats == first.step && block.start_cycle >= end) {
            const std::int64_t period = last->repeats > 1 ? last->period_cycles : start - last->start_cycle;
            if (period > 0 && start == last->start_cycle + last->repeats * period) {
                last->period_cycles = period;
                ++last->repeats;
                end = block_end;
                continue;
            }
        }
        rounds.push_back({0, first.ipu, first.step, start, 1, 0, block.id});
        end = block_end;
    }
    return rounds;
}

} // namespace tilescope::profile
