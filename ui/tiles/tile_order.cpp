// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tiles/tile_order.h"

#include <utility>

namespace tilescope::ui {

SharedTileOrder& SharedTileOrder::get() {
    static SharedTileOrder shared;
    return shared;
}

void SharedTileOrder::set(analyse::TileOrder order) {
    if (std::exchange(order_, order) != order)
        Q_EMIT changed();
}

} // namespace tilescope::ui
