// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/figure_kind.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// How far predictions were from what is published of real IPUs and of the vendor's own model.
namespace tilescope::ipu {

/// A row of bench/fidelity.
struct FidelityRow {
    std::string name;
    std::string unit;
    double ratio = 1; ///< predicted over published
};

/// Those of bench/fidelity/README.md, as this build has them.
const std::vector<FidelityRow>& fidelity_rows();

/// By the unit that it is published in; nullopt for one that is not known.
std::optional<FigureKind> kind_of_unit(const std::string& unit);

/// What the rows of a kind show. Ratios are predicted over published times and bytes: of a rate they are
/// turned over, so that above 1 is too slow or too large.
struct ErrorBand {
    FigureKind kind = FigureKind::Compute;
    std::int64_t rows = 0;
    double typical = 1; ///< factor by which they are off either way: exp of the mean absolute logarithm
    double lowest = 1;
    double highest = 1;
    std::string source; ///< names of the rows
};

/// Of each kind that has rows, in the order of the kinds.
std::vector<ErrorBand> error_bands(const std::vector<FidelityRow>& rows);

} // namespace tilescope::ipu
