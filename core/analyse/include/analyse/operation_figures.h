// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/costs.h"
#include "analyse/live_bytes.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// The cycles of an operation or a layer less those that its FLOPs would take at the peak of their type;
/// moving data is lost entirely. nullopt: the file does not say what the target could.
std::optional<std::int64_t> lost_cycles(const Cost& cost);

/// One operation of the first replica, as a table of all of them has it. Figures are of one engine run, as
/// those of Costs; `Costs::in` tells what they are per step or weight update.
struct OperationFigures {
    profile::OperationRecord record;
    std::string layer; ///< its name; empty: of none
    Cost cost;
    /// Mean cycles of all tiles / cycles of the slowest, over its compute sets as often as they run; nullopt:
    /// it computes nothing.
    std::optional<double> balance;
    /// Cycles that it computes beyond the mean of all tiles: what a perfect balance would give back.
    std::int64_t unbalanced = 0;
    /// Cycles beyond those that its FLOPs would take at the peak of their type: of moving data all; nullopt:
    /// the file does not say what the target could.
    std::optional<std::int64_t> lost;
    std::int64_t runs = 0;            ///< how often it is done: that of its steps which runs least often
    LiveBytes live;                   ///< of the variables that it makes
    std::int64_t exchanged_bytes = 0; ///< between tiles and IPUs, once for each receiver
    std::int64_t rearranged_bytes =
        0;                            ///< of rearrangement buffers that it makes, over all tiles; not per run
    std::int64_t temporary_bytes = 0; ///< on the fullest tile, as planned; 0: it has no plan
    /// Control and exchange code that its steps add, over all tiles; that of its vertices is shared with
    /// others. nullopt: the file does not say.
    std::optional<std::int64_t> code_bytes;
    /// Over all its cycles; nullopt: it does none, or takes no time.
    std::optional<double> flops_per_cycle() const {
        const auto cycles = static_cast<double>(cost.cycles.total());
        return cost.flops > 0 && cycles > 0 ? std::optional(cost.flops / cycles) : std::nullopt;
    }
    std::string plan; ///< the chosen one in short: "AMP 1x1 on 1,468 tiles"; empty: none
};

/// What operations cost together.
struct OperationTotals {
    std::int64_t cycles = 0;
    std::optional<double> unbalanced; ///< share of these in which tiles wait for the slowest of them
    std::optional<double> lost;       ///< share lost against the peak; nullopt where that is not known of any
};
OperationTotals totals_of(const std::vector<OperationFigures>& operations);

/// All operations of a profile, in order of execution. Errors: those of reading the profile.
Result<std::vector<OperationFigures>> operation_figures(const profile::Profile& profile, const Costs& costs);
/// `live`: those of a replica, where they have been read.
Result<std::vector<OperationFigures>> operation_figures(const profile::Profile& profile, const Costs& costs,
                                                        const LiveVariables& live);

/// As a list that budgets find by name: [{"name": …, "cycles": …, "exchange": …, …}, …], time and traffic in
/// the usual basis of the run.
nlohmann::ordered_json document(const std::vector<OperationFigures>& operations, const Costs& costs);

} // namespace tilescope::analyse
