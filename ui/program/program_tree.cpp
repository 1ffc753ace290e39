// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/program/program_tree.h"

#include "base/first_error.h"

#include <QCoreApplication>
#include <algorithm>
#include <functional>
#include <unordered_set>

namespace tilescope::ui {
namespace {

QString text(const std::string& s) {
    return QString::fromStdString(s);
}

StepCycles cycles_of(const profile::ProgramRecord& record, const std::string& exchange_kind) {
    StepCycles cycles;
    cycles.sync = record.sync_cycles;
    cycles.compute = record.compute_cycles;
    const bool host = record.kind == "stream_copy" || exchange_kind == "host";
    (host                           ? cycles.host
     : exchange_kind == "inter_ipu" ? cycles.inter_ipu
                                    : cycles.exchange) = record.exchange_cycles;
    return cycles;
}

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

void add_up(ProgramTree& tree) {
    for (std::size_t s = tree.steps.size(); s-- > 0;) {
        ProgramStep& step = tree.steps[s];
        step.cycles = step.cycles.times(step.repeats);
        step.bytes *= step.repeats;
        step.vertices *= step.repeats;
        if (step.parent != ProgramStep::none) {
            ProgramStep& parent = tree.steps[step.parent];
            parent.cycles += step.cycles;
            parent.bytes += step.bytes;
            parent.vertices += step.vertices;
        }
    }
    std::int64_t whole = 0;
    for (const std::size_t root : tree.roots)
        whole += tree.steps[root].cycles.total();
    for (ProgramStep& step : tree.steps) {
        if (step.parent != ProgramStep::none)
            step.runs = tree.steps[step.parent].runs * tree.steps[step.parent].repeats;
        step.share = whole == 0 ? 0
                                : static_cast<double>(step.cycles.total()) * static_cast<double>(step.runs) /
                                      static_cast<double>(whole);
    }
    constexpr double all_but = 0.9;
    const std::vector<std::size_t>* level = &tree.roots;
    while (!level->empty()) {
        const std::size_t largest =
            *std::max_element(level->begin(), level->end(), [&](std::size_t a, std::size_t b) {
                return tree.steps[a].share < tree.steps[b].share;
            });
        tree.full_bar = tree.steps[largest].share;
        if (tree.full_bar < all_but)
            break;
        level = &tree.steps[largest].children;
    }
}

/// Siblings of one name are told apart by their order. A root's name is that of its run and does not count.
void add_keys(ProgramTree& tree) {
    std::unordered_set<std::uint64_t> taken;
    for (ProgramStep& step : tree.steps) {
        const bool root = step.parent == ProgramStep::none;
        step.key = root ? 1 : qHash(step.name, tree.steps[step.parent].key);
        while (!taken.insert(step.key).second)
            step.key = qHash(QStringView(u"again"), step.key);
    }
}

void add_searched(ProgramTree& tree) {
    for (const ProgramStep& step : tree.steps) {
        const auto layer = tree.layers.find(step.layer);
        tree.searched += step.name.toLower() + QStringLiteral("\nkind:") + stepKindName(step.kind) +
                         QLatin1Char('\n') +
                         (layer == tree.layers.end() ? QString() : layer->second.toLower());
        tree.searched_end.push_back(tree.searched.size());
    }
}

} // namespace

StepCycles& StepCycles::operator+=(const StepCycles& other) {
    compute += other.compute;
    exchange += other.exchange;
    inter_ipu += other.inter_ipu;
    sync += other.sync;
    host += other.host;
    return *this;
}

StepCycles StepCycles::times(std::int64_t factor) const {
    return {compute * factor, exchange * factor, inter_ipu * factor, sync * factor, host * factor};
}

QString stepKindName(const QString& kind) {
    const auto tr = [](const char* source) { return QCoreApplication::translate("ProgramTree", source); };
    return kind == QLatin1String("execute") ? tr("compute set")
                                            : QString(kind).replace(QLatin1Char('_'), QLatin1Char(' '));
}

Result<ProgramTree> ProgramTree::read(const profile::Profile& file) {
    const auto program = file.program();
    const auto operations = file.operations();
    const auto layers = file.layers();
    const auto sets = file.compute_sets();
    const auto vertices = file.vertices();
    const auto exchanges = file.exchanges();
    const auto target = file.target();
    if (const Error* error = first_error(program, operations, layers, sets, vertices, exchanges))
        return Failure(*error);
    std::map<std::int64_t, std::int64_t> layer_of;
    for (const auto& op : *operations)
        layer_of[op.id] = op.layer_id;
    std::map<std::int64_t, double> balance_of;
    for (const auto& set : *sets)
        balance_of[set.id] = set.balance;
    std::map<std::int64_t, std::int64_t> vertices_of;
    for (const auto& vertex : *vertices)
        vertices_of[vertex.compute_set_id] += vertex.count;
    std::map<std::int64_t, const profile::ExchangeRecord*> exchange_of;
    for (const auto& exchange : *exchanges)
        exchange_of[exchange.id] = &exchange;

    ProgramTree tree;
    tree.clock_hz = target ? target->clock_hz : 0; // a run on the host has none
    for (const auto& layer : *layers)
        tree.layers[layer.id] = text(layer.name);
    for (const profile::ProgramRecord* record : in_order(*program)) {
        const auto exchange = exchange_of.find(record->exchange_id);
        ProgramStep step;
        step.id = record->id;
        step.kind = text(record->kind);
        step.name = step.label = text(record->name);
        step.operation = record->operation_id;
        step.compute_set = record->compute_set_id;
        step.exchange = record->exchange_id;
        step.repeats = std::max<std::int64_t>(1, record->repeats);
        step.cycles = cycles_of(*record, exchange == exchange_of.end() ? "" : exchange->second->kind);
        step.bytes = exchange == exchange_of.end() ? 0 : exchange->second->bytes;
        if (const auto balance = balance_of.find(record->compute_set_id); balance != balance_of.end()) {
            step.balance = balance->second;
            step.vertices = vertices_of[record->compute_set_id];
        }
        if (const auto layer = layer_of.find(record->operation_id); layer != layer_of.end())
            step.layer = layer->second;
        const std::size_t index = tree.steps.size();
        if (const auto parent = tree.step_of_id.find(record->parent_id); parent != tree.step_of_id.end()) {
            step.parent = parent->second;
            tree.steps[step.parent].children.push_back(index);
            step.label = within(step.name, tree.steps[step.parent].name);
        } else
            tree.roots.push_back(index);
        tree.step_of_id[step.id] = index;
        tree.steps.push_back(std::move(step));
    }
    add_up(tree);
    add_keys(tree);
    add_searched(tree);
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
