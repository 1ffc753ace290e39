// SPDX-License-Identifier: GPL-3.0-or-later
#include "ops/lowering.h"

namespace tilescope::ops {

void add_lowerings(graph::OperatorRegistry& registry) {
    add_matmul_lowerings(registry);
    add_convolution_lowerings(registry);
    add_pooling_lowerings(registry);
    add_reduction_lowerings(registry);
    add_indexing_lowerings(registry);
    add_norm_lowerings(registry);
    add_embedding_lowerings(registry);
    add_shape_lowerings(registry);
    add_update_lowerings(registry);
    add_scan_lowering(registry);
    add_elementwise_lowerings(registry);
}

} // namespace tilescope::ops
