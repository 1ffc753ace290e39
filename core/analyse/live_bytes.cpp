// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/live_bytes.h"

#include "base/try.h"

namespace tilescope::analyse {

LiveBytes& LiveBytes::operator+=(const LiveBytes& other) {
    always += other.always;
    at_peak += other.at_peak;
    return *this;
}

Result<LiveVariables> live_variables(const profile::Profile& profile, std::int64_t ipu) {
    TRY(const auto ipus, profile.ipus());
    LiveVariables live;
    for (const auto& record : ipus) {
        if (ipu < 0 ? record.replica > 0 : record.id != ipu)
            continue;
        TRY(const auto peak, profile.peak_step(record.id));
        TRY(const auto variables, profile.variables(record.id));
        for (const auto& variable : variables) {
            const bool then = variable.live_from <= peak && peak <= variable.live_to;
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
