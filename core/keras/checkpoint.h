// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/hdf5_file.h"

#include <string>
#include <vector>

namespace tilescope::keras {

/// Where a .weights.h5 file has the groups of a model's layers, which are named by their classes. Keras 3 and
/// tf.keras 2.13 write "layers/dense_1"; tf.keras 2.12 "_layer_checkpoint_dependencies/dense_2", where each
/// layer with weights is counted twice (keras/saving/saving_lib.py of that version: it walks over the sorted
/// attributes of a model, and _layer_checkpoint_dependencies of engine/functional.py names such layers
/// twice). On Windows tf.keras joins names with a backslash into one.
class KerasCheckpoint {
  public:
    explicit KerasCheckpoint(const formats::Hdf5File& file);

    /// Whether the file is one.
    bool found() const { return !container_.empty(); }
    /// The group of a layer "layers/functional/layers/dense_1", or of a part of it, as the file names it.
    std::string group(const std::string& layer, const std::string& part = {}) const;
    /// The data sets of a group in their order; those of a recurrent layer belong to its cell.
    std::vector<std::string> data_sets(const std::string& group) const;
    /// The groups of the outermost model's layers.
    std::vector<std::string> groups() const;

  private:
    std::string join(const std::string& group, const std::string& name) const;
    std::vector<std::string> within(const std::string& group) const;
    std::string counted_twice(const std::string& container, const std::string& name) const;

    const formats::Hdf5File& file_;
    std::string container_; ///< of layers
    char separator_ = '/';
};

} // namespace tilescope::keras
