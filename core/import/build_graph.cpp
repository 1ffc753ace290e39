// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/nearest_name.h"
#include "graph/optimisers.h"
#include "import/keras_model.h"
#include "import/losses.h"
#include "import/one_output.h"
#include "import/onnx_model.h"
#include "import/small_graph.h"
#include "import/workload.h"

#include <algorithm>
#include <utility>

namespace tilescope::import {
namespace {

using graph::Builder;
using graph::DType;
using graph::FetchKind;
using graph::ValueId;

/// The labels that the loss compares with: classes as int32, or the output's shape.
ValueId add_labels(Builder& build, ValueId output, bool sparse) {
    graph::TensorType type = build.type(output);
    if (sparse)
        type = {DType::Int32, {type.shape.at(0)}};
    return build.feed("labels", type);
}

/// What a loss compares and a run fetches.
struct Model {
    std::vector<std::pair<std::string, ValueId>> outputs; ///< with their names
    std::vector<ValueId> losses;                          ///< scalars that the model adds to the loss
    std::string name;
    std::vector<graph::Layer> layers; ///< as a summary lists them
};

/// The mean over the batch, and what regularisers add to it.
Result<ValueId> add_loss(Builder& build, const Workload& w, const Model& model, ValueId labels) {
    build.scope.prefix = "loss/";
    auto values = add_loss_values(build, w.loss, {model.outputs.front().second, labels, w.from_logits});
    if (!values)
        return values;
    auto loss = one(build.add("reduce_mean", {*values}, {}, "loss"));
    for (const ValueId regulariser : model.losses)
        if (loss)
            loss = one(build.add("add", {*loss, regulariser}, {}, "regularised"));
    return loss;
}

/// Names are checked here, before anything runs or is recorded.
Result<void> check_name(const std::string& what, const std::string& name,
                        const std::vector<std::string>& known, const std::string& place) {
    if (std::find(known.begin(), known.end(), name) != known.end())
        return {};
    const std::string nearest = nearest_name(name, known);
    return bad_input(what + " \"" + name + "\" is not supported", place,
                     nearest.empty() ? "use " + known.front() : "did you mean \"" + nearest + "\"?");
}

Result<void> add_metrics(Builder& build, const Workload& w, ValueId output, ValueId labels) {
    for (const std::string& metric : w.metrics) {
        if (std::count(w.metrics.begin(), w.metrics.end(), metric) > 1)
            return bad_input("metric \"" + metric + "\" is named twice", w.path + ": compile.metrics",
                             "name it once");
        if (auto ok = check_name("metric", metric, metric_names(), w.path + ": compile.metrics"); !ok)
            return ok;
        build.scope.prefix = "metrics/";
        auto values = add_metric_values(build, metric, {output, labels, w.from_logits});
        if (!values)
            return Failure(values.error());
        build.fetch(metric, build.emit("reduce_mean", {*values}, {}, metric), FetchKind::Metric);
    }
    return {};
}

/// The forward pass with the weights that the workload or the model's file gives it.
Result<Model> add_model(Builder& build, const Workload& w, Mode mode) {
    if (!w.onnx) {
        auto keras = add_keras_model(build, w.keras, w.keras_path,
                                     {w.batch_size, w.seed, mode == Mode::Train, w.shards});
        if (!keras)
            return Failure(keras.error());
        if (!w.weights.empty())
            if (auto ok = load_keras_weights(w.weights, keras->variables, build.graph()); !ok)
                return Failure(ok.error());
        return Model{{{"output", keras->output}}, keras->losses, keras->name, std::move(keras->layers)};
    }
    const auto values =
        add_onnx_model(build, *w.onnx, w.onnx_path, {w.batch_size, w.dimensions, {}, w.shards});
    if (!values)
        return Failure(values.error());
    Model model{{}, {}, w.name, build.graph().layers};
    for (std::size_t i = 0; i < values->size(); ++i)
        model.outputs.emplace_back(w.onnx->outputs[i], (*values)[i]);
    return model;
}

/// What is added after the model is of its sizes: the place is the operation's name.
Failure refused(const Workload& w, const graph::BuildFailure& failure) {
    return bad_input(failure.error.message, w.path + ": " + failure.error.place, failure.error.remedy);
}

} // namespace

Result<graph::Graph> build_graph(const Workload& w, const graph::OperatorRegistry& registry, Mode mode) try {
    graph::Graph graph;
    graph.name = w.name;
    Builder build(graph, registry);
    if (!w.graph.empty()) {
        if (auto ok = add_small_graph(build, w.graph, w.path); !ok)
            return Failure(ok.error());
        return graph;
    }
    const auto model = add_model(build, w, mode);
    if (!model)
        return Failure(model.error());
    graph.name = w.name;
    if (w.loss.empty()) {
        for (const auto& [name, value] : model->outputs)
            build.fetch(name, value);
        return graph;
    }
    const ValueId output = model->outputs.front().second; // of several the first is trained
    if (auto ok = check_name("loss", w.loss, loss_names(), w.path + ": compile.loss"); !ok)
        return Failure(ok.error());
    if (auto ok = check_name("optimiser", w.optimiser, graph::optimiser_names(),
                             w.path + ": compile.optimizer.name");
        !ok)
        return Failure(ok.error());
    const ValueId labels = add_labels(build, output, sparse_labels(w.loss));
    auto loss = add_loss(build, w, *model, labels);
    if (!loss)
        return Failure(loss.error());
    build.fetch("loss", *loss, FetchKind::Loss);
    if (auto ok = add_metrics(build, w, output, labels); !ok)
        return Failure(ok.error());
    if (mode == Mode::Train)
        graph.training = graph::Training{
            *loss, {w.optimiser, w.optimiser_settings, w.rate_schedule, w.loss_scale}, w.gradient_reduction};
    return graph;
} catch (const graph::BuildFailure& failure) {
    return refused(w, failure);
}

Result<ModelSummary> summarise(const Workload& w, const graph::OperatorRegistry& registry) try {
    graph::Graph graph;
    Builder build(graph, registry);
    ModelSummary summary;
    if (w.graph.empty()) {
        auto model = add_model(build, w, Mode::Evaluate);
        if (!model)
            return Failure(model.error());
        summary.name = model->name;
        summary.layers = std::move(model->layers);
    } else if (auto ok = add_small_graph(build, w.graph, w.path); !ok) {
        return Failure(ok.error());
    } else {
        summary.name = w.name;
    }
    for (const graph::Variable& variable : graph.variables) {
        summary.parameters += variable.initial.elements();
        summary.trainable += variable.trainable ? variable.initial.elements() : 0;
    }
    return summary;
} catch (const graph::BuildFailure& failure) {
    return refused(w, failure);
}

} // namespace tilescope::import
