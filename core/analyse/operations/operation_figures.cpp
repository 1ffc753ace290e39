// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/operation_figures.h"

#include "analyse/plan_choice.h"
#include "base/share.h"
#include "base/try.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace tilescope::analyse {
namespace {

using Rows = std::map<std::int64_t, OperationFigures*>; ///< by operation

OperationFigures* row_of(const Rows& rows, std::int64_t operation) {
    const auto found = rows.find(operation);
    return found == rows.end() ? nullptr : found->second;
}

/// Balance and what is lost by it, bytes over the exchange: of every run of every step.
void add_steps(const Rows& rows, const std::vector<profile::ProgramRecord>& program,
               const std::vector<profile::ComputeSetRecord>& sets,
               const std::vector<profile::ExchangeRecord>& exchanges) {
    std::map<std::int64_t, double> balance_of;
    for (const auto& set : sets)
        balance_of[set.id] = set.balance;
    std::map<std::int64_t, const profile::ExchangeRecord*> exchange_of;
    for (const auto& exchange : exchanges)
        exchange_of[exchange.id] = &exchange;
    if (std::any_of(program.begin(), program.end(),
                    [](const auto& step) { return step.code_bytes.has_value(); }))
        for (const auto& [id, row] : rows)
            row->code_bytes = 0; // of those without steps, too
    struct Sum {
        double slowest = 0;
        double mean = 0;
    };
    std::map<OperationFigures*, Sum> sums;
    for (const auto& step : program) {
        OperationFigures* row = row_of(rows, step.operation_id);
        if (row == nullptr)
            continue;
        if (is_leaf(step.kind))
            row->runs = row->runs == 0 ? step.runs : std::min(row->runs, step.runs);
        if (step.code_bytes)
            row->code_bytes = row->code_bytes.value_or(0) + *step.code_bytes;
        if (const auto set = balance_of.find(step.compute_set_id); set != balance_of.end()) {
            const double slowest = static_cast<double>(step.compute_cycles) * static_cast<double>(step.runs);
            sums[row].slowest += slowest;
            sums[row].mean += slowest * set->second;
        }
        if (const auto exchange = exchange_of.find(step.exchange_id);
            exchange != exchange_of.end() && !leaves_ipus(exchange->second->kind))
            row->exchanged_bytes += exchange->second->bytes * step.runs;
    }
    for (const auto& [row, sum] : sums)
        if (sum.slowest > 0) {
            row->balance = sum.mean / sum.slowest;
            row->unbalanced = std::llround(sum.slowest - sum.mean);
        }
}

Result<void> add_plans(const Rows& rows, const std::vector<profile::PlanRecord>& plans) {
    for (const profile::PlanRecord& plan : plans) {
        OperationFigures* row = row_of(rows, plan.operation_id);
        if (row == nullptr || plan.rank != 0)
            continue;
        TRY(const PlanChoice choice, plan_choice(plan));
        row->plan += (row->plan.empty() ? "" : "; ") + choice.summary;
        row->temporary_bytes = std::max(row->temporary_bytes, plan.temporary_bytes);
    }
    return {};
}

} // namespace

Result<std::vector<OperationFigures>> operation_figures(const profile::Profile& profile, const Costs& costs) {
    TRY(const auto live, live_variables(profile));
    return operation_figures(profile, costs, live);
}

Result<std::vector<OperationFigures>> operation_figures(const profile::Profile& profile, const Costs& costs,
                                                        const LiveVariables& live) {
    TRY(const auto operations, profile.operations());
    TRY(const auto layers, profile.layers());
    TRY(const auto program, profile.program());
    TRY(const auto sets, profile.compute_sets());
    TRY(const auto exchanges, profile.exchanges());
    TRY(const auto variables, profile.variables());
    TRY(const auto plans, profile.plans());
    std::map<std::int64_t, std::string> layer_names;
    for (const auto& layer : layers)
        layer_names[layer.id] = layer.name;
    std::vector<OperationFigures> figures;
    for (const auto& record : operations) {
        OperationFigures row;
        row.record = record;
        if (const auto layer = layer_names.find(record.layer_id); layer != layer_names.end())
            row.layer = layer->second;
        row.cost = costs.operation(record.id);
        row.lost = lost_cycles(row.cost);
        if (const auto held = live.by_operation.find(record.id); held != live.by_operation.end())
            row.live = held->second;
        figures.push_back(std::move(row));
    }
    Rows rows;
    for (OperationFigures& row : figures)
        rows[row.record.id] = &row;
    add_steps(rows, program, sets, exchanges);
    for (const auto& variable : variables)
        if (OperationFigures* row = row_of(rows, variable.operation_id);
            row != nullptr && variable.category == profile::MemoryCategory::RearrangementBuffers)
            row->rearranged_bytes += variable.bytes;
    TRY(add_plans(rows, plans));
    return figures;
}

std::optional<std::int64_t> lost_cycles(const Cost& cost) {
    if (cost.flops > 0 && cost.peak_cycles <= 0)
        return std::nullopt;
    return std::max<std::int64_t>(0, cost.cycles.total() - std::llround(cost.peak_cycles));
}

OperationTotals totals_of(const std::vector<OperationFigures>& operations) {
    OperationTotals totals;
    std::int64_t unbalanced = 0;
    std::optional<std::int64_t> lost;
    for (const OperationFigures& op : operations) {
        totals.cycles += op.cost.cycles.total();
        unbalanced += op.unbalanced;
        if (op.lost)
            lost = lost.value_or(0) + *op.lost;
    }
    totals.unbalanced = share_of(unbalanced, totals.cycles);
    if (lost)
        totals.lost = share_of(*lost, totals.cycles);
    return totals;
}

nlohmann::ordered_json document(const std::vector<OperationFigures>& operations, const Costs& costs) {
    const Basis basis = costs.loops().usual();
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const OperationFigures& operation : operations) {
        const profile::PhaseCycles cycles = costs.in(basis, operation.cost.cycles);
        const auto peak = costs.share_of_peak(operation.cost);
        nlohmann::ordered_json lost;
        if (operation.lost)
            lost = costs.in(basis, static_cast<double>(*operation.lost));
        list.push_back({{"name", operation.record.name},
                        {"kind", operation.record.kind},
                        {"cycles", cycles.total()},
                        {"by_phase",
                         {{"compute", cycles.compute},
                          {"exchange", cycles.exchange},
                          {"sync", cycles.sync},
                          {"inter_ipu", cycles.inter_ipu},
                          {"host", cycles.host}}},
                        {"flops", costs.in(basis, operation.cost.flops)},
                        {"peak_share", peak ? nlohmann::ordered_json(*peak) : nlohmann::ordered_json()},
                        {"lost_cycles", std::move(lost)},
                        {"exchanged_bytes", costs.in(basis, static_cast<double>(operation.exchanged_bytes))},
                        {"rearranged_bytes", operation.rearranged_bytes},
                        {"temporary_bytes", operation.temporary_bytes},
                        {"code_bytes", operation.code_bytes ? nlohmann::ordered_json(*operation.code_bytes)
                                                            : nlohmann::ordered_json()}});
    }
    return list;
}

} // namespace tilescope::analyse
