// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/basis.h"
#include "ui/session/view.h"

#include <functional>
#include <optional>

namespace tilescope::ui {

/// The loops of the base, where two files are shown, whose figures are per what both have
/// (analyse::common_basis). nullopt, at once: there is no base; or it cannot be read.
void askLoopsOfBase(QObject* by, const Sources& sources,
                    const std::function<void(const std::optional<analyse::Loops>&)>& have);

} // namespace tilescope::ui
