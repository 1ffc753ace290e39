// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/time_line.h"

#include "base/try.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace tilescope::analyse {
namespace {

using profile::PhaseCycles;
using profile::TraceSlice;

/// The order in which a program step goes through its phases.
constexpr std::array<TimeKind, time_kinds.size()> step_order = {TimeKind::Sync,     TimeKind::Exchange,
                                                                TimeKind::InterIpu, TimeKind::Host,
                                                                TimeKind::Compute,  TimeKind::Waiting};

/// Rows of one table, by what they are of.
class Table {
  public:
    void add(TimeTotal::Of of, std::int64_t id, const profile::TraceTotal& part,
             const double* balance) { // null: not known
        const PhaseCycles& cycles = part.cycles;
        if (cycles.total() == 0)
            return;
        TimeTotal& total = rows_[{of, id}];
        total.of = of;
        total.id = id;
        total.cycles += cycles;
        total.runs += part.runs;
        total.longest = std::max(total.longest, part.longest);
        if (balance != nullptr) {
            total.computing += cycles.compute;
            total.busy += *balance * static_cast<double>(cycles.compute);
        }
    }
    std::vector<TimeTotal> largest_first() const {
        std::vector<TimeTotal> result;
        for (const auto& [key, total] : rows_)
            result.push_back(total);
        std::stable_sort(result.begin(), result.end(), [](const TimeTotal& a, const TimeTotal& b) {
            return a.cycles.total() > b.cycles.total();
        });
        return result;
    }

  private:
    std::map<std::pair<TimeTotal::Of, std::int64_t>, TimeTotal> rows_;
};

} // namespace

std::optional<double> TimeTotal::balance() const {
    return computing > 0 ? std::optional(busy / static_cast<double>(computing)) : std::nullopt;
}

Result<RangeTotals> range_totals(const profile::Profile& profile, std::int64_t ipu, Range range,
                                 const StepBalances& balances) {
    std::vector<profile::TraceTotal> totals;
    TRY(const auto ipus, profile.ipus());
    for (const profile::IpuRecord& one : ipus)
        if (ipu == every_ipu || ipu == one.id) {
            TRY(const auto more, profile.trace_totals(one.id, range.first, range.second));
            totals.insert(totals.end(), more.begin(), more.end());
        }
    RangeTotals result{ipu, range, {}, {}, {}, {}};
    Table operations;
    Table layers;
    Table programs;
    using Of = profile::TraceTotal::Of;
    for (const profile::TraceTotal& total : totals) {
        result.phases += total.cycles;
        const auto step = static_cast<std::size_t>(total.program_id);
        const double* balance = total.of == Of::Step && step < balances.size() && balances[step].has_value()
                                    ? &*balances[step]
                                    : nullptr;
        const auto add = [&](Table& table, std::int64_t id) {
            const auto of = total.of == Of::Launch     ? TimeTotal::Of::Launch
                            : total.of == Of::Waiting  ? TimeTotal::Of::Waiting
                            : total.of == Of::Untraced ? TimeTotal::Of::Untraced
                            : id < 0                   ? TimeTotal::Of::NoOperation
                                                       : TimeTotal::Of::Step;
            table.add(of, id, total, balance);
        };
        add(operations, total.operation_id);
        add(layers, total.layer_id);
        add(programs, total.program_id);
    }
    result.operations = operations.largest_first();
    result.layers = layers.largest_first();
    result.programs = programs.largest_first();
    return result;
}

Result<profile::PhaseCycles> range_phases(const profile::Profile& profile, std::int64_t ipu, Range range) {
    TRY(const auto totals, profile.trace_totals(ipu, range.first, range.second));
    profile::PhaseCycles spent;
    for (const profile::TraceTotal& total : totals)
        spent += total.cycles;
    return spent;
}

std::vector<TimeTotal> by_imbalance(const RangeTotals& totals) {
    std::vector<TimeTotal> sets;
    std::copy_if(totals.programs.begin(), totals.programs.end(), std::back_inserter(sets),
                 [](const TimeTotal& step) { return step.runs > 0 && step.balance(); });
    std::stable_sort(sets.begin(), sets.end(),
                     [](const TimeTotal& a, const TimeTotal& b) { return a.unbalanced() > b.unbalanced(); });
    return sets;
}

Result<StepBalances> step_balances(const profile::Profile& profile,
                                   const std::vector<profile::ProgramRecord>& program,
                                   const std::vector<profile::FurtherStepRecord>& further) {
    TRY(const auto sets, profile.compute_sets());
    std::map<std::int64_t, double> balance_of;
    for (const auto& set : sets)
        balance_of[set.id] = set.balance;
    StepBalances balances;
    const auto put = [&](std::int64_t step, double balance) {
        const auto id = static_cast<std::size_t>(step);
        if (balances.size() <= id)
            balances.resize(id + 1);
        balances[id] = balance;
    };
    for (const auto& step : program)
        if (const auto set = balance_of.find(step.compute_set_id); set != balance_of.end() && step.id >= 0)
            put(step.id, set->second);
    for (const auto& step : further)
        if (step.balance >= 0 && step.id >= 0)
            put(step.id, step.balance);
    return balances;
}

std::vector<ImbalanceShare> imbalance_shares(const std::vector<TimeTotal>& sets, std::int64_t cycles) {
    double all = 0;
    for (const TimeTotal& set : sets)
        all += set.unbalanced();
    const auto share = [](double part, double whole) {
        return whole > 0 ? std::optional(part / whole) : std::nullopt;
    };
    std::vector<ImbalanceShare> shares;
    shares.reserve(sets.size());
    for (const TimeTotal& set : sets)
        shares.push_back(
            {share(set.unbalanced(), all), share(set.unbalanced(), static_cast<double>(cycles))});
    return shares;
}

std::optional<TileUtilisation> tile_utilisation(const RangeTotals& totals, const StepBalances& balances) {
    double busy = 0;
    double computing = 0;
    std::int64_t known = totals.phases.total();
    for (const TimeTotal& row : totals.programs) {
        const auto id = static_cast<std::size_t>(row.id);
        if (row.of != TimeTotal::Of::Step || id >= balances.size() || !balances[id]) {
            if (row.cycles.compute > 0) // by which tiles is not known
                known -= row.cycles.total();
            continue;
        }
        computing += static_cast<double>(row.cycles.compute);
        busy += static_cast<double>(row.cycles.compute) * *balances[id];
    }
    if (computing <= 0)
        return std::nullopt;
    return TileUtilisation{busy / static_cast<double>(known), busy / computing};
}

void TimeColumns::spread(double start, double end, std::size_t part, double cycles) {
    if (!(cycles > 0) || !(end > start) || columns_.empty())
        return;
    const double density = cycles / (end - start);
    const double last = from_ + width_ * static_cast<double>(columns_.size());
    const double low = std::max(start, from_);
    const double high = std::min(end, last);
    if (!(high > low))
        return;
    auto column = std::min(columns_.size() - 1, static_cast<std::size_t>((low - from_) / width_));
    for (double at = low; at < high && column < columns_.size(); ++column) {
        const double edge = std::min(high, from_ + width_ * static_cast<double>(column + 1));
        if (edge > at)
            columns_[column][part] += density * (edge - at);
        at = std::max(at, edge);
    }
}

void TimeColumns::add(double start, double end, const PhaseCycles& cycles, bool in_order) {
    double at = start;
    for (const TimeKind kind : step_order) {
        const auto length = static_cast<double>(cycles_of(cycles, kind));
        if (in_order)
            spread(at, at + length, static_cast<std::size_t>(kind), length);
        else
            spread(start, end, static_cast<std::size_t>(kind), length);
        at += length;
    }
}

void TimeColumns::add(const TraceSlice& slice) {
    add(static_cast<double>(slice.start_cycle), static_cast<double>(slice.end_cycle), slice.cycles,
        slice.program_id >= 0);
}

PhaseCycles phase_cycles_of(const TimeColumns::Column& column) {
    PhaseCycles cycles;
    for (const TimeKind kind : time_kinds)
        cycles.*phase_of(kind).cycles = std::llround(column[static_cast<std::size_t>(kind)]);
    return cycles;
}

Result<TimeColumns> time_overview(const profile::Profile& profile, Range range, std::size_t count) {
    TRY(const auto ipus, profile.ipus());
    const double width = static_cast<double>(range.second - range.first) /
                         static_cast<double>(std::max<std::size_t>(1, count));
    TimeColumns columns(static_cast<double>(range.first), std::max(width, 1e-9), count);
    for (const profile::IpuRecord& ipu : ipus) {
        TRY(const auto line,
            profile.trace(ipu.id, range.first, range.second, static_cast<std::int64_t>(width)));
        for (const TraceSlice& slice : line)
            columns.add(slice);
    }
    return columns;
}

} // namespace tilescope::analyse
