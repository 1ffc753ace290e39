// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/spelling.h"

namespace tilescope {

/// Kinds of figures that rest on formulas. Compute: cycles of the device, exchange and sync among them; Host:
/// time of whole steps, whose host's part is most uncertain; Memory: bytes on tiles.
enum class FigureKind { Compute, Host, Memory };
constexpr auto spelling(FigureKind) {
    return spelled("kind of figure", "compute", "host", "memory");
}

} // namespace tilescope
