// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/variable_facts.h"

#include "analyse/tile_memory.h"
#include "base/try.h"
#include "tile_lists.h"

#include <algorithm>
#include <map>

namespace tilescope::analyse {
namespace {

/// The exchanges that move a variable.
Result<std::vector<VariableFacts::Move>> moves_of(const profile::Profile& profile, std::int64_t variable) {
    TRY(const auto parts, profile.exchange_variables());
    std::map<std::int64_t, std::int64_t> bytes; // of one run, by exchange
    for (const profile::ExchangeVariableRecord& part : parts)
        if (part.variable_id == variable)
            bytes[part.exchange_id] += part.bytes;
    std::vector<VariableFacts::Move> moves;
    if (bytes.empty())
        return moves;
    TRY(const auto program, profile.program());
    std::map<std::int64_t, std::size_t> at; // index in `moves`, by exchange
    for (const profile::ProgramRecord& step : program) {
        const auto found = bytes.find(step.exchange_id);
        if (step.exchange_id < 0 || found == bytes.end())
            continue;
        if (at.try_emplace(step.exchange_id, moves.size()).second)
            moves.push_back({{step.liveness_step, step.id, step.name}, 0});
        moves[at[step.exchange_id]].bytes += found->second * step.runs;
    }
    std::stable_sort(moves.begin(), moves.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    return moves;
}

} // namespace

Result<StepPlace> step_place(const profile::Profile& profile, std::int64_t step) {
    if (step >= 0) {
        TRY(const auto program, profile.program());
        for (const profile::ProgramRecord& each : program)
            if (each.liveness_step == step)
                return StepPlace{step, each.id, each.name};
    }
    return StepPlace{};
}

Result<std::optional<VariableFacts>> variable_facts(const profile::Profile& profile, std::int64_t variable) {
    TRY(const auto variables, profile.variables());
    const auto found = std::find_if(variables.begin(), variables.end(),
                                    [variable](const auto& each) { return each.id == variable; });
    if (found == variables.end())
        return std::optional<VariableFacts>();
    VariableFacts facts;
    facts.variable = *found;
    TRY(const auto bytes, profile.tile_values("variable", variable, found->ipu, "bytes"));
    facts.on_tiles = most_bytes(bytes);
    TRY(facts.first, step_place(profile, found->live_from));
    TRY(facts.last, step_place(profile, found->live_to));
    TRY(const std::int64_t peak, profile.peak_step(found->ipu));
    TRY(facts.peak, step_place(profile, peak));
    facts.at_peak = peak >= 0 && live_at(*found, peak);
    if (found->holds_tensor()) {
        TRY(const std::int64_t ipu, first_of(profile, found->ipu));
        TRY(const auto operations, profile.operations());
        for (const profile::OperationRecord& operation : operations)
            if (operation.ipu == ipu && std::find(operation.inputs.begin(), operation.inputs.end(),
                                                  found->tensor_id) != operation.inputs.end())
                facts.readers.push_back(operation.id);
    }
    TRY(facts.moves, moves_of(profile, variable));
    for (const VariableFacts::Move& move : facts.moves)
        facts.moved += move.bytes;
    return std::optional(std::move(facts));
}

Result<std::optional<profile::VariableRecord>> same_variable(const profile::Profile& base,
                                                             const profile::VariableRecord& variable,
                                                             const Parts& parts, const HandMatches& by_hand) {
    TRY(const Parts before, Parts::read(base));
    const OldNames names(before, parts, match(before, parts, by_hand));
    TRY(const auto variables, base.variables());
    const auto same = variables.those([name = names.of(variable)](const auto& v) { return v.name == name; });
    if (same.empty())
        return std::optional<profile::VariableRecord>();
    const auto here =
        std::find_if(same.begin(), same.end(), [&](const auto& v) { return v.ipu == variable.ipu; });
    return std::optional(here == same.end() ? same.front() : *here);
}

} // namespace tilescope::analyse
