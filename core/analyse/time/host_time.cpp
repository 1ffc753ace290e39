// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/host_time.h"

#include "base/host_work.h"
#include "base/share.h"
#include "base/text.h"

#include <algorithm>

namespace tilescope::analyse {
namespace {

double HostTime::*part_of(const profile::ProgramRecord& step) {
    if (step.kind != StepKind::StreamCopy)
        return &HostTime::streaming;
    if (is_host_work(step.work(), HostWork::Begin) || is_host_work(step.work(), HostWork::End))
        return &HostTime::answers;
    return step.part == ProgramPart::Outfeed ? &HostTime::results : &HostTime::feeds;
}

} // namespace

HostTime host_time(const std::vector<profile::ProgramRecord>& program, const Costs& costs, const IoTiles& io,
                   std::int64_t executions) {
    HostTime time;
    if (costs.elapsed() == 0)
        return time;
    const bool beside = io.cycles > 0; // then streams pass on I/O tiles, and are none of the phase
    for (const auto& step : program)
        if (leaves_ipus(step.kind) && !(beside && step.kind == StepKind::StreamCopy))
            time.*part_of(step) +=
                static_cast<double>(step.exchange_cycles * step.runs * costs.ipus_of(step));
    if (beside)
        time.io_tiles =
            share_of(io.cycles - io.hidden_cycles, executions * costs.loops().replicas).value_or(0);
    const auto host = static_cast<double>(costs.with_beside().host);
    time.launch = std::max(0.0, host - time.total());
    return time;
}

std::string host_text(const HostTime& time) {
    constexpr double hardly_any = 0.005;
    std::vector<HostPart> parts(host_parts.begin(), host_parts.end());
    std::stable_sort(parts.begin(), parts.end(),
                     [&](const HostPart& a, const HostPart& b) { return time.*a.cycles > time.*b.cycles; });
    std::string text;
    for (const HostPart& part : parts)
        if (const double share = time.*part.cycles / time.total(); share >= hardly_any)
            text += (text.empty() ? share_text(share) + " of that to " : ", " + share_text(share) + " to ") +
                    part.words;
    return text;
}

const HostPart& largest_part(const HostTime& time) {
    return *std::max_element(host_parts.begin(), host_parts.end(), [&](const HostPart& a, const HostPart& b) {
        return time.*a.cycles < time.*b.cycles;
    });
}

} // namespace tilescope::analyse
