// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "keras/layers.h"

#include <string>

namespace tilescope::keras {

/// l1 sum(|x|) + l2 sum(x^2).
struct Norms {
    double l1 = 0, l2 = 0;
};

/// Adds it, times `scale`, to the model's losses.
Result<void> penalise(KerasLayer& layer, const std::string& name, const Norms& norms, graph::ValueId x,
                      double scale);

/// Adds what a regulariser of the layer makes of a tensor to the model's losses: l1 sum(|x|) + l2 sum(x^2),
/// times `scale`. `key` is the setting ("kernel_regularizer"); nothing is added where it is absent. Source:
/// keras/regularizers.py. Errors: NotSupported for a regulariser that is not L1, L2 or both.
Result<void> regularise(KerasLayer& layer, const std::string& key, graph::ValueId x, double scale = 1);

} // namespace tilescope::keras
