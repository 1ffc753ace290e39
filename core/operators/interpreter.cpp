// SPDX-License-Identifier: GPL-3.0-or-later
#include "operators/interpreter.h"

#include "operators/memory_plan.h"
#include "operators/stochastic_rounding.h"
#include "product_updates.h"
#include "value_lives.h"

#include <algorithm>
#include <utility>

namespace tilescope::operators {
namespace {

using graph::HostTensor;

void compute(const graph::Operator& kind, graph::ComputeContext context) {
    kind.compute(context);
    round_results(context);
}

/// What replicas compute by themselves, and what all compute alike.
graph::RandomState of_batch(graph::RandomState random) {
    if (random.rounding == StochasticRounding::ReplicaIdenticalOnly)
        random.rounding = StochasticRounding::Off;
    return random;
}
graph::RandomState of_update(graph::RandomState random) {
    if (random.rounding == StochasticRounding::ReplicaIdenticalOnly)
        random.rounding = StochasticRounding::On;
    return random;
}

} // namespace

std::vector<HostTensor> computed(const graph::Operator& kind, const std::vector<const HostTensor*>& inputs,
                                 const std::vector<graph::TensorType>& types,
                                 const graph::Attributes& attributes, const Machine& machine) {
    std::vector<HostTensor> results(types.begin(), types.end());
    std::vector<HostTensor*> outputs(results.size());
    std::transform(results.begin(), results.end(), outputs.begin(),
                   [](HostTensor& tensor) { return &tensor; });
    compute(kind, {inputs, outputs, attributes, machine.kernels, machine.pool, {}, machine.registry});
    return results;
}

void copy_values(const HostTensor& from, HostTensor& to) {
    switch (from.type().dtype) {
    case graph::DType::Int32:
        std::copy(from.ints().begin(), from.ints().end(), to.ints().begin());
        return;
    case graph::DType::UInt8:
        std::copy(from.bytes().begin(), from.bytes().end(), to.bytes().begin());
        return;
    case graph::DType::Bool:
        std::copy(from.bools().begin(), from.bools().end(), to.bools().begin());
        return;
    case graph::DType::Float32:
    case graph::DType::Float16:
        std::copy(from.floats().begin(), from.floats().end(), to.floats().begin());
        return;
    }
}

void copy_first(graph::ComputeContext& c) {
    if (!c.outputs[0]->shares_memory(*c.inputs[0]))
        copy_values(*c.inputs[0], *c.outputs[0]);
}

Interpreter::Interpreter(const graph::Graph& graph, const graph::OperatorRegistry& registry,
                         const std::vector<HostTensor>& variables, bool one_batch)
    : values_(graph.values().size()) {
    for (const graph::Constant& constant : graph.constants)
        at(constant.value) = constant.tensor;
    for (const graph::Feed& feed : graph.feeds)
        at(feed.value) = HostTensor(graph.type(feed.value));
    for (std::size_t i = 0; i < variables.size(); ++i)
        at(graph.variables[i].value) = variables[i];
    const ValueLives lives(graph, registry, one_batch);
    place_values(graph, lives);
    add_calls(registry, lives);
    add_groups(lives);
}

void Interpreter::place_values(const graph::Graph& graph, const ValueLives& lives) {
    const auto home = [&](graph::ValueId id) { return entry(lives.home, id); };
    std::vector<MemoryBlock> blocks;
    std::vector<graph::ValueId> values; // by block
    for (std::size_t g = 0; g < lives.groups.size(); ++g)
        for (std::size_t i = lives.groups[g].first; i < lives.groups[g].last; ++i)
            for (const graph::ValueId output : lives.order[i]->outputs) {
                if (home(output) != output)
                    continue;
                blocks.push_back({graph::host_bytes(graph.type(output)), g, entry(lives.last_use, output)});
                values.push_back(output);
            }
    const MemoryPlan plan = plan_memory(blocks);
    shared_bytes_ = plan.bytes;
    needed_bytes_ = most_needed_at_once(blocks);
    const std::shared_ptr<std::byte[]> memory = graph::host_memory(shared_bytes_);
    for (std::size_t i = 0; i < values.size(); ++i)
        at(values[i]) = HostTensor(graph.type(values[i]), {memory, memory.get() + plan.offsets[i]});
    for (std::size_t i = 0; i < values_.size(); ++i) {
        const graph::ValueId id(static_cast<std::int32_t>(i));
        if (home(id) == id)
            continue;
        at(id) = at(home(id)); // the same memory, under another shape
        at(id).reshape(graph.type(id).shape);
    }
}

void Interpreter::add_calls(const graph::OperatorRegistry& registry, const ValueLives& lives) {
    for (const graph::Operation* op : lives.order) {
        Call call{op, &registry.at(op->kind), {}, {}, {}, of_group(op->kind)};
        for (const graph::ValueId input : op->inputs)
            call.inputs.push_back(&at(input));
        for (const graph::ValueId output : op->outputs)
            call.outputs.push_back(&at(output));
        calls_.push_back(std::move(call));
    }
}

void Interpreter::add_groups(const ValueLives& lives) {
    update_groups_ = lives.update_groups;
    for (const ValueLives::Group& group : lives.groups) {
        const Call& first = calls_[group.first];
        if (lives.products.contains(first.operation) && first.outputs[0]->shares_memory(*first.inputs[0])) {
            groups_.back().last = group.last; // the product's
            groups_.back().is_update_by_product = true;
            continue;
        }
        if (groups_.size() < update_groups_ && first.of_group != nullptr)
            meetings_.push_back(groups_.size());
        groups_.push_back({group.first, group.last, {}});
        if (!calls_[group.first].kind->compute_range)
            continue;
        std::vector<std::size_t>& starts = groups_.back().starts;
        starts.push_back(0);
        for (std::size_t i = group.first; i < group.last; ++i)
            starts.push_back(starts.back() + static_cast<std::size_t>(calls_[i].outputs[0]->elements()));
    }
}

graph::ComputeContext Interpreter::context(Call& call, const Machine& machine, graph::RandomState random) {
    random.place = place_within(random.place, static_cast<std::uint64_t>(&call - calls_.data()));
    return {call.inputs,  call.outputs, call.operation->attributes, machine.kernels,
            machine.pool, random,       machine.registry,           &call.kept};
}

void Interpreter::run_batch(const Machine& machine, const graph::RandomState& random) {
    run(0, update_groups_, machine, of_batch(random));
}

void Interpreter::run_update(const Machine& machine, const graph::RandomState& random) {
    run(update_groups_, groups_.size(), machine, of_update(random));
}

void Interpreter::run(std::size_t first, std::size_t last, const Machine& machine,
                      const graph::RandomState& random) {
    for (std::size_t i = first; i < last; ++i) {
        const Group& group = groups_[i];
        if (group.is_update_by_product) {
            graph::ComputeContext product = context(calls_[group.first], machine, random);
            graph::ComputeContext update = context(calls_[group.first + 1], machine, random);
            update_by_product(product, update);
        } else if (group.starts.empty())
            compute(*calls_[group.first].kind, context(calls_[group.first], machine, random));
        else
            run_together(group, machine, random);
    }
}

void Interpreter::run_batches(std::span<Interpreter* const> lanes, const Machine& machine,
                              std::span<const graph::RandomState> random) {
    const Interpreter& like = *lanes.front();
    std::size_t done = 0;
    const auto each_to = [&](std::size_t group) {
        for (std::size_t lane = 0; lane < lanes.size(); ++lane)
            lanes[lane]->run(done, group, machine, of_batch(random[lane]));
    };
    for (const std::size_t meeting : like.meetings_) {
        each_to(meeting);
        run_of_group(lanes, meeting, machine, random);
        done = meeting + 1;
    }
    each_to(like.update_groups_);
}

void Interpreter::run_of_group(std::span<Interpreter* const> lanes, std::size_t group, const Machine& machine,
                               std::span<const graph::RandomState> random) {
    std::vector<graph::ComputeContext>& contexts = lanes.front()->meeting_contexts_;
    contexts.clear();
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        Interpreter& of = *lanes[lane];
        contexts.push_back(of.context(of.calls_[of.groups_[group].first], machine, of_batch(random[lane])));
    }
    const Call& call = lanes.front()->calls_[lanes.front()->groups_[group].first];
    const auto size = static_cast<std::size_t>(contexts.front().attributes.integer(group_attribute, 1));
    // Lanes are of several groups where those of other operations are larger.
    for (std::size_t first = 0; first < contexts.size(); first += size)
        call.of_group(std::span<graph::ComputeContext>(contexts).subspan(
            first, std::min(size, contexts.size() - first)));
    for (const graph::ComputeContext& context : contexts)
        round_results(context);
}

void Interpreter::run_together(const Group& group, const Machine& machine, const graph::RandomState& random) {
    constexpr std::size_t grain = worth_a_thread(kernels::element_ns); // elements
    machine.pool.parallel_for(group.starts.back(), grain, [&](std::size_t begin, std::size_t end) {
        auto call = static_cast<std::size_t>(
            std::upper_bound(group.starts.begin(), group.starts.end(), begin) - group.starts.begin() - 1);
        for (std::size_t at = begin; at < end; ++call) {
            const std::size_t start = group.starts[call];
            const std::size_t until = std::min(end, group.starts[call + 1]);
            Call& of = calls_[group.first + call];
            graph::ComputeContext where = context(of, machine, random);
            of.kind->compute_range(where, at - start, until - start);
            at = until;
        }
    });
    for (std::size_t i = group.first; i < group.last; ++i)
        round_results(context(calls_[i], machine, random));
}

} // namespace tilescope::operators
