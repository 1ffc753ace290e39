// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/executor.h"

#include "graph/update.h"

#include <algorithm>
#include <cstring>
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

/// Whether a variable's next value is there after each batch.
bool follows_batches(const graph::Graph& graph, const graph::Variable& variable) {
    if (variable.next == graph::no_value)
        return false;
    const graph::Value& next = graph.value(variable.next);
    return next.source == graph::Source::Operation && graph.operation(next.producer).phase != Phase::Update;
}

bool same_values(const graph::HostTensor& a, const graph::HostTensor& b) {
    return std::memcmp(a.bytes().data(), b.bytes().data(),
                       static_cast<std::size_t>(graph::host_bytes(a.type()))) == 0;
}

bool made_by_update(const graph::Graph& graph, graph::ValueId id) {
    const graph::Value& value = graph.value(id);
    return value.source == graph::Source::Operation && graph.operation(value.producer).phase == Phase::Update;
}

} // namespace

Executor::Executor(const graph::Graph& graph, const graph::OperatorRegistry& registry, WorkerPool& pool,
                   Weights& weights, std::int64_t replicas, const std::set<std::string>& dealt_out,
                   bool one_batch)
    : graph_(graph), registry_(registry), pool_(pool),
      interpreter_(graph, registry, tensors_of(graph, weights), one_batch), lanes_{&interpreter_},
      replicas_(static_cast<std::size_t>(std::max<std::int64_t>(replicas, 1))) {
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
    for (const graph::Variable& variable : graph.variables)
        if (replicas_ > 1 && follows_batches(graph, variable) && !dealt_out.contains(variable.name)) {
            const graph::HostTensor& now = at(variable.value);
            Own& own = own_.emplace_back(Own{variable.value, graph::HostTensor(now.type()), {}});
            operators::copy_values(now, own.left);
            for (std::size_t i = 0; i < replicas_; ++i)
                operators::copy_values(now, own.of_replicas.emplace_back(now.type()));
        }
    for (std::int64_t lane = 1; lane < operators::replicas_of_group(graph); ++lane) {
        std::vector<graph::HostTensor> tensors = tensors_of(graph, weights);
        for (std::size_t i = 0; i < tensors.size(); ++i)
            if (follows_batches(graph, graph.variables[i]))
                tensors[i] = graph::HostTensor(tensors[i].type());
        others_.push_back(std::make_unique<operators::Interpreter>(graph, registry, tensors));
        lanes_.push_back(others_.back().get());
    }
}

graph::HostTensor& Executor::feed(std::size_t index, std::size_t lane) {
    return of_lane(lane).at(graph_.feeds[index].value);
}

void Executor::set_feed(std::size_t index, const graph::HostTensor& values) {
    operators::copy_values(values, feed(index));
}

void Executor::step(const graph::RandomState& random) {
    compute(random);
    update(random);
}

void Executor::enter_replica(std::size_t replica) {
    if (replica == replica_)
        return;
    for (Own& own : own_) {
        operators::copy_values(at(own.value), own.of_replicas[replica_]);
        operators::copy_values(own.of_replicas[replica], at(own.value));
    }
    replica_ = replica;
}

void Executor::compute_lanes(std::span<const graph::RandomState> random) {
    if (micro_batches_ == 1)
        begin_sums();
    if (micro_batches_ == 0)
        for (Own& own : own_)
            if (!same_values(at(own.value), own.left)) // the host has written: to all replicas
                for (graph::HostTensor& each : own.of_replicas)
                    operators::copy_values(at(own.value), each);
    enter_replica(static_cast<std::size_t>(micro_batches_) % replicas_);
    if (others_.empty()) {
        interpreter_.run_batch(machine(), random[0]);
    } else {
        for (const graph::Variable& variable : graph_.variables)
            if (follows_batches(graph_, variable))
                for (const auto& other : others_)
                    operators::copy_values(at(variable.value), other->at(variable.value));
        operators::Interpreter::run_batches(lanes_, machine(), random);
    }
    take_next_values(false);
    for (std::size_t lane = 0; lane < lanes(); ++lane) {
        if (lane > 0 && micro_batches_ == 1)
            begin_sums();
        if (++micro_batches_ > 1)
            add_to_sums(of_lane(lane));
    }
}

void Executor::begin_sums() {
    for (Sum& sum : sums_) {
        if (!sum.total || sum.total->type() != at(sum.value).type())
            sum.total.emplace(at(sum.value).type());
        operators::copy_values(at(sum.value), *sum.total);
    }
}

void Executor::add_to_sums(const operators::Interpreter& lane) {
    for (Sum& sum : sums_) {
        const auto now = lane.at(sum.value).floats();
        auto total = sum.total->floats();
        if (!sum.mean) {
            std::transform(now.begin(), now.end(), total.begin(), total.begin(), std::plus<>());
            sum.total->round_to_type(); // as the accumulators of a program are of the gradients' types
            continue;
        }
        const float part = 1.0F / static_cast<float>(micro_batches_);
        std::transform(now.begin(), now.end(), total.begin(), total.begin(),
                       [part](float value, float mean) { return mean + (value - mean) * part; });
        sum.total->round_to_type();
    }
}

void Executor::take_next_values(bool of_update) {
    for (const graph::Variable& variable : graph_.variables) {
        if (variable.next == graph::no_value)
            continue;
        if (follows_batches(graph_, variable) != of_update &&
            !at(variable.next).shares_memory(at(variable.value)))
            operators::copy_values(at(variable.next), at(variable.value));
    }
}

void Executor::update(const graph::RandomState& random) {
    enter_replica(0);
    for (Own& own : own_)
        operators::copy_values(at(own.value), own.left);
    if (micro_batches_ > 1)
        for (const Sum& sum : sums_)
            operators::copy_values(*sum.total, at(sum.value));
    micro_batches_ = 0;
    interpreter_.run_update(machine(), random);
    take_next_values(true);
}

const graph::HostTensor& Executor::fetched(std::size_t index, std::size_t lane) const {
    return of_lane(lane).at(graph_.fetches[index].value);
}

} // namespace tilescope::run
