// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"

#include <cstdint>
#include <optional>

namespace tilescope::analyse {

/// Steps of one training epoch, 0 where that is not known yet.
std::int64_t steps_per_epoch(const profile::ProgressRecord& progress,
                             const profile::ExecutionTotals& training);
/// Wall time that the rest of training takes at the mean speed of the executions that have ended, seconds;
/// before the first has, as fast as since `since`, an earlier record. Nullopt before half a second of that
/// was seen, and after the last step. `progress`: of a run under way.
std::optional<double> training_seconds_left(const profile::ProgressRecord& since,
                                            const profile::ProgressRecord& progress,
                                            const profile::ExecutionTotals& training);
/// Steps are made, but no execution has ended, of any kind: what executions tell is not there.
bool in_first_execution(const profile::ProgressRecord& progress, std::int64_t ended);

/// Of a compilation under way, the share of what the pass does to one operation or IPU after the other;
/// nullopt where it does no such thing, or has not begun.
std::optional<double> share_of_pass(const profile::ProgressRecord& progress);
/// Of all passes of a compilation, the share that is behind it, what is done of the pass that runs included;
/// 0: it is not known yet how many there are.
double share_of_compilation(const profile::ProgressRecord& progress);
/// An earlier record of a run, where `now` goes on with the same work of the same pass, or with the training;
/// else `now`: its speed is measured from there on.
profile::ProgressRecord same_work_since(const profile::ProgressRecord& earlier,
                                        const profile::ProgressRecord& now);
/// Wall time that the rest of that takes as fast as since `since`, seconds: an estimate, since no two
/// operations take as long. Nullopt before half a second of it was seen.
std::optional<double> pass_seconds_left(const profile::ProgressRecord& since,
                                        const profile::ProgressRecord& now);

} // namespace tilescope::analyse
