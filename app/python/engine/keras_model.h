// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/python/engine/graph_build.h"
#include "app/python/engine/program.h"

#include <memory>
#include <pybind11/pytypes.h>
#include <set>
#include <string>
#include <vector>

namespace tilescope::python {

using SharedWeights = std::shared_ptr<run::Weights>;

/// A program of a Keras model, of a workload's document without data. `mode`: "train", "evaluate" or
/// "predict". `samples`: of one epoch. `accumulate_outfeed`: loss and metrics go to the host once for each
/// weight update. `label`: what the names of the optimiser's slots begin with; "" for its name.
std::unique_ptr<Program> load_keras(ScriptRun& script, const std::string& document, const std::string& mode,
                                    std::int64_t samples, bool accumulate_outfeed, const std::string& label,
                                    const SharedWeights& weights);

/// How often the parts of a graph run: `steps` in an engine run, over all replicas, of which each
/// `accumulation` of a replica make one weight update; `pipeline`: "Grouped", "Interleaved" or "Sequential"
/// for shards that are stages, else "".
struct GraphSchedule {
    std::int64_t steps = 1;
    std::int64_t accumulation = 1;
    std::string pipeline = {};
    std::vector<std::int32_t> stage_ipus = {}; ///< as of program::Schedule
    bool recompute_piecewise = false;          ///< as of compile::Options
    std::int32_t replicas = 1;
    std::optional<std::int64_t> batch = {}; ///< samples in a step, where that is known
    bool evaluates = false;                 ///< where it does not train
    bool offload_activations = false;
    std::set<std::string> dealt_out = {}; ///< as of run::Executor
};

/// The program of a graph that a script built.
std::unique_ptr<Program> load_graph(ScriptRun& script, GraphBuild& build, const std::string& document,
                                    const GraphSchedule& schedule, const SharedWeights& weights);

/// The variables of a model, (name, layer, trainable), in the order of its layers; those that `weights` lacks
/// get their first values.
pybind11::list keras_variables(ScriptRun& script, const std::string& document, run::Weights& weights);

/// Sets a model's variables to the values of a Keras file.
void load_keras_file(ScriptRun& script, const std::string& document, run::Weights& weights);

/// (name, [(layer, class, output shape, parameters)], parameters, those that are trained) of a model.
pybind11::tuple keras_summary(ScriptRun& script, const std::string& document);

} // namespace tilescope::python
