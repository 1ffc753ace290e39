// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/phase_look.h"

#include "ui/session/format.h"

#include <QCoreApplication>

namespace tilescope::ui {

const std::array<PhaseLook, analyse::phases.size()>& phaseLooks() {
    static const auto looks = [] {
        const std::array<ThemeColor, analyse::phases.size()> colors{&Theme::compute,   &Theme::exchange,
                                                                    &Theme::inter_ipu, &Theme::sync,
                                                                    &Theme::host,      &Theme::waiting};
        std::array<PhaseLook, analyse::phases.size()> all;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const analyse::NamedPhase& phase = analyse::phases[i];
            const QString name = QCoreApplication::translate("Phase", phase.name);
            all[i] = {name,
                      colors[i],
                      phase.cycles,
                      QLatin1String(phase.name),
                      phase.cycles == &profile::PhaseCycles::waiting,
                      asHead(name)};
        }
        return all;
    }();
    return looks;
}

std::vector<ShareBar::Part> phaseShares(const profile::PhaseCycles& now, const profile::PhaseCycles* base) {
    std::vector<ShareBar::Part> parts;
    for (const PhaseLook& look : phaseLooks()) {
        const double is = analyse::phase_share(now, look.cycles).value_or(0);
        const double was = base != nullptr ? analyse::phase_share(*base, look.cycles).value_or(0) : 0;
        parts.push_back({look.name, look.color, is,
                         base != nullptr
                             ? QStringLiteral("%1 (%2)").arg(formatPercent(is), formatPoints(was, is))
                             : formatPercent(is),
                         was, look.key, look.hatched});
    }
    return parts;
}

} // namespace tilescope::ui
