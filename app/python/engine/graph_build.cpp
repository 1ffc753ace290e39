// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/python/engine/graph_build.h"

#include "app/python/engine/arrays.h"
#include "app/python/engine/attributes.h"
#include "app/python/engine/failure.h"
#include "base/nearest_name.h"
#include "base/try.h"
#include "base/worker_pool.h"
#include "keras/model.h"
#include "run/executor.h"
#include "training/constraints.h"
#include "training/ctc_loss.h"
#include "training/differentiation.h"
#include "training/losses.h"
#include "training/optimisers.h"
#include "workload/workload.h"

#include <algorithm>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <set>
#include <variant>

namespace tilescope::python {
namespace {

namespace py = pybind11;
using graph::ValueId;

std::vector<ValueId> ids_of(const std::vector<int>& numbers) {
    return {numbers.begin(), numbers.end()};
}

std::vector<int> numbers_of(const std::vector<ValueId>& ids) {
    std::vector<int> numbers;
    numbers.reserve(ids.size());
    for (const ValueId id : ids)
        numbers.push_back(id.value);
    return numbers;
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

/// What a graph without feeds fetches, in step `step`. Its layers know themselves whether they train.
std::vector<py::array> computed(const graph::Graph& graph, const graph::OperatorRegistry& registry,
                                run::Weights& weights, std::uint64_t step) {
    static WorkerPool pool(1);
    run::Executor executor(graph, registry, pool, weights);
    executor.compute({1, step, 0, true});
    std::vector<py::array> values;
    values.reserve(graph.fetches.size());
    for (std::size_t i = 0; i < graph.fetches.size(); ++i)
        values.push_back(array_of(executor.fetched(i)));
    return values;
}

} // namespace

void GraphBuild::place(const std::string& layer, const std::string& kind, std::int32_t shard, bool host) {
    build_.scope = {};
    build_.scope.placement = {host ? graph::host_device : "", shard};
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

void GraphBuild::constrain(int variable, const std::string& kind, const py::dict& settings) {
    graph::Constraint constraint{kind, attributes_of(settings)};
    for (graph::Variable& each : graph_.variables) {
        if (each.value.value != variable)
            continue;
        const auto fits = training::check_constraint(constraint, graph_.type(each.value).shape);
        if (!fits)
            throw Thrown{fits.error()};
        each.constraint = constraint;
    }
}

int GraphBuild::constant(const std::string& name, const py::array& values) {
    return value_or_throw(build_.constant(name, tensor_of(values))).value;
}

std::vector<int> GraphBuild::operation(const std::string& kind, const std::vector<int>& inputs,
                                       const py::dict& attributes, const std::string& name) {
    std::vector<ValueId> ids = ids_of(inputs);
    const bool of_gradients = std::any_of(ids.begin(), ids.end(), [&](ValueId id) {
        const graph::Value& value = graph_.value(id);
        return value.source == graph::Source::Operation &&
               graph_.operation(value.producer).phase == Phase::Backward;
    });
    build_.scope.phase = of_gradients ? Phase::Backward : Phase::Forward;
    if (std::any_of(ids.begin(), ids.end(), [&](ValueId id) { return is_of_update(id); })) {
        for (ValueId& id : ids)
            if (repeated_)
                id = value_or_throw(in_update(id));
        build_.scope.placement = {}; // where what it updates is
        build_.scope.phase = Phase::Update;
    }
    const auto outputs =
        checked(kind, [&] { return value_or_throw(build_.add(kind, ids, attributes_of(attributes), name)); });
    return numbers_of(outputs);
}

py::tuple GraphBuild::keras_model(const std::string& document, const std::vector<int>& inputs, bool training,
                                  std::uint64_t seed) {
    keras::KerasOptions options;
    options.inputs = ids_of(inputs);
    options.batch = build_.type(options.inputs.at(0)).shape.at(0);
    options.seed = seed;
    options.training = training;
    options.updated = updated_;
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
        throw Thrown{Error{ErrorKind::NotSupported,
                           (metric ? "metric \"" : "loss \"") + name + "\" is not supported",
                           {},
                           remedy_for(name, known, "use " + known.front())}};
    const training::Compared values{ValueId{output}, ValueId{labels}, from_logits};
    return value_or_throw(metric ? training::add_metric_values(build_, name, values)
                                 : training::add_loss_values(build_, name, values))
        .value;
}

int GraphBuild::ctc_loss(int shares, bool of_logarithms, int labels, int label_lengths, int steps,
                         std::int64_t blank) {
    const training::CtcLoss loss{ValueId{shares},        of_logarithms,  ValueId{labels},
                                 ValueId{label_lengths}, ValueId{steps}, blank};
    return value_or_throw(training::add_ctc_loss(build_, loss)).value;
}

int GraphBuild::accumulated(int value, const std::string& name) {
    const graph::Operation& made = graph_.operation(graph_.value(ValueId{value}).producer);
    build_.scope = {};
    build_.scope.placement = made.placement;
    build_.scope.phase = Phase::Update;
    return value_or_throw(build_.emit("accumulated", {ValueId{value}}, {}, name)).value;
}

bool GraphBuild::is_view(int value) const {
    const graph::Value* found = &graph_.value(ValueId{value});
    while (found->source == graph::Source::Operation && graph_.operation(found->producer).kind == "reshape")
        found = &graph_.value(graph_.operation(found->producer).inputs.front());
    return found->source != graph::Source::Operation;
}

void GraphBuild::set_next(int variable, int value) {
    for (graph::Variable& each : graph_.variables)
        if (each.value == ValueId{variable})
            each.next = ValueId{value};
}

int GraphBuild::update_count(const std::string& name) {
    const graph::TensorType type{graph::DType::Int32, {}};
    const ValueId count = value_or_throw(build_.variable(name, graph::InitialValue::filled(type, 0), false));
    build_.scope = {};
    build_.scope.phase = Phase::Update;
    const auto next = build_.emit("add", {count, build_.scalar(1, graph::DType::Int32)}, {}, name + "/add");
    set_next(count.value, value_or_throw(next).value);
    return count.value;
}

void GraphBuild::fetch(const std::string& name, int value, const std::string& kind) {
    build_.fetch(name, ValueId{value},
                 kind == "loss"     ? graph::FetchKind::Loss
                 : kind == "metric" ? graph::FetchKind::Metric
                                    : graph::FetchKind::Output);
}

int GraphBuild::variable_named(const std::string& name) const {
    const auto known = std::find_if(graph_.variables.begin(), graph_.variables.end(),
                                    [&](const graph::Variable& each) { return each.name == name; });
    return known == graph_.variables.end() ? graph::no_value.value : known->value.value;
}

std::vector<int> GraphBuild::trainable() const {
    std::vector<int> numbers;
    for (const graph::Variable& variable : graph_.variables)
        if (variable.trainable)
            numbers.push_back(variable.value.value);
    return numbers;
}

std::vector<int> GraphBuild::gradients(int loss, const std::vector<int>& values) {
    return numbers_of(value_or_throw(training::differentiate(build_, ValueId{loss}, ids_of(values))));
}

bool GraphBuild::is_of_update(ValueId value) const {
    const graph::Value& known = graph_.value(value);
    return known.source == graph::Source::Operation &&
           graph_.operation(known.producer).phase == Phase::Update;
}

Result<ValueId> GraphBuild::in_update(ValueId value) {
    const graph::Value known = graph_.value(value);
    if (known.source != graph::Source::Operation)
        return value;
    if (const auto again = in_update_.find(value); again != in_update_.end())
        return again->second;
    const graph::Operation made = graph_.operation(known.producer);
    if (made.phase == Phase::Update)
        return value;
    std::vector<ValueId> inputs;
    for (const ValueId input : made.inputs) {
        TRY(const ValueId again, in_update(input));
        inputs.push_back(again);
    }
    build_.scope = {};
    build_.scope.phase = Phase::Update;
    TRY(const auto outputs, build_.add(made.kind, inputs, made.attributes, made.name + "/of_update"));
    for (std::size_t i = 0; i < outputs.size(); ++i)
        in_update_.emplace(made.outputs[i], outputs[i]);
    return outputs.at(static_cast<std::size_t>(known.index));
}

graph::Graph GraphBuild::finished() {
    if (!repeated_)
        return std::move(graph_);
    // What the step makes and the update alone has been asked for stands at other places than its variables.
    std::set<ValueId> live;
    for (const graph::Fetch& fetch : graph_.fetches)
        live.insert(fetch.value);
    for (const graph::Variable& variable : graph_.variables)
        live.insert(variable.next);
    if (graph_.training)
        live.insert(graph_.training->loss);
    std::vector<graph::Operation> kept;
    for (auto op = graph_.operations().rbegin(); op != graph_.operations().rend(); ++op) {
        if (std::none_of(op->outputs.begin(), op->outputs.end(),
                         [&](ValueId id) { return live.contains(id); }))
            continue;
        live.insert(op->inputs.begin(), op->inputs.end());
        kept.push_back(*op);
    }
    std::reverse(kept.begin(), kept.end());
    graph_.set_operations(std::move(kept));
    return std::move(graph_);
}

int GraphBuild::of_update(int value, const std::vector<int>& gradients, double scale) {
    repeated_ = true;
    for (const ValueId gradient : ids_of(gradients)) {
        if (in_update_.contains(gradient))
            continue;
        build_.scope = {};
        build_.scope.phase = Phase::Update;
        const ValueId factor = build_.scalar(scale, build_.type(gradient).dtype);
        const auto whole = scale == 1 ? build_.emit("identity", {gradient}, {}, "gradient")
                                      : build_.emit("multiply", {gradient, factor}, {}, "gradient");
        in_update_.emplace(gradient, value_or_throw(whole));
    }
    const ValueId made = value_or_throw(in_update(ValueId{value}));
    if (is_of_update(made))
        return made.value;
    build_.scope = {}; // a variable or a constant, as it is then
    build_.scope.phase = Phase::Update;
    return value_or_throw(build_.emit("reshape", {made}, {{"shape", build_.type(made).shape}})).value;
}

Result<void> GraphBuild::add_update(const graph::OptimiserSpec& optimiser,
                                    const std::vector<std::pair<int, int>>& updates, int rate) {
    std::vector<ValueId> gradients;
    for (const graph::Variable& variable : graph_.variables)
        if (variable.trainable) {
            const auto own = std::find_if(updates.begin(), updates.end(), [&](const auto& update) {
                return update.first == variable.value.value;
            });
            gradients.push_back(own == updates.end() ? graph::no_value : ValueId{own->second});
        }
    ValueId computed = graph::no_value;
    if (rate != graph::no_value.value) {
        TRY(computed, in_update(ValueId{rate}));
    }
    std::map<ValueId, ValueId> before;
    for (const graph::Variable& variable : graph_.variables)
        before.emplace(variable.value, variable.next);
    TRY(training::add_optimiser(build_, optimiser, gradients, nullptr, computed, earlier_));
    for (const graph::Variable& variable : graph_.variables) {
        const auto known = before.find(variable.value);
        if (variable.next != (known == before.end() ? graph::no_value : known->second))
            earlier_.values[variable.value] = variable.next;
    }
    return {};
}

void GraphBuild::update_at_once(std::size_t first) {
    for (std::size_t i = first; i < graph_.operations().size(); ++i)
        graph_.operation(graph_.operations()[i].id).phase = Phase::Backward;
    build_.scope = {};
    for (const auto& [variable, next] : earlier_.values) {
        const graph::Value value = graph_.value(next);
        if (value.source != graph::Source::Operation ||
            static_cast<std::size_t>(value.producer.value) < first)
            continue; // of an earlier update, which has been seen to
        // A gradient by what it is now does not go on to what it was made of.
        const ValueId read = value_or_throw(
            build_.emit("stop_gradient", {next}, {}, graph_.value(variable).name + "/updated"));
        updated_.insert_or_assign(variable, read);
    }
}

int GraphBuild::now(int variable) const {
    const auto known = updated_.find(ValueId{variable});
    return known == updated_.end() ? variable : known->second.value;
}

void GraphBuild::belong_to_update(ValueId value) {
    const graph::Value known = graph_.value(value);
    if (known.source != graph::Source::Operation)
        return;
    graph::Operation& made = graph_.operation(known.producer);
    if (made.phase == Phase::Backward)
        return;
    made.phase = Phase::Backward;
    for (const ValueId input : std::vector<ValueId>(made.inputs))
        belong_to_update(input);
}

void GraphBuild::set_updated(int variable, int value) {
    belong_to_update(ValueId{value});
    set_next(variable, value);
    updated_.insert_or_assign(ValueId{variable}, ValueId{value});
}

std::vector<std::pair<int, int>> GraphBuild::next_values() const {
    std::vector<std::pair<int, int>> values;
    for (const graph::Variable& variable : graph_.variables)
        if (variable.next != graph::no_value)
            values.emplace_back(variable.value.value, variable.next.value);
    return values;
}

void GraphBuild::take_back(int variable, int holds, int before) {
    graph::Variable& taken = graph_.variables.at(
        static_cast<std::size_t>(graph_.value(ValueId{variable}).index)); // of variables: which one it is
    const auto read = updated_.find(taken.value);
    const bool at_once = read != updated_.end();
    const ValueId after = at_once ? read->second : taken.next;
    build_.scope = {};
    build_.scope.phase = at_once ? Phase::Backward : Phase::Update;
    const graph::Shape shape = build_.type(after).shape;
    ValueId condition{holds};
    if (!shape.empty())
        condition = value_or_throw(
            build_.emit("broadcast_to", {condition}, {{"shape", shape}}, taken.name + "/holds"));
    const ValueId left = value_or_throw(
        build_.emit("select", {condition, after, ValueId{before}}, {}, taken.name + "/taken_back"));
    taken.next = left;
    if (at_once)
        read->second = left;
    if (const auto later = earlier_.values.find(taken.value); later != earlier_.values.end())
        later->second = left;
}

void label_slots(graph::OptimiserSpec& optimiser, const std::string& label) {
    if (!label.empty() && label != optimiser.name)
        optimiser.settings.set("label", label);
}

void GraphBuild::train(int loss, const std::string& optimiser, const std::string& reduction,
                       const std::vector<std::pair<int, int>>& updates, int rate, const std::string& label,
                       bool read_later) {
    const auto workload = value_or_throw(
        workload::parse_workload(R"({"graph": {"nodes": [], "fetches": ["x"]}, "compile": {"optimizer": )" +
                                     optimiser + R"(, "gradient_reduction": ")" + reduction + "\"}}",
                                 "the optimizer"));
    graph::OptimiserSpec spec{workload.optimiser, workload.optimiser_settings, workload.rate_schedule, 1};
    label_slots(spec, label);
    const std::size_t first = graph_.operations().size();
    if (!graph_.training)
        graph_.training = graph::Training{ValueId{loss}, spec, workload.gradient_reduction};
    if (!updates.empty())
        value_or_throw(add_update(spec, updates, rate));
    if (read_later)
        update_at_once(first);
}

std::vector<py::array> GraphBuild::compute(const std::vector<int>& values,
                                           const std::shared_ptr<run::Weights>& weights, std::uint64_t step) {
    for (const int value : values)
        build_.fetch("value", ValueId{value});
    run::Weights own;
    return computed(graph_, registry_, weights ? *weights : own, step);
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
                                   const std::vector<py::array>& inputs, const py::dict& attributes,
                                   std::uint64_t step) {
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
    run::Weights none;
    return computed(one, registry, none, step);
}

} // namespace tilescope::python
