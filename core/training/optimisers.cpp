// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/optimisers.h"

#include "base/nearest_name.h"
#include "base/try.h"
#include "clipping.h"
#include "training/constraints.h"
#include "training/rate_schedule.h"

#include <cmath>
#include <functional>
#include <map>
#include <utility>

namespace tilescope::training {

using graph::Attributes;
using graph::Builder;
using graph::DType;
using graph::InitialValue;
using graph::no_value;
using graph::OptimiserSpec;
using graph::ValueId;
using graph::Variable;
namespace {

struct Slot {
    std::string name;
    double initial = 0;
};

/// What one optimiser adds for each variable.
struct Update {
    std::string kind;        ///< of the operation
    std::vector<Slot> slots; ///< beside the variable, same shape
    bool counts_steps = false;
    Attributes attributes;
    bool momentum_product = false; ///< Nadam's, of all its momenta so far
    bool trust_ratio = false;      ///< the operation gives a direction, which LAMB scales
};

Attributes with_defaults(const OptimiserSpec& optimiser,
                         std::initializer_list<std::pair<const char*, double>> defaults) {
    Attributes attributes;
    for (const auto& [name, value] : defaults)
        attributes.set(name, optimiser.settings.real(name, value));
    return attributes;
}

Update sgd(const OptimiserSpec& o) {
    if (o.settings.real("momentum", 0) == 0)
        return {"sgd_update", {}, false, with_defaults(o, {{"learning_rate", 0.01}})};
    Update update{o.settings.flag("tf1") ? "accumulated_momentum_update" : "momentum_update",
                  {{"momentum"}},
                  false,
                  with_defaults(o, {{"learning_rate", 0.01}, {"momentum", 0}})};
    update.attributes.set("nesterov", o.settings.flag("nesterov"));
    return update;
}

Update adam_like(const OptimiserSpec& o, const char* kind, double weight_decay = 0) {
    const double epsilon = o.settings.flag("tf1") ? 1e-8 : 1e-7;
    Update update{
        kind,
        {{"m"}, {"v"}},
        true,
        with_defaults(o,
                      {{"learning_rate", 0.001}, {"beta_1", 0.9}, {"beta_2", 0.999}, {"epsilon", epsilon}})};
    if (const double decay = o.settings.real("weight_decay", weight_decay); decay != 0)
        update.attributes.set("weight_decay", decay);
    return update;
}

Update adam(const OptimiserSpec& o, double weight_decay = 0) {
    Update update = adam_like(o, "adam_update", weight_decay);
    if (o.settings.flag("corrected_epsilon"))
        update.attributes.set("corrected_epsilon", true);
    if (o.settings.flag("amsgrad")) {
        update.kind = "adam_amsgrad_update";
        update.slots.push_back({"vhat"});
    }
    return update;
}

Update nadam(const OptimiserSpec& o) {
    Update update = adam_like(o, "nadam_update");
    update.momentum_product = true;
    return update;
}

Update lamb(const OptimiserSpec& o) {
    Update update = adam_like(o, "lamb_direction_update");
    update.attributes.set("epsilon", o.settings.real("epsilon", 1e-6));
    update.trust_ratio = true;
    return update;
}

Update adagrad(const OptimiserSpec& o) {
    return {"adagrad_update",
            {{"accumulator", o.settings.real("initial_accumulator_value", 0.1)}},
            false,
            with_defaults(o, {{"learning_rate", 0.001}, {"epsilon", 1e-7}})};
}

Update adadelta(const OptimiserSpec& o) {
    return {"adadelta_update",
            {{"accum_grad"}, {"accum_var"}},
            false,
            with_defaults(o, {{"learning_rate", 0.001}, {"rho", 0.95}, {"epsilon", 1e-7}})};
}

Update ftrl(const OptimiserSpec& o) {
    Update update{"ftrl_update",
                  {{"accumulator", o.settings.real("initial_accumulator_value", 0.1)}, {"linear"}},
                  false,
                  with_defaults(o, {{"learning_rate", 0.001},
                                    {"l1_regularization_strength", 0},
                                    {"l2_regularization_strength", 0},
                                    {"l2_shrinkage_regularization_strength", 0},
                                    {"beta", 0}})};
    if (const double power = o.settings.real("learning_rate_power", -0.5); power != -0.5) {
        update.kind = "ftrl_power_update";
        update.attributes.set("learning_rate_power", power);
    }
    return update;
}

Update rmsprop(const OptimiserSpec& o) {
    const bool tf1 = o.settings.flag("tf1");
    Update update{
        "rmsprop_update",
        {{"rms", tf1 ? 1.0 : 0.0}},
        false,
        with_defaults(o, {{"learning_rate", 0.001}, {"rho", 0.9}, {"epsilon", tf1 ? 1e-10 : 1e-7}})};
    const bool centered = o.settings.flag("centered");
    if (const double momentum = o.settings.real("momentum", 0); momentum != 0) {
        update.kind = centered ? "rmsprop_centered_momentum_update" : "rmsprop_momentum_update";
        update.slots.push_back({"momentum"});
        update.attributes.set("momentum", momentum);
    } else {
        update.kind = centered ? "rmsprop_centered_update" : update.kind;
        if (tf1)
            update.attributes.set("epsilon_inside", true);
    }
    if (centered)
        update.slots.push_back({"mg"});
    return update;
}

const std::map<std::string, std::function<Update(const OptimiserSpec&)>>& optimisers() {
    static const std::map<std::string, std::function<Update(const OptimiserSpec&)>> all = {
        {"sgd", sgd},
        {"adam", [](const OptimiserSpec& o) { return adam(o); }},
        {"adamw", [](const OptimiserSpec& o) { return adam(o, 0.004); }},
        {"adamax", [](const OptimiserSpec& o) { return adam_like(o, "adamax_update"); }},
        {"nadam", nadam},
        {"lamb", lamb},
        {"adagrad", adagrad},
        {"adadelta", adadelta},
        {"ftrl", ftrl},
        {"rmsprop", rmsprop}};
    return all;
}

Result<Update> update_of(const OptimiserSpec& optimiser) {
    const auto known = optimisers().find(optimiser.name);
    if (known != optimisers().end())
        return known->second(optimiser);
    return not_supported("optimiser \"" + optimiser.name + "\" is not supported", "compile.optimizer",
                         remedy_for(optimiser.name, optimiser_names(), "use sgd, adam or rmsprop"));
}

/// Adds one optimiser's operations.
class Updates {
  public:
    Updates(Builder& build, const OptimiserSpec& optimiser, Update update, ValueId rate,
            const EarlierUpdates& earlier)
        : build_(build), optimiser_(optimiser), update_(std::move(update)), rate_(rate), earlier_(earlier),
          label_(optimiser.settings.text("label", optimiser.name)) {}

    /// What all variables share: the count of steps and what follows from it.
    Result<void> add_shared() {
        if (update_.counts_steps || optimiser_.schedule) {
            TRY(add_steps());
        }
        if (rate_ == no_value)
            return {};
        scalars_.push_back(rate_);
        update_.attributes.set("learning_rate", 1.0);
        update_.attributes.set("scheduled_rate", true);
        return {};
    }

    Result<void> add(std::size_t variable, ValueId gradient) {
        const Variable updated = variables()[variable];
        const std::string name = label_ + "/" + updated.name;
        const ValueId own = now(updated.value);
        build_.scope.layer = updated.layer;
        std::vector<ValueId> inputs{own};
        std::vector<std::size_t> slots;
        for (const Slot& slot : update_.slots) {
            const auto initial = InitialValue::filled(build_.type(updated.value), slot.initial);
            TRY(const std::size_t made, state(name + "/" + slot.name, initial));
            slots.push_back(made);
            inputs.push_back(now(variables()[made].value));
        }
        inputs.insert(inputs.end(), scalars_.begin(), scalars_.end());
        inputs.push_back(gradient);
        TRY(auto outputs, build_.add(update_.kind, inputs, update_.attributes, name));
        for (std::size_t k = 0; k < update_.slots.size(); ++k)
            variables()[slots[k]].next = outputs[k + 1];
        TRY(ValueId next, update_.trust_ratio ? step_along(own, outputs[0], name) : outputs[0]);
        if (updated.constraint) {
            TRY(next, constrained(build_, *updated.constraint, next, name + "/" + updated.constraint->name));
        }
        variables()[variable].next = next;
        return {};
    }

    /// Takes the scale of the loss out of the gradients, and clips them.
    Result<void> prepare(std::vector<ValueId>& gradients) {
        std::size_t trainable = 0;
        for (const Variable& variable : std::vector<Variable>(variables())) {
            if (!variable.trainable)
                continue;
            ValueId& gradient = gradients[trainable++];
            if (gradient == no_value || optimiser_.loss_scale == 1)
                continue;
            build_.scope.layer = variable.layer;
            TRY(gradient,
                build_.emit("multiply",
                            {gradient, build_.scalar(1 / optimiser_.loss_scale, build_.type(gradient).dtype)},
                            {}, label_ + "/" + variable.name + "/unscale"));
        }
        return clip_gradients(build_, optimiser_, label_, gradients);
    }

  private:
    std::vector<Variable>& variables() { return build_.graph().variables; }

    /// What a variable is here.
    ValueId now(ValueId variable) const {
        const auto known = earlier_.values.find(variable);
        return known == earlier_.values.end() ? variable : known->second;
    }

    /// The index of a variable of the optimiser's own, which an earlier update of it has.
    Result<std::size_t> state(const std::string& name, const InitialValue& initial) {
        for (const auto& [variable, after] : earlier_.values)
            if (const graph::Value& value = build_.graph().value(variable); value.name == name)
                return static_cast<std::size_t>(value.index);
        TRY(build_.variable(name, initial, false));
        return variables().size() - 1;
    }

    Result<std::size_t> scalar_state(const std::string& name, double initial) {
        return state(label_ + "/" + name, InitialValue::filled({DType::Float32, {}}, initial));
    }

    /// The count of steps, with what is made of it.
    Result<void> add_steps() {
        TRY(const std::size_t index, scalar_state("iterations", 0));
        const ValueId before = now(variables()[index].value);
        TRY(const ValueId step,
            build_.emit("add", {before, build_.scalar(1.0)}, {}, label_ + "/iterations/add"));
        variables()[index].next = step;
        if (update_.counts_steps)
            scalars_.push_back(step);
        if (update_.momentum_product) {
            TRY(const ValueId product, add_momentum_product(step));
            scalars_.push_back(product);
        }
        if (optimiser_.schedule) {
            TRY(rate_, add_rate(build_, *optimiser_.schedule, before));
        }
        return {};
    }

    /// product' = product mu_t, mu_t = beta_1 (1 - 0.5 0.96^(0.004 t)).
    Result<ValueId> add_momentum_product(ValueId step) {
        const double beta_1 = update_.attributes.real("beta_1", 0.9);
        TRY(const std::size_t index, scalar_state("momentum_cache", 1));
        const ValueId before = now(variables()[index].value);
        TRY(const ValueId power,
            build_.emit("exp", {build_.emit("multiply", {step, build_.scalar(0.004 * std::log(0.96))})}));
        TRY(const ValueId mu,
            build_.emit("subtract", {build_.scalar(beta_1),
                                     build_.emit("multiply", {power, build_.scalar(0.5 * beta_1)})}));
        TRY(const ValueId product, build_.emit("multiply", {before, mu}));
        variables()[index].next = product;
        return product;
    }

    /// w - rate |w| / |d| d; the ratio is 1 where either length is 0 (tensorflow_addons' LAMB).
    Result<ValueId> step_along(ValueId w, ValueId d, const std::string& name) {
        const DType type = build_.type(w).dtype;
        build_.scope.prefix = name + "/";
        const auto length = [&](ValueId x) {
            return build_.emit("sqrt", {build_.emit("reduce_sum", {build_.emit("square", {x})})}, {},
                               "length");
        };
        TRY(const ValueId own, length(w));
        TRY(const ValueId other, length(d));
        const ValueId zero = build_.scalar(0, type);
        const ValueId one = build_.scalar(1, type);
        TRY(const ValueId both, build_.emit("logical_and", {build_.emit("greater", {own, zero}),
                                                            build_.emit("greater", {other, zero})}));
        TRY(const ValueId divisor, build_.emit("select", {both, other, one}));
        TRY(const ValueId ratio, build_.emit("divide", {build_.emit("select", {both, own, one}), divisor}));
        ValueId rate = build_.scalar(update_.attributes.real("learning_rate", 0.001), type);
        if (rate_ != no_value) {
            TRY(rate, build_.emit("cast", {scalars_.back()}, {{"dtype", to_string(type)}}));
        }
        TRY(const ValueId scaled, build_.emit("multiply", {d, build_.emit("multiply", {ratio, rate})}));
        TRY(const ValueId next, build_.emit("subtract", {w, scaled}, {}, "step"));
        build_.scope.prefix.clear();
        return next;
    }

    Builder& build_;
    const OptimiserSpec& optimiser_;
    Update update_;
    ValueId rate_; ///< where it is computed
    const EarlierUpdates& earlier_;
    std::string label_;            ///< before the names of what is kept
    std::vector<ValueId> scalars_; ///< in the order in which updates take them
};

} // namespace

std::vector<std::string> optimiser_names() {
    std::vector<std::string> names;
    for (const auto& [name, update] : optimisers())
        names.push_back(name);
    return names;
}

std::size_t optimiser_slots(const OptimiserSpec& optimiser) {
    const auto update = update_of(optimiser);
    return update ? update->slots.size() : 0;
}

Result<void> add_optimiser(Builder& build, const OptimiserSpec& optimiser,
                           const std::vector<ValueId>& gradients, const CancelToken* cancel, ValueId rate,
                           const EarlierUpdates& earlier) {
    TRY(auto update, update_of(optimiser));
    const Builder::Scope saved = build.scope;
    build.scope = {};
    build.scope.phase = Phase::Update;
    const std::size_t count = build.graph().variables.size();
    Updates updates(build, optimiser, std::move(update), rate, earlier);
    Result<void> done = updates.add_shared();
    std::vector<ValueId> prepared = gradients;
    if (done)
        done = updates.prepare(prepared);
    std::size_t trainable = 0;
    for (std::size_t i = 0; i < count && done; ++i) {
        if (is_cancelled(cancel)) {
            done = cancelled();
            break;
        }
        if (!build.graph().variables[i].trainable)
            continue;
        const ValueId gradient = prepared[trainable++];
        if (gradient != no_value)
            done = updates.add(i, gradient);
    }
    build.scope = saved;
    return done;
}

} // namespace tilescope::training
