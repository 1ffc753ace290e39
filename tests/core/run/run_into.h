// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/recorder.h"
#include "run/session.h"
#include "tests/core/operators/graph_runner.h"

#include <gtest/gtest.h>
#include <string>

namespace tilescope::test {

/// Runs a job into a profile of its own, which says `failed` where the run does.
inline Result<void> run_into(const std::string& path, run::Job job, run::Observer& observer,
                             const CancelToken& cancel, profile::RunStatus failed) {
    profile::RunRecord record;
    auto recorder = profile::Recorder::create(path, record);
    EXPECT_TRUE(recorder);
    for (std::int32_t i = 0; i < job.training.ipus(); ++i)
        (*recorder)->add(profile::IpuRecord{i, i, "", i / job.training.ipus_per_replica,
                                            i % job.training.ipus_per_replica});
    auto result = run::run_job(std::move(job), registry(), record, **recorder, observer, cancel);
    EXPECT_TRUE((*recorder)->finish(result ? profile::RunStatus::Complete : failed));
    return result;
}

} // namespace tilescope::test
