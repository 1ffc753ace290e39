// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>

/// What the sources of the Sharding view write alike.
namespace tilescope::ui {

inline QString shardingText(const char* source) {
    return QCoreApplication::translate("Sharding", source);
}

} // namespace tilescope::ui
