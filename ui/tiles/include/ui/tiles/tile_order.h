// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/floor_plan.h"

#include <QObject>

namespace tilescope::ui {

/// How every floor plan of the window draws the tiles: as they lie, or by their numbers. Memory remembers it.
class SharedTileOrder : public QObject {
    Q_OBJECT
  public:
    static SharedTileOrder& get();
    analyse::TileOrder order() const { return order_; }
    void set(analyse::TileOrder order);

  Q_SIGNALS:
    void changed();

  private:
    SharedTileOrder() = default;
    analyse::TileOrder order_ = analyse::TileOrder::Physical;
};

} // namespace tilescope::ui
