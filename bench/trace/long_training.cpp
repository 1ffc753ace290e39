// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/trace/long_training.h"

#include "base/try.h"
#include "build_paths.h"
#include "operators/operators.h"
#include "prepare/job.h"
#include "prepare/record_run.h"
#include "workload/workload.h"

#include <utility>

namespace tilescope::bench {
Result<void> estimate_training(const std::string& sample, std::int64_t steps, const std::string& path) {
    const auto registry = operators::standard_operators();
    const CancelToken cancel;
    TRY(auto workload,
        workload::read_workload(TILESCOPE_SOURCE_DIR "/samples/" + sample + ".json", {"fit.epochs=1"}));
    TRY(auto prepared, prepare::prepare_job(workload, registry, {.estimate = true}, cancel));
    prepared.job.epochs = steps / prepared.job.steps_per_epoch + 1;
    profile::RunRecord run;
    run.name = sample;
    TRY(auto recorder, profile::Recorder::create(path, run));
    prepare::record_system(prepared, *recorder);
    run::Observer nobody;
    TRY(run::run_job(std::move(prepared.job), registry, run, *recorder, nobody, cancel));
    return recorder->finish(profile::RunStatus::Complete);
}

} // namespace tilescope::bench
