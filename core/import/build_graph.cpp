// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/nearest_name.h"
#include "graph/optimisers.h"
#include "import/keras_model.h"
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

Result<ValueId> single(Result<std::vector<ValueId>> values) {
    if (!values)
        return Failure(values.error());
    return values->front();
}

/// The labels that the loss compares with: classes as int32, or the output's shape.
ValueId add_labels(Builder& build, ValueId output, bool sparse) {
    graph::TensorType type = build.type(output);
    if (sparse)
        type = {DType::Int32, {type.shape.at(0)}};
    return build.feed("labels", type);
}

/// Keras takes the logits where the model ends in a softmax, which is exact where the softmax is not.
struct Predictions {
    ValueId value;
    bool from_logits;
};
Predictions predictions_of(const Builder& build, ValueId output, bool from_logits) {
    const graph::Value& value = build.graph().value(output);
    if (!from_logits && value.source == graph::Source::Operation) {
        const graph::Operation& op = build.graph().operation(value.producer);
        if (op.kind == "softmax")
            return {op.inputs[0], true};
    }
    return {output, from_logits};
}

Result<ValueId> add_loss(Builder& build, const Workload& w, ValueId output, ValueId labels) {
    build.scope.prefix = "loss/";
    ValueId each = labels;
    if (w.loss == "categorical_crossentropy" || w.loss == "sparse_categorical_crossentropy") {
        const Predictions p = predictions_of(build, output, w.from_logits);
        auto loss = single(build.add(w.loss, {p.value, labels}, {{"from_logits", p.from_logits}}));
        if (!loss)
            return loss;
        each = *loss;
    } else {
        auto difference = single(build.add("subtract", {output, labels}));
        if (!difference)
            return difference;
        each = build.emit("square", {*difference});
    }
    return single(build.add("reduce_mean", {each}, {}, "loss"));
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

Result<void> add_metrics(Builder& build, const Workload& w, ValueId output, ValueId labels, bool sparse) {
    for (const std::string& metric : w.metrics) {
        if (std::count(w.metrics.begin(), w.metrics.end(), metric) > 1)
            return bad_input("metric \"" + metric + "\" is named twice", w.path + ": compile.metrics",
                             "name it once");
        build.scope.prefix = "metrics/";
        if (metric == "accuracy" || metric == "acc" || metric == "categorical_accuracy" ||
            metric == "sparse_categorical_accuracy") {
            auto guess = single(build.add("argmax", {output}, {{"axis", std::int64_t{-1}}}));
            if (!guess)
                return Failure(guess.error());
            const ValueId truth =
                sparse ? labels : build.emit("argmax", {labels}, {{"axis", std::int64_t{-1}}});
            const ValueId hit = build.emit("cast", {build.emit("equal", {*guess, truth})},
                                           {{"dtype", std::string("float32")}});
            build.fetch(metric, build.emit("reduce_mean", {hit}, {}, metric), FetchKind::Metric);
        } else if (metric == "mse" || metric == "mean_squared_error") {
            auto difference = single(build.add("subtract", {output, labels}));
            if (!difference)
                return Failure(difference.error());
            build.fetch(metric, build.emit("reduce_mean", {build.emit("square", {*difference})}, {}, metric),
                        FetchKind::Metric);
        } else {
            const std::string nearest = nearest_name(metric, {"accuracy", "mse", "mean_squared_error"});
            return bad_input("metric \"" + metric + "\" is not supported", w.path + ": compile.metrics",
                             nearest.empty() ? "use accuracy or mse" : "did you mean \"" + nearest + "\"?");
        }
    }
    return {};
}

/// The model's outputs with their names.
Result<std::vector<std::pair<std::string, ValueId>>> add_model(Builder& build, const Workload& w) {
    std::vector<std::pair<std::string, ValueId>> outputs;
    if (!w.onnx) {
        const auto output = add_keras_model(build, w.keras, w.keras_path, w.batch_size, w.seed, w.shards);
        if (!output)
            return Failure(output.error());
        outputs.emplace_back("output", *output);
        return outputs;
    }
    const auto values =
        add_onnx_model(build, *w.onnx, w.onnx_path, {w.batch_size, w.dimensions, {}, w.shards});
    if (!values)
        return Failure(values.error());
    for (std::size_t i = 0; i < values->size(); ++i)
        outputs.emplace_back(w.onnx->outputs[i], (*values)[i]);
    return outputs;
}

} // namespace

Result<graph::Graph> build_graph(const Workload& w, const graph::OperatorRegistry& registry, Mode mode) {
    graph::Graph graph;
    graph.name = w.name;
    Builder build(graph, registry);
    if (!w.graph.empty()) {
        if (auto ok = add_small_graph(build, w.graph, w.path); !ok)
            return Failure(ok.error());
        return graph;
    }
    const auto outputs = add_model(build, w);
    if (!outputs)
        return Failure(outputs.error());
    graph.name = w.name;
    if (w.loss.empty()) {
        for (const auto& [name, value] : *outputs)
            build.fetch(name, value);
        return graph;
    }
    const ValueId output = outputs->front().second; // of several the first is trained
    if (auto ok = check_name(
            "loss", w.loss,
            {"categorical_crossentropy", "sparse_categorical_crossentropy", "mean_squared_error", "mse"},
            w.path + ": compile.loss");
        !ok)
        return Failure(ok.error());
    if (auto ok = check_name("optimiser", w.optimiser, graph::optimiser_names(),
                             w.path + ": compile.optimizer.name");
        !ok)
        return Failure(ok.error());
    const bool sparse = w.loss == "sparse_categorical_crossentropy";
    const ValueId labels = add_labels(build, output, sparse);
    auto loss = add_loss(build, w, output, labels);
    if (!loss)
        return Failure(loss.error());
    build.fetch("loss", *loss, FetchKind::Loss);
    if (auto ok = add_metrics(build, w, output, labels, sparse); !ok)
        return Failure(ok.error());
    if (mode == Mode::Train)
        graph.training = graph::Training{*loss, {w.optimiser, w.optimiser_settings}, w.gradient_reduction};
    return graph;
}

Result<ModelSummary> summarise(const Workload& w, const graph::OperatorRegistry& registry) {
    Workload inference = w;
    inference.loss.clear();
    inference.metrics.clear();
    const auto graph = build_graph(inference, registry, Mode::Evaluate);
    if (!graph)
        return Failure(graph.error());
    ModelSummary summary;
    summary.name = graph->name;
    summary.layers = graph->layers;
    for (const graph::Variable& variable : graph->variables) {
        summary.parameters += variable.initial.elements();
        summary.trainable += variable.trainable ? variable.initial.elements() : 0;
    }
    return summary;
}

} // namespace tilescope::import
