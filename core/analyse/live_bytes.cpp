// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/live_bytes.h"

#include "base/try.h"
#include "run_tables.h"

#include <map>

namespace tilescope::analyse {

LiveBytes& LiveBytes::operator+=(const LiveBytes& other) {
    always += other.always;
    at_peak += other.at_peak;
    return *this;
}

Result<LiveVariables> live_variables(const profile::Profile& profile, std::int64_t ipu) {
    TRY(const auto variables, profile.variables(ipu));
    return live_variables(profile, variables, ipu);
}

Result<LiveVariables> live_variables(const profile::Profile& profile,
                                     const std::vector<profile::VariableRecord>& variables,
                                     std::int64_t ipu) {
    TRY(const auto ipus, profile.ipus());
    std::map<std::int64_t, std::int64_t> peaks; // by IPU
    for (const auto& record : ipus)
        if (ipu < 0 ? record.replica == 0 : record.id == ipu) {
            TRY(peaks[record.id], profile.peak_step(record.id));
        }
    LiveVariables live;
    for (const auto& variable : variables) {
        const auto peak = peaks.find(variable.ipu);
        if (peak == peaks.end())
            continue;
        const bool then = variable.live_from <= peak->second && peak->second <= variable.live_to;
        const LiveBytes bytes{variable.always_live ? variable.bytes : 0,
                              variable.always_live || then ? variable.bytes : 0};
        live.by_layer[variable.layer_id] += bytes;
        live.by_operation[variable.operation_id] += bytes;
        live.by_tensor[variable.tensor_id] += bytes;
        live.all += bytes;
    }
    return live;
}

} // namespace tilescope::analyse
