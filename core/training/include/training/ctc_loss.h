// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "graph/builder.h"

#include <cstdint>

namespace tilescope::training {

/// Sequences of classes whose steps are not aligned with their labels: connectionist temporal classification
/// (A. Graves et al., ICML 2006).
struct CtcLoss {
    graph::ValueId shares = graph::no_value;        ///< [steps, batch, classes]: logits, or
    bool of_logarithms = false;                     ///< logarithms of each class' share
    graph::ValueId labels = graph::no_value;        ///< int32 [batch, most labels]
    graph::ValueId label_lengths = graph::no_value; ///< int32 [batch]
    graph::ValueId steps = graph::no_value;         ///< int32 [batch]: how many count
    std::int64_t blank = 0;                         ///< the class between labels
};

/// The loss of each sample, float32 [batch]: -log of the sum, over all alignments that come down to its
/// labels, of the products of their shares; infinite where the steps do not suffice, or a label is none of
/// the classes. A loop on the device over the steps, of elementwise operations on [batch, 2 most labels + 1]
/// states: the article's forward variables (its equations 6 to 8), as logarithms. Its gradient is that of the
/// loop, the article's backward variables. Errors: BadInput for shapes and types that do not fit, and for a
/// blank that is no class.
Result<graph::ValueId> add_ctc_loss(graph::Builder& build, const CtcLoss& loss);

} // namespace tilescope::training
