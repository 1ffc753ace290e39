// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/live_bytes.h"

#include "base/try.h"
#include "run_tables.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace tilescope::analyse {

LiveBytes& LiveBytes::operator+=(const LiveBytes& other) {
    always += other.always;
    at_peak += other.at_peak;
    return *this;
}

Result<VariableRefs> variables_of_replica(const profile::Profile& profile) {
    TRY(const auto ipus, profile.ipus());
    VariableRefs all;
    for (const auto& ipu : ipus)
        if (ipu.replica == 0) {
            TRY(auto own, profile.variables(ipu.id));
            for (const auto& variable : own)
                all.rows.push_back(&variable);
            all.kept.push_back(std::move(own));
        }
    std::sort(all.rows.begin(), all.rows.end(), [](const auto* a, const auto* b) {
        return std::tuple(b->bytes, a->id, a->ipu) < std::tuple(a->bytes, b->id, b->ipu);
    });
    return all;
}

namespace {

const profile::VariableRecord& record_of(const profile::VariableRecord& row) {
    return row;
}
const profile::VariableRecord& record_of(const profile::VariableRecord* row) {
    return *row;
}

template<class Rows>
Result<LiveVariables> live_of(const profile::Profile& profile, const Rows& rows) {
    std::map<std::int64_t, std::int64_t> peaks; // by IPU
    LiveVariables live;
    for (const auto& row : rows) {
        const profile::VariableRecord& variable = record_of(row);
        const auto [peak, fresh] = peaks.try_emplace(variable.ipu);
        if (fresh) {
            TRY(peak->second, profile.peak_step(variable.ipu));
        }
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

} // namespace

Result<LiveVariables> live_variables(const profile::Profile& profile, const VariableRefs& variables) {
    return live_of(profile, variables.rows);
}

Result<LiveVariables> live_variables(const profile::Profile& profile,
                                     const std::vector<profile::VariableRecord>& variables) {
    return live_of(profile, variables);
}

Result<LiveVariables> live_variables(const profile::Profile& profile, std::int64_t ipu) {
    if (ipu < 0) {
        TRY(const auto variables, variables_of_replica(profile));
        return live_of(profile, variables.rows);
    }
    TRY(const auto variables, profile.variables(ipu));
    return live_of(profile, variables);
}

} // namespace tilescope::analyse
