// SPDX-License-Identifier: GPL-3.0-or-later
#include "value_lives.h"

#include <algorithm>
#include <set>

namespace tilescope::operators {

using graph::Operation;
using graph::ValueId;

namespace {

std::size_t index(ValueId id) {
    return static_cast<std::size_t>(id.value);
}

} // namespace

ValueLives::ValueLives(const graph::Graph& graph, const graph::OperatorRegistry& registry) {
    for (const bool update : {false, true})
        for (const Operation& op : graph.operations())
            if ((op.phase == Phase::Update) == update && !registry.at(op.kind).view)
                order.push_back(&op);
    find_homes(graph, registry);
    write_in_place(graph, registry);
    find_last_uses(graph);
    find_groups(registry);
}

void ValueLives::find_homes(const graph::Graph& graph, const graph::OperatorRegistry& registry) {
    for (std::size_t i = 0; i < graph.values().size(); ++i)
        home.emplace_back(static_cast<std::int32_t>(i));
    for (const Operation& op : graph.operations())
        if (registry.at(op.kind).view)
            home[index(op.outputs[0])] = home[index(op.inputs[0])];
}

/// A variable's next value goes over the variable where that is what its operation reads and nothing reads
/// the old value afterwards, nor beside it.
void ValueLives::write_in_place(const graph::Graph& graph, const graph::OperatorRegistry& registry) {
    std::vector<std::size_t> last_read(graph.values().size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i)
        for (const ValueId input : order[i]->inputs)
            last_read[index(home[index(input)])] = i;
    std::vector<std::size_t> place(graph.operations().size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i)
        place[static_cast<std::size_t>(order[i]->id.value)] = i;
    std::vector<bool> read_from_outside(graph.values().size(), false);
    for (const graph::Fetch& fetch : graph.fetches)
        read_from_outside[index(home[index(fetch.value)])] = true;
    for (const graph::Variable& variable : graph.variables)
        if (variable.next != graph::no_value)
            read_from_outside[index(home[index(variable.next)])] = true;
    for (const graph::Variable& variable : graph.variables) {
        if (variable.next == graph::no_value ||
            graph.value(variable.next).source != graph::Source::Operation ||
            home[index(variable.next)] != variable.next)
            continue;
        const Operation& op = graph.operation(graph.value(variable.next).producer);
        const auto output = static_cast<std::size_t>(graph.value(variable.next).index);
        if (!registry.at(op.kind).in_place || op.inputs[output] != variable.value ||
            std::count(op.inputs.begin(), op.inputs.end(), variable.value) != 1 ||
            last_read[index(variable.value)] != place[static_cast<std::size_t>(op.id.value)] ||
            read_from_outside[index(variable.value)])
            continue;
        for (ValueId& at : home) // with its views
            if (at == variable.next)
                at = variable.value;
    }
}

void ValueLives::find_last_uses(const graph::Graph& graph) {
    last_use.assign(graph.values().size(), 0);
    const auto use = [&](ValueId id, std::size_t at) {
        std::size_t& last = last_use[index(home[index(id)])];
        last = std::max(last, at);
    };
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (const ValueId id : order[i]->inputs)
            use(id, i);
        for (const ValueId id : order[i]->outputs)
            use(id, i);
    }
    for (const graph::Fetch& fetch : graph.fetches)
        use(fetch.value, forever);
    for (const graph::Variable& variable : graph.variables)
        if (variable.next != graph::no_value)
            use(variable.next, forever);
}

void ValueLives::find_groups(const graph::OperatorRegistry& registry) {
    std::set<ValueId> read; // by the last group, where it may grow
    std::set<ValueId> written;
    bool grows = false;
    const auto any_in = [&](const std::vector<ValueId>& values, const std::set<ValueId>& of_group) {
        return std::any_of(values.begin(), values.end(),
                           [&](ValueId id) { return of_group.contains(home[index(id)]); });
    };
    update_groups = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Operation& op = *order[i];
        const bool first_of_update =
            op.phase == Phase::Update && (i == 0 || order[i - 1]->phase != Phase::Update);
        const bool ranges = static_cast<bool>(registry.at(op.kind).compute_range);
        const bool joins = grows && ranges && !first_of_update && !any_in(op.inputs, written) &&
                           !any_in(op.outputs, read) && !any_in(op.outputs, written);
        if (!joins) {
            groups.push_back({i, i});
            read.clear();
            written.clear();
        }
        if (op.phase != Phase::Update)
            update_groups = groups.size();
        grows = ranges;
        ++groups.back().last;
        for (const ValueId id : op.inputs)
            read.insert(home[index(id)]);
        for (const ValueId id : op.outputs)
            written.insert(home[index(id)]);
    }
}

} // namespace tilescope::operators
