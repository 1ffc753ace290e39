// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// Where a model is cut between two IPUs of the first replica: what one makes and the other uses.
struct Cut {
    std::int64_t from_ipu = 0;
    std::int64_t to_ipu = 0;
    std::int64_t tensors = 0; ///< that cross it
    std::int64_t bytes = 0;   ///< of them, each once
    std::string makes;        ///< the layer that makes the largest; where there is none, the operation
    std::string uses;         ///< the first that uses that one there
    std::string text() const; ///< "layer_5 → layer_6", "layer_5 → layer_6 and 2 tensors more"
};

/// In order of the IPUs.
std::vector<Cut> cuts(const std::vector<profile::OperationRecord>& operations,
                      const std::vector<profile::LayerRecord>& layers,
                      const std::vector<profile::TensorRecord>& tensors);

} // namespace tilescope::analyse
