// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/system_fixture.h"

#include "profile/recorder.h"
#include "tests/record_rows.h"

namespace tilescope::tests {

using namespace profile;

std::vector<PipelineSlotRecord> grouped_pipeline() {
    using A = PipelineActivity;
    return {
        {0, 0, 50, 0, A::Forward, 0},      {0, 50, 60, 0, A::Copy, 0},
        {0, 60, 110, 1, A::Forward, 1},    {0, 110, 120, 1, A::Copy, 1},
        {0, 120, 160, 1, A::Idle, -1},     {0, 160, 170, 1, A::Copy, -1},
        {0, 170, 200, 2, A::Idle, -1},     {0, 200, 220, 2, A::Recompute, 0},
        {0, 220, 290, 2, A::Backward, 0},  {0, 290, 300, 2, A::Copy, 0},
        {0, 300, 320, 3, A::Recompute, 1}, {0, 320, 390, 3, A::Backward, 1},
        {0, 390, 420, -1, A::Update, -1},  {1, 0, 50, 0, A::Idle, -1},
        {1, 50, 60, 0, A::Copy, -1},       {1, 60, 90, 1, A::Forward, 0},
        {1, 90, 110, 1, A::Waiting, 0},    {1, 110, 120, 1, A::Copy, 0},
        {1, 120, 160, 1, A::Backward, 0},  {1, 160, 170, 1, A::Copy, 0},
        {1, 170, 200, 2, A::Forward, 1},   {1, 200, 240, 2, A::Backward, 1},
        {1, 240, 290, 2, A::Waiting, 1},   {1, 290, 300, 2, A::Copy, 1},
        {1, 300, 390, 3, A::Idle, -1},     {1, 390, 410, -1, A::Update, -1},
        {1, 410, 420, -1, A::Waiting, -1},
    };
}

namespace {

class System {
  public:
    System(Recorder& recorder, const SystemFixture& size) : recorder_(recorder), size_(size) {}

    void record() {
        const std::int64_t fullest = system_first_tile_bytes(size_.shards - 1) + system_tiles - 1;
        recorder_.set(TargetRecord{"pod64", "ipu2", size_.ipus(), system_tiles,
                                   size_.nearly_full ? fullest * 100 / 99 : system_bytes_per_tile,
                                   system_clock_hz, 6});
        for (std::int64_t i = 0; i < size_.ipus(); ++i) {
            const std::int64_t shard = i % size_.shards;
            recorder_.add(IpuRecord{i, 100 + i, "/device:IPU:0", i / size_.shards, shard,
                                    size_.pipelined ? shard : -1});
        }
        record_graph();
        for (std::int64_t shard = 0; shard < size_.shards; ++shard)
            record_memory(shard);
        record_links();
        record_stashes();
        if (size_.pipelined && size_.shards == 2)
            for (const PipelineSlotRecord& slot : grouped_pipeline())
                recorder_.add(slot);
        std::vector<ExecutionOnIpu> phases;
        for (std::int64_t i = 0; i < size_.ipus(); ++i)
            phases.push_back({0, i, 500 - i, 100, 50, 150, 100, 100 + i});
        record_rows(recorder_, {{0, ExecutionKind::Train, 0, 0, 4, 0, system_execution_cycles, 10}}, phases);
    }

  private:
    /// On each shard a layer that takes 300 cycles times its number from 1, and one that takes 100 times.
    void record_graph() {
        recorder_.add(DeviceProgramRecord{0, "training", 0, true});
        recorder_.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
        for (std::int64_t id = 0; id < 2 * size_.shards; ++id) {
            const std::int64_t shard = id / 2;
            const bool back = size_.comes_back && id == 2 * size_.shards - 1;
            const std::string name = "layer_" + std::to_string(id);
            recorder_.add(LayerRecord{id, name, id % 2 == 0 ? "Conv2D" : "Dense", "[8, 8]", 64});
            recorder_.add(OperationRecord{id, name + "/op", "matmul", id,
                                          id % 2 == 0 ? Phase::Forward : Phase::Update, back ? 0 : shard,
                                          !size_.pipelined ? -1
                                          : back           ? size_.shards
                                                           : shard});
            recorder_.add(ComputeSetRecord{id, name, id, (id % 2 == 0 ? 300 : 100) * (shard + 1), 1});
            ProgramRecord step{id + 1,
                               0,
                               id,
                               StepKind::Execute,
                               name,
                               id,
                               id,
                               -1,
                               1,
                               id,
                               0,
                               0,
                               (id % 2 == 0 ? 300 : 100) * (shard + 1),
                               shard};
            if (size_.pipelined) {
                step.stage = shard;
                step.activity = id % 2 == 0 ? PipelineActivity::Forward : PipelineActivity::Backward;
            }
            recorder_.add(step);
        }
    }

    void record_memory(std::int64_t ipu) {
        std::vector<std::int64_t> total;
        for (std::int64_t t = 0; t < system_tiles; ++t)
            total.push_back(system_first_tile_bytes(ipu) + t);
        recorder_.add_tile_values("memory", 0, ipu, "total", total);
        recorder_.add_tile_values("memory", 0, ipu, "total_with_gaps", total);
        recorder_.add_tile_values("memory", 0, ipu, "always_live",
                                  std::vector<std::int64_t>(system_tiles, system_always_live_bytes(ipu)));
    }

    void record_links() {
        for (std::int64_t i = 0; i < size_.ipus(); ++i) {
            const std::int64_t shard = i % size_.shards;
            const auto copy = [&](std::int64_t peer, std::int64_t lower) {
                recorder_.add(LinkTrafficRecord{i, peer, LinkKind::Copy, 2,
                                                size_.link_factor * system_copy_bytes(lower), 100});
            };
            if (shard + 1 < size_.shards)
                copy(i + 1, shard);
            if (shard > 0)
                copy(i - 1, shard - 1);
            if (size_.replicas > 1)
                recorder_.add(LinkTrafficRecord{i, (i + size_.shards) % size_.ipus(), LinkKind::AllReduce, 3,
                                                system_all_reduce_bytes, 70});
        }
    }

    void record_stashes() {
        recorder_.add(TensorRecord{0, "layer_0/op", DType::Float32, "[8, 8]", 256});
        if (size_.pipelined) {
            VariableRecord v;
            v.name = "layer_0/op/stash of 2";
            v.tensor_id = 0;
            v.operation_id = 0;
            v.stash_depth = 2;
            v.category = MemoryCategory::Variables;
            v.bytes = 2048;
            v.always_live = true;
            recorder_.add(v);
        }
    }

    Recorder& recorder_;
    SystemFixture size_;
};

} // namespace

Result<void> record_system(const std::string& path, const SystemFixture& system) {
    RunRecord run;
    run.name = "system";
    run.workload = R"({"name":"system"})";
    if (system.pipelined)
        run.schedule = PipelineSchedule::Grouped;
    run.device = RunDevice::Ipu;
    run.steps_per_execution = 4;
    run.batch_size = 8;
    auto recorder = Recorder::create(path, run);
    if (!recorder)
        return Failure(recorder.error());
    System(**recorder, system).record();
    return (*recorder)->finish(RunStatus::Complete);
}

} // namespace tilescope::tests
