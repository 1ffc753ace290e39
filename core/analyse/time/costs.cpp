// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/costs.h"

#include "analyse/program_time.h"
#include "base/try.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_set>

namespace tilescope::analyse {

using profile::ExecutionKind;
using profile::PhaseCycles;

namespace {

/// Whether an engine run can hold so many: more than a week's cycles are of a damaged file, and sums of
/// fewer stay within 64 bits.
bool possible(std::int64_t figure, std::int64_t runs) {
    constexpr std::int64_t most = std::int64_t{1} << 50;
    return figure >= 0 && runs >= 0 && (figure == 0 || runs <= most / figure);
}

bool possible(const profile::ProgramRecord& step) {
    return possible(step.sync_cycles, step.runs) && possible(step.exchange_cycles, step.runs) &&
           possible(step.compute_cycles, step.runs);
}

bool does(std::int64_t ipu, const profile::ProgramRecord& step) {
    return step.ipu < 0 || step.ipu == ipu || step.peer == ipu;
}

/// What an IPU can do in a cycle with inputs of each type.
class Peaks {
  public:
    static Result<Peaks> read(const profile::Profile& profile) {
        Peaks peaks;
        TRY(peaks.target_, profile.target());
        if (!peaks.target_.half_flops_per_cycle || !peaks.target_.float_flops_per_cycle)
            return peaks;
        TRY(const auto tensors, profile.tensors());
        for (const auto& tensor : tensors)
            if (tensor.dtype == DType::Float16)
                peaks.halves_.insert(tensor.id);
        return peaks;
    }
    /// By the type of its first input; 0: not known.
    double flops_per_cycle(const profile::OperationRecord& op) const {
        const bool half = !op.inputs.empty() && halves_.contains(op.inputs.front());
        const auto of_tile = half ? target_.half_flops_per_cycle : target_.float_flops_per_cycle;
        return static_cast<double>(of_tile.value_or(0)) * static_cast<double>(target_.tiles_per_ipu);
    }

  private:
    profile::TargetRecord target_;
    std::unordered_set<std::int64_t> halves_; ///< tensors of 16 bits
};

} // namespace

std::set<std::int64_t> between_ipus(const std::vector<profile::ExchangeRecord>& exchanges) {
    std::set<std::int64_t> between;
    for (const auto& exchange : exchanges)
        if (exchange.kind == profile::ExchangeKind::InterIpu)
            between.insert(exchange.id);
    return between;
}

PhaseCycles cycles_of(const profile::ProgramRecord& step, bool between_ipus) {
    PhaseCycles cycles;
    cycles.sync = step.sync_cycles * step.runs;
    cycles.compute = step.compute_cycles * step.runs;
    (leaves_ipus(step.kind) ? cycles.host
     : between_ipus         ? cycles.inter_ipu
                            : cycles.exchange) = step.exchange_cycles * step.runs;
    return cycles;
}

Cost& Cost::operator+=(const Cost& other) {
    cycles += other.cycles;
    flops += other.flops;
    peak_cycles += other.peak_cycles;
    std::vector<std::int64_t> both;
    std::set_union(ipus.begin(), ipus.end(), other.ipus.begin(), other.ipus.end(), std::back_inserter(both));
    ipus = std::move(both);
    return *this;
}

Result<ExecutionKind> main_kind(const profile::Profile& profile) {
    for (const ExecutionKind kind : {ExecutionKind::Train, ExecutionKind::Predict}) {
        TRY(const auto totals, profile.execution_totals(kind));
        if (totals.executions > 0)
            return kind;
    }
    return ExecutionKind::Evaluate;
}

Result<Costs> Costs::read(const profile::Profile& profile) {
    TRY(const auto ipus, profile.ipus());
    TRY(const auto operations, profile.operations());
    TRY(const auto program, profile.program());
    TRY(const auto exchanges, profile.exchanges());
    if (!std::all_of(program.begin(), program.end(), [](const auto& step) { return possible(step); }))
        return bad_input("the file is damaged: a program step takes longer than any can", profile.path(),
                         "record the profile again");
    Costs costs;
    TRY(const bool training, described_trains(profile));
    costs.loops_ = loops_of(program, ipus, training);
    std::map<std::int64_t, std::int64_t> first_of_shard;
    for (const auto& ipu : ipus)
        if (ipu.replica == 0) {
            costs.ipus_.push_back(ipu.id);
            first_of_shard[ipu.shard] = ipu.id;
        }
    for (const auto& ipu : ipus)
        if (const auto first = first_of_shard.find(ipu.shard); first != first_of_shard.end())
            costs.first_of_[ipu.id] = first->second;
    if (costs.ipus_.empty()) // not attached yet: those that the program names
        for (const auto& step : program)
            if (step.ipu >= 0 && costs.first_of_.emplace(step.ipu, step.ipu).second)
                costs.ipus_.push_back(step.ipu);
    std::sort(costs.ipus_.begin(), costs.ipus_.end());
    costs.add_steps(program, exchanges);
    TRY(costs.add_flops(profile, program, operations));
    std::map<std::int64_t, std::int64_t> layer_of{{no_operation, host_copies}};
    for (const auto& op : operations)
        layer_of[op.id] = op.layer_id;
    for (const auto& [key, cost] : costs.operations_)
        if (const auto layer = layer_of.find(key.first); layer != layer_of.end())
            costs.layers_[{layer->second, key.second}] += cost;
    TRY(costs.add_measured(profile));
    if (costs.elapsed_ == 0) {
        TRY(costs.add_planned(profile));
    }
    return costs;
}

void Costs::add_steps(const std::vector<profile::ProgramRecord>& program,
                      const std::vector<profile::ExchangeRecord>& exchanges) {
    const std::set<std::int64_t> between = between_ipus(exchanges);
    for (const auto& step : program) {
        if (!is_leaf(step.kind))
            continue;
        const PhaseCycles cycles = cycles_of(step, between.contains(step.exchange_id));
        for (const std::int64_t ipu : ipus_)
            if (does(ipu, step))
                operations_[{step.operation_id, ipu}] += Cost{cycles, 0, 0, {ipu}};
    }
}

/// The floating-point operations of an engine run, counted on the first IPU that runs them.
Result<void> Costs::add_flops(const profile::Profile& profile,
                              const std::vector<profile::ProgramRecord>& program,
                              const std::vector<profile::OperationRecord>& operations) {
    TRY(const Peaks peaks, Peaks::read(profile));
    std::map<std::int64_t, std::int64_t> operation_of; // by program step
    for (const auto& step : program)
        operation_of[step.id] = step.operation_id;
    std::map<std::int64_t, std::int64_t> runs; // by operation, its own loops not counted
    for (const auto& step : program) {
        const auto above = operation_of.find(step.parent_id);
        if (step.operation_id >= 0 && (above == operation_of.end() || above->second != step.operation_id))
            runs[step.operation_id] = std::max(runs[step.operation_id], step.runs);
    }
    for (const auto& op : operations) {
        const auto place = operations_.lower_bound({op.id, op.ipu});
        if (place == operations_.end() || place->first.first != op.id)
            continue;
        const double flops = static_cast<double>(op.flops) * static_cast<double>(runs[op.id]);
        place->second.flops += flops;
        if (const double peak = peaks.flops_per_cycle(op); peak > 0) {
            place->second.peak_cycles += flops / peak;
            peak_cycles_ += flops / peak;
            if (op.phase == profile::Phase::Recompute)
                recomputed_peak_cycles_ += flops / peak;
        }
    }
    return {};
}

Result<void> Costs::add_measured(const profile::Profile& profile) {
    TRY(const auto totals, profile.program_totals(0));
    if (totals.executions == 0)
        return {};
    elapsed_ = totals.cycles / totals.executions; // engine runs of one program are all alike
    for (const std::int64_t ipu : ipus_) {
        TRY(const auto phases, profile.program_phases(0, ipu));
        PhaseCycles& mean = measured_[ipu] = phases;
        for (std::int64_t* part :
             {&mean.compute, &mean.exchange, &mean.sync, &mean.inter_ipu, &mean.host, &mean.waiting})
            *part /= totals.executions;
    }
    return {};
}

Result<void> Costs::add_planned(const profile::Profile& profile) {
    TRY(planned_, planned_cycles(profile));
    TRY(const auto execution, planned_execution(profile));
    if (!execution)
        return {};
    TRY(const auto rows, profile.schedule_ipus());
    for (const profile::ScheduleIpuRecord& row : rows)
        if (row.schedule_id == execution->schedule_id)
            planned_on_[row.ipu] = {.compute = row.compute,
                                    .exchange = row.exchange,
                                    .sync = row.sync,
                                    .inter_ipu = row.inter_ipu,
                                    .host = row.host,
                                    .waiting = row.waiting};
    return {};
}

Cost Costs::sum(const std::map<Key, Cost>& costs, std::int64_t id, std::int64_t ipu) const {
    Cost sum;
    const auto first = first_of_.find(ipu);
    for (auto at = costs.lower_bound({id, every_ipu}); at != costs.end() && at->first.first == id; ++at)
        if (ipu == every_ipu || (first != first_of_.end() && at->first.second == first->second))
            sum += at->second;
    return sum;
}

Cost Costs::operation(std::int64_t id, std::int64_t ipu) const {
    return sum(operations_, id, ipu);
}

Cost Costs::layer(std::int64_t id, std::int64_t ipu) const {
    return sum(layers_, id, ipu);
}

Cost Costs::program(std::int64_t ipu) const {
    Cost all;
    const auto first = first_of_.find(ipu);
    for (const auto& [key, cost] : operations_)
        if (ipu == every_ipu || (first != first_of_.end() && key.second == first->second))
            all += cost;
    return all;
}

std::int64_t Costs::ipus_of(const profile::ProgramRecord& step, std::int64_t ipu) const {
    const auto first = first_of_.find(ipu);
    if (ipu != every_ipu)
        return first != first_of_.end() && does(first->second, step) ? 1 : 0;
    return std::count_if(ipus_.begin(), ipus_.end(), [&](std::int64_t each) { return does(each, step); });
}

PhaseCycles Costs::beside(std::int64_t ipu) const {
    PhaseCycles all;
    const auto first = first_of_.find(ipu);
    for (const auto& [id, measured] : measured_)
        if (ipu == every_ipu || (first != first_of_.end() && id == first->second)) {
            all.host += measured.host - program(id).cycles.host;
            all.waiting += measured.waiting;
        }
    return all;
}

PhaseCycles Costs::planned_phases(std::int64_t ipu) const {
    PhaseCycles all;
    if (ipu == every_ipu)
        for (const auto& [each, first] : first_of_)
            all += planned_phases(each);
    const auto first = first_of_.find(ipu);
    if (planned_ == 0 || first == first_of_.end())
        return all;
    if (const auto known = planned_on_.find(first->second); known != planned_on_.end())
        return known->second;
    all = program(ipu).cycles;
    all.waiting += std::max<std::int64_t>(0, planned_ - all.total());
    return all;
}

PhaseCycles Costs::with_beside(std::int64_t ipu) const {
    PhaseCycles all = program(ipu).cycles;
    return all += beside(ipu);
}

std::optional<double> Costs::share(const Cost& cost) const {
    if (elapsed_ == 0 || cost.ipus.empty())
        return std::nullopt;
    return static_cast<double>(cost.cycles.total()) /
           (static_cast<double>(elapsed_) * static_cast<double>(cost.ipus.size()));
}

std::optional<double> Costs::share_or_planned(const Cost& cost) const {
    return elapsed_ == 0 && planned_ > 0 ? planned_share(cost, planned_) : share(cost);
}

std::optional<double> Costs::share_of_peak(const Cost& cost) const {
    const std::int64_t cycles = cost.cycles.total();
    return cost.peak_cycles > 0 && cycles > 0 ? std::optional(cost.peak_cycles / static_cast<double>(cycles))
                                              : std::nullopt;
}

std::optional<double> Costs::share_of_elapsed(double peak_cycles) const {
    const double all = static_cast<double>(elapsed_) * static_cast<double>(ipus_.size());
    return peak_cycles > 0 && all > 0 ? std::optional(peak_cycles / all) : std::nullopt;
}

std::optional<double> Costs::share_of_peak() const {
    return share_of_elapsed(peak_cycles_);
}

std::optional<double> Costs::model_flops_utilisation() const {
    return share_of_elapsed(peak_cycles_ - recomputed_peak_cycles_);
}

std::int64_t Costs::in(Basis basis, double of_execution) const {
    return std::llround(of_execution / static_cast<double>(loops_.count(basis)));
}

PhaseCycles Costs::in(Basis basis, const PhaseCycles& of_execution) const {
    PhaseCycles result;
    result.compute = in(basis, static_cast<double>(of_execution.compute));
    result.exchange = in(basis, static_cast<double>(of_execution.exchange));
    result.sync = in(basis, static_cast<double>(of_execution.sync));
    result.inter_ipu = in(basis, static_cast<double>(of_execution.inter_ipu));
    result.host = in(basis, static_cast<double>(of_execution.host));
    result.waiting = in(basis, static_cast<double>(of_execution.waiting));
    return result;
}

std::string Costs::ipus_text(const std::vector<std::int64_t>& ipus) {
    return ipus.size() == 1 ? "IPU " + std::to_string(ipus.front()) : std::to_string(ipus.size()) + " IPUs";
}

} // namespace tilescope::analyse
