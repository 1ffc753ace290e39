// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/liveness.h"

#include <QFontMetrics>
#include <QString>
#include <functional>
#include <string>
#include <vector>

namespace tilescope::ui {

/// What the steps below the curve are of, from fine to coarse: layers, blocks of layers ("layer_3" of
/// "layer_3_attention"), phases. A band of blocks or phases goes from its first step to its last before a
/// step of another: steps of no layer within it are told with it.
class BandLevels {
  public:
    using Bands = std::vector<analyse::Liveness::Band>;
    struct Level {
        QString of; ///< "Layer"
        Bands bands;
    };
    explicit BandLevels(const analyse::Liveness& live);
    /// The finest of which at least half of what is in view has room for its name, else the coarsest.
    /// `pixels`: from where to where a band is drawn in view, empty outside.
    const Level& shown(const QFontMetrics& metrics,
                       const std::function<double(const analyse::Liveness::Band&)>& pixels) const;
    const std::vector<Level>& levels() const { return levels_; }
    static constexpr double around_name = 6; ///< pixels

  private:
    std::vector<Level> levels_;
};

/// What a layer is a part of, by its name: up to its first number, where more words follow; else its name.
std::string blockOfLayer(const std::string& layer);

} // namespace tilescope::ui
