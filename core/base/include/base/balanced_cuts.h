// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

namespace tilescope {

/// Cuts a sequence into `parts` runs, none of them empty, so that the largest cost of a run is least.
/// costs[c][i] >= 0 is the cost of element i by criterion c, in shares of that criterion's whole; a run costs
/// the largest of its sums. A cut before element i adds cuts[i], in shares of the first criterion, to that of
/// both runs; none where `cuts` is empty. Returns the first element of each run; all elements alone where
/// there are fewer than parts. Dynamic programming: O(parts n^2).
std::vector<std::size_t> balanced_cuts(const std::vector<std::vector<double>>& costs, std::size_t parts,
                                       const std::vector<double>& cuts = {});

} // namespace tilescope
