// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/program_time.h"
#include "analyse/stage_ipus.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tilescope::analyse {

using profile::ProgramRecord;

std::map<std::int64_t, std::int64_t> group_by_stage(std::vector<ProgramRecord>& program,
                                                    const std::vector<profile::OperationRecord>& operations,
                                                    const std::vector<profile::IpuRecord>& ipus) {
    const std::map<std::int64_t, std::int64_t> ipu_of_stage = stage_ipus(operations, ipus);
    const auto loop = std::find_if(program.begin(), program.end(),
                                   [](const auto& step) { return step.loops_over_micro_batches(); });
    if (loop == program.end() || ipu_of_stage.empty())
        return {};
    const auto work = std::find_if(loop, program.end(), [&](const ProgramRecord& step) {
        return step.parent_id == loop->id && step.kind == profile::StepKind::Sequence &&
               step.part == profile::ProgramPart::MicroBatches && step.operation_id < 0;
    });
    if (work == program.end())
        return {};
    std::int64_t next = 0;
    for (const ProgramRecord& step : program)
        next = std::max(next, step.id + 1);
    std::map<std::int64_t, std::int64_t> found;
    std::vector<ProgramRecord> added;
    for (const auto& [stage, ipu] : ipu_of_stage) {
        ProgramRecord group = *work; // runs as often, in the same part
        group.id = next + stage;
        group.parent_id = work->id;
        group.position = stage;
        group.name = "stage " + std::to_string(stage);
        group.ipu = ipu;
        found[group.id] = ipu;
        added.push_back(std::move(group));
    }
    for (ProgramRecord& step : program)
        if (step.parent_id == work->id && ipu_of_stage.contains(step.stage))
            step.parent_id = next + step.stage;
    program.insert(std::next(work), std::make_move_iterator(added.begin()),
                   std::make_move_iterator(added.end()));
    return found;
}

void group_update(std::vector<ProgramRecord>& program) {
    constexpr std::ptrdiff_t few = 16;                         // are seen at once
    std::map<std::int64_t, std::vector<std::size_t>> children; // places in the program
    std::int64_t next = 0;
    for (std::size_t i = 0; i < program.size(); ++i) {
        children[program[i].parent_id].push_back(i);
        next = std::max(next, program[i].id + 1);
    }
    std::vector<std::pair<std::size_t, ProgramRecord>> added; // in front of which
    for (auto& [parent, places] : children) {
        const auto is_update = [&](std::size_t i) { return program[i].part == profile::ProgramPart::Update; };
        std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
            return program[a].position < program[b].position;
        });
        const auto first = std::find_if(places.begin(), places.end(), is_update);
        const auto last = std::find_if_not(first, places.end(), is_update);
        if (last - first <= few || (first == places.begin() && last == places.end()))
            continue;
        ProgramRecord group;
        group.id = next++;
        group.parent_id = parent;
        group.position = program[*first].position;
        group.kind = profile::StepKind::Sequence;
        group.name = "update";
        group.part = profile::ProgramPart::Update;
        group.runs = program[*first].runs;
        for (auto each = first; each != last; ++each)
            program[*each].parent_id = group.id;
        added.emplace_back(*std::min_element(first, last), std::move(group));
    }
    std::sort(added.begin(), added.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (auto& [place, group] : added) // from the end, so that places stay
        program.insert(program.begin() + static_cast<std::ptrdiff_t>(place), std::move(group));
}

} // namespace tilescope::analyse
