// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/slot_scale.h"

#include <algorithm>
#include <cmath>

namespace tilescope::analyse {

SlotScale::SlotScale(const PipelineUpdate& update) {
    for (const PipelineSlot& slot : update.schedule)
        starts_.push_back(slot.start);
    if (starts_.empty())
        return;
    starts_.push_back(update.schedule.back().end);
    for (std::size_t slot = 0; slot + 1 < starts_.size(); ++slot)
        width_ = std::max(width_, starts_[slot + 1] - starts_[slot]);
}

std::int64_t SlotScale::place(std::int64_t cycle) const {
    if (width_ == 0 || cycle <= starts_.front())
        return cycle;
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), cycle);
    const std::int64_t slot = after - starts_.begin() - 1;
    const std::int64_t within = cycle - *(after - 1);
    if (after == starts_.end())
        return starts_.front() + slot * width_ + within;
    const auto length = static_cast<double>(*after - *(after - 1));
    return starts_.front() + slot * width_ +
           std::llround(static_cast<double>(within) * static_cast<double>(width_) / length);
}

std::int64_t SlotScale::cycle(std::int64_t place) const {
    if (width_ == 0 || place <= starts_.front())
        return place;
    const auto slots = static_cast<std::int64_t>(starts_.size()) - 1;
    const std::int64_t slot = std::min((place - starts_.front()) / width_, slots);
    const std::int64_t within = place - starts_.front() - slot * width_;
    const std::int64_t start = starts_[static_cast<std::size_t>(slot)];
    if (slot == slots)
        return start + within;
    const auto length = static_cast<double>(starts_[static_cast<std::size_t>(slot) + 1] - start);
    return start + std::llround(static_cast<double>(within) * length / static_cast<double>(width_));
}

} // namespace tilescope::analyse
