// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/counters.h"

#include "analyse/replicas.h"
#include "analyse/time_line.h"
#include "base/try.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope::analyse {
namespace {

using profile::StepFigure;

void put(StepFigure& figure, std::int64_t step, double value) {
    if (step < 0)
        return;
    const auto id = static_cast<std::size_t>(step);
    if (figure.of_step.size() <= id)
        figure.of_step.resize(id + 1, std::nan(""));
    figure.of_step[id] = value;
}

/// The steps of one device program, each with its share of the operation that it belongs to.
template<class Steps>
void put_flops(StepFigure& figure, const Steps& program, const std::map<std::int64_t, double>& flops,
               double ipus) {
    std::map<std::int64_t, std::int64_t> operation_of;
    for (const auto& step : program)
        operation_of[step.id] = step.operation_id;
    std::map<std::int64_t, double> cycles; // that an operation computes in an engine run, on all IPUs
    std::map<std::int64_t, std::int64_t> times;
    for (const auto& step : program) {
        if (step.operation_id < 0)
            continue;
        const auto above = operation_of.find(step.parent_id);
        if (above == operation_of.end() || above->second != step.operation_id) // its own loops not counted
            times[step.operation_id] = std::max(times[step.operation_id], step.runs);
        if (is_leaf(step.kind))
            cycles[step.operation_id] += static_cast<double>(step.compute_cycles) *
                                         static_cast<double>(step.runs) * (step.ipu < 0 ? ipus : 1);
    }
    for (const auto& step : program) {
        if (!is_leaf(step.kind))
            continue;
        double value = 0;
        if (const auto whole = flops.find(step.operation_id);
            whole != flops.end() && step.compute_cycles > 0 && cycles[step.operation_id] > 0)
            value = whole->second * static_cast<double>(times[step.operation_id]) *
                    static_cast<double>(step.compute_cycles) / cycles[step.operation_id];
        put(figure, step.id, value);
    }
}

} // namespace

Result<Counters> Counters::read(const profile::Profile& profile) {
    TRY(const auto program, profile.program());
    TRY(const auto further, profile.further_steps());
    TRY(const auto programs, profile.device_programs());
    TRY(const auto operations, profile.operations());
    TRY(const auto exchanges, profile.exchanges());
    TRY(const auto balances, step_balances(profile, program, further));
    TRY(const auto ipus, profile.ipus());
    TRY(const auto range, profile.time_range());
    Counters all;
    all.bytes_.over = StepFigure::Over::Exchange;
    all.flops_.over = all.busy_.over = StepFigure::Over::Compute;
    std::map<std::int64_t, std::int64_t> bytes_of;
    for (const auto& exchange : exchanges)
        bytes_of[exchange.id] = exchange.bytes;
    const auto put_step = [&](const auto& step, std::int64_t bytes) {
        if (bytes >= 0) // else not known
            put(all.bytes_, step.id, static_cast<double>(bytes));
        const auto id = static_cast<std::size_t>(step.id);
        if (id < balances.size() && balances[id])
            put(all.busy_, step.id, *balances[id] * static_cast<double>(step.compute_cycles));
        else if (step.compute_cycles == 0)
            put(all.busy_, step.id, 0);
    };
    // They stay: what grows step by step has room for as many again in the end.
    for (StepFigure* figure : {&all.bytes_, &all.flops_, &all.busy_})
        figure->of_step.reserve(program.size() + further.size());
    for (const auto& step : program)
        if (const auto exchange = bytes_of.find(step.exchange_id); is_leaf(step.kind))
            put_step(step, exchange == bytes_of.end() ? 0 : exchange->second);
    for (const auto& step : further)
        if (is_leaf(step.kind))
            put_step(step, step.bytes);
    std::map<std::int64_t, double> flops;
    for (const auto& operation : operations)
        flops[operation.id] = static_cast<double>(operation.flops);
    double per_replica = 0;
    for (const auto& ipu : ipus)
        per_replica += ipu.replica == 0 ? 1 : 0;
    put_flops(all.flops_, program, flops, per_replica);
    for (const auto& one : programs) {
        std::vector<profile::FurtherStepRecord> steps;
        std::copy_if(further.begin(), further.end(), std::back_inserter(steps),
                     [&](const auto& step) { return step.device_program_id == one.id; });
        put_flops(all.flops_, steps, flops, per_replica);
    }
    for (const auto& ipu : ipus) {
        if (const auto same = all.live_.find(first_like(ipu, ipus)); same != all.live_.end()) {
            all.live_[ipu.id] = same->second;
            continue;
        }
        StepFigure live;
        live.of_step.reserve(program.size());
        TRY(const auto liveness, profile.liveness(ipu.id));
        for (const auto& row : liveness)
            put(live, row.program_id, static_cast<double>(row.always_live_bytes + row.not_always_live_bytes));
        all.live_[ipu.id] = std::make_shared<const StepFigure>(std::move(live));
        if (range.second <= range.first || ipu.replica > 0) // the others do the same
            continue;
        for (const Counter counter : counters) {
            TRY(const auto whole, profile.trace_figure(ipu.id, range.first, range.second - range.first, 1,
                                                       all.figure(counter, ipu.id)));
            double& most = all.most_[static_cast<std::size_t>(counter)];
            most = std::max(most, whole.front().most);
        }
    }
    return all;
}

const StepFigure& Counters::figure(Counter counter, std::int64_t ipu) const {
    static const StepFigure none;
    switch (counter) {
    case Counter::LiveBytes: {
        const auto found = live_.find(ipu);
        return found == live_.end() ? none : *found->second;
    }
    case Counter::ExchangeRate:
        return bytes_;
    case Counter::FlopRate:
        return flops_;
    case Counter::BusyTiles:
        break;
    }
    return busy_;
}

profile::FigureSum figure_over(const std::vector<profile::FigureSum>& stretches, std::int64_t from,
                               std::int64_t width, double begin, double end) {
    profile::FigureSum sum;
    const auto wide = static_cast<double>(width);
    const auto offset = static_cast<double>(from);
    const auto count = static_cast<std::int64_t>(stretches.size());
    auto at = static_cast<std::int64_t>(std::floor((begin - offset) / wide));
    for (at = std::max<std::int64_t>(0, at); at < count; ++at) {
        const double start = offset + static_cast<double>(at) * wide;
        const double share = (std::min(end, start + wide) - std::max(begin, start)) / wide;
        if (start >= end)
            break;
        if (share <= 0)
            continue;
        profile::FigureSum part = stretches[static_cast<std::size_t>(at)];
        part.cycles *= share;
        part.sum *= share;
        sum.add(part);
    }
    return sum;
}

} // namespace tilescope::analyse
