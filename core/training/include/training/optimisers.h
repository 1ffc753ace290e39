// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/error.h"
#include "graph/builder.h"

#include <map>
#include <string>
#include <vector>

namespace tilescope::training {

/// What updates of the same step that come before one leave behind.
struct EarlierUpdates {
    std::map<graph::ValueId, graph::ValueId> values; ///< what variables, slots among them, are after them
};

/// Adds the update of each trainable variable from its gradient (no_value: the variable stays as it is),
/// after which its constraint is applied, with the optimiser's slots as further variables named
/// OPTIMISER/VARIABLE/SLOT, and sets `next` of all of them. Settings and defaults: Keras' sgd (learning_rate
/// 0.01, momentum 0, nesterov), adam (0.001, beta_1 0.9, beta_2 0.999, epsilon 1e-7, amsgrad,
/// corrected_epsilon), adamw (the same, weight_decay 0.004), adamax and nadam (as adam), adagrad (0.001,
/// initial_accumulator_value 0.1, epsilon 1e-7), adadelta (0.001, rho 0.95, epsilon 1e-7), ftrl (0.001,
/// initial_accumulator_value 0.1, learning_rate_power -0.5, the strengths 0, beta 0), lamb (0.001, 0.9,
/// 0.999, epsilon 1e-6, weight_decay 0), rmsprop (0.001, rho 0.9, momentum 0, epsilon 1e-7, centered); all of
/// them clip gradients (clipvalue, clipnorm, global_clipnorm), of all micro-batches and replicas together;
/// with `tf1` TF1's epsilons (Adam 1e-8; RMSprop 1e-10, inside the square root, mean square starting at 1)
/// and its momentum, which gathers gradients and not steps. `label`: in the place of the optimiser's name in
/// those of its slots, of another one of that name. `rate`: a learning rate that is computed, a float scalar,
/// in the place of the optimiser's. `earlier`: variables are updated from what they are there; slots of the
/// same names are those that there are. Errors: NotSupported for an optimiser or a schedule that is not
/// there, naming the nearest; Cancelled.
Result<void> add_optimiser(graph::Builder& build, const graph::OptimiserSpec& optimiser,
                           const std::vector<graph::ValueId>& gradients, const CancelToken* cancel = nullptr,
                           graph::ValueId rate = graph::no_value, const EarlierUpdates& earlier = {});

std::vector<std::string> optimiser_names();

/// Variables that an optimiser keeps for each one that it trains: momenta and the like; 0 for an unknown one.
std::size_t optimiser_slots(const graph::OptimiserSpec& optimiser);
std::vector<std::string> schedule_names(); ///< of the learning rate

} // namespace tilescope::training
