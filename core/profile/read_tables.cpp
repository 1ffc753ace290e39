// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "connection.h"
#include "profile/writer_lock.h"

#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

/// Reading of whole tables into their records.
namespace tilescope::profile {
Result<RunRecord> Profile::run() const {
    auto run = state_->only_row<RunRecord>();
    if (!run || run->status != RunStatus::Running || writer_of(state_->path) != 0)
        return run;
    run = state_->only_row<RunRecord>(); // it may have ended in between: the status is written before the
                                         // lock is given back
    if (run && run->status == RunStatus::Running)
        run->status = RunStatus::Killed;
    return run;
}

/// What is wrong with a target, which much divides by and counts up to; "" for one that a run wrote.
/// `host`: the run is of the host's processor, which has no tiles and no cycles.
static std::string damage_of(const TargetRecord& target, bool host) {
    struct Bounds {
        const char* column;
        std::optional<std::int64_t> value;
        std::int64_t least, most;
    };
    // The largest values leave products within 64 bits.
    constexpr std::int64_t most_tiles = 8192, most_bytes = std::int64_t{1} << 30, most_rate = 1 << 20;
    for (const Bounds& of :
         {Bounds{"ipus", target.ipus, host ? 0 : 1, 1 << 20},
          Bounds{"tiles_per_ipu", target.tiles_per_ipu, host ? 0 : 1, host ? 0 : most_tiles},
          Bounds{"bytes_per_tile", target.bytes_per_tile, host ? 0 : 1, host ? 0 : most_bytes},
          Bounds{"half_flops_per_cycle", target.half_flops_per_cycle, 1, most_rate},
          Bounds{"float_flops_per_cycle", target.float_flops_per_cycle, 1, most_rate},
          Bounds{"exchange_bytes_per_cycle", target.exchange_bytes_per_cycle, 1, most_rate},
          Bounds{"data_path_bytes", target.data_path_bytes, 1, most_rate}})
        if (of.value && (*of.value < of.least || *of.value > of.most))
            return std::string(of.column) + " " + std::to_string(*of.value);
    const bool ticks = std::isfinite(target.clock_hz) && target.clock_hz > 0;
    return ticks || (host && target.clock_hz == 0) ? std::string() : "a clock_hz that is none";
}

Result<TargetRecord> Profile::target() const {
    TRY(const auto rows, state_->table<TargetRecord>(""));
    if (rows.empty()) // not recorded yet
        return TargetRecord{};
    TRY(const auto run, state_->only_row<RunRecord>());
    if (const std::string damage = damage_of(rows.front(), run.device == RunDevice::Cpu); !damage.empty())
        return bad_input("the file is damaged: its target has " + damage, state_->path,
                         "record the profile again");
    return rows.front();
}

Result<ProgressRecord> Profile::progress() const {
    return state_->only_row<ProgressRecord>();
}

Result<std::vector<IpuRecord>> Profile::ipus() const {
    return state_->table<IpuRecord>("ORDER BY id");
}

Result<std::vector<DeviceRecord>> Profile::devices() const {
    return state_->table<DeviceRecord>("ORDER BY id");
}

Result<SharedRows<LayerRecord>> Profile::layers() const {
    return state_->shared<LayerRecord>("ORDER BY id");
}

Result<SharedRows<TensorRecord>> Profile::tensors() const {
    return state_->shared<TensorRecord>("ORDER BY id");
}

/// Adds what the rows of a table say, which is ordered by operation, to one list of each operation.
template<class Row, class Item>
static void add_items(const std::vector<Row>& rows, Item Row::*item, std::vector<OperationRecord>& operations,
                      std::vector<Item> OperationRecord::*list) {
    std::size_t at = 0;
    for (const Row& row : rows) {
        while (at < operations.size() && operations[at].id < row.operation_id)
            ++at;
        if (at < operations.size() && operations[at].id == row.operation_id)
            (operations[at].*list).push_back(row.*item);
    }
}

Result<SharedRows<OperationRecord>> Profile::operations() const {
    return state_->shared<OperationRecord>([this](Expected) -> Result<std::vector<OperationRecord>> {
        TRY(auto operations, state_->table<OperationRecord>("ORDER BY id"));
        const std::string in_order = "ORDER BY operation_id, position";
        TRY(const auto inputs, state_->table<OperationInput>(in_order));
        TRY(const auto outputs, state_->table<OperationOutput>(in_order));
        TRY(const auto parts, state_->table<OperationPart>(in_order));
        add_items(inputs, &OperationInput::tensor_id, operations, &OperationRecord::inputs);
        add_items(outputs, &OperationOutput::tensor_id, operations, &OperationRecord::outputs);
        add_items(parts, &OperationPart::kind, operations, &OperationRecord::parts);
        return operations;
    });
}

Result<SharedRows<VariableRecord>> Profile::variables(std::int64_t ipu) const {
    const auto checked =
        [this](Result<std::vector<VariableRecord>> rows) -> Result<std::vector<VariableRecord>> {
        TRY(auto all, std::move(rows));
        for (const VariableRecord& variable : all)
            for (const std::int64_t bytes : {variable.bytes, variable.streaming_bytes})
                if (!possible_bytes(bytes))
                    return bad_input("the file is damaged: a variable has " + std::to_string(bytes) +
                                         " bytes",
                                     state_->path, "record the profile again");
        return all;
    };
    KeptOfFile& kept = *state_->kept;
    const std::lock_guard lock(kept.variables);
    if (ipu >= 0 && !std::get<KeptTable<VariableRecord>>(kept.tables).version)
        return state_->shared<VariableRecord>(kept.variables_of[ipu], [&](Expected) {
            return checked(state_->table<VariableRecord>("WHERE ipu = ? ORDER BY bytes DESC, id", ipu));
        });
    TRY(const auto all, state_->shared<VariableRecord>([&](Expected most) {
        return checked(state_->table<VariableRecord>(most, "ORDER BY bytes DESC, id, ipu"));
    }));
    kept.variables_of.clear();
    if (ipu < 0)
        return all;
    return all.those([ipu](const VariableRecord& variable) { return variable.ipu == ipu; });
}

Result<SharedRows<ComputeSetRecord>> Profile::compute_sets() const {
    return state_->shared<ComputeSetRecord>("ORDER BY id");
}

Result<SharedRows<VertexRecord>> Profile::vertices(std::int64_t compute_set_id) const {
    if (compute_set_id < 0)
        return state_->shared<VertexRecord>("");
    // Not returned as they are: tl::expected, made of one of another type, forgets what SharedRows allocates.
    TRY(auto rows, state_->table<VertexRecord>("WHERE compute_set_id = ?", compute_set_id));
    return SharedRows<VertexRecord>(std::move(rows));
}

Result<SharedRows<ExchangeRecord>> Profile::exchanges() const {
    return state_->shared<ExchangeRecord>("ORDER BY id");
}

Result<SharedRows<ExchangeVariableRecord>> Profile::exchange_variables() const {
    return state_->shared<ExchangeVariableRecord>("ORDER BY exchange_id, position");
}

template<class Row>
static Result<std::optional<Row>> first_of(Result<std::vector<Row>> rows) {
    TRY(auto all, std::move(rows));
    return all.empty() ? std::nullopt : std::optional(std::move(all.front()));
}

Result<std::optional<ExchangeMovesRecord>> Profile::exchange_moves(std::int64_t exchange_id) const {
    return first_of(state_->table<ExchangeMovesRecord>("WHERE exchange_id = ?", exchange_id));
}

Result<std::optional<TileNeedsRecord>> Profile::tile_needs(std::int64_t id) const {
    return first_of(state_->table<TileNeedsRecord>("WHERE id = ?", id));
}

Result<SharedRows<ProgramRecord>> Profile::program() const {
    return state_->shared<ProgramRecord>("ORDER BY id");
}

Result<std::vector<DeviceProgramRecord>> Profile::device_programs() const {
    return state_->table<DeviceProgramRecord>("ORDER BY id");
}

Result<std::vector<FurtherStepRecord>> Profile::further_steps() const {
    return state_->table<FurtherStepRecord>("ORDER BY id");
}

Result<std::vector<LivenessRecord>> Profile::liveness(std::int64_t ipu) const {
    return state_->table<LivenessRecord>("WHERE ipu = ? ORDER BY step", ipu);
}

Result<std::vector<PlanRecord>> Profile::plans(std::int64_t operation_id) const {
    const std::string of_operation =
        "WHERE ?1 < 0 OR operation_id = ?1 ORDER BY operation_id, (SELECT value FROM text WHERE id = "
        "product), rank";
    TRY(auto plans, state_->table<PlanRecord>(of_operation, operation_id));
    TRY(const auto items, state_->table<PlanItemRow>(of_operation + ", placed, position", operation_id));
    const auto place = [](const auto& row) { return std::tie(row.operation_id, row.product, row.rank); };
    auto plan = plans.begin();
    for (const PlanItemRow& item : items) {
        while (plan != plans.end() && place(*plan) < place(item))
            ++plan;
        if (plan != plans.end() && place(*plan) == place(item))
            (item.placed ? plan->placed : plan->items).push_back({item.name, item.kind, item.cycles});
    }
    return plans;
}

Result<std::vector<CompileEventRecord>> Profile::compile_events() const {
    return state_->table<CompileEventRecord>("ORDER BY id");
}

Result<std::vector<RemovedOperationRecord>> Profile::removed_operations() const {
    return state_->table<RemovedOperationRecord>("ORDER BY compile_event_id, position");
}

Result<std::vector<PipelineSlotRecord>> Profile::pipeline_slots(std::int64_t device_program) const {
    TRY(const auto of_all, state_->number("SELECT count(*) FROM pipeline_slot"));
    TRY(auto slots,
        state_->table<PipelineSlotRecord>(
            Expected::of(of_all), "WHERE device_program_id = ? ORDER BY stage, start_cycle", device_program));
    slots.shrink_to_fit();
    return slots;
}

Result<std::vector<ErrorBandRecord>> Profile::error_bands() const {
    return state_->table<ErrorBandRecord>("ORDER BY kind");
}

Result<std::vector<LinkTrafficRecord>> Profile::link_traffic() const {
    return state_->table<LinkTrafficRecord>("ORDER BY ipu, peer, kind");
}

Result<std::vector<EpochMetricRecord>> Profile::epoch_metrics() const {
    KeptMetrics& kept = state_->metrics;
    TRY(const auto last, state_->number("SELECT coalesce(max(rowid), 0) FROM epoch_metric"));
    TRY(const auto newer, state_->table<EpochMetricRecord>("WHERE rowid > ? AND rowid <= ? ORDER BY rowid",
                                                           kept.last_epoch_row, last));
    kept.epochs.insert(kept.epochs.end(), newer.begin(), newer.end());
    kept.last_epoch_row = last;
    return kept.epochs;
}

Result<std::vector<OutputRecord>> Profile::outputs() const {
    return state_->table<OutputRecord>("ORDER BY rowid");
}

Result<std::vector<LogRecord>> Profile::log(std::int64_t after_row) const {
    return state_->table<LogRecord>("ORDER BY id LIMIT -1 OFFSET ?", after_row);
}

Result<std::vector<OversizeTileRecord>> Profile::oversize_tiles() const {
    return state_->table<OversizeTileRecord>("ORDER BY bytes DESC, ipu, tile");
}

Result<std::vector<RemedyRecord>> Profile::remedies() const {
    return state_->table<RemedyRecord>("ORDER BY id");
}

} // namespace tilescope::profile
