// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tile_tabs.h"

#include <optional>

/// What Memory shows, as questions for Query.
namespace tilescope::ui {

/// Bytes by tile, to the end of the highest allocation, the fullest first.
QString tilesSql(std::int64_t ipu);
/// What lies on the tiles with its bytes there; `step`: what is live then, else all that ever is.
QString variablesSql(const TileTabs::Scope& scope, std::optional<std::int64_t> step);
/// Vertices by codelet of the compute sets that run on the tiles.
QString codeletsSql(const TileTabs::Scope& scope);
/// What the tiles send and receive in one run of each exchange.
QString exchangesSql(const TileTabs::Scope& scope);
/// What the tiles compute in one run of each compute set.
QString computeSetsSql(const TileTabs::Scope& scope);

} // namespace tilescope::ui
