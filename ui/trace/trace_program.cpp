// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/trace_program.h"

#include "base/try.h"
#include "ui/widgets/tree_rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace tilescope::ui {
namespace {

/// The row of that id of rows in order of their ids, which mostly are numbered from 0 on; null: there is
/// none.
template<class Rows>
const typename Rows::value_type* row_of(const Rows& rows, std::int64_t id) {
    const auto index = static_cast<std::size_t>(id);
    if (id >= 0 && index < rows.size() && rows[index].id == id)
        return &rows[index];
    const auto found = std::lower_bound(rows.begin(), rows.end(), id,
                                        [](const auto& row, std::int64_t wanted) { return row.id < wanted; });
    return found != rows.end() && found->id == id ? &*found : nullptr;
}

template<class Row>
QString name_of(const Row* row) {
    return row == nullptr ? QString() : QString::fromUtf8(row->name.data(), std::ssize(row->name));
}

} // namespace

Result<TraceProgram> TraceProgram::read(const profile::Profile& file) {
    TraceProgram p;
    TRY(p.layers_, file.layers());
    TRY(p.operations_, file.operations());
    TRY(p.program_, file.program());
    TRY(p.further_, file.further_steps());
    TRY(p.balances, analyse::step_balances(file, p.program_, p.further_));
    TRY(p.traffic, analyse::StepTraffic::read(file));
    p.addSteps();
    return p;
}

void TraceProgram::addSteps() {
    std::vector<std::int64_t> parents;
    steps_.reserve(program_.size() + further_.size());
    parents.reserve(steps_.capacity());
    const auto add = [&](const auto& rows) {
        for (const auto& row : rows) {
            const std::string_view kind = spelling(row.kind).values.at(static_cast<std::size_t>(row.kind));
            parents.push_back(row.parent_id);
            steps_.push_back({row.id, row.operation_id, row.name.empty() ? kind : std::string_view(row.name),
                              is_leaf(row.kind)});
        }
    };
    add(program_);
    add(further_);
    for (StoredStep& step : steps_) {
        // A step without an operation of its own belongs to the nearest ancestor's.
        const StoredStep* ancestor = &step;
        for (std::size_t depth = 0; depth < steps_.size() && ancestor != nullptr; ++depth) {
            if (ancestor->operation >= 0) {
                step.operation = ancestor->operation;
                break;
            }
            ancestor = row_of(steps_, parents[static_cast<std::size_t>(ancestor - steps_.data())]);
        }
    }
}

TraceProgram::Step TraceProgram::step(std::int64_t id) const {
    const StoredStep* found = row_of(steps_, id);
    return found == nullptr ? Step{} : Step{name_of(found), found->operation, layerOf(found->operation)};
}

QString TraceProgram::operationName(std::int64_t id) const {
    return name_of(row_of(operations_, id));
}

std::int64_t TraceProgram::layerOf(std::int64_t operation) const {
    const auto* found = row_of(operations_, operation);
    return found == nullptr ? -1 : found->layer_id;
}

QString TraceProgram::layerName(std::int64_t id) const {
    return name_of(row_of(layers_, id));
}

QStringList TraceProgram::operationNames() const {
    std::set<std::int64_t> runs;
    for (const StoredStep& step : steps_)
        if (step.leaf)
            runs.insert(step.operation);
    QStringList names;
    for (const profile::OperationRecord& operation : operations_)
        if (runs.contains(operation.id))
            names << name_of(&operation);
    return names;
}

std::vector<std::int64_t> TraceProgram::stepsOf(std::int64_t operation) const {
    std::vector<std::int64_t> found;
    for (const StoredStep& step : steps_)
        if (step.leaf && step.operation == operation)
            found.push_back(step.id);
    return found;
}

std::vector<std::int64_t> TraceProgram::stepsOfLayer(std::int64_t layer) const {
    std::vector<std::int64_t> found;
    for (const StoredStep& step : steps_)
        if (step.leaf && step.operation >= 0 && layerOf(step.operation) == layer)
            found.push_back(step.id);
    return found;
}

std::vector<std::int64_t> TraceProgram::stepsBelow(std::int64_t program_id) const {
    std::vector<std::int64_t> found;
    std::set<std::int64_t> within{program_id};
    const auto add = [&](const auto& rows) {
        for (const auto& row : rows) { // a step comes after the one that it is in
            if (!within.contains(row.id) && !within.contains(row.parent_id))
                continue;
            within.insert(row.id);
            if (is_leaf(row.kind))
                found.push_back(row.id);
        }
    };
    add(program_);
    add(further_);
    return found;
}

std::int64_t TraceProgram::operationNamed(const QString& name) const {
    const std::string wanted = name.toStdString();
    const auto found = std::find_if(operations_.begin(), operations_.end(),
                                    [&](const auto& operation) { return operation.name == wanted; });
    return found == operations_.end() ? -1 : found->id;
}

std::vector<std::int64_t> TraceProgram::find(const QString& wanted) const {
    std::vector<std::int64_t> hits;
    const TextMatch match(wanted);
    if (match.empty())
        return hits;
    std::map<std::int64_t, QString> of_operations; // their names and those of their layers
    for (const StoredStep& step : steps_) {
        if (!step.leaf)
            continue;
        const auto [operation, fresh] = of_operations.try_emplace(step.operation);
        if (fresh)
            operation->second = QStringLiteral("\n%1\n%2")
                                    .arg(name_of(row_of(operations_, step.operation)),
                                         name_of(row_of(layers_, layerOf(step.operation))))
                                    .toLower();
        if (match(name_of(&step).toLower() + operation->second))
            hits.push_back(step.id);
    }
    return hits;
}

} // namespace tilescope::ui
