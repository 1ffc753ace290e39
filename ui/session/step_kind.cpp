// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/step_kind.h"

#include <QCoreApplication>

namespace tilescope::ui {

QString stepKindName(profile::StepKind kind) {
    const auto tr = [](const char* source) { return QCoreApplication::translate("StepKind", source); };
    switch (kind) {
    case profile::StepKind::Repeat:
        return tr("repeat");
    case profile::StepKind::Execute:
        return tr("compute set");
    case profile::StepKind::Exchange:
        return tr("exchange");
    case profile::StepKind::StreamCopy:
        return tr("stream copy");
    case profile::StepKind::Load:
        return tr("load");
    case profile::StepKind::Store:
        return tr("store");
    case profile::StepKind::Sequence:
        break;
    }
    return tr("sequence");
}

} // namespace tilescope::ui
