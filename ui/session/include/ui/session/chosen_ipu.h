// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session/selection.h"

namespace tilescope::ui {

/// Whether an IPU was chosen since a file was opened, or anything on one: a selection is of the first until
/// then, and a view shows the one that matters most.
class ChosenIpu {
  public:
    void forget() { chosen_ = false; } ///< another file is shown
    void choose() { chosen_ = true; }
    bool in(const Selection& s) {
        chosen_ =
            chosen_ || s.ofOneIpu() || s.operation >= 0 || s.layer >= 0 || s.program >= 0 || s.variable >= 0;
        return chosen_;
    }

  private:
    bool chosen_ = false;
};

} // namespace tilescope::ui
