// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/selection.h"

namespace tilescope::ui {

void SelectionModel::set(const Selection& selection) {
    if (selection == current_)
        return;
    current_ = selection;
    Q_EMIT changed(current_);
}

} // namespace tilescope::ui
