// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/chrome_trace.h"

#include "analyse/epoch_spans.h"
#include "analyse/io_tiles.h"
#include "analyse/stage_ipus.h"
#include "base/try.h"
#include "profile/engine_run_range.h"
#include "trace_events.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace tilescope::exports {
namespace {

using nlohmann::ordered_json;
using profile::ExecutionGroupRecord;
using profile::ExecutionRecord;
using profile::IpuRecord;
using profile::PipelineSlotRecord;
using profile::TraceSlice;

/// Program steps are read for engine runs of at least so many steps together: few enough to be held, enough
/// for short runs not to be asked for one by one.
constexpr std::int64_t steps_at_once = 256;

enum IpuLane : std::int64_t {
    runs,
    layers,
    operations,
    program_steps,
    phases,
    pipeline,
    io_tiles,
    ipu_lanes
};
enum HostLane : std::int64_t { epochs, launches, first_stream };

std::int64_t process_of(std::int64_t ipu) {
    return ipu + 1;
}

Track lane_of(std::int64_t ipu, IpuLane lane) {
    return {process_of(ipu), process_of(ipu) * ipu_lanes + lane};
}

struct Step {
    std::string name;
    std::int64_t operation = -1;
    std::int64_t liveness_step = -1;
    bool waits_for_io = false; ///< while the I/O tiles exchange with the host
};

struct Named {
    std::string name;
    std::int64_t layer = -1;
    ordered_json arguments;
};

/// What is read at once, as against slices.
struct Tables {
    double clock_hz = 0;
    std::vector<IpuRecord> ipus;
    std::vector<ExecutionGroupRecord> executions;
    std::vector<analyse::EpochSpan> epochs; ///< of them
    std::map<std::pair<std::int64_t, std::int64_t>, profile::ScheduleIpuRecord>
        phases;                     ///< by schedule and IPU
    std::set<std::int64_t> with_io; ///< IPUs whose I/O tiles have a time line of their own
    std::map<std::int64_t, Step> steps;
    std::map<std::int64_t, Named> operations;
    std::map<std::int64_t, Named> layers;
    std::map<std::int64_t, std::vector<PipelineSlotRecord>> slots; ///< by shard
    std::map<std::int64_t, std::int64_t> stage_ipus;
    std::set<std::int64_t> described; ///< schedules of the program that these are of

    Result<void> read(const profile::Profile& profile, const TracePart& part);

  private:
    void read_names(const std::vector<profile::LayerRecord>& layer_records,
                    const std::vector<profile::OperationRecord>& operation_records);
};

/// Those engine runs of which something is in the cycles [first, second).
std::vector<ExecutionGroupRecord> within(const std::vector<ExecutionGroupRecord>& all,
                                         const TraceEvents::Range& cycles) {
    std::vector<ExecutionGroupRecord> groups;
    for (const ExecutionGroupRecord& group : all) {
        const std::int64_t first = group.begun_before(cycles.first - group.cycles + 1); // have ended by then
        const std::int64_t end = group.begun_before(cycles.second);
        if (first < end)
            if (const auto kept = profile::part_of(group, group.id + first, group.id + end - 1))
                groups.push_back(*kept);
    }
    return groups;
}

/// Of the engine runs those that are to be written.
Result<std::vector<ExecutionGroupRecord>> wanted(std::vector<ExecutionGroupRecord> all,
                                                 const TracePart& part) {
    if (part.cycles)
        all = within(all, *part.cycles);
    if (!part.executions)
        return all;
    const auto [first, last] = *part.executions;
    std::vector<ExecutionGroupRecord> groups;
    for (const ExecutionGroupRecord& group : all)
        if (const auto kept = profile::part_of(group, first, last))
            groups.push_back(*kept);
    if (groups.empty())
        return profile::no_engine_run(all, first, last);
    return groups;
}

Result<void> Tables::read(const profile::Profile& profile, const TracePart& part) {
    TRY(const auto target, profile.target());
    TRY(ipus, profile.ipus());
    TRY(const auto groups, profile.execution_groups());
    TRY(executions, wanted(groups, part));
    epochs = analyse::epoch_spans(executions, {0, profile::most_cycles}, 0);
    TRY(const auto schedule_ipus, profile.schedule_ipus());
    TRY(const auto spans, profile.schedule_spans());
    TRY(const auto layer_records, profile.layers());
    TRY(const auto operation_records, profile.operations());
    TRY(const auto program, profile.program());
    TRY(const auto further, profile.further_steps());
    TRY(const auto slot_records, profile.pipeline_slots());
    TRY(const auto run, profile.run());
    if (run.device == profile::RunDevice::Cpu)
        return bad_input("a run on the host's processor has no simulated time line", profile.path(),
                         "its engine runs are in --format csv --table execution");
    if (target.clock_hz <= 0)
        return bad_input(run.status == profile::RunStatus::Running
                             ? "the run is not compiled yet"
                             : profile::words(run.status) + " before it was compiled",
                         profile.path(), "export a run that executed something");
    clock_hz = target.clock_hz;
    for (const auto& row : schedule_ipus)
        phases[{row.schedule_id, row.ipu}] = row;
    TRY(const auto of_io, profile.schedule_io());
    for (const auto& row : of_io)
        with_io.insert(row.ipu);
    for (const auto& span : spans)
        if (span.device_program_id == 0)
            described.insert(span.schedule_id);
    read_names(layer_records, operation_records);
    for (const auto& row : program)
        steps[row.id] = {row.name.empty() ? to_string(row.kind) : row.name, row.operation_id,
                         row.liveness_step, analyse::is_io_wait(row.work())};
    for (const auto& row : further)
        steps[row.id] = {row.name.empty() ? to_string(row.kind) : row.name, row.operation_id, -1,
                         analyse::is_io_wait(row.work())};
    stage_ipus = analyse::stage_ipus(operation_records, ipus);
    for (const IpuRecord& ipu : ipus)
        if (auto own = analyse::slots_on(slot_records, analyse::stages_on(ipu, stage_ipus)); !own.empty())
            slots.try_emplace(ipu.shard, std::move(own));
    return {};
}

void Tables::read_names(const std::vector<profile::LayerRecord>& layer_records,
                        const std::vector<profile::OperationRecord>& operation_records) {
    for (const auto& layer : layer_records)
        layers[layer.id] = {layer.name, layer.id, {{"kind", layer.kind}}};
    for (const auto& op : operation_records) {
        ordered_json arguments{{"kind", op.kind}, {"phase", to_string(op.phase)}};
        if (const auto layer = layers.find(op.layer_id); layer != layers.end())
            arguments["layer"] = layer->second.name;
        operations[op.id] = {op.name, op.layer_id, std::move(arguments)};
    }
}

/// Neighbours of one lane that belong to the same entity are one slice.
class JoinedLane {
  public:
    JoinedLane(TraceEvents& events, Track track, const std::map<std::int64_t, Named>& names)
        : events_(events), track_(track), names_(names) {}
    ~JoinedLane() { flush(); }
    JoinedLane(const JoinedLane&) = delete;
    JoinedLane& operator=(const JoinedLane&) = delete;

    void add(std::int64_t id, const TraceSlice& slice) {
        if (id != id_ || slice.start_cycle != to_) {
            flush();
            id_ = id;
            from_ = slice.start_cycle;
        }
        to_ = slice.end_cycle;
    }

  private:
    void flush() {
        if (const auto named = names_.find(id_); named != names_.end())
            events_.slice(track_, named->second.name, from_, to_, named->second.arguments);
    }
    TraceEvents& events_;
    Track track_;
    const std::map<std::int64_t, Named>& names_;
    std::int64_t id_ = -1, from_ = 0, to_ = 0;
};

std::string kind_text(const ExecutionRecord& e) {
    return e.kind == profile::ExecutionKind::Train ? "train, epoch " + std::to_string(e.epoch + 1)
                                                   : to_string(e.kind);
}

std::string execution_text(const ExecutionRecord& e) {
    const std::string first = std::to_string(e.first_step + 1);
    return kind_text(e) + (e.steps == 1 ? ", step " + first
                                        : ", steps " + first + "-" + std::to_string(e.first_step + e.steps));
}

class Exporter {
  public:
    Exporter(const profile::Profile& profile, const Tables& tables, std::ostream& out,
             TraceEvents::Range cycles)
        : profile_(profile), tables_(tables), events_(out, tables.clock_hz, cycles),
          host_(process_of(tables.ipus.empty() ? -1 : tables.ipus.back().id) + 1) {}
    Result<void> write(const std::function<void(double)>& written);

  private:
    void name_tracks();
    void write_epoch(const ExecutionRecord& e);
    std::int64_t end_of_epoch(const ExecutionRecord& e) const;
    Result<void> write_executions(const std::vector<ExecutionRecord>& some);
    void write_runs(const IpuRecord& ipu, const std::vector<ExecutionRecord>& some);
    Result<void> write_metrics(const std::vector<ExecutionRecord>& some);
    Result<void> write_steps(const IpuRecord& ipu, std::int64_t from, std::int64_t to);
    Result<void> write_io(const IpuRecord& ipu, std::int64_t from, std::int64_t to);
    void write_phases(const IpuRecord& ipu, const Step& step, const TraceSlice& slice);
    void write_pipeline(std::int64_t begin);
    void write_flows(std::int64_t replica, std::int64_t begin);
    Track host_lane(std::int64_t lane) const { return {host_, host_ * ipu_lanes + lane}; }

    const profile::Profile& profile_;
    const Tables& tables_;
    TraceEvents events_;
    std::int64_t host_; ///< its process
    std::int64_t flows_ = 0;
    std::optional<std::pair<profile::ExecutionKind, std::int64_t>> epoch_; ///< that is being written
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> begins_; ///< by run and step, over all IPUs
    std::map<std::int64_t, std::vector<profile::LivenessRecord>> liveness_; ///< by IPU
    std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> live_;    ///< by IPU: counted last
};

Result<void> Exporter::write(const std::function<void(double)>& written) {
    name_tracks();
    for (const IpuRecord& ipu : tables_.ipus) {
        TRY(liveness_[ipu.id], profile_.liveness(ipu.id));
    }
    std::vector<ExecutionRecord> some; // of at least steps_at_once
    std::int64_t steps = 0, runs = 0, all = 0;
    for (const ExecutionGroupRecord& group : tables_.executions)
        all += group.count;
    for (const ExecutionGroupRecord& group : tables_.executions)
        for (std::int64_t i = 0; i < group.count; ++i) {
            some.push_back(group.at(i));
            steps += group.steps;
            if (steps < steps_at_once)
                continue;
            TRY(write_executions(some));
            runs += static_cast<std::int64_t>(some.size());
            if (written)
                written(static_cast<double>(runs) / static_cast<double>(all));
            some.clear();
            steps = 0;
        }
    TRY(write_executions(some));
    events_.close();
    return {};
}

void Exporter::name_tracks() {
    events_.name_process(host_, "host");
    events_.name_track(host_lane(epochs), "epochs and engine runs");
    events_.name_track(host_lane(launches), "launches of engine runs");
    for (const IpuRecord& ipu : tables_.ipus)
        events_.name_track(host_lane(first_stream + ipu.id), "streams of IPU " + std::to_string(ipu.id));
    for (const IpuRecord& ipu : tables_.ipus) {
        std::string name = "IPU " + std::to_string(ipu.id) + " (" + ipu.device;
        if (tables_.ipus.back().replica > 0)
            name += ", replica " + std::to_string(ipu.replica);
        if (ipu.stage >= 0)
            name += ", " + analyse::stages_text(analyse::stages_on(ipu, tables_.stage_ipus));
        events_.name_process(process_of(ipu.id), name + ")");
        if (tables_.slots.contains(ipu.shard))
            events_.name_track(lane_of(ipu.id, pipeline), "pipeline");
        events_.name_track(lane_of(ipu.id, runs), "engine runs");
        events_.name_track(lane_of(ipu.id, layers), "layers");
        events_.name_track(lane_of(ipu.id, operations), "operations");
        events_.name_track(lane_of(ipu.id, program_steps), "program steps");
        events_.name_track(lane_of(ipu.id, phases), "phases");
        if (tables_.with_io.contains(ipu.id))
            events_.name_track(lane_of(ipu.id, io_tiles), "I/O tiles");
    }
}

/// Where the epoch of an engine run ends.
std::int64_t Exporter::end_of_epoch(const ExecutionRecord& e) const {
    const auto after = std::partition_point(
        tables_.epochs.begin(), tables_.epochs.end(),
        [&](const analyse::EpochSpan& epoch) { return epoch.cycles.first <= e.start_cycle; });
    return after == tables_.epochs.begin() ? e.start_cycle + e.cycles : std::prev(after)->cycles.second;
}

/// An epoch goes around its engine runs.
void Exporter::write_epoch(const ExecutionRecord& e) {
    if (!epoch_ || epoch_->first != e.kind || epoch_->second != e.epoch)
        events_.slice(host_lane(epochs), kind_text(e), e.start_cycle, end_of_epoch(e));
    epoch_ = {e.kind, e.epoch};
    events_.slice(host_lane(epochs), execution_text(e), e.start_cycle, e.start_cycle + e.cycles,
                  {{"steps", e.steps}});
}

/// Losses and metrics hold from the end of their engine run on.
Result<void> Exporter::write_metrics(const std::vector<ExecutionRecord>& some) {
    TRY(const auto metrics, profile_.metrics(some.front().id, some.back().id));
    for (const auto& metric : metrics)
        if (const auto e =
                std::find_if(some.begin(), some.end(),
                             [&](const ExecutionRecord& x) { return x.id == metric.execution_id; });
            e != some.end())
            events_.counter(host_, metric.name, "value", e->start_cycle + e->cycles, metric.value);
    return {};
}

Result<void> Exporter::write_executions(const std::vector<ExecutionRecord>& some) {
    if (some.empty())
        return {};
    begins_.clear();
    for (const ExecutionRecord& e : some)
        write_epoch(e);
    TRY(write_metrics(some));
    for (const IpuRecord& ipu : tables_.ipus) {
        write_runs(ipu, some);
        TRY(write_steps(ipu, some.front().start_cycle, some.back().start_cycle + some.back().cycles));
        if (tables_.with_io.contains(ipu.id))
            TRY(write_io(ipu, some.front().start_cycle, some.back().start_cycle + some.back().cycles));
    }
    for (const ExecutionRecord& e : some) {
        const auto first = begins_.lower_bound({e.id, 0});
        const auto last = begins_.lower_bound({e.id + 1, 0});
        if (first != last)
            events_.slice(host_lane(launches), "launch", e.start_cycle, first->second);
        if (tables_.described.contains(e.schedule_id))
            for (auto update = first; update != last; ++update)
                write_pipeline(update->second);
    }
    return {};
}

/// Engine runs with their cycles by phase, also of those whose program steps are not recorded.
void Exporter::write_runs(const IpuRecord& ipu, const std::vector<ExecutionRecord>& some) {
    for (const ExecutionRecord& e : some) {
        ordered_json cycles;
        if (const auto found = tables_.phases.find({e.schedule_id, ipu.id}); found != tables_.phases.end()) {
            const profile::ScheduleIpuRecord& p = found->second;
            cycles = {{"compute cycles", p.compute}, {"exchange cycles", p.exchange},
                      {"sync cycles", p.sync},       {"inter-IPU cycles", p.inter_ipu},
                      {"host cycles", p.host},       {"waiting cycles", p.waiting}};
        }
        events_.slice(lane_of(ipu.id, runs), execution_text(e), e.start_cycle, e.start_cycle + e.cycles,
                      cycles);
    }
}

Result<void> Exporter::write_steps(const IpuRecord& ipu, std::int64_t from, std::int64_t to) {
    JoinedLane layer_lane(events_, lane_of(ipu.id, layers), tables_.layers);
    JoinedLane operation_lane(events_, lane_of(ipu.id, operations), tables_.operations);
    return profile_.trace_steps(ipu.id, from, to, nullptr, [&](const TraceSlice& slice) {
        const auto found = tables_.steps.find(slice.program_id);
        if (found == tables_.steps.end())
            return true;
        const auto [begin, made] = begins_.try_emplace({slice.execution_id, slice.step}, slice.start_cycle);
        if (!made)
            begin->second = std::min(begin->second, slice.start_cycle);
        if (!events_.shows(slice.start_cycle, slice.end_cycle))
            return true;
        const Step& step = found->second;
        const auto op = tables_.operations.find(step.operation);
        layer_lane.add(op == tables_.operations.end() ? -1 : op->second.layer, slice);
        operation_lane.add(step.operation, slice);
        events_.slice(lane_of(ipu.id, program_steps), step.name, slice.start_cycle, slice.end_cycle,
                      {{"step", slice.step}});
        write_phases(ipu, step, slice);
        return true;
    });
}

/// What the I/O tiles exchange with the host beside the steps of the others.
Result<void> Exporter::write_io(const IpuRecord& ipu, std::int64_t from, std::int64_t to) {
    TRY(const auto slices, profile_.io_trace(ipu.id, from, to, 1));
    for (const TraceSlice& slice : slices) {
        const auto step = tables_.steps.find(slice.program_id);
        if (slice.merged == 0 || step == tables_.steps.end() ||
            !events_.shows(slice.start_cycle, slice.end_cycle))
            continue;
        events_.slice(lane_of(ipu.id, io_tiles), step->second.name, slice.start_cycle, slice.end_cycle,
                      {{"step", slice.step}});
        if (slice.cycles.host > 0)
            events_.slice(host_lane(first_stream + ipu.id), step->second.name,
                          slice.start_cycle + slice.cycles.sync, slice.end_cycle);
    }
    return {};
}

void Exporter::write_phases(const IpuRecord& ipu, const Step& step, const TraceSlice& slice) {
    const Track lane = lane_of(ipu.id, phases);
    const std::int64_t exchange = slice.start_cycle + slice.cycles.sync;
    const std::int64_t compute = slice.end_cycle - slice.cycles.compute;
    events_.slice(lane, "sync", slice.start_cycle, exchange);
    events_.slice(lane,
                  slice.cycles.host > 0        ? "host copy"
                  : slice.cycles.inter_ipu > 0 ? "inter-IPU exchange"
                                               : "exchange",
                  exchange, compute);
    events_.slice(lane, "compute", compute, slice.end_cycle);
    if (slice.cycles.host > 0 && !step.waits_for_io)
        events_.slice(host_lane(first_stream + ipu.id), step.name, exchange, compute);

    const auto& liveness = liveness_[ipu.id];
    if (step.liveness_step < 0 || step.liveness_step >= static_cast<std::int64_t>(liveness.size()))
        return;
    const auto& live = liveness[static_cast<std::size_t>(step.liveness_step)];
    const std::pair bytes{live.always_live_bytes + live.not_always_live_bytes, live.max_tile_bytes};
    const auto [last, made] = live_.try_emplace(ipu.id, -1, -1);
    if (bytes.first != last->second.first)
        events_.counter(process_of(ipu.id), "live memory", "bytes", slice.start_cycle,
                        static_cast<double>(bytes.first));
    if (bytes.second != last->second.second)
        events_.counter(process_of(ipu.id), "fullest tile", "bytes", slice.start_cycle,
                        static_cast<double>(bytes.second));
    last->second = bytes;
}

/// What each stage does in the weight update that begins at `begin`.
void Exporter::write_pipeline(std::int64_t begin) {
    for (const IpuRecord& ipu : tables_.ipus) {
        const auto slots = tables_.slots.find(ipu.shard);
        if (slots == tables_.slots.end())
            continue;
        for (const PipelineSlotRecord& slot : slots->second) {
            const bool in_batch = slot.micro_batch >= 0;
            events_.slice(lane_of(ipu.id, pipeline),
                          to_string(slot.activity) + (in_batch ? " " + std::to_string(slot.micro_batch) : ""),
                          begin + slot.start_cycle, begin + slot.end_cycle,
                          in_batch ? ordered_json{{"micro-batch", slot.micro_batch}} : ordered_json());
        }
    }
    std::int64_t replica = -1;
    for (const IpuRecord& ipu : tables_.ipus)
        if (tables_.slots.contains(ipu.shard) && std::exchange(replica, ipu.replica) != ipu.replica)
            write_flows(replica, begin);
}

/// An arrow along the forward and backward passes of each micro-batch.
void Exporter::write_flows(std::int64_t replica, std::int64_t begin) {
    std::map<std::int64_t, std::vector<std::pair<std::int64_t, Track>>> passes; // by micro-batch
    for (const IpuRecord& ipu : tables_.ipus) {
        const auto slots = tables_.slots.find(ipu.shard);
        if (ipu.replica != replica || slots == tables_.slots.end())
            continue;
        for (const PipelineSlotRecord& slot : slots->second)
            if ((slot.activity == profile::PipelineActivity::Forward ||
                 slot.activity == profile::PipelineActivity::Backward) &&
                events_.shows(begin + slot.start_cycle, begin + slot.end_cycle))
                passes[slot.micro_batch].emplace_back(begin + slot.start_cycle, lane_of(ipu.id, pipeline));
    }
    for (auto& [micro_batch, stops] : passes) {
        if (stops.size() < 2)
            continue;
        std::stable_sort(stops.begin(), stops.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        const std::int64_t id = flows_++;
        for (std::size_t i = 0; i < stops.size(); ++i)
            events_.flow(stops[i].second, "micro-batch", id,
                         i == 0                  ? TraceEvents::FlowPart::Begin
                         : i + 1 == stops.size() ? TraceEvents::FlowPart::End
                                                 : TraceEvents::FlowPart::Middle,
                         stops[i].first);
    }
}

} // namespace

Result<void> chrome_trace(const profile::Profile& profile, std::ostream& out, const TracePart& part) {
    Tables tables;
    TRY(tables.read(profile, part));
    return Exporter(profile, tables, out, part.cycles.value_or(TraceEvents::always)).write(part.written);
}

} // namespace tilescope::exports
