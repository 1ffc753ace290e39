// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/summary.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::analyse {

/// Cycles of a layer less those that its FLOPs would take at the peak of their types, all of them where it
/// only moves data: as of an operation (OperationFigures::lost). nullopt: the file does not say what the
/// target could.
std::optional<std::int64_t> lost_by(const LayerCost& layer);

/// The layers, those that lose most first.
std::vector<LayerCost> by_loss(std::vector<LayerCost> layers);

} // namespace tilescope::analyse
