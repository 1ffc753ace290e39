// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QString>

namespace tilescope::ui {

/// What Trace says, in the reader's language; for what is no QObject.
inline QString text(const char* source) {
    return QCoreApplication::translate("Trace", source);
}

} // namespace tilescope::ui
