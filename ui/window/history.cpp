// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/history.h"

#include <utility>

namespace tilescope::ui {

void History::visit(const Place& place, std::int64_t now_ms) {
    if (!places_.empty() && places_[at_] == place)
        return;
    const bool merge = !places_.empty() && places_[at_].view == place.view && now_ms - moved_ms_ < merge_ms;
    moved_ms_ = now_ms;
    if (merge) {
        places_[at_] = place;
        sights_[at_].reset();
        return;
    }
    if (!places_.empty()) {
        places_.resize(at_ + 1);
        sights_.resize(at_ + 1);
    }
    places_.push_back(place);
    sights_.emplace_back();
    if (places_.size() > most) {
        places_.erase(places_.begin());
        sights_.erase(sights_.begin());
    }
    at_ = places_.size() - 1;
}

bool History::canGo(int step) const {
    return step < 0 ? at_ > 0 : at_ + 1 < places_.size();
}

const Place& History::go(int step, std::int64_t now_ms) {
    at_ = step < 0 ? at_ - 1 : at_ + 1;
    moved_ms_ = now_ms;
    return places_[at_];
}

void History::keepSight(Sight sight) {
    if (!places_.empty())
        sights_[at_] = std::move(sight);
}

} // namespace tilescope::ui
