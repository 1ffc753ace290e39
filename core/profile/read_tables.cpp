// SPDX-License-Identifier: GPL-3.0-or-later
#include "connection.h"
#include "profile/writer_lock.h"

/// Reading of whole tables into their records.
namespace tilescope::profile {
namespace {

RunStatus status_of(const std::string& text) {
    for (const RunStatus s :
         {RunStatus::Running, RunStatus::Complete, RunStatus::Cancelled, RunStatus::OutOfMemory})
        if (to_string(s) == text)
            return s;
    return RunStatus::Failed;
}

ExecutionKind kind_of(const std::string& text) {
    return text == "evaluate"  ? ExecutionKind::Evaluate
           : text == "predict" ? ExecutionKind::Predict
                               : ExecutionKind::Train;
}

} // namespace

Phase phase_of(const std::string& text) {
    for (const Phase phase : {Phase::Recompute, Phase::Backward, Phase::Update})
        if (to_string(phase) == text)
            return phase;
    return Phase::Forward;
}

Result<RunRecord> Profile::run() const {
    const auto read = [this] {
        return state_->row<RunRecord>(
            "SELECT status, name, workload, workload_path, tool_version, device, seed, estimate, data_note, "
            "started_unix_ms, finished_unix_ms, compile_s, steps_per_execution, batch_size, pid, error "
            "FROM run",
            [](const Statement& s, RunRecord& r) {
                std::string status;
                s.read_all(status, r.name, r.workload, r.workload_path, r.tool_version, r.device, r.seed,
                           r.estimate, r.data_note, r.started_unix_ms, r.finished_unix_ms, r.compile_s,
                           r.steps_per_execution, r.batch_size, r.pid, r.error);
                r.status = status_of(status);
            });
    };
    auto run = read();
    if (!run || run->status != RunStatus::Running || writer_of(state_->path) != 0)
        return run;
    run = read(); // it may have ended in between: the status is written before the lock is given back
    if (run && run->status == RunStatus::Running)
        run->status = RunStatus::Killed;
    return run;
}

Result<TargetRecord> Profile::target() const {
    return state_->row<TargetRecord>("SELECT system, generation, ipus, tiles_per_ipu, bytes_per_tile, "
                                     "clock_hz, workers_per_tile FROM target",
                                     [](const Statement& s, TargetRecord& r) {
                                         s.read_all(r.system, r.generation, r.ipus, r.tiles_per_ipu,
                                                    r.bytes_per_tile, r.clock_hz, r.workers_per_tile);
                                     });
}

Result<ProgressRecord> Profile::progress() const {
    return state_->row<ProgressRecord>(
        "SELECT activity, epoch, epochs, step, steps, elapsed_ms FROM progress",
        [](const Statement& s, ProgressRecord& r) {
            s.read_all(r.activity, r.epoch, r.epochs, r.step, r.steps, r.elapsed_ms);
        });
}

Result<std::vector<IpuRecord>> Profile::ipus() const {
    return state_->rows<IpuRecord>("SELECT * FROM ipu ORDER BY id", [](const Statement& s, IpuRecord& r) {
        s.read_all(r.id, r.device_id, r.device, r.replica, r.shard, r.stage);
    });
}

Result<std::vector<DeviceRecord>> Profile::devices() const {
    return state_->rows<DeviceRecord>(
        "SELECT * FROM device ORDER BY id", [](const Statement& s, DeviceRecord& r) {
            s.read_all(r.id, r.multi, r.members, r.machine, r.ipu_number, r.type, r.state);
        });
}

Result<std::vector<LayerRecord>> Profile::layers() const {
    return state_->rows<LayerRecord>("SELECT * FROM layer ORDER BY id",
                                     [](const Statement& s, LayerRecord& r) {
                                         s.read_all(r.id, r.name, r.kind, r.output_shape, r.parameters);
                                     });
}

Result<std::vector<TensorRecord>> Profile::tensors() const {
    return state_->rows<TensorRecord>(
        "SELECT * FROM tensor ORDER BY id",
        [](const Statement& s, TensorRecord& r) { s.read_all(r.id, r.name, r.dtype, r.shape, r.bytes); });
}

Result<std::vector<OperationRecord>> Profile::operations() const {
    auto operations = state_->rows<OperationRecord>(
        "SELECT * FROM operation ORDER BY id", [](const Statement& s, OperationRecord& r) {
            std::string phase;
            s.read_all(r.id, r.name, r.kind, r.layer_id, phase, r.ipu, r.stage, r.flops, r.attributes);
            r.phase = phase_of(phase);
        });
    if (!operations)
        return operations;
    struct Edge {
        std::int64_t operation = 0, tensor = 0;
    };
    const auto read = [](const Statement& s, Edge& e) { s.read_all(e.operation, e.tensor); };
    for (const bool inputs : {true, false}) {
        const auto edges = state_->rows<Edge>(std::string("SELECT operation_id, tensor_id FROM ") +
                                                  (inputs ? "operation_input" : "operation_output"),
                                              read);
        if (!edges)
            return Failure(edges.error());
        std::size_t at = 0; // both are ordered by operation
        for (const Edge& edge : *edges) {
            while (at < operations->size() && (*operations)[at].id < edge.operation)
                ++at;
            if (at < operations->size() && (*operations)[at].id == edge.operation)
                (inputs ? (*operations)[at].inputs : (*operations)[at].outputs).push_back(edge.tensor);
        }
    }
    return operations;
}

Result<std::vector<VariableRecord>> Profile::variables(std::int64_t ipu) const {
    return state_->rows<VariableRecord>(
        "SELECT * FROM variable WHERE ?1 < 0 OR ipu = ?1 ORDER BY bytes DESC, id",
        [](const Statement& s, VariableRecord& r) {
            s.read_all(r.id, r.name, r.category, r.layer_id, r.operation_id, r.tensor_id, r.ipu, r.dtype,
                       r.shape, r.bytes, r.always_live, r.live_from, r.live_to);
        },
        ipu);
}

Result<std::vector<ComputeSetRecord>> Profile::compute_sets() const {
    return state_->rows<ComputeSetRecord>("SELECT * FROM compute_set ORDER BY id",
                                          [](const Statement& s, ComputeSetRecord& r) {
                                              s.read_all(r.id, r.name, r.operation_id, r.cycles, r.balance);
                                          });
}

Result<std::vector<VertexRecord>> Profile::vertices(std::int64_t compute_set_id) const {
    return state_->rows<VertexRecord>(
        "SELECT * FROM vertex WHERE ?1 < 0 OR compute_set_id = ?1",
        [](const Statement& s, VertexRecord& r) {
            s.read_all(r.compute_set_id, r.codelet, r.count, r.tiles);
        },
        compute_set_id);
}

Result<std::vector<ExchangeRecord>> Profile::exchanges() const {
    return state_->rows<ExchangeRecord>(
        "SELECT * FROM exchange ORDER BY id", [](const Statement& s, ExchangeRecord& r) {
            s.read_all(r.id, r.name, r.kind, r.operation_id, r.bytes, r.cycles, r.ipu, r.peer);
        });
}

Result<std::vector<ProgramRecord>> Profile::program() const {
    return state_->rows<ProgramRecord>(
        "SELECT * FROM program ORDER BY id", [](const Statement& s, ProgramRecord& r) {
            s.read_all(r.id, r.parent_id, r.position, r.kind, r.name, r.operation_id, r.compute_set_id,
                       r.exchange_id, r.repeats, r.liveness_step, r.sync_cycles, r.exchange_cycles,
                       r.compute_cycles, r.ipu, r.peer, r.runs);
        });
}

Result<std::vector<LivenessRecord>> Profile::liveness(std::int64_t ipu) const {
    return state_->rows<LivenessRecord>(
        "SELECT * FROM liveness WHERE ipu = ? ORDER BY step",
        [](const Statement& s, LivenessRecord& r) {
            s.read_all(r.step, r.ipu, r.program_id, r.always_live_bytes, r.not_always_live_bytes,
                       r.max_tile_bytes);
        },
        ipu);
}

Result<std::vector<PlanRecord>> Profile::plans(std::int64_t operation_id) const {
    return state_->rows<PlanRecord>(
        "SELECT * FROM plan WHERE ?1 < 0 OR operation_id = ?1 ORDER BY operation_id, product, rank",
        [](const Statement& s, PlanRecord& r) {
            s.read_all(r.operation_id, r.product, r.rank, r.description, r.cost, r.cycles, r.temporary_bytes);
        },
        operation_id);
}

Result<std::vector<CompileEventRecord>> Profile::compile_events() const {
    return state_->rows<CompileEventRecord>(
        "SELECT * FROM compile_event ORDER BY id", [](const Statement& s, CompileEventRecord& r) {
            s.read_all(r.id, r.parent_id, r.name, r.start_us, r.duration_us, r.detail);
        });
}

Result<std::vector<PipelineSlotRecord>> Profile::pipeline_slots() const {
    return state_->rows<PipelineSlotRecord>("SELECT * FROM pipeline_slot ORDER BY stage, start_cycle",
                                            [](const Statement& s, PipelineSlotRecord& r) {
                                                s.read_all(r.stage, r.start_cycle, r.end_cycle, r.slot,
                                                           r.activity, r.micro_batch);
                                            });
}

Result<std::vector<LinkTrafficRecord>> Profile::link_traffic() const {
    return state_->rows<LinkTrafficRecord>("SELECT * FROM link_traffic ORDER BY ipu, peer, kind",
                                           [](const Statement& s, LinkTrafficRecord& r) {
                                               s.read_all(r.ipu, r.peer, r.kind, r.copies, r.bytes, r.cycles);
                                           });
}

Result<std::vector<ExecutionRecord>> Profile::executions(std::int64_t after_id) const {
    return state_->rows<ExecutionRecord>(
        "SELECT id, epoch, first_step, steps, start_cycle, cycles, wall_us, traced, kind FROM execution "
        "WHERE id > ? "
        "ORDER BY id",
        [](const Statement& s, ExecutionRecord& r) {
            std::string kind;
            s.read_all(r.id, r.epoch, r.first_step, r.steps, r.start_cycle, r.cycles, r.wall_us, r.traced,
                       kind);
            r.kind = kind_of(kind);
        },
        after_id);
}

Result<std::vector<ExecutionIpuRecord>> Profile::execution_ipus(std::int64_t after_execution_id) const {
    return state_->rows<ExecutionIpuRecord>(
        "SELECT * FROM execution_ipu WHERE execution_id > ? ORDER BY execution_id, ipu",
        [](const Statement& s, ExecutionIpuRecord& r) {
            s.read_all(r.execution_id, r.ipu, r.compute, r.exchange, r.sync, r.inter_ipu, r.host, r.waiting);
        },
        after_execution_id);
}

Result<std::vector<MetricRecord>> Profile::metrics(std::int64_t after_execution_id) const {
    return state_->rows<MetricRecord>(
        "SELECT * FROM metric WHERE execution_id > ? ORDER BY execution_id",
        [](const Statement& s, MetricRecord& r) { s.read_all(r.execution_id, r.name, r.value); },
        after_execution_id);
}

Result<std::vector<EpochMetricRecord>> Profile::epoch_metrics() const {
    return state_->rows<EpochMetricRecord>("SELECT epoch, name, value, kind FROM epoch_metric ORDER BY rowid",
                                           [](const Statement& s, EpochMetricRecord& r) {
                                               std::string kind;
                                               s.read_all(r.epoch, r.name, r.value, kind);
                                               r.kind = kind_of(kind);
                                           });
}

Result<std::vector<OutputRecord>> Profile::outputs() const {
    return state_->rows<OutputRecord>("SELECT * FROM output ORDER BY rowid",
                                      [](const Statement& s, OutputRecord& r) {
                                          s.read_all(r.name, r.dtype, r.shape, r.values, r.expected);
                                      });
}

Result<std::vector<LogRecord>> Profile::log(std::int64_t after_row) const {
    return state_->rows<LogRecord>(
        "SELECT time_ms, level, message FROM log ORDER BY id LIMIT -1 OFFSET ?",
        [](const Statement& s, LogRecord& r) { s.read_all(r.time_ms, r.level, r.message); }, after_row);
}

Result<std::vector<OversizeTileRecord>> Profile::oversize_tiles() const {
    return state_->rows<OversizeTileRecord>(
        "SELECT * FROM oversize_tile ORDER BY bytes DESC, ipu, tile",
        [](const Statement& s, OversizeTileRecord& r) { s.read_all(r.ipu, r.tile, r.bytes, r.program_id); });
}

} // namespace tilescope::profile
