// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/records.h"

#include "base/text.h"
#include "profile/profile.h"

#include <algorithm>

namespace tilescope::profile {

std::string words(RunStatus status) {
    return spaced_text(to_string(status));
}

bool ran_to_its_end(RunStatus status) {
    return status == RunStatus::Complete || status == RunStatus::Diverged;
}

std::string type_text(const VariableRecord& variable) {
    return variable.dtype ? to_string(*variable.dtype) + " " + variable.shape : variable.shape;
}

PhaseCycles& PhaseCycles::operator+=(const PhaseCycles& more) {
    for (const auto part : {&PhaseCycles::compute, &PhaseCycles::exchange, &PhaseCycles::sync,
                            &PhaseCycles::inter_ipu, &PhaseCycles::host, &PhaseCycles::waiting})
        this->*part += more.*part;
    return *this;
}

PhaseCycles PhaseCycles::times(std::int64_t count) const {
    return {compute * count,   exchange * count, sync * count,
            inter_ipu * count, host * count,     waiting * count};
}

ActivityCycles ActivityCycles::times(std::int64_t count) const {
    return {forward * count, recompute * count, backward * count,
            update * count,  copy * count,      other * count};
}

ActivityCycles& ActivityCycles::operator+=(const ActivityCycles& more) {
    for (const auto part : {&ActivityCycles::forward, &ActivityCycles::recompute, &ActivityCycles::backward,
                            &ActivityCycles::update, &ActivityCycles::copy, &ActivityCycles::other})
        this->*part += more.*part;
    return *this;
}

ExecutionRecord ExecutionGroupRecord::at(std::int64_t index) const {
    ExecutionRecord e{id + index, kind,
                      epoch,      first_step + index * steps,
                      steps,      start_cycle + index * period_cycles,
                      cycles,     std::nullopt,
                      schedule_id};
    if (executions_per_epoch > 0) {
        const std::int64_t number = first_step / steps + index;
        e.epoch = epoch + number / executions_per_epoch;
        e.first_step = number % executions_per_epoch * steps;
    }
    if (count == 1)
        e.wall_us = wall_us;
    return e;
}

std::int64_t ExecutionGroupRecord::period() const {
    return std::max<std::int64_t>(1, period_cycles);
}

std::int64_t ExecutionGroupRecord::index_at(std::int64_t cycle) const {
    return std::max<std::int64_t>(1, begun_before(cycle + 1)) - 1;
}

std::int64_t ExecutionGroupRecord::begun_before(std::int64_t cycle) const {
    return cycle <= start_cycle ? 0 : std::min(count, (cycle - start_cycle - 1) / period() + 1);
}

std::int64_t ExecutionGroupRecord::last_of_epoch(std::int64_t index) const {
    if (executions_per_epoch == 0)
        return count - 1;
    const std::int64_t before = first_step / steps;
    const std::int64_t n = executions_per_epoch;
    return std::min(count, ((before + index) / n + 1) * n - before) - 1;
}

} // namespace tilescope::profile
