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
    const char* words; ///< in a sentence: "waiting for other IPUs"
    std::int64_t profile::PhaseCycles::*cycles;
};

/// What a device's time is made of, in the order in which it is told, and charts stack it from below;
/// together they are all of it.
inline constexpr std::array<NamedPhase, 6> phases{
    {{"compute", "compute", &profile::PhaseCycles::compute},
     {"exchange", "exchange between tiles", &profile::PhaseCycles::exchange},
     {"inter-IPU", "copies between IPUs", &profile::PhaseCycles::inter_ipu},
     {"sync", "sync", &profile::PhaseCycles::sync},
     {"host", "the host", &profile::PhaseCycles::host},
     {"waiting", "waiting for other IPUs", &profile::PhaseCycles::waiting}}};

/// Each of `phases`, in their order.
enum class TimeKind { Compute, Exchange, InterIpu, Sync, Host, Waiting };
inline constexpr std::array<TimeKind, phases.size()> time_kinds = {TimeKind::Compute,  TimeKind::Exchange,
                                                                   TimeKind::InterIpu, TimeKind::Sync,
                                                                   TimeKind::Host,     TimeKind::Waiting};
constexpr const NamedPhase& phase_of(TimeKind kind) {
    return phases[static_cast<std::size_t>(kind)];
}
constexpr std::int64_t cycles_of(const profile::PhaseCycles& cycles, TimeKind kind) {
    return cycles.*phase_of(kind).cycles;
}

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
    const auto known = std::find_if(phases.begin(), phases.end(),
                                    [&](const NamedPhase& phase) { return phase.name == name; });
    return known == phases.end() ? name : known->words;
}

} // namespace tilescope::analyse
