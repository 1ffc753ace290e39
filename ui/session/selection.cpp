// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/selection.h"

namespace tilescope::ui {

void SelectionModel::set(const Selection& selection) {
    Selection next = selection;
    if (!next.ofOneIpu())
        next.ipu = first_ipu_;
    if (next == current_)
        return;
    current_ = next;
    Q_EMIT changed(current_);
}

void SelectionModel::setFirstIpu(std::int64_t ipu) {
    first_ipu_ = ipu;
    set(Selection(current_));
}

} // namespace tilescope::ui
