// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/nearest_name.h"
#include "base/try.h"
#include "eight_bit_io.h"
#include "keras/model.h"
#include "onnx/model.h"
#include "small_graph.h"
#include "training/losses.h"
#include "training/optimisers.h"
#include "workload/workload.h"

#include <algorithm>
#include <utility>

namespace tilescope::workload {
namespace {

using graph::Builder;
using graph::DType;
using graph::FetchKind;
using graph::ValueId;

/// The labels that the loss compares with: classes as int32, or the output's shape. Outputs with labels of
/// the same type share them.
Result<ValueId> add_labels(Builder& build, ValueId output, bool sparse, std::size_t first) {
    graph::TensorType type = build.type(output);
    if (sparse && !type.shape.empty()) {
        type.dtype = DType::Int32;
        type.shape.pop_back();
    }
    const auto& feeds = build.graph().feeds;
    for (std::size_t i = first; i < feeds.size(); ++i)
        if (build.type(feeds[i].value) == type)
            return feeds[i].value;
    return build.feed(feeds.size() == first ? "labels" : "labels_" + std::to_string(feeds.size() - first),
                      type);
}

/// What a loss compares and a run fetches.
struct Model {
    std::vector<keras::ModelOutput> outputs;
    bool all_trained = false;    ///< by one loss, or only the first
    std::vector<ValueId> losses; ///< scalars that the model adds to the loss
    std::string name;
    std::vector<graph::Layer> layers; ///< as a summary lists them
};

/// An output that is trained.
struct Trained {
    keras::ModelOutput output;
    std::string loss;
    double weight = 1;
    ValueId labels = graph::no_value;
};

/// The mean of the values that count: of the batch, or of what a mask [batch, steps] leaves of it, as Keras
/// scales it (keras/src/losses/loss.py, apply_mask).
Result<ValueId> mean_of(Builder& build, ValueId values, ValueId mask, const std::string& name) {
    const graph::TensorType type = build.type(values);
    if (mask == graph::no_value)
        return build.emit("reduce_mean", {values}, {}, name);
    graph::Shape shape = build.type(mask).shape;
    if (shape.size() > type.shape.size())
        return bad_input("the mask " + graph::to_string(shape) + " does not fit the loss " +
                             graph::to_string(type.shape),
                         name);
    const std::int64_t each = graph::element_count(
        {type.shape.begin() + static_cast<std::ptrdiff_t>(shape.size()), type.shape.end()});
    shape.resize(type.shape.size(), 1);
    TRY(const ValueId numbers, build.emit("cast", {mask}, {{"dtype", graph::to_string(type.dtype)}}, "mask"));
    TRY(const ValueId counts, build.emit("reshape", {numbers}, {{"shape", shape}}, "mask"));
    TRY(auto masked, build.emit("multiply", {values, counts}, {}, "masked"));
    TRY(const ValueId count, build.emit("multiply", {build.emit("reduce_sum", {counts}),
                                                     build.scalar(static_cast<double>(each), type.dtype)}));
    return build.emit("divide", {build.emit("reduce_sum", {masked}), count}, {}, name);
}

/// The weighted sum of the outputs' losses, and what regularisers add to it. Of several, each is a metric
/// too.
Result<ValueId> add_loss(Builder& build, const Workload& w, const Model& model,
                         const std::vector<Trained>& trained) {
    build.scope.prefix = "loss/";
    ValueId total = graph::no_value;
    const auto add = [&](const Result<ValueId>& more, const char* name) -> Result<void> {
        TRY(total, total == graph::no_value
                       ? more
                       : build.emit("add", {total, build.as_type(more, build.type(total).dtype)}, {}, name));
        return {};
    };
    for (const Trained& each : trained) {
        TRY(const auto values,
            training::add_loss_values(build, each.loss, {each.output.value, each.labels, w.from_logits}));
        TRY(const auto loss, mean_of(build, values, each.output.mask, "loss"));
        if (trained.size() > 1)
            build.fetch(each.output.name + "_loss", loss, FetchKind::Metric);
        TRY(add(each.weight == 1
                    ? loss
                    : build.emit("multiply", {loss, build.scalar(each.weight, build.type(loss).dtype)}, {},
                                 "weighted"),
                "sum"));
    }
    for (const ValueId regulariser : model.losses)
        TRY(add(regulariser, "regularised"));
    return total;
}

/// Names are checked here, before anything runs or is recorded.
Result<void> check_name(const std::string& what, const std::string& name,
                        const std::vector<std::string>& known, const std::string& place) {
    if (std::find(known.begin(), known.end(), name) != known.end())
        return {};
    return not_supported(what + " \"" + name + "\" is not supported", place,
                         remedy_for(name, known, "use " + known.front()));
}

/// The value that a map gives an output by its name or its number.
template<class T>
const T* find_output(const std::map<std::string, T>& values, const std::vector<keras::ModelOutput>& outputs,
                     std::size_t output) {
    auto found = values.find(outputs[output].name);
    if (found == values.end())
        found = values.find(std::to_string(output));
    return found == values.end() ? nullptr : &found->second;
}

template<class T>
Result<void> check_outputs(const std::map<std::string, T>& values,
                           const std::vector<keras::ModelOutput>& outputs, const std::string& place) {
    std::vector<std::string> known;
    known.reserve(outputs.size());
    for (const keras::ModelOutput& output : outputs)
        known.push_back(output.name);
    for (const auto& [name, value] : values) {
        const bool numbered = name.find_first_not_of("0123456789") == std::string::npos && name.size() < 9 &&
                              static_cast<std::size_t>(std::stoi(name)) < outputs.size();
        if (numbered || std::find(known.begin(), known.end(), name) != known.end())
            continue;
        return bad_input("the model has no output \"" + name + "\"", place,
                         remedy_for(name, known, "use " + known.front()));
    }
    return {};
}

/// What is added after the model is named by its operation: the file stands before it.
template<class T>
Result<T> in_file(const Workload& w, Result<T> made) {
    if (!made)
        made.error().place = w.path + ": " + made.error().place;
    return made;
}

/// The outputs that have a loss, with their labels.
Result<std::vector<Trained>> trained_outputs(Builder& build, const Workload& w, const Model& model) {
    const std::string place = w.path + ": compile.loss";
    TRY(check_outputs(w.output_losses, model.outputs, place));
    TRY(check_outputs(w.loss_weights, model.outputs, w.path + ": compile.loss_weights"));
    std::vector<Trained> trained;
    for (std::size_t i = 0; i < model.outputs.size(); ++i) {
        const std::string* own = find_output(w.output_losses, model.outputs, i);
        const std::string loss = own != nullptr ? *own : i == 0 || model.all_trained ? w.loss : std::string();
        if (loss.empty())
            continue;
        TRY(check_name("loss", loss, training::loss_names(), place));
        const double* weight = find_output(w.loss_weights, model.outputs, i);
        trained.push_back({model.outputs[i], loss, weight == nullptr ? 1 : *weight});
    }
    const std::size_t first = build.graph().feeds.size();
    for (Trained& each : trained) {
        TRY(each.labels,
            in_file(w, add_labels(build, each.output.value, training::sparse_labels(each.loss), first)));
    }
    return trained;
}

Result<void> add_metrics(Builder& build, const Workload& w, const std::vector<Trained>& trained) {
    for (const std::string& metric : w.metrics) {
        if (std::count(w.metrics.begin(), w.metrics.end(), metric) > 1)
            return bad_input("metric \"" + metric + "\" is named twice", w.path + ": compile.metrics",
                             "name it once");
        TRY(check_name("metric", metric, training::metric_names(), w.path + ": compile.metrics"));
        build.scope.prefix = "metrics/";
        for (const Trained& each : trained) {
            TRY(const auto values,
                in_file(w, training::add_metric_values(build, metric,
                                                       {each.output.value, each.labels, w.from_logits})));
            TRY(const auto mean, in_file(w, mean_of(build, values, each.output.mask, metric)));
            build.fetch(trained.size() > 1 ? each.output.name + "_" + metric : metric, mean,
                        FetchKind::Metric);
        }
    }
    return {};
}

/// The forward pass with the weights that the workload or the model's file gives it.
Result<Model> add_model(Builder& build, const Workload& w, Mode mode) {
    if (!w.onnx) {
        keras::KerasOptions options{w.batch_size, w.seed, mode == Mode::Train, w.shards};
        for (const auto& [part, dtype] : w.dtypes)
            options.dtypes.push_back({w.on_stages(part), dtype});
        TRY(auto keras, keras::add_keras_model(build, w.keras, w.keras_path, options));
        if (!w.weights.empty())
            TRY(keras::load_keras_weights(w.weights, keras.variables, build.graph()));
        return Model{std::move(keras.outputs), true, keras.losses, keras.name, std::move(keras.layers)};
    }
    TRY(const auto values,
        onnx::add_onnx_model(build, *w.onnx, w.onnx_path, {w.batch_size, w.dimensions, {}, w.shards}));
    Model model{{}, false, {}, w.name, build.graph().layers};
    for (std::size_t i = 0; i < values.size(); ++i)
        model.outputs.push_back({w.onnx->outputs[i], values[i]});
    return model;
}

} // namespace

Result<graph::Graph> build_graph(const Workload& w, const graph::OperatorRegistry& registry, Mode mode) {
    graph::Graph graph;
    graph.name = w.name;
    Builder build(graph, registry);
    if (!w.graph.empty()) {
        TRY(add_small_graph(build, w.graph, w.path));
        return graph;
    }
    TRY(const auto model, add_model(build, w, mode));
    graph.name = w.name;
    if (w.eight_bit_io)
        TRY(add_eight_bit_inputs(build, w));
    if (!w.has_loss()) {
        for (const keras::ModelOutput& output : model.outputs)
            build.fetch(output.name, output.value);
        return graph;
    }
    TRY(check_name("optimiser", w.optimiser, training::optimiser_names(),
                   w.path + ": compile.optimizer.name"));
    TRY(const auto trained, trained_outputs(build, w, model));
    TRY(const auto loss, in_file(w, add_loss(build, w, model, trained)));
    build.fetch("loss", loss, FetchKind::Loss);
    TRY(add_metrics(build, w, trained));
    if (mode == Mode::Train)
        graph.training = graph::Training{
            loss, {w.optimiser, w.optimiser_settings, w.rate_schedule, w.loss_scale}, w.gradient_reduction};
    return graph;
}

Result<ModelSummary> summarise(const Workload& w, const graph::OperatorRegistry& registry) {
    graph::Graph graph;
    Builder build(graph, registry);
    ModelSummary summary;
    if (w.graph.empty()) {
        TRY(auto model, add_model(build, w, Mode::Evaluate));
        summary.name = model.name;
        summary.layers = std::move(model.layers);
    } else {
        TRY(add_small_graph(build, w.graph, w.path));
        summary.name = w.name;
    }
    for (const graph::Variable& variable : graph.variables) {
        summary.parameters += variable.initial.elements();
        summary.trainable += variable.trainable ? variable.initial.elements() : 0;
    }
    return summary;
}

} // namespace tilescope::workload
