// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>

namespace tilescope::test {

/// How many there were so far, where a source of the test program includes counted_allocations.h.
inline std::atomic<std::int64_t> allocations{0};

} // namespace tilescope::test
