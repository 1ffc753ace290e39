// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"
#include "ui/timeline/timeline_lane.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::ui {

/// The way of a tensor that is copied from one IPU to another, or of gradients through the rounds of an
/// all-reduce: where the exchange over the links is on each IPU that it passes.
class LinkFlow {
  public:
    struct Stop {
        std::int64_t ipu = 0;
        profile::TraceSlice step;
    };
    /// That of a program step, `chosen`, on an IPU. nullopt: it exchanges nothing with another IPU, or what
    /// it does there is not known.
    static Result<std::optional<LinkFlow>> through(const profile::Profile& file, std::int64_t ipu,
                                                   const profile::TraceSlice& chosen);

    /// A program step that an IPU exchanges with another one in, and that one.
    struct Link {
        profile::TraceSlice step;
        std::int64_t peer = 0;
        bool sends = true;    ///< to `peer`, else it receives from it
        bool reduces = false; ///< is a round of an all-reduce
    };
    /// Those of an IPU that run in [from, to), the first `most` of them.
    static Result<std::vector<Link>> within(const profile::Profile& file, std::int64_t ipu, std::int64_t from,
                                            std::int64_t to, std::size_t most);

    /// Of a copy the sender and the receiver. Of an all-reduce the rounds, each on the IPU that the one
    /// before sends to, through what is chosen.
    const std::vector<Stop>& stops() const { return stops_; }
    const Stop& chosen() const { return stops_[at_]; }
    std::size_t chosenStop() const { return at_; } ///< of stops()
    std::optional<Stop> next(int direction) const; ///< from what is chosen, forward or back
    const std::vector<TimelineFlow>& arrows() const { return arrows_; }
    bool reduces() const { return reduces_; } ///< it is an all-reduce

  private:
    std::vector<Stop> stops_;
    std::size_t at_ = 0; ///< what is chosen
    std::vector<TimelineFlow> arrows_;
    bool reduces_ = false;
};

} // namespace tilescope::ui
