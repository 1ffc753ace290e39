// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "formats/hdf5_file.h"

#include <optional>
#include <string>

namespace tilescope::keras {

/// A file of a Keras model, in any of its formats.
struct KerasFile {
    std::string model;        ///< the model's JSON text, as `model.to_json()` writes it
    std::string training;     ///< JSON text of `training_config` or `compile_config`; "" where not compiled
    bool has_weights = false; ///< the file holds them too
};

/// Reads JSON (`model.to_json()`), HDF5 (`model.save("NAME.h5")`: attributes `model_config` and
/// `training_config`) or the Keras 3 archive (`model.save("NAME.keras")`: config.json, model.weights.h5),
/// told apart by their first bytes. Errors: BadInput for a file that is missing, damaged, or has weights but
/// no model.
Result<KerasFile> read_keras_file(const std::string& path);

/// Whether a file is a model in one of the binary formats; false where it cannot be read.
bool is_binary_keras_file(const std::string& path);

/// The weights in a file: the file itself for HDF5, model.weights.h5 of an archive. Errors: BadInput where
/// it is neither, or has none.
Result<formats::Hdf5File> open_keras_weights(const std::string& path);

} // namespace tilescope::keras
