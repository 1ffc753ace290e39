// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/optimisers.h"

#include "base/nearest_name.h"

#include <utility>

namespace tilescope::graph {
namespace {

/// What one optimiser adds for each variable.
struct Update {
    std::string kind;               ///< of the operation
    std::vector<std::string> slots; ///< beside the variable, same shape
    double initial_slot = 0;        ///< of the first slot
    bool counts_steps = false;
    Attributes attributes;
};

Result<Update> update_of(const OptimiserSpec& optimiser) {
    const Attributes& s = optimiser.settings;
    const bool tf1 = s.flag("tf1");
    if (optimiser.name == "sgd") {
        const double momentum = s.real("momentum", 0);
        Update update{momentum == 0 ? "sgd_update" : "momentum_update", {}, 0, false, {}};
        update.attributes.set("learning_rate", s.real("learning_rate", 0.01));
        if (momentum != 0) {
            update.slots = {"momentum"};
            update.attributes.set("momentum", momentum);
            update.attributes.set("nesterov", s.flag("nesterov"));
        }
        return update;
    }
    if (optimiser.name == "adam")
        return Update{"adam_update",
                      {"m", "v"},
                      0,
                      true,
                      {{"learning_rate", s.real("learning_rate", 0.001)},
                       {"beta_1", s.real("beta_1", 0.9)},
                       {"beta_2", s.real("beta_2", 0.999)},
                       {"epsilon", s.real("epsilon", tf1 ? 1e-8 : 1e-7)}}};
    if (optimiser.name == "rmsprop") {
        const double momentum = s.real("momentum", 0);
        Update update{momentum == 0 ? "rmsprop_update" : "rmsprop_momentum_update",
                      {"rms"},
                      tf1 ? 1.0 : 0.0,
                      false,
                      {{"learning_rate", s.real("learning_rate", 0.001)},
                       {"rho", s.real("rho", 0.9)},
                       {"epsilon", s.real("epsilon", tf1 ? 1e-10 : 1e-7)}}};
        if (momentum != 0) {
            update.slots.emplace_back("momentum");
            update.attributes.set("momentum", momentum);
        } else if (tf1) {
            update.attributes.set("epsilon_inside", true);
        }
        return update;
    }
    const std::string nearest = nearest_name(optimiser.name, optimiser_names());
    return bad_input("optimiser \"" + optimiser.name + "\" is not supported", "compile.optimizer",
                     nearest.empty() ? "use sgd, adam or rmsprop" : "did you mean \"" + nearest + "\"?");
}

} // namespace

std::vector<std::string> optimiser_names() {
    return {"sgd", "adam", "rmsprop"};
}

Result<void> add_optimiser(Builder& build, const OptimiserSpec& optimiser,
                           const std::vector<ValueId>& gradients) {
    auto update = update_of(optimiser);
    if (!update)
        return Failure(update.error());
    Graph& graph = build.graph();
    const Builder::Scope saved = build.scope;
    build.scope = {};
    build.scope.phase = Phase::Update;

    ValueId step = no_value;
    if (update->counts_steps) { // one count for all variables, raised before it is used
        const auto index = graph.variables.size();
        const ValueId before = build.variable(optimiser.name + "/iterations",
                                              InitialValue::filled({DType::Float32, {}}, 0), false);
        step = build.emit("add", {before, build.scalar(1.0)}, {}, optimiser.name + "/iterations/add");
        graph.variables[index].next = step;
    }
    std::size_t trainable = 0;
    const std::size_t count = graph.variables.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (!graph.variables[i].trainable)
            continue;
        const ValueId gradient = gradients[trainable++];
        if (gradient == no_value)
            continue;
        const Variable variable = graph.variables[i];
        const TensorType type = graph.type(variable.value);
        build.scope.layer = variable.layer;
        std::vector<ValueId> inputs{variable.value};
        const std::size_t first_slot = graph.variables.size();
        for (const std::string& slot : update->slots) {
            const double initial = slot == update->slots.front() ? update->initial_slot : 0;
            inputs.push_back(build.variable(optimiser.name + "/" + variable.name + "/" + slot,
                                            InitialValue::filled(type, initial), false));
        }
        if (step != no_value)
            inputs.push_back(step);
        inputs.push_back(gradient);
        auto outputs =
            build.add(update->kind, inputs, update->attributes, optimiser.name + "/" + variable.name);
        if (!outputs) {
            build.scope = saved;
            return Failure(outputs.error());
        }
        graph.variables[i].next = (*outputs)[0];
        for (std::size_t k = 0; k < update->slots.size(); ++k)
            graph.variables[first_slot + k].next = (*outputs)[k + 1];
    }
    build.scope = saved;
    return {};
}

} // namespace tilescope::graph
