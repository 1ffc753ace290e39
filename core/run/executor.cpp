// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/executor.h"

#include "kernels/kernel_table.h"

#include <algorithm>
#include <functional>
#include <set>

namespace tilescope::run {
namespace {

void copy_values(const graph::HostTensor& from, graph::HostTensor& to) {
    switch (from.type().dtype) {
    case graph::DType::Int32:
        std::copy(from.ints().begin(), from.ints().end(), to.ints().begin());
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

} // namespace

Executor::Executor(const graph::Graph& graph, const graph::OperatorRegistry& registry, WorkerPool& pool,
                   Weights& weights)
    : graph_(graph), registry_(registry), pool_(pool), weights_(weights), values_(graph.values().size()) {
    for (const graph::Constant& constant : graph.constants)
        at(constant.value) = constant.tensor;
    for (const graph::Feed& feed : graph.feeds)
        at(feed.value) = graph::HostTensor(graph.type(feed.value));
    for (const graph::Variable& variable : graph.variables) {
        const auto [found, fresh] = weights_.try_emplace(variable.name);
        if (fresh)
            found->second = variable.initial.make();
        at(variable.value) = found->second; // shares its memory
    }
    for (const graph::Operation& op : graph.operations()) {
        Call call{&op, &registry.at(op.kind), {}, {}};
        if (call.kind->view) { // the same memory under another shape
            graph::HostTensor tensor = at(op.inputs[0]);
            tensor.reshape(graph.type(op.outputs[0]).shape);
            at(op.outputs[0]) = std::move(tensor);
            continue;
        }
        for (const graph::ValueId output : op.outputs)
            at(output) = graph::HostTensor(graph.type(output));
        (op.phase == graph::Phase::Update ? update_calls_ : calls_).push_back(std::move(call));
    }
    std::set<std::int32_t> crossing;
    for (std::vector<Call>* calls : {&calls_, &update_calls_})
        for (Call& call : *calls) {
            for (const graph::ValueId input : call.operation->inputs) {
                call.inputs.push_back(&at(input));
                const graph::Value& value = graph.value(input);
                if (calls == &update_calls_ && value.source == graph::Source::Operation &&
                    graph.operation(value.producer).phase != graph::Phase::Update &&
                    crossing.insert(input.value).second)
                    sums_.emplace_back(input, graph::HostTensor());
            }
            for (const graph::ValueId output : call.operation->outputs)
                call.outputs.push_back(&at(output));
        }
}

graph::HostTensor& Executor::feed(std::size_t index) {
    return at(graph_.feeds[index].value);
}

void Executor::set_feed(std::size_t index, const graph::HostTensor& values) {
    copy_values(values, feed(index));
}

void Executor::step(const graph::RandomState& random) {
    compute(random);
    update(random);
}

void Executor::run(std::vector<Call>& calls, const graph::RandomState& random) {
    for (Call& call : calls) {
        graph::ComputeContext context{
            call.inputs, call.outputs, call.operation->attributes, kernels::best_kernels(), pool_,
            random,      registry_};
        call.kind->compute(context);
        for (graph::HostTensor* output : call.outputs)
            output->round_to_type();
    }
}

void Executor::compute(const graph::RandomState& random) {
    if (micro_batches_ == 1) // the first of several: only now are sums of their own needed
        for (auto& [id, sum] : sums_) {
            if (sum.elements() != at(id).elements() || sum.type() != at(id).type())
                sum = graph::HostTensor(at(id).type());
            copy_values(at(id), sum);
        }
    run(calls_, random);
    take_next_values(false);
    if (++micro_batches_ == 1)
        return;
    for (auto& [id, sum] : sums_) {
        const auto now = at(id).floats();
        auto total = sum.floats();
        const bool running =
            graph_.training && graph_.training->reduction == graph::GradientReduction::RunningMean;
        if (!running) {
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
        const bool updated = next.source != graph::Source::Operation ||
                             graph_.operation(next.producer).phase == graph::Phase::Update;
        if (updated == of_update)
            copy_values(at(variable.next), at(variable.value));
    }
}

void Executor::update(const graph::RandomState& random) {
    if (micro_batches_ > 1)
        for (auto& [id, sum] : sums_)
            copy_values(sum, at(id));
    micro_batches_ = 0;
    run(update_calls_, random);
    take_next_values(true);
}

const graph::HostTensor& Executor::fetched(std::size_t index) const {
    return values_[static_cast<std::size_t>(graph_.fetches[index].value.value)];
}

} // namespace tilescope::run
