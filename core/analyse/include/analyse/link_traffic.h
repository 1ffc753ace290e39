// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/basis.h"
#include "profile/records.h"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace tilescope::analyse {

/// What goes over a link, the mean of one period of a basis.
struct LinkFigures {
    double exchanges = 0;
    double bytes = 0;
    double cycles = 0;
};

/// What the IPUs of a run send each other, per some basis.
struct LinkTraffic {
    std::vector<profile::LinkTrafficRecord> links; ///< of one weight update
    Loops loops;                                   ///< of an engine run
    Basis basis = Basis::Step;
    std::int64_t elapsed = 0; ///< cycles of an engine run from start to end, or as planned; 0: not known

    LinkFigures of(const profile::LinkTrafficRecord& link) const;
    double bytes(profile::LinkKind kind) const; ///< of all links
    /// Of all links of a kind from one of the IPUs [first, second) to one of others.
    using Ipus = std::pair<std::int64_t, std::int64_t>;
    LinkFigures between(Ipus from, Ipus to, profile::LinkKind kind) const;
    /// The share of the time in which anything goes over the link for the same reason; nullopt: the time is
    /// not known.
    std::optional<double> in_use(const profile::LinkTrafficRecord& link) const;
    /// What IPUs 0 … `ipus` - 1 send each other, of these kinds together: [from * ipus + to], in whole bytes.
    std::vector<std::int64_t> matrix(std::int64_t ipus, const std::set<profile::LinkKind>& kinds) const;
    /// Index of the link from one to the other over which most bytes of these kinds go, the first of several;
    /// nullopt: none do.
    std::optional<std::size_t> most_between(std::int64_t from, std::int64_t to,
                                            const std::set<profile::LinkKind>& kinds) const;
};

/// A link of two runs, or of the one over whose link bytes of a kind go. Bytes are per the basis of each run.
struct LinkChange {
    profile::LinkTrafficRecord link;  ///< of the new run where it has it
    std::optional<std::size_t> index; ///< of its links; nullopt: the base's alone
    double now = 0;                   ///< bytes
    std::optional<double> before;     ///< nullopt: of the new run alone
    double by() const { return now - before.value_or(0); }
};
/// All links of the new run, in their order, and behind them those over which in the base alone anything
/// goes.
std::vector<LinkChange> link_changes(const LinkTraffic& base, const LinkTraffic& now);

} // namespace tilescope::analyse
