// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/loops_of_base.h"

namespace tilescope::ui {

void askLoopsOfBase(QObject* by, const Sources& sources,
                    const std::function<void(const std::optional<analyse::Loops>&)>& have) {
    if (!sources.base)
        return have(std::nullopt);
    sources.base->ask<analyse::Loops>(
        by, QStringLiteral("loops of the base"), &analyse::read_loops,
        [have](const Result<analyse::Loops>& loops) { have(loops ? std::optional(*loops) : std::nullopt); });
}

} // namespace tilescope::ui
