// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/epoch_spans.h"

#include <algorithm>

namespace tilescope::analyse {
namespace {

using profile::ExecutionGroupRecord;

/// The executions `first` to `last` of a group, which are of one epoch or told together.
EpochSpan span_of(const ExecutionGroupRecord& group, std::int64_t first, std::int64_t last) {
    const std::int64_t count = last - first + 1;
    const auto from = group.at(first);
    const auto to = group.at(last);
    EpochSpan span{group.kind,
                   from.epoch,
                   to.epoch - from.epoch + 1,
                   {from.start_cycle, to.start_cycle + to.cycles},
                   count,
                   count * group.steps,
                   {},
                   count < group.count};
    if (group.wall_us > 0)
        span.wall_us = static_cast<double>(group.wall_us) * static_cast<double>(count) /
                       static_cast<double>(group.count);
    return span;
}

/// An epoch may be of several groups: what is left of it is shorter than an engine run.
bool goes_on(const EpochSpan& last, const EpochSpan& next) {
    return last.kind == next.kind && last.epochs == 1 && next.epochs == 1 && last.epoch == next.epoch;
}

void add(std::vector<EpochSpan>& spans, const EpochSpan& next) {
    if (spans.empty() || !goes_on(spans.back(), next)) {
        spans.push_back(next);
        return;
    }
    EpochSpan& last = spans.back();
    last.cycles.second = next.cycles.second;
    last.executions += next.executions;
    last.steps += next.steps;
    last.mean = last.mean || next.mean;
    last.wall_us = last.wall_us && next.wall_us ? std::optional(*last.wall_us + *next.wall_us) : std::nullopt;
}

} // namespace

std::vector<EpochSpan> epoch_spans(const std::vector<ExecutionGroupRecord>& executions, Range range,
                                   std::int64_t shortest) {
    std::vector<EpochSpan> spans;
    for (const ExecutionGroupRecord& group : executions) {
        if (group.executions_per_epoch == 0 || group.executions_per_epoch * group.period() < shortest) {
            add(spans, span_of(group, 0, group.count - 1));
            continue;
        }
        std::int64_t first = 0;
        if (group.start_cycle < range.first) { // from the epoch before what is within it on
            const std::int64_t at = group.index_at(range.first) - group.executions_per_epoch;
            first = at <= 0 ? 0 : group.last_of_epoch(at) + 1;
        }
        for (const std::int64_t end = group.begun_before(range.second); first < end;) {
            const std::int64_t last = group.last_of_epoch(first);
            add(spans, span_of(group, first, last));
            first = last + 1;
        }
    }
    std::erase_if(spans, [&](const EpochSpan& span) {
        return span.cycles.second <= range.first || span.cycles.first >= range.second;
    });
    return spans;
}

} // namespace tilescope::analyse
