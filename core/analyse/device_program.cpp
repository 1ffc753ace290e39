// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/device_program.h"

#include "base/try.h"

#include <algorithm>

namespace tilescope::analyse {
namespace {

using profile::FurtherStepRecord;
using profile::ProgramRecord;
using profile::StepKind;

/// Its exchange has the id of the step.
ProgramRecord program_record(const FurtherStepRecord& f, bool moves) {
    ProgramRecord step;
    step.id = f.id;
    step.parent_id = f.parent_id;
    step.position = f.position;
    step.kind = f.kind;
    step.name = f.name;
    step.operation_id = f.operation_id;
    step.exchange_id = moves ? f.id : -1;
    step.repeats = f.repeats;
    step.sync_cycles = f.sync_cycles;
    step.exchange_cycles = f.exchange_cycles;
    step.compute_cycles = f.compute_cycles;
    step.ipu = f.ipu;
    step.peer = f.peer;
    step.runs = f.runs;
    step.part = f.part;
    step.role = f.role;
    step.verb = f.verb;
    step.of = f.of;
    step.stage = f.stage;
    return step;
}

Result<ProgramSteps> read_described(const profile::Profile& profile) {
    ProgramSteps program;
    TRY(program.steps, profile.program());
    TRY(program.exchanges, profile.exchanges());
    TRY(program.slots, profile.pipeline_slots());
    TRY(program.loops, read_loops(profile));
    TRY(const auto sets, profile.compute_sets());
    std::map<std::int64_t, double> of_set;
    for (const auto& set : sets)
        of_set[set.id] = set.balance;
    for (const ProgramRecord& step : program.steps)
        if (const auto found = of_set.find(step.compute_set_id); found != of_set.end())
            program.balance[step.id] = found->second;
    return program;
}

Result<ProgramSteps> read_further(const profile::Profile& profile,
                                  const profile::DeviceProgramRecord& record) {
    ProgramSteps program;
    std::vector<ProgramRecord> steps;
    std::vector<profile::ExchangeRecord> exchanges;
    TRY(const auto further, profile.further_steps());
    for (const FurtherStepRecord& f : further) {
        if (f.device_program_id != record.id)
            continue;
        const bool moves = f.exchange_cycles > 0 || f.bytes > 0 || f.between_ipus;
        steps.push_back(program_record(f, moves));
        if (f.balance >= 0)
            program.balance[f.id] = f.balance;
        program.bytes_known = program.bytes_known && f.bytes >= 0;
        if (!moves)
            continue;
        profile::ExchangeRecord exchange;
        exchange.id = f.id;
        exchange.kind = f.between_ipus                   ? profile::ExchangeKind::InterIpu
                        : f.kind == StepKind::StreamCopy ? profile::ExchangeKind::Host
                        : leaves_ipus(f.kind)            ? profile::ExchangeKind::Streaming
                                                         : profile::ExchangeKind::Internal;
        exchange.bytes = std::max<std::int64_t>(0, f.bytes);
        exchanges.push_back(exchange);
    }
    program.steps = std::move(steps);
    program.exchanges = std::move(exchanges);
    TRY(program.slots, profile.pipeline_slots(record.id));
    TRY(const auto ipus, profile.ipus());
    program.loops = loops_of(program.steps, ipus, record.training);
    program.loops.pipelined = !program.slots.empty();
    return program;
}

} // namespace

std::string DeviceProgram::label() const {
    return graph.empty() ? key : key + ": " + graph;
}

std::vector<std::string> program_keys(const std::vector<profile::DeviceProgramRecord>& records) {
    std::vector<std::string> keys;
    std::map<std::string, std::int64_t> of_name;
    for (const profile::DeviceProgramRecord& record : records) {
        const std::int64_t number = ++of_name[record.name];
        keys.push_back(number == 1 ? record.name : record.name + " " + std::to_string(number));
    }
    return keys;
}

Result<std::vector<DeviceProgram>> read_device_programs(const profile::Profile& profile) {
    TRY(const auto records, profile.device_programs());
    TRY(const auto described, profile.program());
    TRY(const auto further, profile.further_steps());
    const std::vector<std::string> keys = program_keys(records);
    std::vector<DeviceProgram> programs;
    for (const profile::DeviceProgramRecord& record : records) {
        DeviceProgram program;
        program.id = record.id;
        program.root = record.root_id;
        program.name = record.name;
        program.key = keys[programs.size()];
        const auto take = [&](const auto& steps, const auto& is_its) {
            for (const auto& step : steps) {
                if (!is_its(step))
                    continue;
                program.steps += is_leaf(step.kind) ? 1 : 0;
                if (step.id == record.root_id)
                    program.graph = step.name;
            }
        };
        if (record.id == 0)
            take(described, [](const auto&) { return true; });
        else
            take(further, [&](const auto& step) { return step.device_program_id == record.id; });
        if (record.root_id >= 0) {
            TRY(program.ran, profile.program_totals(record.id));
            TRY(program.by_phase, profile.program_phases(record.id));
        }
        programs.push_back(std::move(program));
    }
    return programs;
}

const DeviceProgram* program_of(const std::vector<DeviceProgram>& programs, const std::string& key) {
    const auto found = std::find_if(programs.begin(), programs.end(),
                                    [&](const DeviceProgram& program) { return program.key == key; });
    return found != programs.end() ? &*found : programs.empty() ? nullptr : &programs.front();
}

const DeviceProgram* program_of_step(const std::vector<DeviceProgram>& programs, std::int64_t step) {
    const DeviceProgram* last = nullptr; // ids of steps go on from program to program
    for (const DeviceProgram& program : programs)
        if (program.root >= 0 && program.root <= step)
            last = &program;
    return last;
}

Result<ProgramSteps> read_program(const profile::Profile& profile, std::int64_t id) {
    TRY(const auto records, profile.device_programs());
    for (const profile::DeviceProgramRecord& record : records)
        if (record.id == id && id > 0)
            return read_further(profile, record);
    return read_described(profile);
}

} // namespace tilescope::analyse
