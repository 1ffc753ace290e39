// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/history.h"

namespace tilescope::ui {

void History::visit(const Place& place, std::int64_t now_ms) {
    if (!places_.empty() && places_[at_] == place)
        return;
    const bool merge = !places_.empty() && now_ms - moved_ms_ < merge_ms;
    moved_ms_ = now_ms;
    if (merge) {
        places_[at_] = place;
        scrolls_[at_].clear();
        return;
    }
    if (!places_.empty()) {
        places_.resize(at_ + 1);
        scrolls_.resize(at_ + 1);
    }
    places_.push_back(place);
    scrolls_.emplace_back();
    if (places_.size() > most) {
        places_.erase(places_.begin());
        scrolls_.erase(scrolls_.begin());
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

void History::keepScroll(const QList<QPoint>& scroll) {
    if (!places_.empty())
        scrolls_[at_] = scroll;
}

} // namespace tilescope::ui
