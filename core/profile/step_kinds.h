// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"

#include <cstdint>
#include <vector>

namespace tilescope::profile {

/// What the rows of `trace` are, by their program steps: whose exchange it is, and for what it is done.
class StepKinds {
  public:
    void add(const OperationRecord& operation);
    void add(const ExchangeRecord& exchange);
    void add(const ProgramRecord& step);
    void add(const FurtherStepRecord& step);

    void shrink(); ///< no more come, and these stay

    /// A row with its exchange given to the tiles, the links or the host. A step without an operation of its
    /// own belongs to that of the nearest step around it; an id that is not known is a step of none.
    TraceSlice slice(const TraceRecord& row) const;
    /// The operation that a step belongs to in that way; -1: none.
    std::int64_t operation_of(std::int64_t id) const;

  private:
    using Id = std::int32_t; ///< there are as many of these as steps, and they stay
    struct Operation {
        std::int64_t layer = -1;
        Phase phase = Phase::Forward;
    };
    struct Step {
        Id parent = -1;
        Id operation = -1;
        Id exchange = -1;
        bool host = false;
        bool copy = false;  ///< to one other IPU
        bool links = false; ///< where it has no exchange of its own: whether it goes over them
    };
    static Id short_id(std::int64_t id);
    std::vector<Operation> operations_; // by id, as all three
    std::vector<bool> between_;         // exchanges over links
    std::vector<Step> steps_;
};

} // namespace tilescope::profile
