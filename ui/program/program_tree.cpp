// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/program/program_tree.h"

#include "analyse/replicas.h"
#include "base/try.h"
#include "ui/session/format.h"
#include "ui/session/step_kind.h"

#include <QCoreApplication>
#include <algorithm>
#include <functional>
#include <unordered_set>

namespace tilescope::ui {
namespace {

QString within(const QString& name, const QString& parent) {
    const bool inside = name.startsWith(parent) && name.size() > parent.size() + 1 &&
                        name.at(parent.size()) == QLatin1Char('/');
    return inside ? name.mid(parent.size() + 1) : name;
}

/// Parents first, siblings in order.
std::vector<const profile::ProgramRecord*> in_order(const std::vector<profile::ProgramRecord>& records) {
    std::map<std::int64_t, std::vector<const profile::ProgramRecord*>> children;
    for (const auto& record : records)
        children[record.parent_id].push_back(&record);
    for (auto& [parent, below] : children)
        std::stable_sort(below.begin(), below.end(),
                         [](const auto* a, const auto* b) { return a->position < b->position; });
    std::vector<const profile::ProgramRecord*> order;
    std::vector<const profile::ProgramRecord*> open(children[-1].rbegin(), children[-1].rend());
    while (!open.empty()) {
        const auto* record = open.back();
        open.pop_back();
        order.push_back(record);
        const auto& below = children[record->id];
        open.insert(open.end(), below.rbegin(), below.rend());
    }
    return order;
}

/// "stage 1 · IPU 1, 3": with the IPUs of all replicas.
QString stageLabel(const QString& stage, std::int64_t ipu, const std::vector<profile::IpuRecord>& ipus) {
    QStringList ids;
    for (const std::int64_t id : analyse::all_like(ipu, ipus))
        ids << QString::number(id);
    if (ids.isEmpty()) // the file was trimmed to others
        return QCoreApplication::translate("ProgramTree", "%1 · not in this file").arg(stage);
    return QCoreApplication::translate("ProgramTree", "%1 · IPU %2")
        .arg(stage, ids.join(QStringLiteral(", ")));
}

/// The time of a mean execution of this program. `planned`: that of one where none has ended, 0 where that is
/// not known.
void add_execution(ProgramTree& tree, std::int64_t program_cycles, std::int64_t planned) {
    tree.executed = tree.program.elapsed() > 0;
    const analyse::ExecutionTime time =
        analyse::execution_time(program_cycles, tree.executed ? tree.program.elapsed() : planned);
    tree.cycles_per_execution = time.cycles;
    tree.launch_cycles = time.launch;
    for (ProgramStep& step : tree.steps)
        step.share = time.share(step.time);
}

/// Names of operations, by id.
using Names = std::map<std::int64_t, QString>;

Names namesOf(const analyse::Parts& parts) {
    Names names;
    for (const auto& operation : parts.operations)
        names[operation.id] = text(operation.name);
    return names;
}

/// Steps go by their names from the root down; those of an operation from the operation down, since that may
/// be within other loops or stages in another run. Siblings of one name are told apart by their order. A
/// root's name is that of its run and does not count.
/// `other`: names under which operations go rather than under their own.
void add_keys(ProgramTree& tree, const Names& other = {}) {
    const Names own = other.empty() ? Names() : namesOf(tree.parts);
    const auto name_of = [&](const ProgramStep& step) {
        const auto renamed = other.find(step.operation);
        if (renamed == other.end())
            return step.name;
        const QString& before = own.at(step.operation);
        return step.name.startsWith(before) ? renamed->second + step.name.mid(before.size()) : step.name;
    };
    std::unordered_set<std::uint64_t> taken;
    for (ProgramStep& step : tree.steps) {
        const bool root = step.parent == ProgramStep::none;
        const bool outermost =
            !root && step.ofOperation() && tree.steps[step.parent].operation != step.operation;
        step.root = root ? static_cast<std::size_t>(&step - tree.steps.data()) : tree.steps[step.parent].root;
        step.key = root ? 1 : qHash(name_of(step), tree.steps[outermost ? step.root : step.parent].key);
        while (!taken.insert(step.key).second)
            step.key = qHash(QStringView(u"again"), step.key);
    }
}

void add_searched(ProgramTree& tree) {
    for (const ProgramStep& step : tree.steps) {
        const auto layer = tree.layers.find(step.layer);
        tree.searched += step.name.toLower() + QStringLiteral("\nkind:") + stepKindName(step.kind) +
                         QStringLiteral("\npart:") + text(profile::to_string(step.part)) + QLatin1Char('\n') +
                         (layer == tree.layers.end() ? QString() : layer->second.toLower());
        tree.searched_end.push_back(tree.searched.size());
    }
}

} // namespace

QString stepPartName(profile::ProgramPart part) {
    const auto tr = [](const char* source) { return QCoreApplication::translate("ProgramTree", source); };
    switch (part) {
    case profile::ProgramPart::Infeed:
        return tr("infeed");
    case profile::ProgramPart::MicroBatches:
        return tr("work on each micro-batch");
    case profile::ProgramPart::Update:
        return tr("update of the weights");
    case profile::ProgramPart::Outfeed:
        return tr("outfeed");
    case profile::ProgramPart::Whole:
        break;
    }
    return {};
}

Result<ProgramTree> ProgramTree::read(const profile::Profile& file, const std::string& key) {
    TRY(auto programs, analyse::read_device_programs(file));
    const analyse::DeviceProgram* const chosen = analyse::program_of(programs, key);
    TRY(auto program, analyse::read_program(file, chosen == nullptr ? 0 : chosen->id));
    TRY(auto parts, analyse::Parts::read(file));
    const auto& operations = parts.operations;
    TRY(const auto ipus, file.ipus());
    const auto target = file.target();
    std::map<std::int64_t, std::int64_t> layer_of;
    for (const auto& op : operations)
        layer_of[op.id] = op.layer_id;
    const bool pipelined = chosen == nullptr || chosen->id == 0 || !program.slots.empty();
    std::vector<profile::ProgramRecord> records(program.steps.begin(), program.steps.end());
    const auto stages = pipelined ? analyse::group_by_stage(records, operations, ipus)
                                  : std::map<std::int64_t, std::int64_t>();
    analyse::group_update(records);
    const analyse::ProgramTime time = analyse::program_time(records, program.exchanges, program.slots);

    ProgramTree tree;
    tree.clock_hz = target ? target->clock_hz : 0; // a run on the host has none
    const auto in_file = std::count_if(ipus.begin(), ipus.end(),
                                       [](const profile::IpuRecord& ipu) { return ipu.replica == 0; });
    tree.ipus = std::min<std::int64_t>(time.ipus, std::max<std::int64_t>(1, in_file)); // it may be trimmed
    tree.loops = program.loops;
    tree.bytes_known = program.bytes_known;
    if (chosen != nullptr)
        tree.program = *chosen;
    tree.programs = std::move(programs);
    for (const auto& layer : parts.layers)
        tree.layers[layer.id] = text(layer.name);
    for (const profile::ProgramRecord* record : in_order(records)) {
        ProgramStep step;
        step.id = record->id;
        step.kind = record->kind;
        step.part = record->part;
        step.name = step.label = text(record->name);
        step.operation = record->operation_id;
        step.compute_set = record->compute_set_id;
        step.exchange = record->exchange_id;
        step.repeats = std::max<std::int64_t>(1, record->repeats);
        step.time = time.steps[static_cast<std::size_t>(record - records.data())];
        if (const auto balance = program.balance.find(record->id); balance != program.balance.end())
            step.balance = balance->second;
        if (const auto layer = layer_of.find(record->operation_id); layer != layer_of.end())
            step.layer = layer->second;
        const std::size_t index = tree.steps.size();
        if (const auto parent = tree.step_of_id.find(record->parent_id); parent != tree.step_of_id.end()) {
            step.parent = parent->second;
            tree.steps[step.parent].children.push_back(index);
            step.label = within(step.name, tree.steps[step.parent].name);
        } else
            tree.roots.push_back(index);
        if (const auto stage = stages.find(record->id); stage != stages.end()) {
            step.stage_ipu = stage->second;
            step.label = stageLabel(step.label, step.stage_ipu, ipus);
        }
        tree.step_of_id[step.id] = index;
        tree.steps.push_back(std::move(step));
    }
    TRY(const auto planned, analyse::planned_execution(file)); // of the first program
    add_execution(tree, time.elapsed, planned && tree.program.id == 0 ? planned->cycles : 0);
    tree.parts = std::move(parts);
    add_keys(tree);
    add_searched(tree);
    return tree;
}

Result<ProgramTree> ProgramTree::readBase(const profile::Profile& file, const analyse::Parts& now,
                                          const std::string& key, const analyse::HandMatches& by_hand) {
    TRY(auto tree, read(file, key));
    const Names names = namesOf(now);
    Names other;
    for (const auto& operation : tree.parts.operations) // of none here, though one may be called the same
        other[operation.id] = text(operation.name) + QStringLiteral("\nof the base");
    for (const auto& [here, there] : analyse::match(tree.parts, now, by_hand).operations)
        other[there] = names.at(here);
    add_keys(tree, other);
    return tree;
}

std::size_t ProgramTree::stepOfOperation(std::int64_t operation) const {
    for (std::size_t s = 0; operation >= 0 && s < steps.size(); ++s)
        if (steps[s].operation == operation)
            return s; // parents come first
    return ProgramStep::none;
}

std::size_t ProgramTree::stepOfLayer(std::int64_t layer) const {
    for (std::size_t s = 0; layer >= 0 && s < steps.size(); ++s)
        if (steps[s].layer == layer)
            return s;
    return ProgramStep::none;
}

QStringView ProgramTree::searchedOf(std::size_t step) const {
    const qsizetype from = step == 0 ? 0 : searched_end[step - 1];
    return QStringView(searched).mid(from, searched_end[step] - from);
}

Parents ProgramTree::parents() const {
    Parents result;
    for (const ProgramStep& step : steps)
        result.push_back(step.parent);
    return result;
}

} // namespace tilescope::ui
