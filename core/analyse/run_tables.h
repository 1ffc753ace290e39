// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/costs.h"
#include "analyse/live_bytes.h"
#include "analyse/summary.h"
#include "base/error.h"
#include "profile/profile.h"

#include <optional>
#include <vector>

namespace tilescope::analyse {

/// Variables as the profile keeps them, not copied.
struct VariableRefs {
    std::vector<profile::SharedRows<profile::VariableRecord>> kept; ///< while they are pointed to
    std::vector<const profile::VariableRecord*> rows;
};

/// What several figures of a run are made of, read once: of a large model these tables take longer to read
/// than all else.
struct RunTables {
    Costs costs;
    VariableRefs variables; ///< of the first replica, largest first
    static Result<RunTables> read(const profile::Profile& profile);
};

/// Those of the IPUs of the first replica, largest first: the others have the same.
Result<VariableRefs> variables_of_replica(const profile::Profile& profile);

/// As the functions of the same names that read what they need.
Result<Summary> summarise(const profile::Profile& profile, const RunTables& tables,
                          std::optional<Basis> basis = {});
/// Without the stages of a pipeline and the insights, which take longer than the rest of it.
Result<Summary> summarise_briefly(const profile::Profile& profile, const RunTables& tables,
                                  std::optional<Basis> basis = {});
Result<LiveVariables> live_variables(const profile::Profile& profile, const VariableRefs& variables);
Result<LiveVariables> live_variables(const profile::Profile& profile,
                                     const std::vector<profile::VariableRecord>& variables);

} // namespace tilescope::analyse
