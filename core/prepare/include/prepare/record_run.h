// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "prepare/job.h"
#include "profile/recorder.h"

namespace tilescope::prepare {

/// The row of a run of a workload, as it was given, that begins now, in this process; the program's version
/// is left to the caller.
profile::RunRecord run_record(const workload::Workload& workload, const PreparedJob& prepared,
                              const JobOptions& options);

/// The target, the IPUs that the job runs on, and the devices of its system.
void record_system(const PreparedJob& prepared, profile::Recorder& recorder);

} // namespace tilescope::prepare
