// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/hand_matches.h"
#include "analyse/matching.h"
#include "analyse/operation_groups.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// The operations of a base, beside those of the run that is held against it. Cycles are per a basis that
/// both have (common_basis), rounded once they are added up.
class OperationBaseline {
  public:
    /// `now`: of the new run. Errors: those of reading the base.
    static Result<OperationBaseline> read(const profile::Profile& base, const Parts& now,
                                          const HandMatches& by_hand);

    const Loops& loops() const { return costs_.loops(); }
    /// Of the operation that is the same as one of the new run; nullopt: there is none.
    std::optional<std::int64_t> cycles(std::int64_t operation, Basis basis) const;
    /// Of those of a group of the new run's that the base has; nullopt: it has none of them.
    std::optional<std::int64_t> cycles(const OperationGroup& group, const std::vector<OperationFigures>& now,
                                       Basis basis) const;

    /// Operations that only the base has, of names that are alike, or one.
    struct Gone {
        struct One {
            std::string name;
            std::int64_t cycles = 0;
        };
        std::string name;        ///< "layer_*_kernel × 12"
        std::int64_t cycles = 0; ///< of all
        std::vector<One> members;
    };
    /// `alike`: put together where their names are.
    std::vector<Gone> gone(bool alike, Basis basis) const;
    std::int64_t gone_count() const { return static_cast<std::int64_t>(gone_.size()); } ///< operations

  private:
    Costs costs_;
    std::map<std::int64_t, profile::PhaseCycles> cycles_; ///< of an engine run, by the new run's operation
    std::vector<profile::OperationRecord> gone_;
};

} // namespace tilescope::analyse
