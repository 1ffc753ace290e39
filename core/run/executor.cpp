// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/executor.h"

#include "graph/update.h"

#include <algorithm>
#include <functional>
#include <set>

namespace tilescope::run {
namespace {

/// The memory of the graph's variables, in order.
std::vector<graph::HostTensor> tensors_of(const graph::Graph& graph, Weights& weights) {
    std::vector<graph::HostTensor> tensors;
    for (const graph::Variable& variable : graph.variables) {
        const auto [found, fresh] = weights.try_emplace(variable.name);
        if (fresh)
            found->second = variable.initial.make();
        tensors.push_back(found->second);
    }
    return tensors;
}

bool made_by_update(const graph::Graph& graph, graph::ValueId id) {
    const graph::Value& value = graph.value(id);
    return value.source == graph::Source::Operation && graph.operation(value.producer).phase == Phase::Update;
}

} // namespace

Executor::Executor(const graph::Graph& graph, const graph::OperatorRegistry& registry, WorkerPool& pool,
                   Weights& weights)
    : graph_(graph), registry_(registry), pool_(pool),
      interpreter_(graph, registry, tensors_of(graph, weights)) {
    std::set<std::int32_t> crossing;
    const bool running = graph.training && graph.training->reduction == graph::GradientReduction::RunningMean;
    for (const graph::Operation& op : graph.operations()) {
        if (op.phase != Phase::Update || registry.at(op.kind).view)
            continue;
        for (const graph::ValueId input : op.inputs)
            if (graph.value(input).source == graph::Source::Operation && !made_by_update(graph, input) &&
                crossing.insert(input.value).second)
                sums_.push_back({input, running && !graph::is_sum_for_the_host(op)});
    }
}

graph::HostTensor& Executor::feed(std::size_t index) {
    return at(graph_.feeds[index].value);
}

void Executor::set_feed(std::size_t index, const graph::HostTensor& values) {
    operators::copy_values(values, feed(index));
}

void Executor::step(const graph::RandomState& random) {
    compute(random);
    update(random);
}

void Executor::compute(const graph::RandomState& random) {
    if (micro_batches_ == 1) // the first of several: only now are sums of their own needed
        for (Sum& sum : sums_) {
            if (!sum.total || sum.total->type() != at(sum.value).type())
                sum.total.emplace(at(sum.value).type());
            operators::copy_values(at(sum.value), *sum.total);
        }
    interpreter_.run_batch(machine(), random);
    take_next_values(false);
    if (++micro_batches_ == 1)
        return;
    for (Sum& sum : sums_) {
        const auto now = at(sum.value).floats();
        auto total = sum.total->floats();
        if (!sum.mean) {
            std::transform(now.begin(), now.end(), total.begin(), total.begin(), std::plus<>());
            continue;
        }
        const float part = 1.0F / static_cast<float>(micro_batches_);
        std::transform(now.begin(), now.end(), total.begin(), total.begin(),
                       [part](float value, float mean) { return mean + (value - mean) * part; });
    }
}

void Executor::take_next_values(bool of_update) {
    for (const graph::Variable& variable : graph_.variables) {
        if (variable.next == graph::no_value)
            continue;
        const graph::Value& next = graph_.value(variable.next);
        const bool updated =
            next.source != graph::Source::Operation || graph_.operation(next.producer).phase == Phase::Update;
        if (updated == of_update && !at(variable.next).shares_memory(at(variable.value)))
            operators::copy_values(at(variable.next), at(variable.value));
    }
}

void Executor::update(const graph::RandomState& random) {
    if (micro_batches_ > 1)
        for (const Sum& sum : sums_)
            operators::copy_values(*sum.total, at(sum.value));
    micro_batches_ = 0;
    interpreter_.run_update(machine(), random);
    take_next_values(true);
}

const graph::HostTensor& Executor::fetched(std::size_t index) const {
    return interpreter_.at(graph_.fetches[index].value);
}

} // namespace tilescope::run
