// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "settings.h"

/// What layers of attention share (Vaswani et al. 2017, "Attention Is All You Need").
namespace tilescope::keras {

/// x under this shape, as it is where it has it.
Result<graph::ValueId> reshaped(KerasLayer& layer, const Result<graph::ValueId>& x,
                                const graph::Shape& shape);
/// Whether a call says so: {"use_causal_mask": true}.
bool told(const KerasLayer& layer, const char* argument);

/// 1 and 0 of a type, [rows, columns], 1 where `holds(row, column)`.
Result<graph::ValueId> pattern(KerasLayer& layer, graph::DType dtype, std::int64_t rows, std::int64_t columns,
                               const std::function<bool(std::int64_t, std::int64_t)>& holds);
Result<graph::ValueId> lower_triangle(KerasLayer& layer, graph::DType dtype, std::int64_t rows,
                                      std::int64_t columns);

/// The product of masks, numbers of 1 and 0 that broadcast to each other; no_value of none.
class MaskProduct {
  public:
    explicit MaskProduct(KerasLayer& layer) : layer_(layer) {}
    Result<void> add(const Result<graph::ValueId>& mask);
    /// A mask, or no_value, as numbers of this shape.
    Result<void> add(graph::ValueId mask, graph::DType dtype, const graph::Shape& shape);
    graph::ValueId product() const { return product_; }

  private:
    KerasLayer& layer_;
    graph::ValueId product_ = graph::no_value;
};

/// softmax(scores), of what a mask leaves of them, and the same after the layer's dropout.
struct AttentionWeights {
    graph::ValueId weights, kept;
};
Result<AttentionWeights> weigh(KerasLayer& layer, const Result<graph::ValueId>& scores, graph::ValueId mask);

} // namespace tilescope::keras
