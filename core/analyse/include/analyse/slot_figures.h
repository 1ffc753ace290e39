// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/pipeline.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tilescope::analyse {

/// A part of a stretch of time that one activity of a pipeline's stage takes.
struct ActivityStretch {
    PipelineActivity activity = PipelineActivity::Idle;
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::int64_t slots = 0; ///< that it stands for
    bool operator==(const ActivityStretch&) const = default;
};

/// What several slots of a stage are spent on, and how many there are of each activity.
struct SlotFigures {
    PipelineCycles cycles;
    std::array<std::int64_t, pipeline_activities.size()> slots{};

    /// Of the weight updates between the `before`th and the `after`th, parts of them too, all of which are
    /// like this one: shares of time stay, slots are whole ones, and add up over what follows each other.
    SlotFigures between(double before, double after) const;
    /// Activities one after the other, each as long as its share of `length` cycles from `start` on; those
    /// without a slot, and idling at the end, are left out.
    std::vector<ActivityStretch> laid_out(std::int64_t start, double length) const;
};

using Slots = std::span<const profile::PipelineSlotRecord>;
SlotFigures slot_figures(Slots slots);
/// The same of slots that follow each other: the time between them is idle.
SlotFigures stretch_figures(Slots slots);

/// A part of a weight update, and the shares of the time of all its IPUs that activities have in it.
struct UpdatePiece {
    std::int64_t start = 0;
    std::int64_t end = 0;
    PipelineShares activities{};
    double host = 0; ///< the host's, which none of the activities has
};
/// Of an update of so many cycles on so many IPUs: pieces of equal length, as many as there are cycles at
/// most. `records`: of all these IPUs; `host`: what of them is the host's.
std::vector<UpdatePiece> update_pieces(const std::vector<profile::PipelineSlotRecord>& records,
                                       std::int64_t cycles, std::size_t ipus, std::int64_t pieces,
                                       const std::vector<ActivityStretch>& host = {});

} // namespace tilescope::analyse
