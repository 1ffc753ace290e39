// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kinds.h"
#include "base/part_of_model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::ipu {

enum class ProductKind { Convolution, Matmul };
constexpr auto spelling(ProductKind) {
    return spelled("kind of product", "convolutions", "matmuls");
}

/// How one convolution or matrix product is planned.
struct ProductPlanning {
    double available_memory_proportion = 0.6; ///< of a tile, for its temporaries
    bool half_partials = false;               ///< partial sums of half inputs are half, not float
    bool gather_output = false;               ///< results never stay where partial sums lie
    bool clear_pass_type = false;             ///< the products of a trained layer have no joint plan
};

/// One of the products of a model, as rules tell them apart.
struct ProductPlace {
    ProductKind kind = ProductKind::Matmul;
    std::int32_t stage = 0;       ///< of the pipeline, or shard
    Phase phase = Phase::Forward; ///< what is computed again is of the forward pass
    std::string layer;            ///< "" for none
};

/// What some products have in place of what all have. An empty condition holds for any.
struct PlanningRule {
    std::optional<ProductKind> of;
    PartOfModel part;
    std::vector<Phase> passes;
    std::optional<double> available_memory_proportion;
    std::optional<bool> half_partials;
    std::optional<bool> gather_output = {};
    std::optional<bool> clear_pass_type = {};

    bool holds_for(const ProductPlace& product) const;
    bool operator==(const PlanningRule&) const = default;
};

/// How the convolutions and matrix products of a model are planned. IPU TensorFlow has options for each of
/// both kinds (IPUConfig.convolutions, .matmuls) and for the passes of each pipeline stage
/// (PipelineStageOptions), PopART for each operation.
struct PlanningOptions {
    ProductPlanning all;
    std::vector<PlanningRule> rules; ///< later ones prevail

    ProductPlanning planning_of(const ProductPlace& product) const;
};

} // namespace tilescope::ipu
