// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_parts.h"

#include "analyse/phases.h"
#include "analyse/replicas.h"
#include "base/text.h"
#include "base/try.h"

#include <algorithm>

namespace tilescope::analyse {
namespace {

template<class Value>
const Value* found_in(const std::map<std::int64_t, Value>& values, std::int64_t id) {
    const auto found = values.find(id);
    return found == values.end() ? nullptr : &found->second;
}

template<class Row>
const Row* pointed(const Row* const* found) {
    return found == nullptr ? nullptr : *found;
}

} // namespace

std::string place_text(const Place& place, bool with_ipus) {
    std::int64_t tiles = 0;
    std::string ipus;
    for (const auto& [ipu, bytes] : place) {
        tiles += std::count_if(bytes.begin(), bytes.end(), [](std::int64_t b) { return b > 0; });
        ipus += (ipus.empty() ? " of IPU " : ", ") + std::to_string(ipu);
    }
    return count_text(tiles) + (tiles == 1 ? " tile" : " tiles") + (with_ipus ? ipus : std::string());
}

Result<RunParts> RunParts::read(const profile::Profile& file, const Summary& summary, const RunTables& tables,
                                const Parts& parts) {
    RunParts run;
    run.file_ = &file;
    run.summary_ = &summary;
    run.tables_ = &tables;
    run.parts_ = &parts;
    for (const auto& operation : parts.operations) {
        run.operations_[operation.id] = &operation;
        for (const std::int64_t tensor : operation.outputs)
            run.producers_[tensor] = &operation;
        for (const std::int64_t tensor : operation.inputs)
            run.readers_[tensor].push_back(&operation);
    }
    TRY(run.tensor_rows_, file.tensors());
    for (const auto& tensor : run.tensor_rows_)
        run.tensors_[tensor.id] = &tensor;
    TRY(run.plan_rows_, file.plans());
    for (const auto& plan : run.plan_rows_)
        if (plan.rank == 0) {
            TRY(auto choice, plan_choice(plan));
            run.plans_[plan.operation_id].push_back(std::move(choice));
        } else {
            run.other_plans_[plan.operation_id].push_back(&plan);
        }
    TRY(run.program_, file.program());
    for (const auto& step : run.program_)
        if (is_leaf(step.kind))
            run.steps_[step.operation_id].push_back(&step);
    TRY(run.exchange_rows_, file.exchanges());
    for (const auto& exchange : run.exchange_rows_)
        run.exchanges_[exchange.id] = &exchange;
    TRY(const auto ipus, file.ipus());
    for (const auto& ipu : ipus)
        run.alike_[first_like(ipu, ipus)].push_back(ipu.id);
    std::map<std::int64_t, std::int64_t> held; // tensor by variable
    for (const auto* variable : tables.variables.rows)
        held[variable->id] = variable->tensor_id;
    TRY(const auto moved, file.exchange_variables());
    for (const auto& each : moved) {
        const std::int64_t* tensor = found_in(held, each.variable_id);
        run.moved_[each.exchange_id] = each.position == 0 && tensor != nullptr ? *tensor : -1;
    }
    for (const auto* variable : tables.variables.rows)
        for (const std::int64_t ipu : run.alike(variable->ipu))
            if (variable->holds_tensor())
                run.places_[variable->tensor_id].emplace_back(variable->id, ipu);
            else if (variable->host_buffer())
                run.buffers_[variable->tensor_id].emplace_back(variable->id, ipu);
    return run;
}

const std::vector<std::int64_t>& RunParts::alike(std::int64_t ipu) const {
    static const std::vector<std::int64_t> none;
    const auto* found = found_in(alike_, ipu);
    return found == nullptr ? none : *found;
}

const profile::OperationRecord* RunParts::operation(std::int64_t id) const {
    return pointed(found_in(operations_, id));
}

const profile::TensorRecord* RunParts::tensor(std::int64_t id) const {
    return pointed(found_in(tensors_, id));
}

const profile::OperationRecord* RunParts::producer(std::int64_t tensor) const {
    return pointed(found_in(producers_, tensor));
}

std::vector<const profile::OperationRecord*> RunParts::readers(std::int64_t tensor) const {
    const auto* found = found_in(readers_, tensor);
    return found == nullptr ? std::vector<const profile::OperationRecord*>() : *found;
}

const std::vector<PlanChoice>& RunParts::plans(std::int64_t operation) const {
    static const std::vector<PlanChoice> none;
    const auto* found = found_in(plans_, operation);
    return found == nullptr ? none : *found;
}

std::vector<PlanChoice> RunParts::weighed_against(std::int64_t operation, const PlanChoice& chosen) const {
    std::vector<PlanChoice> choices;
    if (const auto* others = found_in(other_plans_, operation))
        for (const profile::PlanRecord* other : *others)
            if (other->product == chosen.product && other->rank > chosen.rank)
                if (auto choice = plan_choice(*other))
                    choices.push_back(std::move(*choice));
    std::stable_sort(choices.begin(), choices.end(),
                     [](const PlanChoice& a, const PlanChoice& b) { return a.rank < b.rank; });
    return choices;
}

std::int64_t RunParts::tensor_named(const std::string& name) const {
    const auto found =
        std::find_if(tensors_.begin(), tensors_.end(), [&](const auto& t) { return t.second->name == name; });
    return found == tensors_.end() ? -1 : found->first;
}

Works RunParts::works(std::int64_t operation, std::int64_t ipu) const {
    const auto* steps = found_in(steps_, operation);
    if (steps == nullptr)
        return {};
    Works works;
    for (std::size_t i = 0; i < steps->size(); ++i) {
        const profile::ProgramRecord& step = *(*steps)[i];
        const std::int64_t ipus = costs().ipus_of(step, ipu);
        if (ipus == 0)
            continue;
        StepWork work = step.work();
        if (const profile::ProgramRecord* next = i + 1 < steps->size() ? (*steps)[i + 1] : nullptr;
            next != nullptr && step.kind == profile::StepKind::Exchange &&
            next->role == StepRole::Rearrange && next->of == step.of)
            work = next->work();
        WorkCost& cost = works[work];
        const auto* exchange = pointed(found_in(exchanges_, step.exchange_id));
        cost.runs += step.runs;
        cost.exchange += step.exchange_cycles * step.runs * ipus;
        cost.cycles += cycles_of_run(step) * step.runs * ipus;
        cost.bytes += exchange == nullptr ? 0 : exchange->bytes;
        cost.ipus = std::max(cost.ipus, ipus);
        cost.between_ipus = cost.between_ipus || (work.role == StepRole::Copy && step.exchange_id >= 0) ||
                            (exchange != nullptr && exchange->kind == profile::ExchangeKind::InterIpu);
        cost.from = step.ipu;
        cost.to = step.peer;
    }
    return works;
}

const profile::TensorRecord* RunParts::moved_by(std::int64_t operation, const StepWork& work) const {
    if (const auto* steps = found_in(steps_, operation))
        for (const profile::ProgramRecord* step : *steps)
            if (const std::int64_t* moved = found_in(moved_, step->exchange_id);
                moved != nullptr && step->of == work.of)
                return tensor(*moved);
    return nullptr;
}

Result<Place> RunParts::place(std::int64_t tensor) const {
    for (std::size_t views = 0; views <= tensors_.size(); ++views) { // no circle, even in a damaged file
        if (const auto* variables = found_in(places_, tensor))
            return place_of(*variables);
        const auto* of = producer(tensor);
        if (of == nullptr || of->inputs.empty())
            break;
        tensor = of->inputs.front();
    }
    return Place();
}

Result<Place> RunParts::place_of_buffer(std::int64_t tensor) const {
    const auto* buffers = found_in(buffers_, tensor);
    return buffers == nullptr ? Place() : place_of(*buffers);
}

Result<Place> RunParts::place_of(const VariablesOfIpus& variables) const {
    Place place;
    const std::scoped_lock alone(*reading_);
    for (const auto& [variable, ipu] : variables) {
        TRY(auto bytes, file_->tile_values("variable", variable, ipu, "bytes"));
        if (bytes.empty())
            return Place(); // a file without the numbers of tiles
        place[ipu] = std::move(bytes);
    }
    return place;
}

} // namespace tilescope::analyse
