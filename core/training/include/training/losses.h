// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "graph/builder.h"

#include <string>
#include <vector>

namespace tilescope::training {

/// What a loss or metric compares: a model's output [batch, …] and labels of the same type, or int32 classes
/// [batch, …] without the last dimension for the sparse ones.
struct Compared {
    graph::ValueId output = graph::no_value;
    graph::ValueId labels = graph::no_value;
    bool from_logits = false; ///< the output is no probability yet; a softmax or sigmoid at its end is seen
                              ///< through in any case
};

/// Names as Keras has them (keras/losses.py, keras/metrics), short forms included.
std::vector<std::string> loss_names();
std::vector<std::string> metric_names();
/// Whether labels are int32 classes, one for each last dimension of the output.
bool sparse_labels(const std::string& loss);

/// The loss of each sample, or of each of its values: the mean over all is the loss. Formulas are Keras'
/// (keras/losses.py). Errors: BadInput for shapes that do not fit. The name must be known.
Result<graph::ValueId> add_loss_values(graph::Builder& build, const std::string& loss,
                                       const Compared& compared);
/// The same of a metric; one that is a loss too has its values.
Result<graph::ValueId> add_metric_values(graph::Builder& build, const std::string& metric,
                                         const Compared& compared);

} // namespace tilescope::training
