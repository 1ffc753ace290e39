// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <cstdint>

/// What the sources of the Sharding view write alike.
namespace tilescope::ui {

inline QString shardingText(const char* source) {
    return QCoreApplication::translate("Sharding", source);
}

/// 0 where the whole is nothing.
inline double shareOf(std::int64_t part, std::int64_t whole) {
    return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

} // namespace tilescope::ui
