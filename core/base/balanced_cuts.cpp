// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/balanced_cuts.h"

#include <algorithm>
#include <limits>

namespace tilescope {

std::vector<std::size_t> balanced_cuts(const std::vector<std::vector<double>>& costs, std::size_t parts,
                                       const std::vector<double>& cuts) {
    const std::size_t n = costs.empty() ? 0 : costs[0].size();
    parts = std::min(parts, n);
    if (parts == 0)
        return {};
    std::vector<std::vector<double>> before; // sums of the elements before each, by criterion
    for (const std::vector<double>& cost : costs) {
        std::vector<double> sums{0};
        for (const double value : cost)
            sums.push_back(sums.back() + value);
        before.push_back(std::move(sums));
    }
    const auto cut_at = [&](std::size_t i) { return cuts.empty() || i == 0 || i == n ? 0 : cuts[i]; };
    const auto cost_of = [&](std::size_t from, std::size_t to) {
        double most = before[0][to] - before[0][from] + cut_at(from) + cut_at(to);
        for (const std::vector<double>& sums : before)
            most = std::max(most, sums[to] - sums[from]);
        return most;
    };
    // best[p][i]: the least largest cost of p + 1 runs of the first i elements; cut[p][i]: where the last
    // starts.
    std::vector<std::vector<double>> best(
        parts, std::vector<double>(n + 1, std::numeric_limits<double>::infinity()));
    std::vector<std::vector<std::size_t>> cut(parts, std::vector<std::size_t>(n + 1, 0));
    for (std::size_t i = 1; i <= n; ++i)
        best[0][i] = cost_of(0, i);
    for (std::size_t p = 1; p < parts; ++p)
        for (std::size_t i = p + 1; i <= n; ++i)
            for (std::size_t from = p; from < i; ++from)
                if (const double most = std::max(best[p - 1][from], cost_of(from, i)); most < best[p][i]) {
                    best[p][i] = most;
                    cut[p][i] = from;
                }
    std::vector<std::size_t> starts(parts, 0);
    for (std::size_t p = parts, end = n; p-- > 1;)
        end = starts[p] = cut[p][end];
    return starts;
}

} // namespace tilescope
