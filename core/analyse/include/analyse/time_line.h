// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/costs.h"
#include "analyse/phases.h"
#include "base/error.h"
#include "profile/profile.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tilescope::analyse {

using Range = std::pair<std::int64_t, std::int64_t>; ///< cycles [first, second)

/// What a part of a range was spent on.
struct TimeTotal {
    enum class Of { Step, NoOperation, Untraced, Launch, Waiting };
    Of of = Of::Step;
    std::int64_t id = -1; ///< of a Step: operation, layer or program step
    profile::PhaseCycles cycles;
    std::int64_t runs = 0;      ///< program steps, or executions that were not traced
    std::int64_t longest = 0;   ///< cycles of the longest of them
    std::int64_t computing = 0; ///< cycles of compute for which it is known which tiles do
    double busy = 0;            ///< the same of the mean tile
    /// Mean cycles of all tiles / cycles of the slowest; nullopt: it computes nothing, or it is not known.
    std::optional<double> balance() const;
    /// Cycles that a perfect balance would give back.
    double unbalanced() const { return static_cast<double>(computing) - busy; }
    /// Cycles of compute of the slowest tile in one of the runs, and of the mean of all tiles; there must be
    /// runs of which it is known.
    double slowest_each() const { return static_cast<double>(computing) / static_cast<double>(runs); }
    double mean_each() const { return busy / static_cast<double>(runs); }
};

/// Of program steps by id: mean cycles of all tiles divided by those of the slowest, of what they compute;
/// nullopt: they compute nothing.
using StepBalances = std::vector<std::optional<double>>;
/// `program` and `further`: those of the profile. Errors: those of reading it.
Result<StepBalances> step_balances(const profile::Profile& profile,
                                   const std::vector<profile::ProgramRecord>& program,
                                   const std::vector<profile::FurtherStepRecord>& further);

/// What the time of an IPU, or of all, within a range was spent on. The three lists, largest first, each add
/// up to `phases`, and `phases` to the part of the range that executions cover: over the whole time line
/// these are the phases of the report, of this IPU. Steps that the range cuts count with what lies within it,
/// executions that were not traced by their share of it.
struct RangeTotals {
    std::int64_t ipu = 0; ///< or every_ipu: theirs added up
    Range range;
    profile::PhaseCycles phases;
    std::vector<TimeTotal> operations;
    std::vector<TimeTotal> layers;
    std::vector<TimeTotal> programs;
};
/// Without `balances` the rows do not know how busy the tiles are.
Result<RangeTotals> range_totals(const profile::Profile& profile, std::int64_t ipu, Range range,
                                 const StepBalances& balances = {});

/// Its cycles by kind alone, of one IPU.
Result<profile::PhaseCycles> range_phases(const profile::Profile& profile, std::int64_t ipu, Range range);

/// The program steps of which it is known how evenly the tiles compute, each with a compute set of its own:
/// those that lose most cycles to imbalance first.
std::vector<TimeTotal> by_imbalance(const RangeTotals& totals);

/// What a part of a range loses to imbalance.
struct ImbalanceShare {
    std::optional<double> of_lost; ///< of what all of them lose; nullopt: none loses any
    std::optional<double> of_time; ///< of all cycles of the range; nullopt: it has none
};
/// Of each of by_imbalance(), in a range of so many cycles.
std::vector<ImbalanceShare> imbalance_shares(const std::vector<TimeTotal>& sets, std::int64_t cycles);

/// How well a range uses the tiles, as far as it is known which of them compute.
struct TileUtilisation {
    double busy = 0;    ///< cycles in which a tile computes, of all tiles' cycles in the range
    double balance = 0; ///< the same, of the cycles in which any tile of the IPU does
};
/// nullopt where nothing computes in the range.
std::optional<TileUtilisation> tile_utilisation(const RangeTotals& totals, const StepBalances& balances);

/// A time line cut into columns of equal width: what each is spent on. A column holds cycles by kind of
/// time; what no slice covers is missing from their sum. Slices that stand for several program steps, or for
/// executions, are spread evenly over their length.
class TimeColumns {
  public:
    /// One part more than there are kinds of time, which has nothing but what is spread().
    using Column = std::array<double, time_kinds.size() + 1>;

    TimeColumns(double from, double cycles_per_column, std::size_t count)
        : from_(from), width_(cycles_per_column), columns_(count) {}
    void add(const profile::TraceSlice& slice);
    /// The same for what has only its cycles: `in_order` ones follow each other as those of a step.
    void add(double start, double end, const profile::PhaseCycles& cycles, bool in_order);

    /// `cycles` of one part, evenly from `start` to `end`; for columns by something else than kinds of time.
    void spread(double start, double end, std::size_t part, double cycles);

    double width() const { return width_; } ///< cycles
    const std::vector<Column>& columns() const { return columns_; }

  private:
    double from_;
    double width_;
    std::vector<Column> columns_;
};

/// A column in whole cycles.
profile::PhaseCycles phase_cycles_of(const TimeColumns::Column& column);

/// All IPUs together over `range`, in `count` columns: what stands above their time lines.
Result<TimeColumns> time_overview(const profile::Profile& profile, Range range, std::size_t count);

} // namespace tilescope::analyse
