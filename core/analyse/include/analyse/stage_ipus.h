// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"
#include "profile/records.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// Which IPU has which stages of a pipeline: one may have several, and its record names the first of them.
namespace tilescope::analyse {

/// By stage: its IPU in the first replica; empty without a pipeline.
std::map<std::int64_t, std::int64_t> stage_ipus(const std::vector<profile::OperationRecord>& operations,
                                                const std::vector<profile::IpuRecord>& ipus);
/// The same of a profile with these IPUs, without reading its operations.
Result<std::map<std::int64_t, std::int64_t>> stage_ipus(const profile::Profile& profile,
                                                        const std::vector<profile::IpuRecord>& ipus);

/// The stages of an IPU of any replica, in order.
std::vector<std::int64_t> stages_on(const profile::IpuRecord& ipu,
                                    const std::map<std::int64_t, std::int64_t>& stage_ipus);

/// "2", "0, 4", "0 to 6".
std::string stage_numbers(const std::vector<std::int64_t>& stages);
/// "stage 2", "stages 0, 4", "stages 0 to 6".
std::string stages_text(const std::vector<std::int64_t>& stages);

/// What an IPU does in a weight update: what its stages do, in the order of time. Where one works, the others
/// of the same IPU wait, which is left out.
std::vector<profile::PipelineSlotRecord> slots_on(const std::vector<profile::PipelineSlotRecord>& slots,
                                                  const std::vector<std::int64_t>& stages);

/// The same for all IPUs of a replica, IPU for stage, by IPU and time, with what is left of the weight
/// update: an IPU waits where no stage of it works and one waits, and is idle where all are. Each cycle
/// counts once: where several stages are at something, such as a copy that both take part in, the IPU makes
/// the pass, else the update, else the copy, and of two alike the one of the lower stage. `slots` themselves
/// where no IPU has several stages, or it is not known which has which.
std::vector<profile::PipelineSlotRecord> slots_by_ipu(const std::vector<profile::PipelineSlotRecord>& slots,
                                                      const std::map<std::int64_t, std::int64_t>& stage_ipus);

} // namespace tilescope::analyse
