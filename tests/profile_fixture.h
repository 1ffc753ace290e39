// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <cstdint>
#include <string>

namespace tilescope::tests {

/// How large a made-up training run is. It is a chain of dense layers; each has six operations: forward
/// matmul and relu, backward relu gradient, input gradient and weight gradient, and the update of the
/// weights.
struct FixtureSize {
    std::int64_t tiles = 64;
    std::int64_t layers = 2;
    std::int64_t epochs = 2;
    std::int64_t executions_per_epoch = 2;
    std::int64_t steps_per_execution = 3;

    std::int64_t operations() const { return 6 * layers; }
    /// Leaves of the program tree: the infeed, then an exchange and a compute set per operation.
    std::int64_t leaves() const { return 1 + 2 * operations(); }
};

/// Two layers on 64 tiles, two epochs of two executions of three steps: small enough to work out by hand.
inline constexpr FixtureSize small_fixture{};
/// 1,472 tiles, 300 operations, 198,330 trace rows.
inline constexpr FixtureSize large_fixture{1472, 50, 2, 17, 10};

/// Cycles of the fixture, in every step: `operation` is its id.
inline constexpr std::int64_t fixture_sync_cycles = 100; ///< before each exchange; none before computing
inline constexpr std::int64_t fixture_infeed_cycles = 400;
inline constexpr std::int64_t fixture_host_cycles = 1000; ///< before the first step of an execution
/// Of control and exchange code that each exchange of an operation adds, and each compute set.
inline constexpr std::int64_t fixture_exchange_code = 2048;
inline constexpr std::int64_t fixture_compute_code = 1024;
constexpr std::int64_t fixture_exchange_cycles(std::int64_t operation) {
    return 50 + 10 * operation;
}
constexpr std::int64_t fixture_compute_cycles(std::int64_t operation) {
    return 200 + 20 * operation;
}
std::int64_t fixture_step_cycles(const FixtureSize& size);

/// Records a complete profile at `path` through the Recorder: every execution is traced but the last of
/// training and the evaluation that follows it.
Result<void> record_fixture(const std::string& path, const FixtureSize& size = small_fixture);

} // namespace tilescope::tests
