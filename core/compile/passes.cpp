// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/passes.h"

#include "base/entry.h"
#include "base/text.h"

#include <memory>
#include <utility>

namespace tilescope::compile {

const std::vector<Pass>& passes() {
    static const std::vector<Pass> list = {
        {"verify", verify},
        {"cancel transposes", on_all<cancel_transposes>},
        {"differentiate", differentiate},
        {"share norm statistics", share_norm_statistics},
        {"reduce gradients", reduce_gradients},
        {"offload weights", offload_weights},
        {"offload state", offload_state},
        {"shard state", shard_state},
        {"merge collectives", merge_collectives},
        {"fold constants", on_all<fold_constants>},
        {"merge common subexpressions", on_all<merge_common_subexpressions>},
        {"remove dead code", on_all<remove_dead_code>},
        {"recompute norms", recompute_norms},
        {"recompute", recompute},
        {"fuse elementwise", on_all<fuse_elementwise>},
        {"plan, map and lower", lower, true},
        {"route exchanges", route_exchanges, true},
        {"share code", share_code, true},
        {"add code", add_code, true},
        {"analyse liveness", analyse_liveness, true},
        {"lay out memory", lay_out_memory, true},
    };
    return list;
}

using graph::no_value;
using graph::Operation;
using graph::ValueId;

namespace {

std::size_t count_operations(const graph::Graph& graph) {
    std::size_t count = graph.operations().size();
    for (const Operation& op : graph.operations())
        if (const graph::Body body = op.attributes.body("body"))
            count += count_operations(*body);
    return count;
}

void work_on(graph::Graph& graph, const Compilation& c, GraphWork work) {
    std::vector<Operation> operations = graph.operations();
    for (Operation& op : operations)
        if (const graph::Body body = op.attributes.body("body")) {
            auto worked = std::make_shared<graph::Graph>(*body);
            work_on(*worked, c, work);
            op.attributes.set("body", graph::Body(std::move(worked)));
        }
    graph.set_operations(std::move(operations));
    work(graph, c);
}

} // namespace

Result<std::string> work_on_all(Compilation& c, GraphWork work) {
    const std::size_t before = count_operations(c.graph());
    work_on(c.graph(), c, work);
    if (c.cancelled())
        return cancelled();
    return change(before, count_operations(c.graph()), "operations");
}

void replace_values(graph::Graph& graph, const std::vector<ValueId>& replacement) {
    const auto replace = [&](ValueId& id) {
        if (id != no_value)
            id = entry(replacement, id);
    };
    std::vector<Operation> operations = graph.operations();
    for (Operation& op : operations)
        for (ValueId& input : op.inputs)
            replace(input);
    graph.set_operations(std::move(operations));
    for (graph::Fetch& fetch : graph.fetches)
        replace(fetch.value);
    for (graph::Variable& variable : graph.variables)
        replace(variable.next);
    if (graph.training)
        replace(graph.training->loss);
}

const Operation* forward_producer(const graph::Graph& graph, ValueId id) {
    const graph::Value& value = graph.value(id);
    if (value.source != graph::Source::Operation || graph.operation(value.producer).phase != Phase::Forward)
        return nullptr;
    return &graph.operation(value.producer);
}

std::vector<graph::ValueId> identity_map(const graph::Graph& graph) {
    std::vector<ValueId> map(graph.values().size());
    for (std::size_t i = 0; i < map.size(); ++i)
        map[i] = ValueId(static_cast<std::int32_t>(i));
    return map;
}

std::string change(std::size_t before, std::size_t after, const char* what) {
    const std::string now = count_text(static_cast<std::int64_t>(after)) + " " + what;
    return before == after ? now + ", as before"
                           : count_text(static_cast<std::int64_t>(before)) + " -> " + now;
}

} // namespace tilescope::compile
