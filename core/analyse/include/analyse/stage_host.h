// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"

#include <cstdint>
#include <map>

namespace tilescope::analyse {

/// Of each stage of a pipeline, by its number, what of its passes and its update is the host's: batches that
/// come in, results that go out, and what streaming memory has. Cycles of one weight update, without training
/// of one engine run. Empty where there is no pipeline, or where I/O tiles do it beside the passes. Of the
/// program that the profile describes. Errors: those of reading.
Result<std::map<std::int64_t, std::int64_t>> stage_host_cycles(const profile::Profile& profile);

} // namespace tilescope::analyse
