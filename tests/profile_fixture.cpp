// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/profile_fixture.h"

#include "profile/recorder.h"
#include "tests/record_rows.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

namespace tilescope::tests {
namespace {

using namespace profile;
using Tiles = std::vector<std::int64_t>;

constexpr double clock_hz = 1.0e9; // one cycle is one nanosecond
constexpr std::int64_t epoch_start_ms = 1'760'000'000'000;

/// The six operations of a layer, in the order in which a layer owns them.
struct Role {
    const char* name;
    const char* kind;
    Phase phase;
};
constexpr std::array<Role, 6> roles = {{{"MatMul", "matmul", Phase::Forward},
                                        {"Relu", "relu", Phase::Forward},
                                        {"ReluGrad", "relu_gradient", Phase::Backward},
                                        {"InputGrad", "matmul", Phase::Backward},
                                        {"WeightGrad", "matmul", Phase::Backward},
                                        {"Update", "sgd_update", Phase::Update}}};

/// Tensors: 0 is the input, then six per layer.
enum LayerTensor { weights = 1, product, activation, activation_gradient, input_gradient, weight_gradient };

class Fixture {
  public:
    Fixture(Recorder& recorder, const FixtureSize& size) : recorder_(recorder), size_(size) {}

    void record(const RunRecord& run) {
        record_system();
        record_compilation();
        record_graph();
        record_program();
        record_memory();
        recorder_.update(run);
        record_executions();
    }

  private:
    std::string layer_name(std::int64_t layer) const {
        return layer == 0 ? "dense" : "dense_" + std::to_string(layer);
    }
    std::int64_t tensor(std::int64_t layer, LayerTensor which) const { return 6 * layer + which; }
    /// Operations run forward through the layers, then backward, then update.
    std::vector<std::int64_t> order() const {
        std::vector<std::int64_t> ids;
        for (std::int64_t layer = 0; layer < size_.layers; ++layer)
            ids.insert(ids.end(), {6 * layer, 6 * layer + 1});
        for (std::int64_t layer = size_.layers; layer-- > 0;)
            ids.insert(ids.end(), {6 * layer + 2, 6 * layer + 3, 6 * layer + 4});
        for (std::int64_t layer = 0; layer < size_.layers; ++layer)
            ids.push_back(6 * layer + 5);
        return ids;
    }

    void record_system() {
        recorder_.set(TargetRecord{"pod4", "ipu2", 1, size_.tiles, 638'976, clock_hz, 6, 128, 32, 4});
        recorder_.add(IpuRecord{0, 0, "/device:IPU:0", 0, 0, -1});
        recorder_.add(ErrorBandRecord{FigureKind::Host, 4, 1.25, 0.75, 1.5, "one, two, three, four"});
        recorder_.add(ErrorBandRecord{FigureKind::Memory, 2, 1.125, 0.875, 1.25, "five, six"});
        for (std::int64_t i = 0; i < 4; ++i)
            recorder_.add(DeviceRecord{i, false, std::to_string(i), "10.1.5.1", i, "M2000",
                                       i == 0 ? DeviceState::Attached : DeviceState::Free});
        recorder_.add(DeviceRecord{4, true, "0 1", "10.1.5.1", 0, "M2000", DeviceState::Busy});
        recorder_.add(DeviceRecord{5, true, "2 3", "10.1.5.1", 2, "M2000", DeviceState::Free});
    }

    void record_compilation() {
        recorder_.add(CompileEventRecord{0, -1, "compile fixture", 0, 1000, ""});
        const std::array<const char*, 5> passes = {"verify", "differentiate", "map to tiles", "lower",
                                                   "lay out memory"};
        for (std::size_t i = 0; i < passes.size(); ++i)
            recorder_.add(CompileEventRecord{static_cast<std::int64_t>(i) + 1, 0, passes[i],
                                             static_cast<std::int64_t>(i) * 200, 200,
                                             std::to_string(size_.operations()) + " operations"});
        recorder_.add(RemovedOperationRecord{2, 0, "unread", "multiply", 0});
        recorder_.add(LogRecord{0, Severity::Info, "compiling for 1 IPU"});
        recorder_.add(LogRecord{1, Severity::Warning, "a made-up run: the figures follow a formula"});
    }

    void record_graph() {
        recorder_.add(TensorRecord{0, "input", DType::Float32, "[32, 128]", 16384});
        for (std::int64_t layer = 0; layer < size_.layers; ++layer) {
            const std::string name = layer_name(layer);
            recorder_.add(LayerRecord{layer, name, "Dense", "[32, 128]", 128 * 128});
            const auto add = [&](LayerTensor which, const char* suffix, const char* shape,
                                 std::int64_t bytes) {
                recorder_.add(
                    TensorRecord{tensor(layer, which), name + suffix, DType::Float32, shape, bytes});
            };
            add(weights, "/kernel", "[128, 128]", 65536);
            add(product, "/MatMul", "[32, 128]", 16384);
            add(activation, "/Relu", "[32, 128]", 16384);
            add(activation_gradient, "/ReluGrad", "[32, 128]", 16384);
            add(input_gradient, "/InputGrad", "[32, 128]", 16384);
            add(weight_gradient, "/WeightGrad", "[128, 128]", 65536);
            const std::int64_t in = layer == 0 ? 0 : tensor(layer - 1, activation);
            const std::int64_t upper =
                layer + 1 == size_.layers ? tensor(layer, activation) : tensor(layer + 1, input_gradient);
            const std::array<std::vector<std::int64_t>, 6> inputs = {
                {{in, tensor(layer, weights)},
                 {tensor(layer, product)},
                 {upper, tensor(layer, activation)},
                 {tensor(layer, activation_gradient), tensor(layer, weights)},
                 {in, tensor(layer, activation_gradient)},
                 {tensor(layer, weights), tensor(layer, weight_gradient)}}};
            for (std::size_t role = 0; role < roles.size(); ++role) {
                const std::int64_t id = 6 * layer + static_cast<std::int64_t>(role);
                const bool matmul = std::string(roles[role].kind) == "matmul";
                std::vector<std::int64_t> outputs;
                if (roles[role].phase != Phase::Update)
                    outputs.push_back(6 * layer + product + static_cast<std::int64_t>(role));
                recorder_.add(
                    OperationRecord{id, name + "/" + roles[role].name, roles[role].kind, layer,
                                    roles[role].phase, 0, -1, matmul ? 2 * 32 * 128 * 128 : 32 * 128,
                                    matmul ? "{\"transpose\":false}" : "{}", inputs[role], outputs});
                if (matmul)
                    for (std::int64_t rank = 0; rank < 2; ++rank) {
                        const PlanItem compute{"compute", CostKind::Compute, fixture_compute_cycles(id)};
                        std::vector<PlanItem> placed;
                        if (rank == 0)
                            placed = {{"sync", CostKind::Sync, fixture_sync_cycles},
                                      {"exchange_inputs", CostKind::Exchange, fixture_exchange_cycles(id)},
                                      compute};
                        recorder_.add(PlanRecord{id,
                                                 name + "/" + roles[role].name,
                                                 rank,
                                                 "{\"vertex\":\"AMP\",\"tiles\":64}",
                                                 fixture_compute_cycles(id) * (rank + 1),
                                                 4096,
                                                 {compute},
                                                 std::move(placed)});
                    }
            }
        }
    }

    /// 0 main sequence, 1 repeat, 2 infeed, then per operation a sequence of an exchange and a compute set.
    void record_program() {
        recorder_.add(DeviceProgramRecord{0, "training", 0, true});
        recorder_.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main", -1, -1, -1, 1, -1, 0, 0, 0});
        recorder_.add(ProgramRecord{1, 0, 0, StepKind::Repeat, "steps", -1, -1, -1, size_.steps_per_execution,
                                    -1, 0, 0, 0});
        recorder_.add(ProgramRecord{2,
                                    1,
                                    0,
                                    StepKind::StreamCopy,
                                    "infeed",
                                    -1,
                                    -1,
                                    -1,
                                    1,
                                    0,
                                    0,
                                    fixture_infeed_cycles,
                                    0,
                                    0,
                                    -1,
                                    size_.steps_per_execution,
                                    ProgramPart::Infeed,
                                    StepRole::Host,
                                    "",
                                    "infeed"});
        leaves_.push_back({2, 0, fixture_infeed_cycles, 0});
        std::int64_t next = 3;
        std::int64_t position = 0;
        for (const std::int64_t id : order()) {
            const std::string name = layer_name(id / 6) + "/" + roles[static_cast<std::size_t>(id % 6)].name;
            const std::int64_t exchange = fixture_exchange_cycles(id);
            const std::int64_t compute = fixture_compute_cycles(id);
            const auto step = static_cast<std::int64_t>(leaves_.size());
            step_of_[id] = step + 1;
            const std::int64_t runs = size_.steps_per_execution;
            const ProgramPart part = roles[static_cast<std::size_t>(id % 6)].phase == Phase::Update
                                         ? ProgramPart::Update
                                         : ProgramPart::MicroBatches;
            recorder_.add(ProgramRecord{next, 1, ++position, StepKind::Sequence, name, id, -1, -1, 1, -1, 0,
                                        0, 0, 0, -1, runs, part});
            recorder_.add(ProgramRecord{
                next + 1, next, 0,    StepKind::Exchange,  name + "/exchange", id, -1,
                id,       1,    step, fixture_sync_cycles, exchange,           0,  0,
                -1,       runs, part, StepRole::Exchange,  "exchange",         "", fixture_exchange_code});
            recorder_.add(ProgramRecord{next + 2,
                                        next,
                                        1,
                                        StepKind::Execute,
                                        name,
                                        id,
                                        id,
                                        -1,
                                        1,
                                        step + 1,
                                        0,
                                        0,
                                        compute,
                                        0,
                                        -1,
                                        runs,
                                        part,
                                        StepRole::Compute,
                                        name,
                                        "",
                                        fixture_compute_code});
            leaves_.push_back({next + 1, fixture_sync_cycles, exchange, 0});
            leaves_.push_back({next + 2, 0, 0, compute});
            next += 3;

            const auto tiles = static_cast<std::size_t>(size_.tiles);
            Tiles cycles(tiles);
            Tiles sent(tiles);
            Tiles received(tiles);
            std::int64_t bytes = 0;
            for (std::size_t t = 0; t < tiles; ++t) {
                cycles[t] = t % 2 == 0 ? compute : compute / 2;
                sent[t] = 8 * static_cast<std::int64_t>(t % 4);
                received[(t + 1) % tiles] = sent[t];
                bytes += sent[t];
            }
            recorder_.add(ComputeSetRecord{id, name, id, compute, 0.75});
            recorder_.add(VertexRecord{id, "Fixture<float>", size_.tiles * 6, size_.tiles});
            recorder_.add(VertexRecord{id, "Reduce<float>", size_.tiles / 2, size_.tiles / 2});
            recorder_.add_tile_values("compute_set", id, 0, "cycles", cycles);
            recorder_.add(
                ExchangeRecord{id, name + "/exchange", ExchangeKind::Internal, id, bytes, exchange});
            recorder_.add(ExchangeVariableRecord{id, 0, 0, bytes}); // of the input
            recorder_.add_tile_values("exchange", id, 0, "sent", sent);
            recorder_.add_tile_values("exchange", id, 0, "received", received);
        }
    }

    struct Held {
        std::int64_t id, from, to; ///< program steps; from -1: always live
        std::string category;
        Tiles bytes;
    };

    /// `needed`: steps that use what is always live.
    void hold(const std::string& name, const std::string& category, std::int64_t layer,
              std::int64_t operation, std::int64_t tensor_id, std::int64_t bytes, std::int64_t from = -1,
              std::int64_t to = -1, std::pair<std::int64_t, std::int64_t> needed = {-1, -1}) {
        const auto id = static_cast<std::int64_t>(held_.size());
        Held held{id, from, to, category, Tiles(static_cast<std::size_t>(size_.tiles), bytes / size_.tiles)};
        held.bytes[0] += bytes % size_.tiles; // the rest stays on the first tile
        const bool data = tensor_id >= 0;
        recorder_.add(VariableRecord{id, name, parse<MemoryCategory>(category).value(), layer, operation,
                                     tensor_id, 0, data ? std::optional(DType::Float32) : std::nullopt,
                                     data ? "[32, 128]" : "", bytes, from < 0, from < 0 ? needed.first : from,
                                     from < 0 ? needed.second : to});
        recorder_.add_tile_values("variable", id, 0, "bytes", held.bytes);
        held_.push_back(std::move(held));
    }

    void record_memory() {
        const auto last = static_cast<std::int64_t>(leaves_.size()) - 1;
        hold("input", "Variables", -1, -1, 0, 16384, 0, last);
        hold("zero", "Constants", -1, -1, -1, 4);
        hold("control", "Control Code", -1, -1, -1, size_.tiles * 512);
        hold("host exchange", "Host Exchange Code", -1, -1, -1, 2048);
        for (std::int64_t layer = 0; layer < size_.layers; ++layer) {
            const std::string name = layer_name(layer);
            const std::int64_t op = 6 * layer;
            hold(name + "/kernel", "Variables", layer, -1, tensor(layer, weights), 65536, -1, -1,
                 {step_of_[op], step_of_[op + 5]});
            hold(name + "/vertex code", "Vertex Code", layer, op, -1, size_.tiles * 96);
            hold(name + "/vertex state", "Vertex Instance State", layer, op, -1, size_.tiles * 24);
            hold(name + "/exchange code", "Internal Exchange Code", layer, op, -1, size_.tiles * 40);
            hold(name + "/MatMul", "Variables", layer, op, tensor(layer, product), 16384, step_of_[op],
                 step_of_[op + 1]);
            hold(name + "/Relu", "Variables", layer, op + 1, tensor(layer, activation), 16384,
                 step_of_[op + 1], step_of_[op + 4]);
            hold(name + "/MatMul/rearranged", "Rearrangement Buffers", layer, op, -1, 8192, step_of_[op] - 1,
                 step_of_[op]);
            hold(name + "/ReluGrad", "Variables", layer, op + 2, tensor(layer, activation_gradient), 16384,
                 step_of_[op + 2], step_of_[op + 4]);
            hold(name + "/WeightGrad", "Variables", layer, op + 4, tensor(layer, weight_gradient), 65536,
                 step_of_[op + 4], step_of_[op + 5]);
        }
        record_peaks();
    }

    void record_peaks() {
        const auto tiles = static_cast<std::size_t>(size_.tiles);
        Tiles always(tiles, 0);
        Tiles peak(tiles, -1);
        std::vector<std::size_t> peak_step(tiles, 0);
        for (const Held& held : held_)
            for (std::size_t t = 0; t < tiles && held.from < 0; ++t)
                always[t] += held.bytes[t];
        for (std::size_t step = 0; step < leaves_.size(); ++step) {
            Tiles live = always;
            for (const Held& held : held_)
                if (held.from >= 0 && held.from <= static_cast<std::int64_t>(step) &&
                    static_cast<std::int64_t>(step) <= held.to)
                    for (std::size_t t = 0; t < tiles; ++t)
                        live[t] += held.bytes[t];
            std::int64_t sum = 0;
            std::int64_t sum_always = 0;
            for (std::size_t t = 0; t < tiles; ++t) {
                sum += live[t];
                sum_always += always[t];
                if (live[t] > peak[t]) {
                    peak[t] = live[t];
                    peak_step[t] = step;
                }
            }
            recorder_.add(LivenessSpanRecord{0, static_cast<std::int64_t>(step), 1, sum_always,
                                             sum - sum_always, *std::max_element(live.begin(), live.end())});
        }
        std::map<std::string, std::pair<Tiles, Tiles>> categories;
        for (const Held& held : held_) {
            auto& [live_always, live_not_always] =
                categories.try_emplace(held.category, Tiles(tiles, 0), Tiles(tiles, 0)).first->second;
            for (std::size_t t = 0; t < tiles; ++t) {
                const auto at = static_cast<std::int64_t>(peak_step[t]);
                if (held.from < 0)
                    live_always[t] += held.bytes[t];
                else if (held.from <= at && at <= held.to)
                    live_not_always[t] += held.bytes[t];
            }
        }
        for (const auto& [category, values] : categories) {
            recorder_.add_tile_values("category:" + category, 0, 0, "always_live", values.first);
            recorder_.add_tile_values("category:" + category, 0, 0, "not_always_live", values.second);
        }
        Tiles with_gaps = peak;
        for (std::size_t t = 0; t < tiles; ++t)
            with_gaps[t] += 64;
        Tiles code(tiles, 0);
        for (const auto& [category, values] : categories)
            for (std::size_t t = 0; t < tiles && category.ends_with(" Code"); ++t)
                code[t] += values.first[t];
        recorder_.add_tile_values("memory", 0, 0, "code", code);
        recorder_.add_tile_values("memory", 0, 0, "code_limit", Tiles(tiles, 212'992));
        recorder_.add_tile_values("memory", 0, 0, "always_live", always);
        recorder_.add_tile_values("memory", 0, 0, "total", peak);
        recorder_.add_tile_values("memory", 0, 0, "total_with_gaps", with_gaps);
    }

    void record_executions() {
        const std::int64_t executions = size_.epochs * size_.executions_per_epoch;
        for (std::int64_t id = 0; id < executions; ++id) {
            const std::int64_t epoch = id / size_.executions_per_epoch;
            const std::int64_t within = id % size_.executions_per_epoch;
            execute(id, ExecutionKind::Train, epoch, within * size_.steps_per_execution, id + 1 < executions);
            const double loss = 2.0 / static_cast<double>(id + 1);
            recorder_.add(MetricRecord{id, "loss", loss});
            recorder_.add(MetricRecord{id, "accuracy", 1.0 - loss / 2.5});
            if (within + 1 == size_.executions_per_epoch) {
                recorder_.add(EpochMetricRecord{epoch, ExecutionKind::Train, "loss", loss});
                recorder_.add(EpochMetricRecord{epoch, ExecutionKind::Train, "accuracy", 1.0 - loss / 2.5});
                recorder_.add(LogRecord{100 * (epoch + 1), Severity::Info,
                                        "epoch " + std::to_string(epoch + 1) + " done"});
            }
        }
        execute(executions, ExecutionKind::Evaluate, 0, 0, false);
        recorder_.add(EpochMetricRecord{0, ExecutionKind::Evaluate, "loss", 0.5});
        recorder_.add(EpochMetricRecord{0, ExecutionKind::Evaluate, "accuracy", 0.75});
        recorder_.add(OutputRecord{"out", DType::Float32, "[2]", "[3.0,8.0]", "[3.0,8.0]"});
        recorder_.set(ProgressRecord{RunActivity::Done, size_.epochs - 1, size_.epochs,
                                     size_.executions_per_epoch * size_.steps_per_execution,
                                     size_.executions_per_epoch * size_.steps_per_execution, 1000});
    }

    void execute(std::int64_t id, ExecutionKind kind, std::int64_t epoch, std::int64_t first_step,
                 bool traced) {
        const std::int64_t steps = size_.steps_per_execution;
        ExecutionOnIpu phases{id, 0, 0, 0, 0, 0, fixture_host_cycles, 0};
        std::vector<TraceRecord> rows;
        std::int64_t at = now_ + fixture_host_cycles;
        for (std::int64_t step = 0; step < steps; ++step)
            for (const Leaf& leaf : leaves_) {
                (leaf.program_id == 2 ? phases.host : phases.exchange) += leaf.exchange;
                phases.sync += leaf.sync;
                phases.compute += leaf.compute;
                if (traced)
                    rows.push_back(
                        {id, step, leaf.program_id, 0, at, leaf.sync, leaf.exchange, leaf.compute});
                at += leaf.sync + leaf.exchange + leaf.compute;
            }
        record_rows(recorder_, {{id, kind, epoch, first_step, steps, now_, at - now_, 5000}}, {phases}, rows);
        now_ = at;
    }

    struct Leaf {
        std::int64_t program_id, sync, exchange, compute;
    };
    Recorder& recorder_;
    FixtureSize size_;
    std::vector<Leaf> leaves_;
    std::map<std::int64_t, std::int64_t> step_of_; ///< of an operation's compute set
    std::vector<Held> held_;
    std::int64_t now_ = 0;
};

} // namespace

std::int64_t fixture_step_cycles(const FixtureSize& size) {
    std::int64_t cycles = fixture_infeed_cycles;
    for (std::int64_t id = 0; id < size.operations(); ++id)
        cycles += fixture_sync_cycles + fixture_exchange_cycles(id) + fixture_compute_cycles(id);
    return cycles;
}

Result<void> record_fixture(const std::string& path, const FixtureSize& size) {
    RunRecord run;
    run.name = "fixture";
    run.workload = R"({"name":"fixture","device":"ipu"})";
    run.workload_path = "fixture.json";
    run.tool_version = "0.1.0";
    run.device = RunDevice::Ipu;
    run.seed = 42;
    run.data_note = "made up";
    run.started_unix_ms = epoch_start_ms;
    run.compile_s = 0.001;
    run.steps_per_execution = size.steps_per_execution;
    run.batch_size = 32;
    auto recorder = Recorder::create(path, run);
    if (!recorder)
        return Failure(recorder.error());
    Fixture(**recorder, size).record(run);
    return (*recorder)->finish(RunStatus::Complete);
}

} // namespace tilescope::tests
