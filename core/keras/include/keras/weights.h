// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "graph/graph.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tilescope::keras {

/// Under which names Keras saves a variable of a model.
struct SavedVariable {
    std::size_t variable = 0; ///< index in the graph
    std::string layer;        ///< of the outermost model, as .h5 files name their groups
    std::string checkpoint;   ///< the layer's group in .weights.h5 files: "layers/conv2d_1"
    std::string part;         ///< of the layer, below that group: "query_dense"; "" for its own
};

/// Gives the variables of a model the values of a file (.h5 with or without the model, .weights.h5, .keras):
/// those of float32 bit for bit. `variables` stand in the order in which each layer makes them, which is that
/// of the file. Sources: Keras 2 keras/saving/hdf5_format.py and Keras 3 keras/src/legacy/saving
/// /legacy_h5_format.py (groups by layer name, attribute weight_names), keras/src/saving/saving_lib.py
/// (groups by class, "vars/0": keras_checkpoint.h). Errors: BadInput where the file is damaged, or has other
/// layers, other numbers of weights or other shapes than the model.
Result<void> load_keras_weights(const std::string& path, const std::vector<SavedVariable>& variables,
                                graph::Graph& graph);

} // namespace tilescope::keras
