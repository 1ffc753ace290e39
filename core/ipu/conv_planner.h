// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ipu/convolution_cycles.h"
#include "ipu/target.h"

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilescope::ipu {

/// A convolution as the planner sees it; a matrix product [m, k] x [k, n] is one with a field and a kernel
/// of one, batch m, input channels k, output channels n.
struct ConvProblem {
    std::int64_t groups = 1;
    std::int64_t batch = 1;
    std::int64_t out_height = 1;
    std::int64_t out_width = 1;
    std::int64_t kernel_height = 1;
    std::int64_t kernel_width = 1;
    std::int64_t in_channels = 1;  ///< per group
    std::int64_t out_channels = 1; ///< per group
    std::int64_t stride = 1;       ///< of the height: rows of input that one more row of output needs
    ConvTypes types;
    auto operator<=>(const ConvProblem&) const = default;
};
inline bool operator==(const ConvTypes& a, const ConvTypes& b) {
    return a.input_bytes == b.input_bytes && a.partial_bytes == b.partial_bytes;
}
inline auto operator<=>(const ConvTypes& a, const ConvTypes& b) {
    return std::pair(a.input_bytes, a.partial_bytes) <=> std::pair(b.input_bytes, b.partial_bytes);
}

/// Into how many parts each dimension is cut.
struct ConvSplits {
    std::int64_t groups = 1;
    std::int64_t batch = 1;
    std::int64_t height = 1;
    std::int64_t out_channels = 1;
    std::int64_t in_channels = 1;
    std::int64_t kernel_height = 1;
    std::int64_t outputs() const { return groups * batch * height * out_channels; }
    std::int64_t depth() const { return in_channels * kernel_height; } ///< partials per output
    std::int64_t tiles() const { return outputs() * depth(); }
};

/// Cycles and bytes of the fullest tile, item by item.
struct ConvCost {
    std::int64_t exchange_in = 0;
    std::int64_t partials = 0;
    std::int64_t exchange_partials = 0;
    std::int64_t reduce = 0;
    std::int64_t temporary_bytes = 0;
    std::int64_t cycles() const { return exchange_in + partials + exchange_partials + reduce; }
};

struct ConvPlan {
    ConvVertex vertex = ConvVertex::AmpNx1;
    ConvSplits splits;
    ConvCost cost;
};

std::string codelet_name(const ConvPlan& plan, const ConvTypes& types);
/// One tile's share under a plan (the largest).
ConvWork largest_work(const ConvProblem& problem, const ConvSplits& splits);
std::string describe(const ConvPlan& plan);      ///< JSON: vertex and splits
std::string describe_cost(const ConvCost& cost); ///< JSON

/// Chooses splits and vertex by enumerating every number of parts that changes the size of a part, under the
/// temporary memory bound `available_memory_proportion` of a tile (doubled where nothing fits, as PopLibs
/// does). Fewest cycles wins; ties go to fewer tiles, then to the first found. Same answer on every machine.
/// Source: PopLibs lib/poplin/ConvPlan.cpp, ConvModel.cpp.
class ConvPlanner {
  public:
    explicit ConvPlanner(Target target, double available_memory_proportion = 0.6);
    /// The best plan first, then up to three runners-up that differ in their splits. Cached by problem.
    const std::vector<ConvPlan>& plan(const ConvProblem& problem);

  private:
    Target target_;
    double proportion_;
    std::map<ConvProblem, std::vector<ConvPlan>> cache_;
};

} // namespace tilescope::ipu
