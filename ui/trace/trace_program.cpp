// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/trace_program.h"

#include "base/try.h"
#include "ui/widgets/tree_rows.h"

#include <algorithm>
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
    p.addTexts();
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

void TraceProgram::Texts::add(std::string_view name) {
    const QByteArray lower = QString::fromUtf8(name.data(), std::ssize(name)).toLower().toUtf8();
    all_.insert(all_.end(), lower.begin(), lower.end());
    ends_.push_back(all_.size());
}

std::string_view TraceProgram::Texts::operator[](std::size_t index) const {
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
    return {all_.data() + begin, ends_[index] - begin};
}

void TraceProgram::addTexts() {
    for (const StoredStep& step : steps_)
        step_texts_.add(step.leaf ? step.name : std::string_view());
    for (const profile::OperationRecord& operation : operations_)
        operation_texts_.add(operation.name);
    for (const profile::LayerRecord& layer : layers_)
        layer_texts_.add(layer.name);
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
    const auto text_of = [](const Texts& texts, const auto& rows, const auto* row) {
        return row == nullptr ? std::string_view() : texts[static_cast<std::size_t>(row - &rows.front())];
    };
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        if (!steps_[i].leaf)
            continue;
        const auto* operation = row_of(operations_, steps_[i].operation);
        const auto* layer = operation == nullptr ? nullptr : row_of(layers_, operation->layer_id);
        if (match({step_texts_[i], text_of(operation_texts_, operations_, operation),
                   text_of(layer_texts_, layers_, layer)}))
            hits.push_back(steps_[i].id);
    }
    return hits;
}

} // namespace tilescope::ui
