// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace tilescope::operators {

/// A whole number as an int32 keeps it: what is beyond wraps around, as on the IPU and in TensorFlow.
constexpr std::int32_t wrapped(std::int64_t value) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

} // namespace tilescope::operators
