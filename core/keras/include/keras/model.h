// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "base/part_of_model.h"
#include "graph/builder.h"
#include "keras/weights.h"

#include <map>
#include <string>
#include <vector>

namespace tilescope::keras {

/// How a Keras model is turned into operations.
struct KerasOptions {
    std::int64_t batch = 1;
    std::uint64_t seed = 1;
    bool training = false; ///< batch normalisation takes the batch's statistics and keeps running ones
    /// The IPU of a layer and of those after it, up to the next that is named.
    std::map<std::string, std::int32_t> shards = {};
    /// Policies of parts of the model, in place of those of their layers. What takes whole numbers, as ids
    /// do, keeps its type.
    std::vector<ForPart<std::string>> dtypes = {};
    /// What the model is called on, in the order of its inputs; none: feeds are made for them.
    std::vector<graph::ValueId> inputs = {};
    /// What variables of the graph are where the model is called, which the step has updated before.
    std::map<graph::ValueId, graph::ValueId> updated = {};
};

/// What a model gives.
struct ModelOutput {
    std::string name; ///< of its layer, or of Keras 3's dictionary of outputs
    graph::ValueId value = graph::no_value;
    graph::ValueId mask = graph::no_value; ///< bool, true where the value counts; or none
};

/// What a Keras model has become.
struct KerasModel {
    std::string name; ///< the model's own
    std::vector<ModelOutput> outputs;
    std::vector<graph::ValueId> losses; ///< of regularisers: to be added to the loss, one number each
    std::vector<SavedVariable> variables;
    /// The layers of the outermost model in the order of the file, as Keras lists them: with the inputs of a
    /// Functional model, a nested model as one.
    std::vector<graph::Layer> layers;
};

/// Adds the forward pass of a Keras model (the text of `model.to_json()`: Sequential or Functional, Keras 2,
/// tf.keras or Keras 3, with models in it) for one batch. Feeds are named after the input layers.
/// Errors: BadInput with the file and the layer's name.
Result<KerasModel> add_keras_model(graph::Builder& build, const std::string& text, const std::string& path,
                                   const KerasOptions& options);

/// The names of a model's layers in the order of the file, but for the inputs; none where it is no model.
std::vector<std::string> keras_layer_names(const std::string& text);

} // namespace tilescope::keras
