// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/basis.h"
#include "analyse/exchange_traffic.h"
#include "analyse/matching.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::analyse {

/// What it takes to hold the exchanges of one run against those of another.
struct ExchangeSide {
    ExchangeList list;
    Parts parts;
    std::vector<NamedStep> steps;
    /// Of an IPU, or -1: as exchange_list() has it. Errors: those of reading the profile.
    static Result<ExchangeSide> read(const profile::Profile& file, std::int64_t ipu);
};

/// An exchange of two runs, or of the one that has it.
struct ExchangePair {
    std::optional<ExchangeRow> base, now;
    std::optional<double> base_cycles, now_cycles; ///< of all runs, the mean of one period of the basis
    std::optional<double> base_bytes, now_bytes;   ///< that are sent, the same
    double cycles() const { return now_cycles.value_or(0) - base_cycles.value_or(0); }
    double bytes() const { return now_bytes.value_or(0) - base_bytes.value_or(0); }
    bool changed() const { return base_cycles != now_cycles || base_bytes != now_bytes; }
    profile::ExchangeKind kind() const { return (now ? now : base)->exchange.kind; }
};
struct ExchangeDifferences {
    Basis basis = Basis::Step;       ///< what figures are per (common_basis)
    std::int64_t base_periods = 1;   ///< of the basis in an engine run (Loops::count)
    std::int64_t now_periods = 1;    ///< the same
    std::vector<ExchangePair> pairs; ///< the largest change of cycles first, whichever way it goes
};
/// Exchanges are the same where the program steps that they are of are (match_steps).
ExchangeDifferences exchange_differences(const ExchangeSide& base, const ExchangeSide& now,
                                         const HandMatches& by_hand, std::optional<Basis> wanted);

/// Exchanges of one kind, or of all, that differ and that do not.
struct ExchangeChanges {
    std::vector<const ExchangePair*> changed; ///< in the order of the pairs
    std::vector<const ExchangePair*> unchanged;
    double cycles = 0; ///< new less base, of all of them together
};
/// Points into `differences`.
ExchangeChanges exchange_changes(const ExchangeDifferences& differences,
                                 std::optional<profile::ExchangeKind> kind);

/// What exchanges of two runs move, by the numbers of the tiles: all of as many tiles as the run that has
/// more of them.
struct TrafficDifference {
    SummedTraffic base, now;
    std::vector<std::int64_t> sent, received; ///< bytes by tile, new less base
    TileMoves moves; ///< new less base; where it is not known of one of the two, as that one says
};
/// Of what moves no byte it is known that no tile sends to another.
TrafficDifference traffic_difference(SummedTraffic base, SummedTraffic now);

/// The tile whose bytes have changed most, whichever way, and how many have changed.
struct MostChanged {
    std::int64_t tile = -1; ///< the first of several; -1: none has changed
    std::int64_t bytes = 0; ///< with their sign
    std::int64_t more = 0;  ///< tiles that have more
    std::int64_t fewer = 0; ///< tiles that have less
};
MostChanged most_changed(const std::vector<std::int64_t>& by_tile);

} // namespace tilescope::analyse
