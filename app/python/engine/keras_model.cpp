// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/python/engine/keras_model.h"

#include "app/python/engine/failure.h"
#include "graph/builder.h"
#include "operators/interpreter.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace tilescope::python {
namespace {

namespace py = pybind11;

Mode mode_named(const std::string& name) {
    for (const auto& [known, mode] :
         {std::pair("train", Mode::Train), {"evaluate", Mode::Evaluate}, {"predict", Mode::Predict}})
        if (name == known)
            return mode;
    throw Thrown{Error{ErrorKind::BadInput, "there is no mode \"" + name + "\"", {}, {}}};
}

/// The model's own graph: what outlives a step is in it, and nothing of an optimiser.
graph::Graph inference_graph(ScriptRun& script, const std::string& document) {
    const auto workload = value_or_throw(workload::parse_workload(document, script.settings().script));
    return value_or_throw(workload::build_graph(workload, script.registry(), workload::Mode::Evaluate));
}

/// Sums over the micro-batches in the place of what is fetched of each.
void accumulate_outfeed_of(graph::Graph& graph, const graph::OperatorRegistry& registry) {
    graph::Builder build(graph, registry);
    for (graph::Fetch& fetch : graph.fetches) {
        const graph::Value value = graph.value(fetch.value);
        if (fetch.kind == graph::FetchKind::Output || value.source != graph::Source::Operation ||
            !graph::is_floating(value.type.dtype))
            continue;
        build.scope.placement = graph.operation(value.producer).placement;
        build.scope.phase = Phase::Update;
        fetch.value =
            value_or_throw(build.emit("accumulated", {fetch.value}, {}, fetch.name + "/accumulated"));
    }
}

} // namespace

std::unique_ptr<Program> load_keras(ScriptRun& script, const std::string& document, const std::string& mode,
                                    std::int64_t samples, bool accumulate_outfeed, const std::string& label,
                                    const SharedWeights& weights) {
    const py::gil_scoped_release others_may_run;
    const Mode what = mode_named(mode);
    auto prepared = value_or_throw(script.prepare(document, what == Mode::Train, samples));
    graph::Graph graph = std::move(what == Mode::Train ? *prepared.job.train : *prepared.job.evaluate);
    if (accumulate_outfeed)
        accumulate_outfeed_of(graph, script.registry());
    if (graph.training)
        label_slots(graph.training->optimiser, label);
    return value_or_throw(Program::load(script, std::move(prepared), std::move(graph), what, weights));
}

std::unique_ptr<Program> load_graph(ScriptRun& script, GraphBuild& build, const std::string& document,
                                    const GraphSchedule& schedule, const SharedWeights& weights) {
    const py::gil_scoped_release others_may_run;
    program::Schedule dealt;
    dealt.steps_per_execution = schedule.steps;
    dealt.accumulation = schedule.accumulation;
    dealt.replicas = schedule.replicas;
    dealt.stage_ipus = schedule.stage_ipus;
    if (!schedule.pipeline.empty())
        dealt.pipeline = kind_or_throw<PipelineSchedule>(schedule.pipeline);
    auto prepared = value_or_throw(script.prepare_graph(document, build.finished(), std::move(dealt),
                                                        schedule.batch, schedule.offload_activations));
    const bool trains = prepared.job.train.has_value();
    prepared.job.recompute_piecewise = schedule.recompute_piecewise;
    graph::Graph graph = std::move(trains ? *prepared.job.train : *prepared.job.once);
    return value_or_throw(Program::load(script, std::move(prepared), std::move(graph),
                                        trains               ? Mode::Train
                                        : schedule.evaluates ? Mode::Evaluate
                                                             : Mode::Predict,
                                        weights, schedule.dealt_out));
}

py::list keras_variables(ScriptRun& script, const std::string& document, run::Weights& weights) {
    const graph::Graph graph = inference_graph(script, document);
    py::list variables;
    for (const graph::Variable& variable : graph.variables) {
        if (!weights.contains(variable.name))
            weights[variable.name] = variable.initial.make();
        const bool placed = variable.layer != graph::no_layer;
        variables.append(py::make_tuple(
            variable.name,
            placed ? graph.layers[static_cast<std::size_t>(variable.layer.value)].name : std::string(),
            variable.trainable));
    }
    return variables;
}

void load_keras_file(ScriptRun& script, const std::string& document, run::Weights& weights) {
    for (const graph::Variable& variable : inference_graph(script, document).variables) {
        const auto [known, fresh] = weights.try_emplace(variable.name);
        if (fresh)
            known->second = variable.initial.make();
        else // which other models may have, too
            operators::copy_values(variable.initial.make(), known->second);
    }
}

py::tuple keras_summary(ScriptRun& script, const std::string& document) {
    const auto workload = value_or_throw(workload::parse_workload(document, script.settings().script));
    const auto summary = value_or_throw(workload::summarise(workload, script.registry()));
    py::list layers;
    for (const graph::Layer& layer : summary.layers)
        layers.append(py::make_tuple(layer.name, layer.kind, py::tuple(py::cast(layer.output_shape)),
                                     layer.parameters));
    return py::make_tuple(summary.name, layers, summary.parameters, summary.trainable);
}

} // namespace tilescope::python
