// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/pipeline.h"
#include "profile/profile.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tilescope::analyse {

/// Of each stage of a pipeline, by its number, what of its passes and its update is the host's: batches that
/// come in, results that go out, and what streaming memory has. Cycles of one weight update, without training
/// of one engine run. Empty where there is no pipeline, or where I/O tiles do it beside the passes. Of the
/// program that the profile describes. Errors: those of reading.
Result<std::map<std::int64_t, std::int64_t>> stage_host_cycles(const profile::Profile& profile);

/// A pass of a stage, or its update, of which a part is the host's.
struct HostedPass {
    std::int64_t cycles = 0;                                 ///< of all of it
    std::vector<std::pair<std::int64_t, std::int64_t>> host; ///< cycles [from, to) since it began, in order
    std::int64_t host_cycles() const;
};
/// By stage and what it does; those of which nothing is the host's are left out.
using HostedPasses = std::map<std::pair<std::int64_t, PipelineActivity>, HostedPass>;

/// Where in its passes and its update a stage has the host's part: the same cycles as `stage_host_cycles`,
/// one pass being as another.
Result<HostedPasses> hosted_passes(const profile::Profile& profile);
/// What of a slot is the host's; null: nothing, or it is not known, as of a slot that is not one whole pass.
const HostedPass* host_in(const HostedPasses& passes, const profile::PipelineSlotRecord& slot);

} // namespace tilescope::analyse
