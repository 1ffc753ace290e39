// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/share.h"
#include "profile/profile.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tilescope::analyse {

struct NamedPhase {
    const char* name;
    std::int64_t profile::PhaseCycles::*cycles;
};

/// What a device's time is made of, in the order in which it is told; together they are all of it.
inline constexpr std::array<NamedPhase, 6> phases{{{"compute", &profile::PhaseCycles::compute},
                                                   {"exchange", &profile::PhaseCycles::exchange},
                                                   {"inter-IPU", &profile::PhaseCycles::inter_ipu},
                                                   {"sync", &profile::PhaseCycles::sync},
                                                   {"host", &profile::PhaseCycles::host},
                                                   {"waiting", &profile::PhaseCycles::waiting}}};

/// Share that a phase has of all cycles; nullopt where there are none.
inline std::optional<double> phase_share(const profile::PhaseCycles& cycles,
                                         std::int64_t profile::PhaseCycles::*phase) {
    return share_of(cycles.*phase, cycles.total());
}

/// The phase that takes most of these cycles, the first of several.
inline const NamedPhase& largest_phase(const profile::PhaseCycles& cycles) {
    return *std::max_element(phases.begin(), phases.end(), [&](const NamedPhase& a, const NamedPhase& b) {
        return cycles.*a.cycles < cycles.*b.cycles;
    });
}

/// Cycles of one run of a program step.
inline std::int64_t cycles_of_run(const profile::ProgramRecord& step) {
    return step.sync_cycles + step.exchange_cycles + step.compute_cycles;
}

/// A phase, by its name above, in a sentence: "waiting for other IPUs".
inline std::string phase_words(const std::string& name) {
    return name == "waiting"     ? "waiting for other IPUs"
           : name == "inter-IPU" ? "copies between IPUs"
           : name == "exchange"  ? "exchange between tiles"
           : name == "host"      ? "the host"
                                 : name;
}

} // namespace tilescope::analyse
