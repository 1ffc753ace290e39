// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <vector>

namespace tilescope::ui {

/// Tiles as they are typed: "all", "0-63, 700", "IPU 3: 45", "fullest", "fullest 5".
struct TileChoice {
    std::int64_t ipu = -1;           ///< that is named; -1: none is
    std::vector<std::int64_t> tiles; ///< ascending; empty: all
    int fullest = 0;                 ///< so many of the fullest instead
    QString error;                   ///< what is wrong, in words; then the rest means nothing
};
TileChoice parseTiles(const QString& typed, std::int64_t tiles_per_ipu,
                      const std::vector<std::int64_t>& ipus);
/// The shortest such text: runs of tiles as "0-63"; "all" for none.
QString tilesText(std::int64_t ipu, const std::vector<std::int64_t>& tiles);

} // namespace tilescope::ui
