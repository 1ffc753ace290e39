// SPDX-License-Identifier: GPL-3.0-or-later
#include "prepare/record_run.h"

#include "ipu/error_bands.h"
#include "prepare/attach_devices.h"

#include <algorithm>
#include <chrono>
#include <unistd.h>

namespace tilescope::prepare {
namespace {

std::int64_t unix_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

bool has(const ipu::IpuIds& ids, std::int32_t id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
}

/// A device is attached, or busy, where one of its IPUs is.
profile::DeviceState state_of(const ipu::Device& device, const PreparedJob& p, const ipu::IpuIds& busy) {
    const auto any = [&](const ipu::IpuIds& ids) {
        return std::any_of(device.members.begin(), device.members.end(),
                           [&](std::int32_t id) { return has(ids, id); });
    };
    if (std::any_of(p.devices.begin(), p.devices.end(), [&](const auto& ours) { return any(ours.members); }))
        return profile::DeviceState::Attached;
    return any(busy) ? profile::DeviceState::Busy : profile::DeviceState::Free;
}

} // namespace

void record_system(const PreparedJob& p, profile::Recorder& recorder) {
    const ipu::Target& t = p.job.target;
    if (!p.job.on_ipu) {
        recorder.set(profile::TargetRecord{"", "cpu", 0, 0, 0, 0, 0});
        return;
    }
    for (const ipu::ErrorBand& band : ipu::error_bands(ipu::fidelity_rows()))
        recorder.add(profile::ErrorBandRecord{band.kind, band.rows, band.typical, band.lowest, band.highest,
                                              band.source});
    const auto ipus = static_cast<std::int64_t>(p.job.attachment.ipus.size());
    recorder.set(profile::TargetRecord{
        p.system.name, t.generation, ipus, t.tiles_per_ipu, t.bytes_per_tile, t.clock_hz, t.workers_per_tile,
        2 * t.peak_macs(2), 2 * t.peak_macs(4), t.exchange_bytes_per_cycle, p.system.streaming_bytes,
        t.interleaved_bytes_per_tile, t.link_bytes_per_cycle, t.host_bytes_per_cycle,
        t.streaming_bytes_per_cycle, t.data_path_bytes});
    const std::int64_t per_replica = p.job.training.ipus_per_replica;
    for (std::int64_t i = 0; i < ipus; ++i) {
        const std::int64_t shard = i % per_replica;
        std::int64_t stage = 0; // the first that the IPU has
        while (stage < p.stages && p.job.training.ipu_of(static_cast<std::int32_t>(stage)) != shard)
            ++stage;
        const std::int32_t id = p.job.attachment.at(static_cast<std::int32_t>(i));
        const auto device = std::find_if(p.devices.begin(), p.devices.end(),
                                         [id](const ipu::Device& ours) { return has(ours.members, id); });
        recorder.add(profile::IpuRecord{i, id, virtual_name(device - p.devices.begin()), i / per_replica,
                                        shard, stage < p.stages ? stage : -1});
    }
    for (const ipu::Device& device : p.system.devices) {
        std::string members;
        for (const std::int32_t id : device.members)
            members += (members.empty() ? "" : " ") + std::to_string(id);
        recorder.add(profile::DeviceRecord{
            device.id, device.multi(), members, std::to_string(device.machine), device.ipu_number,
            p.system.board, state_of(device, p, p.workload.busy), device.multi() ? "" : p.system.routing()});
    }
}

profile::RunRecord run_record(const workload::Workload& workload, const PreparedJob& p,
                              const JobOptions& options) {
    profile::RunRecord run;
    run.name = workload.name;
    run.workload = workload.canonical_json();
    run.workload_path = workload.path;
    run.workload_kind = workload.graph.empty() ? profile::WorkloadKind::Model : profile::WorkloadKind::Graph;
    run.device = workload.device;
    run.schedule = workload.pipeline;
    run.global_step = workload.global_step;
    run.seed = workload.seed;
    run.estimate = options.estimate;
    run.data_note = p.data_note;
    run.started_unix_ms = unix_ms();
    run.steps_per_execution = workload.steps_per_execution;
    run.batch_size = p.batch_size;
    run.pid = getpid();
    run.label = options.label;
    run.epochs = workload.epochs;
    run.available_memory_proportion = workload.planning.all.available_memory_proportion;
    run.recomputation = !workload.recompute_parts.empty() ? profile::Recomputation::Parts
                        : workload.allow_recompute        ? profile::Recomputation::On
                                                          : profile::Recomputation::Off;
    if (workload.automatic_stages > 0)
        run.cut = profile::ModelCut::Automatic;
    else if (!workload.shards.empty())
        run.cut = profile::ModelCut::ByHand;
    if (workload.eight_bit_io)
        run.eight_bit_io = profile::EightBitIo::On;
    else if (workload.train || workload.evaluate)
        run.eight_bit_io = profile::EightBitIo::Off;
    return run;
}

} // namespace tilescope::prepare
