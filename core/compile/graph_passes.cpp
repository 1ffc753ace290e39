// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/worker_pool.h"
#include "compile/passes.h"
#include "graph/builder.h"
#include "graph/differentiation.h"
#include "graph/optimisers.h"
#include "ops/kernels/kernel_table.h"

#include <map>
#include <memory>
#include <utility>

namespace tilescope::compile {

using graph::no_value;
using graph::Operation;
using graph::Source;
using graph::ValueId;

void replace_values(graph::Graph& graph, const std::vector<ValueId>& replacement) {
    const auto replace = [&](ValueId& id) {
        if (id != no_value)
            id = replacement[static_cast<std::size_t>(id.value)];
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

std::string change(std::size_t before, std::size_t after, const char* what) {
    return std::to_string(before) + " -> " + std::to_string(after) + " " + what;
}

namespace {

std::vector<ValueId> identity_map(const graph::Graph& graph) {
    std::vector<ValueId> map(graph.values().size());
    for (std::size_t i = 0; i < map.size(); ++i)
        map[i] = ValueId(static_cast<std::int32_t>(i));
    return map;
}

std::size_t count_operations(const graph::Graph& graph) {
    std::size_t count = graph.operations().size();
    for (const Operation& op : graph.operations())
        if (const graph::Body body = op.attributes.body("body"))
            count += count_operations(*body);
    return count;
}

void work_on(graph::Graph& graph, const graph::OperatorRegistry& registry, GraphWork work) {
    std::vector<Operation> operations = graph.operations();
    for (Operation& op : operations)
        if (const graph::Body body = op.attributes.body("body")) {
            auto worked = std::make_shared<graph::Graph>(*body);
            work_on(*worked, registry, work);
            op.attributes.set("body", graph::Body(std::move(worked)));
        }
    graph.set_operations(std::move(operations));
    work(graph, registry);
}

} // namespace

Result<std::string> work_on_all(Compilation& c, GraphWork work) {
    const std::size_t before = count_operations(c.graph());
    work_on(c.graph(), c.registry, work);
    return change(before, count_operations(c.graph()), "operations");
}

/// 8 GiB of halves, the memory of nine IPUs: beyond that no plan helps.
constexpr double most_elements = 4294967296.0;

Result<std::string> verify(Compilation& c) {
    const graph::Graph& graph = c.graph();
    if (graph.operations().empty())
        return bad_input("the graph has no operations", graph.name, "give it at least one node");
    if (graph.fetches.empty())
        return bad_input("the graph fetches nothing", graph.name, "name an output, a loss or a metric");
    for (const graph::Value& value : graph.values())
        for (const std::int64_t extent : value.type.shape)
            if (extent < 0)
                return bad_input("shape " + graph::to_string(value.type.shape) + " is not static", value.name,
                                 "give every dimension a size");
    for (const graph::Value& value : graph.values()) {
        double elements = 1; // the product may be beyond any whole number
        for (const std::int64_t extent : value.type.shape)
            elements *= static_cast<double>(extent);
        if (elements > most_elements)
            return bad_input("a tensor of shape " + graph::to_string(value.type.shape) +
                                 " is more than an IPU can hold",
                             value.name, "use a smaller batch or layer");
    }
    for (const Operation& op : graph.operations()) {
        const graph::Operator* kind = c.registry.find(op.kind);
        if (kind == nullptr || !kind->compute || !kind->lower)
            return bad_input("operation \"" + op.kind + "\" cannot be run on an IPU", op.name);
        for (const ValueId input : op.inputs)
            if (graph.value(input).source == Source::Operation && graph.value(input).producer >= op.id)
                return bad_input("an input is made after it is used", op.name);
    }
    return std::to_string(graph.operations().size()) + " operations, " +
           std::to_string(graph.variables.size()) + " variables";
}

Result<std::string> differentiate(Compilation& c) {
    graph::Graph& graph = c.graph();
    if (!graph.training)
        return std::string("inference: nothing to differentiate");
    const std::size_t before = graph.operations().size();
    std::vector<ValueId> trainable;
    for (const graph::Variable& variable : graph.variables)
        if (variable.trainable)
            trainable.push_back(variable.value);
    graph::Builder build(graph, c.registry);
    ValueId loss = graph.training->loss;
    if (const double scale = graph.training->optimiser.loss_scale; scale != 1)
        loss = build.emit("multiply", {loss, build.scalar(scale, graph.type(loss).dtype)}, {}, "loss/scaled");
    const auto gradients = graph::differentiate(build, loss, trainable);
    if (!gradients)
        return Failure(gradients.error());
    if (auto added = graph::add_optimiser(build, graph.training->optimiser, *gradients); !added)
        return Failure(added.error());
    return change(before, graph.operations().size(), "operations");
}

Result<std::string> reduce_gradients(Compilation& c) {
    graph::Graph& graph = c.graph();
    const std::int64_t batches = c.options.micro_batches();
    if (batches == 1 || !graph.training)
        return std::string("one batch for each update");
    const std::size_t before = graph.operations().size();
    graph::Builder build(graph, c.registry);
    const graph::GradientReduction reduction = graph.training->reduction;
    const bool mean = reduction == graph::GradientReduction::Mean;
    const double scale = mean ? 1.0 / static_cast<double>(batches) : 1.0;
    // New operations come at the end; they are moved to before those that use them, what accumulates a
    // gradient to behind what makes it.
    std::vector<Operation> ordered;
    std::map<std::int32_t, std::vector<Operation>> accumulating; // by the operation behind which it comes
    const std::vector<Operation> operations = graph.operations();
    const auto add = [&](ValueId& value, const char* kind, const std::vector<ValueId>& inputs,
                         graph::Attributes attributes, const std::string& name) {
        value = build.emit(kind, inputs, std::move(attributes), name);
        ordered.push_back(graph.operation(graph.value(value).producer));
    };
    for (Operation op : operations) {
        for (ValueId& input : op.inputs) {
            const graph::Value value = graph.value(input);
            if (op.phase != graph::Phase::Update || value.source != Source::Operation ||
                graph.operation(value.producer).phase == graph::Phase::Update)
                continue;
            build.scope.layer = op.layer;
            build.scope.placement = graph.operation(value.producer).placement;
            if (c.options.accumulation > 1) {
                build.scope.phase = graph::Phase::Backward;
                const ValueId accumulator = build.variable(op.name + "/accumulator",
                                                           graph::InitialValue::filled(value.type, 0), false);
                add(input, "accumulate", {accumulator, input}, {}, op.name + "/accumulate");
                accumulating[value.producer.value].push_back(std::move(ordered.back()));
                ordered.pop_back();
            }
            if (c.options.replicas == 1 && !mean)
                continue; // the accumulator has the sum, or the running mean
            build.scope.phase = graph::Phase::Update;
            add(input, "all_reduce", {input},
                {{"replicas", static_cast<std::int64_t>(c.options.replicas)}, {"scale", scale}},
                op.name + "/all_reduce");
        }
        ordered.push_back(std::move(op));
    }
    std::vector<Operation> placed;
    for (Operation& op : ordered) {
        const std::int32_t id = op.id.value;
        placed.push_back(std::move(op));
        for (Operation& next : accumulating[id])
            placed.push_back(std::move(next));
    }
    graph.set_operations(std::move(placed));
    return change(before, graph.operations().size(), "operations");
}

void fold_constants(graph::Graph& graph, const graph::OperatorRegistry& registry) {
    constexpr std::int64_t largest = 1 << 20; ///< elements: larger results would only move work into memory
    WorkerPool pool(1);
    std::vector<ValueId> map = identity_map(graph);
    std::vector<Operation> kept;
    const std::vector<Operation> operations = graph.operations();
    for (Operation op : operations) {
        std::vector<const graph::HostTensor*> inputs;
        for (ValueId& input : op.inputs) {
            input = map[static_cast<std::size_t>(input.value)];
            inputs.push_back(graph.constant(input));
        }
        const graph::Operator& kind = registry.at(op.kind);
        bool foldable = !kind.random && !kind.stateful && !inputs.empty() && op.outputs.size() == 1 &&
                        graph.type(op.outputs[0]).elements() <= largest;
        for (const auto* input : inputs)
            foldable = foldable && input != nullptr;
        if (!foldable) {
            kept.push_back(std::move(op));
            continue;
        }
        graph::HostTensor result(graph.type(op.outputs[0]));
        graph::HostTensor* outputs[] = {&result};
        graph::ComputeContext context{inputs, outputs, op.attributes, kernels::best_kernels(),
                                      pool,   {},      registry};
        kind.compute(context);
        result.round_to_type();
        graph::Builder build(graph, registry);
        build.scope.layer = op.layer;
        map[static_cast<std::size_t>(op.outputs[0].value)] = build.constant(op.name, std::move(result));
    }
    graph.set_operations(std::move(kept));
    map.resize(graph.values().size(), no_value);
    for (std::size_t i = 0; i < map.size(); ++i)
        if (map[i] == no_value)
            map[i] = ValueId(static_cast<std::int32_t>(i));
    replace_values(graph, map);
}

void merge_common_subexpressions(graph::Graph& graph, const graph::OperatorRegistry& registry) {
    std::vector<ValueId> map = identity_map(graph);

    std::map<std::string, ValueId> constants; // equal constants are one
    for (const graph::Constant& constant : graph.constants) {
        if (constant.tensor.elements() > 64)
            continue;
        std::string key = graph::to_string(constant.tensor.type());
        for (std::int64_t i = 0; i < constant.tensor.elements(); ++i)
            key += "," + std::to_string(constant.tensor.at(i)) + "/" +
                   std::to_string(std::hash<double>{}(constant.tensor.at(i)));
        map[static_cast<std::size_t>(constant.value.value)] =
            constants.emplace(key, constant.value).first->second;
    }
    std::map<std::string, std::vector<ValueId>> seen;
    std::vector<Operation> kept;
    for (Operation op : graph.operations()) {
        std::string key = op.kind + op.attributes.json();
        for (ValueId& input : op.inputs) {
            input = map[static_cast<std::size_t>(input.value)];
            key += "," + std::to_string(input.value);
        }
        key += "@" + op.placement.device + "/" + std::to_string(op.placement.shard);
        if (const graph::Operator& kind = registry.at(op.kind); !kind.random && !kind.stateful) {
            const auto [found, fresh] = seen.emplace(key, op.outputs);
            if (!fresh) {
                for (std::size_t k = 0; k < op.outputs.size(); ++k)
                    map[static_cast<std::size_t>(op.outputs[k].value)] = found->second[k];
                continue;
            }
        }
        kept.push_back(std::move(op));
    }
    graph.set_operations(std::move(kept));
    replace_values(graph, map);
}

void remove_dead_code(graph::Graph& graph, const graph::OperatorRegistry&) {
    const std::size_t before = graph.operations().size();
    std::vector<bool> live(graph.values().size(), false);
    const auto mark = [&](ValueId id) {
        if (id != no_value)
            live[static_cast<std::size_t>(id.value)] = true;
    };
    for (const graph::Fetch& fetch : graph.fetches)
        mark(fetch.value);
    for (const graph::Variable& variable : graph.variables)
        mark(variable.next);
    std::vector<Operation> kept;
    for (std::size_t i = before; i-- > 0;) {
        const Operation& op = graph.operations()[i];
        bool needed = false;
        for (const ValueId output : op.outputs)
            needed = needed || live[static_cast<std::size_t>(output.value)];
        if (!needed)
            continue;
        for (const ValueId input : op.inputs)
            mark(input);
        kept.push_back(op);
    }
    graph.set_operations({kept.rbegin(), kept.rend()});
}

} // namespace tilescope::compile
