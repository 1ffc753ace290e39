// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/record_rows.h"

#include "profile/block_builder.h"

#include <algorithm>
#include <map>

namespace tilescope::tests {

using namespace profile;

void record_rows(Recorder& recorder, std::vector<ExecutionRecord> executions,
                 const std::vector<ExecutionOnIpu>& phases, const std::vector<TraceRecord>& steps,
                 std::int64_t device_program) {
    std::map<std::int64_t, std::vector<TraceRecord>> steps_of;
    for (const TraceRecord& step : steps)
        steps_of[step.execution_id].push_back(step);
    for (const auto& [id, rows] : steps_of)
        if (std::none_of(executions.begin(), executions.end(),
                         [of = id](const ExecutionRecord& e) { return e.id == of; })) {
            ExecutionRecord& e = executions.emplace_back();
            e.id = id;
            e.start_cycle = rows.front().start_cycle;
            for (const TraceRecord& row : rows)
                e.start_cycle = std::min(e.start_cycle, row.start_cycle);
            for (const TraceRecord& row : rows)
                e.cycles = std::max(e.cycles, row.end_cycle() - e.start_cycle);
        }
    std::sort(executions.begin(), executions.end(),
              [](const ExecutionRecord& a, const ExecutionRecord& b) { return a.id < b.id; });
    for (ExecutionRecord& e : executions) {
        std::vector<ScheduleIpuRecord> ipus;
        for (const ExecutionOnIpu& p : phases)
            if (p.execution_id == e.id)
                ipus.push_back({0, p.ipu, p.compute, p.exchange, p.sync, p.inter_ipu, p.host, p.waiting});
        auto rounds = rounds_of(steps_of[e.id], e.start_cycle, [&](std::vector<BlockPartRecord> parts) {
            return recorder.add_block(std::move(parts));
        });
        if (!ipus.empty() || !rounds.empty())
            e.schedule_id = recorder.add_schedule(std::move(ipus), std::move(rounds), device_program);
        recorder.add(e);
    }
}

} // namespace tilescope::tests
