// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/summary.h"

#include <optional>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// One figure of two runs. A side that lacks it is nullopt.
struct Difference {
    std::string name;
    std::string unit; ///< "bytes", "cycles", "us", "samples/s", "s" or ""
    std::optional<double> base;
    std::optional<double> now;
    std::optional<double> change() const;  ///< now - base
    std::optional<double> percent() const; ///< of the base; nullopt where the base is 0
};

/// A layer (or operation) in both runs, matched by name.
struct CostDifference {
    std::string name;
    Difference cycles;
    Difference memory;
};

struct Comparison {
    std::vector<Difference> headline;
    std::vector<CostDifference> layers; ///< largest change of cycles first
    std::vector<std::string> added_operations;
    std::vector<std::string> removed_operations;
};

Result<Comparison> compare(const profile::Profile& base, const profile::Profile& now);
nlohmann::ordered_json document(const Comparison& comparison);

} // namespace tilescope::analyse
