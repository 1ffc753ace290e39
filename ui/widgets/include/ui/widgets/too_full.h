// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <QString>
#include <cstdint>
#include <optional>

class QLabel;

namespace tilescope::profile {
class Profile;
}

namespace tilescope::ui {

class View;

/// The tile that a program did not fit into: of several that which needs most.
struct TooFull {
    std::int64_t ipu = 0, tile = 0;
    std::int64_t bytes = 0, bytes_per_tile = 0; ///< that it needs, and has
    QString step;                               ///< at which it needs them
    /// "This program was never run: IPU 0 tile 3 needs 700 KiB of 624 KiB at step dense/MatMul."
    QString text() const;
    QString links() const; ///< to the tile, and to what would make it fit, as rich text
};
/// nullopt: the run did not end so, or its file does not say which tile it was.
Result<std::optional<TooFull>> tooFull(const profile::Profile& file);

/// TooFull::links() in the text of a label of a view lead to where they show.
void leadFrom(QLabel& label, View& view);

} // namespace tilescope::ui
