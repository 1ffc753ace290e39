// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/python/engine/graph_build.h"

#include "app/python/engine/arrays.h"
#include "base/nearest_name.h"
#include "base/worker_pool.h"
#include "keras/model.h"
#include "run/executor.h"
#include "training/losses.h"
#include "workload/workload.h"

#include <algorithm>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <variant>

namespace tilescope::python {
namespace {

namespace py = pybind11;
using graph::ValueId;

graph::Attribute attribute_of(const py::handle& value) {
    if (py::isinstance<py::bool_>(value))
        return value.cast<bool>();
    if (py::isinstance<py::int_>(value))
        return value.cast<std::int64_t>();
    if (py::isinstance<py::float_>(value))
        return value.cast<double>();
    if (py::isinstance<py::str>(value))
        return value.cast<std::string>();
    const auto all = value.cast<std::vector<py::object>>();
    for (const py::object& each : all)
        if (py::isinstance<py::float_>(each))
            return value.cast<std::vector<double>>();
    return value.cast<std::vector<std::int64_t>>();
}

graph::Attributes attributes_of(const py::dict& given) {
    graph::Attributes attributes;
    for (const auto& [key, value] : given)
        attributes.set(key.cast<std::string>(), attribute_of(value));
    return attributes;
}

std::vector<ValueId> ids_of(const std::vector<int>& numbers) {
    return {numbers.begin(), numbers.end()};
}

py::tuple type_tuple(const graph::TensorType& type) {
    return py::make_tuple(graph::to_string(type.dtype), py::tuple(py::cast(type.shape)));
}

/// An attribute of another type than the operator expects is a mistake of what called it.
template<class Function>
auto checked(const std::string& kind, const Function& function) {
    try {
        return function();
    } catch (const std::bad_variant_access&) {
        throw Thrown{Error{ErrorKind::BadInput,
                           "an attribute is of another type than \"" + kind + "\" expects", kind,
                           "see the page about operators"}};
    }
}

/// What a graph of constants fetches.
std::vector<py::array> computed(const graph::Graph& graph, const graph::OperatorRegistry& registry) {
    static WorkerPool pool(1);
    run::Weights none;
    run::Executor executor(graph, registry, pool, none);
    executor.compute({1, 0, 0, false});
    std::vector<py::array> values;
    values.reserve(graph.fetches.size());
    for (std::size_t i = 0; i < graph.fetches.size(); ++i)
        values.push_back(array_of(executor.fetched(i)));
    return values;
}

} // namespace

void GraphBuild::place(const std::string& layer, const std::string& kind, std::int32_t shard) {
    build_.scope = {};
    build_.scope.placement.shard = shard;
    if (layer.empty())
        return;
    const auto [known, fresh] = layers_.try_emplace(layer, graph::no_layer);
    if (fresh)
        known->second = build_.layer(layer, kind);
    build_.scope.layer = known->second;
    build_.scope.prefix = layer + "/";
}

int GraphBuild::feed(const std::string& name, const std::string& dtype, const graph::Shape& shape) {
    return value_or_throw(build_.feed(name, {dtype_named(dtype), shape})).value;
}

int GraphBuild::variable(const std::string& name, const py::array& first, bool trainable) {
    return value_or_throw(build_.variable(name, graph::InitialValue(tensor_of(first)), trainable)).value;
}

int GraphBuild::constant(const std::string& name, const py::array& values) {
    return value_or_throw(build_.constant(name, tensor_of(values))).value;
}

std::vector<int> GraphBuild::operation(const std::string& kind, const std::vector<int>& inputs,
                                       const py::dict& attributes, const std::string& name) {
    const std::vector<ValueId> ids = ids_of(inputs);
    const auto outputs =
        checked(kind, [&] { return value_or_throw(build_.add(kind, ids, attributes_of(attributes), name)); });
    std::vector<int> numbers;
    numbers.reserve(outputs.size());
    for (const ValueId output : outputs)
        numbers.push_back(output.value);
    return numbers;
}

py::tuple GraphBuild::keras_model(const std::string& document, const std::vector<int>& inputs, bool training,
                                  std::uint64_t seed) {
    keras::KerasOptions options;
    options.inputs = ids_of(inputs);
    options.batch = build_.type(options.inputs.at(0)).shape.at(0);
    options.seed = seed;
    options.training = training;
    const auto model = value_or_throw(keras::add_keras_model(build_, document, "the script", options));
    py::list outputs;
    py::list losses;
    for (const keras::ModelOutput& output : model.outputs)
        outputs.append(output.value.value);
    for (const ValueId loss : model.losses)
        losses.append(loss.value);
    return py::make_tuple(outputs, losses);
}

int GraphBuild::compared(const std::string& name, bool metric, int output, int labels, bool from_logits) {
    const auto known = metric ? training::metric_names() : training::loss_names();
    if (std::find(known.begin(), known.end(), name) == known.end())
        throw Thrown{Error{ErrorKind::BadInput,
                           (metric ? "metric \"" : "loss \"") + name + "\" is not supported",
                           {},
                           remedy_for(name, known, "use " + known.front())}};
    const training::Compared values{ValueId{output}, ValueId{labels}, from_logits};
    return value_or_throw(metric ? training::add_metric_values(build_, name, values)
                                 : training::add_loss_values(build_, name, values))
        .value;
}

void GraphBuild::set_next(int variable, int value) {
    for (graph::Variable& each : graph_.variables)
        if (each.value == ValueId{variable})
            each.next = ValueId{value};
}

void GraphBuild::fetch(const std::string& name, int value, const std::string& kind) {
    build_.fetch(name, ValueId{value},
                 kind == "loss"     ? graph::FetchKind::Loss
                 : kind == "metric" ? graph::FetchKind::Metric
                                    : graph::FetchKind::Output);
}

void GraphBuild::train(int loss, const std::string& optimiser, const std::string& reduction) {
    const auto workload = value_or_throw(
        workload::parse_workload(R"({"graph": {"nodes": [], "fetches": ["x"]}, "compile": {"optimizer": )" +
                                     optimiser + R"(, "gradient_reduction": ")" + reduction + "\"}}",
                                 "the optimizer"));
    graph_.training =
        graph::Training{ValueId{loss},
                        {workload.optimiser, workload.optimiser_settings, workload.rate_schedule, 1},
                        workload.gradient_reduction};
}

std::vector<py::array> GraphBuild::compute(const std::vector<int>& values) {
    for (const int value : values)
        build_.fetch("value", ValueId{value});
    return computed(graph_, registry_);
}

py::tuple GraphBuild::type(int value) const {
    return type_tuple(build_.type(ValueId{value}));
}

py::list infer_types(const graph::OperatorRegistry& registry, const std::string& kind,
                     const std::vector<std::pair<std::string, graph::Shape>>& inputs,
                     const py::dict& attributes) {
    graph::Graph scratch;
    graph::Builder build(scratch, registry);
    std::vector<ValueId> ids;
    ids.reserve(inputs.size());
    for (const auto& [dtype, shape] : inputs)
        ids.push_back(value_or_throw(build.feed("x", {dtype_named(dtype), shape})));
    const auto outputs =
        checked(kind, [&] { return value_or_throw(build.add(kind, ids, attributes_of(attributes), {})); });
    py::list types;
    for (const ValueId output : outputs)
        types.append(type_tuple(build.type(output)));
    return types;
}

std::vector<py::array> compute_now(const graph::OperatorRegistry& registry, const std::string& kind,
                                   const std::vector<py::array>& inputs, const py::dict& attributes) {
    graph::Graph one;
    graph::Builder build(one, registry);
    std::vector<ValueId> ids;
    ids.reserve(inputs.size());
    for (const py::array& input : inputs)
        ids.push_back(value_or_throw(build.constant("x", tensor_of(input))));
    const auto outputs =
        checked(kind, [&] { return value_or_throw(build.add(kind, ids, attributes_of(attributes), {})); });
    for (const ValueId output : outputs)
        build.fetch("y", output);
    return computed(one, registry);
}

} // namespace tilescope::python
