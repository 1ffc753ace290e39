// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/record_run.h"

#include "base/try.h"
#include "tests/record_rows.h"

namespace tilescope::tests {

Result<void> record_run(const std::string& path, const ToldRun& told) {
    using namespace profile;
    constexpr std::int64_t steps = 10;
    RunRecord run;
    run.name = told.workload;
    run.workload =
        R"({"name":")" + told.workload + R"(","fit":{"batch_size":)" + std::to_string(told.batch) + "}}";
    run.started_unix_ms = told.started_unix_ms;
    run.batch_size = told.batch;
    run.compile_s = 0.5;
    run.steps_per_execution = steps;
    run.label = told.label;
    TRY(const auto recorder, Recorder::create(path, run));
    recorder->set(TargetRecord{"ipu", "ipu2", 1, 2, 1000, 1e9, 6});
    recorder->add(IpuRecord{});
    const std::int64_t bytes[] = {told.bytes / 2, told.bytes};
    recorder->add_tile_values("memory", 0, 0, "total", bytes);
    recorder->add_tile_values("memory", 0, 0, "total_with_gaps", bytes);
    if (told.cycles > 0)
        record_rows(*recorder, {ExecutionRecord{0, ExecutionKind::Train, 0, 0, steps, 0, told.cycles}},
                    {{0, 0, told.cycles}});
    for (const EpochMetricRecord& metric : told.metrics)
        recorder->add(metric);
    return recorder->finish(told.status);
}

} // namespace tilescope::tests
