// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/live_bytes.h"

namespace tilescope::analyse {

LiveBytes& LiveBytes::operator+=(const LiveBytes& other) {
    always += other.always;
    at_peak += other.at_peak;
    return *this;
}

Result<LiveVariables> live_variables(const profile::Profile& profile, std::int64_t ipu) {
    const auto ipus = profile.ipus();
    if (!ipus)
        return Failure(ipus.error());
    LiveVariables live;
    for (const auto& record : *ipus) {
        if (ipu < 0 ? record.replica > 0 : record.id != ipu)
            continue;
        const auto peak = profile.peak_step(record.id);
        const auto variables = profile.variables(record.id);
        if (!peak || !variables)
            return Failure(!peak ? peak.error() : variables.error());
        for (const auto& variable : *variables) {
            const bool then = variable.live_from <= *peak && *peak <= variable.live_to;
            const LiveBytes bytes{variable.always_live ? variable.bytes : 0,
                                  variable.always_live || then ? variable.bytes : 0};
            live.by_layer[variable.layer_id] += bytes;
            live.by_operation[variable.operation_id] += bytes;
            live.by_tensor[variable.tensor_id] += bytes;
            live.all += bytes;
        }
    }
    return live;
}

} // namespace tilescope::analyse
