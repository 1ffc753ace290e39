// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "graph/builder.h"

#include <map>
#include <string>
#include <vector>

namespace tilescope::import {

/// Adds the forward pass of a Keras model (the text of `model.to_json()`: Sequential or Functional, Keras 2,
/// tf.keras or Keras 3) for one batch. Feeds are named after the input layers. Returns the output.
/// `shards`: the IPU of a layer and of those after it, up to the next that is named.
/// Errors: BadInput with the file and the layer's name.
Result<graph::ValueId> add_keras_model(graph::Builder& build, const std::string& text,
                                       const std::string& path, std::int64_t batch, std::uint64_t seed,
                                       const std::map<std::string, std::int32_t>& shards = {});

/// The names of a model's layers in the order of the file, but for the inputs; none where it is no model.
std::vector<std::string> keras_layer_names(const std::string& text);

} // namespace tilescope::import
