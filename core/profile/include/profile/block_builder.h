// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace tilescope::profile {

/// Makes a block of what one IPU does, step by step. Neighbours that are alike become one part that repeats;
/// what lies between `begin` and `end` becomes a block of its own, so that it is stored once wherever it
/// occurs again: an iteration of a loop, a pass of a pipeline's stage.
class BlockBuilder {
  public:
    /// Keeps a block of these parts, whose `block_id` and `position` it fills in, and returns its id; the
    /// same for the same parts.
    using Keep = std::function<std::int64_t(std::vector<BlockPartRecord>)>;
    explicit BlockBuilder(Keep keep) : keep_(std::move(keep)), open_(1) {}

    /// A program step, after those before it.
    void step(std::int64_t start_cycle, std::int64_t program_id, std::int64_t sync, std::int64_t exchange,
              std::int64_t compute);
    void begin();
    void end();

    struct Block {
        std::int64_t id = -1; ///< -1: there was no step
        std::int64_t start_cycle = 0;
    };
    /// Everything since the last call.
    Block finish();

  private:
    struct Part {
        BlockPartRecord record;
        std::int64_t length = 0; ///< cycles of one repeat
    };
    using Parts = std::vector<Part>;
    void append(const Part& part);
    Part block_of(Parts parts);

    Keep keep_;
    std::vector<Parts> open_; ///< the innermost last
};

/// The rounds of an engine run that began at `start_cycle`, from its program steps one by one: those of one
/// step of one IPU, as their start orders them, are a block.
std::vector<ScheduleRoundRecord> rounds_of(std::vector<TraceRecord> rows, std::int64_t start_cycle,
                                           const BlockBuilder::Keep& keep);

} // namespace tilescope::profile
