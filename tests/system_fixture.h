// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/records.h"

#include <string>
#include <vector>

namespace tilescope::tests {

/// A made-up training run on several IPUs: each shard (or stage) has two layers of one operation each,
/// one forward and one that updates weights.
struct SystemFixture {
    std::int64_t shards = 2;
    std::int64_t replicas = 2;
    bool pipelined = false; ///< shards are stages; with two of them the slots are those of grouped_pipeline()
    std::int64_t link_factor = 1; ///< multiplies the bytes between shards
    bool comes_back = false;      ///< the last operation is of one more stage, on the first IPU
    bool nearly_full = false;     ///< the last tile of the last shard has 1 % left, which is a finding

    std::int64_t ipus() const { return shards * replicas; }
};

inline constexpr std::int64_t system_tiles = 16;
inline constexpr std::int64_t system_bytes_per_tile = 100'000;
inline constexpr double system_clock_hz = 1.0e9; ///< one cycle is one nanosecond
inline constexpr std::int64_t system_execution_cycles = 1000;
/// Fullest is the last tile of each IPU; tile t holds t bytes more than the first.
constexpr std::int64_t system_first_tile_bytes(std::int64_t ipu) {
    return 1000 * (ipu + 1);
}
constexpr std::int64_t system_always_live_bytes(std::int64_t ipu) { ///< of each tile
    return 600 * (ipu + 1);
}
constexpr std::int64_t system_copy_bytes(std::int64_t lower_shard) {
    return 1000 * (lower_shard + 1);
}
inline constexpr std::int64_t system_all_reduce_bytes = 4096;

/// Two stages, two micro-batches, Grouped, with recomputation; one update is 420 cycles. Forward takes 50
/// cycles on stage 0 and 30 on stage 1, backward 70 (after 20 of recomputation) and 40, a copy 10, the
/// update 30 and 20.
std::vector<profile::PipelineSlotRecord> grouped_pipeline();

/// Records a complete profile at `path`.
Result<void> record_system(const std::string& path, const SystemFixture& system);

} // namespace tilescope::tests
