// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cost_kind.h"
#include "ipu/conv_problem.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::ipu {

/// Into how many parts each dimension of the transformed problem is cut. Channels are cut between the
/// vertex's groups.
struct ConvSplits {
    std::int64_t groups = 1;
    std::int64_t batch = 1;
    std::int64_t height = 1;
    std::int64_t width = 1;
    std::int64_t kernel_height = 1;
    std::int64_t in_channels = 1;
    std::int64_t out_channels = 1;
    std::int64_t serial_in = 1;   ///< parts done one after another
    std::int64_t serial_out = 1;  ///< at most one of the two is above 1
    std::int64_t width_group = 1; ///< columns that stay together

    std::int64_t field() const { return height * width; }
    std::int64_t outputs() const { return groups * batch * field() * out_channels; }
    std::int64_t depth() const { return in_channels * kernel_height; } ///< partials per output
    std::int64_t tiles() const { return outputs() * depth(); }
    std::int64_t serial() const { return serial_in * serial_out; }
    auto operator<=>(const ConvSplits&) const = default;
};

/// Cycles and bytes of the fullest tile, item by item, over all serial parts.
struct ConvCost {
    std::int64_t sync = 0;      ///< of all its exchanges; 0: not counted, as in what plans are compared by
    std::int64_t rearrange = 0; ///< copies and exchanges that turn the operands before the product
    std::int64_t exchange_inputs = 0;
    std::int64_t exchange_weights = 0;
    std::int64_t partials = 0;
    std::int64_t exchange_partials = 0;
    std::int64_t reduce = 0;
    std::int64_t slices = 0;  ///< of the operands of serial parts
    std::int64_t updates = 0; ///< of the result by serial parts: it gets a slice, or all of a further sum
    std::int64_t temporary_bytes = 0;
    std::int64_t interleaved_bytes = 0; ///< of these, what must lie in interleaved memory
    std::int64_t cycles() const {
        return sync + rearrange + exchange_inputs + exchange_weights + partials + exchange_partials + reduce +
               slices + updates;
    }
};

struct ConvPlan {
    ConvTransform transform;
    ConvGrouping grouping;
    ConvSplits splits;
    ConvCost cost;
};

/// Elements [begin, end).
struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t length() const { return end - begin; }
    bool empty() const { return begin >= end; }
};

/// How the rows of a result, or its columns, come of those of an input and of a kernel: row r reads with row
/// k of the kernel row r * stride + k * dilation - padding of the input; of one with zeros between its rows,
/// which are `in_dilation` apart, the row that is this many times there, if any (PopLibs
/// lib/poplin/ConvUtil.cpp, getInputRange and getKernelRange). With `transposed` the kernel is turned round,
/// as in a data gradient: row r reads row r + padding - k * dilation.
struct ConvAxis {
    std::int64_t in = 1; ///< rows of the input
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t in_dilation = 1;
    std::int64_t padding = 0;
    bool transposed = false;
    std::int64_t kernel = 1; ///< rows of the kernel

    /// Of these rows of the kernel those from the first to the last that any of these rows of the result
    /// reads with. One row of a result over an input dilated by 2 reads with all even ones or with all odd
    /// ones.
    Range kernel_rows(const Range& result, const Range& part) const;
    /// Rows of the input from the first to the last that they read, which may lie in its padding.
    Range input_rows(const Range& result, const Range& part) const;
    /// The most rows of the kernel that `result` rows of the result read with, of `part` rows.
    std::int64_t most_kernel_rows(std::int64_t result, std::int64_t part) const;
    /// The most rows of the input that one of the parts reads into which the result is cut, each of `result`
    /// rows but the last, with `part` rows of the kernel.
    std::int64_t most_input_rows(std::int64_t result, std::int64_t part) const;

  private:
    std::int64_t rows_up_to(std::int64_t place) const; ///< of the input with its zeros
    /// Rows of the input that rows of the result read with row k of the kernel; empty if it reads zeros only.
    Range read_with(std::int64_t k, const Range& result) const;
};

/// Whether the temporaries take no more than `most_bytes`, and what must lie in interleaved memory no more
/// than a tile has of it.
bool fits(const Target& target, const ConvCost& cost, double most_bytes);

/// The numbers of parts, up to `limit`, that give parts of different sizes.
std::vector<std::int64_t> part_counts(std::int64_t extent, std::int64_t limit);

/// How many partials each stage of a reduction adds up: one stage for fewer than 16, two below 125, else
/// three (PopLibs lib/poplin/ConvReducePlan.cpp).
std::vector<std::int64_t> reduction_stages(std::int64_t depth);

/// Sums are dealt in these to the tiles that add them up: a group of output channels, in whole vectors
/// (PopLibs lib/poplin/ConvReduce.cpp, partialGroupedReduce).
std::int64_t reduction_grain(const Target& target, const ConvGrouping& grouping, const ConvTypes& types);
/// Of `held` sums those of the tile at `position` among the `tiles` that share them: its whole grains, one
/// after the other. The first has the most.
Range reduction_share(std::int64_t held, std::int64_t grain, std::int64_t tiles, std::int64_t position = 0);

/// One tile's share under a plan (the largest), of one serial part. `problem` is the transformed one.
ConvWork largest_work(const ConvProblem& problem, const ConvGrouping& grouping, const ConvSplits& splits);
/// Channels in whole groups of so many.
std::int64_t padded(std::int64_t channels, std::int64_t group);

/// Operands of a transformed problem whose elements change their order before the product, or are padded to
/// whole groups of channels: those with the kernel among the channels, those that another pass has laid out,
/// and both where a group is not full (PopLibs lib/poplin/ConvModel.cpp, addTransformCycleEstimate;
/// Convolution.cpp, convolutionImpl).
struct TurnedOperands {
    bool input = false;
    bool weights = false;
};
TurnedOperands turned_operands(const ConvProblem& transformed, const ConvTransform& transform,
                               const ConvGrouping& grouping);

/// Bytes of a tile's share of what changes its order, spread over the `tiles` of a plan; 0: stays in order.
struct TurnedBytes {
    std::int64_t input = 0;
    std::int64_t weights = 0;
    std::int64_t output = 0;       ///< of one serial part
    bool reordered_output = false; ///< else channels are grouped anew within each tile
    /// What a tile holds meanwhile: the largest in the old and in the new order.
    std::int64_t temporary() const { return 2 * std::max({input, weights, output}); }
};
TurnedBytes turned_bytes(const ConvProblem& transformed, const ConvTransform& transform,
                         const ConvGrouping& grouping, std::int64_t tiles, std::int64_t serial_out);
/// Cycles to copy and exchange them, of the operands once, of the output in each of the `serial` parts.
std::int64_t rearrange_cycles(const Target& target, const ConvProblem& transformed,
                              const ConvGrouping& grouping, const TurnedBytes& turned, std::int64_t serial);

/// The height and the width of a problem.
ConvAxis height_of(const ConvProblem& problem);
ConvAxis width_of(const ConvProblem& problem);

/// What a plan costs by PopLibs' estimators (lib/poplin/ConvModel.cpp). `problem` is the original one.
ConvCost conv_cost(const Target& target, const ConvProblem& problem, const ConvTransform& transform,
                   const ConvGrouping& grouping, const ConvSplits& splits);

/// Beyond these a plan's cost need not be known to its end.
struct ConvLimits {
    std::int64_t cycles = std::numeric_limits<std::int64_t>::max();
    double bytes = std::numeric_limits<double>::max(); ///< of temporaries
    std::int64_t cycles_if_larger = 0;                 ///< of a plan that takes more bytes than `bytes`
};

/// The same of a problem that is transformed already. May be nothing where it is beyond the limits.
std::optional<ConvCost> conv_cost_within(const Target& target, const ConvProblem& transformed,
                                         const ConvTransform& transform, const ConvGrouping& grouping,
                                         const ConvSplits& splits, const ConvLimits& limits = {});

std::string describe(const ConvPlan& plan); ///< JSON: vertex, grouping, transform and splits

struct CostItem {
    const char* name; ///< "exchange_inputs"
    CostKind kind;
    std::int64_t cycles;
};
/// What its cycles are the sum of, in the order in which it happens; sync where that is counted.
std::vector<CostItem> cost_items(const ConvCost& cost);

} // namespace tilescope::ipu
