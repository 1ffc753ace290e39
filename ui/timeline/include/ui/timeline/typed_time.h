// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <optional>

namespace tilescope::ui {

/// A time, or a range of it, in cycles.
struct TypedTime {
    std::int64_t from = 0;
    std::optional<std::int64_t> to; ///< behind `from`; nullopt: a time alone
};

/// "277.3 ms", "1.2s", "368,000,000" (cycles), "10 - 20 ms", "10 ms - 0.2 s", "277 ms + 300 us"; nullopt:
/// it is no such. `clock_hz` of 0: cycles alone have a meaning.
std::optional<TypedTime> typedTime(const QString& typed, double clock_hz);

/// Whether it is meant as one: a number with a unit of time or "cycles".
bool looksLikeTime(const QString& typed);

/// A range as it can be typed, in one unit: "10 - 20.5 ms", with the digits that tell cycles apart.
QString rangeText(std::int64_t from, std::int64_t to, double clock_hz);

} // namespace tilescope::ui
