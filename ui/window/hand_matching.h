// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/hand_matches.h"

#include <QString>
#include <map>
#include <utility>

namespace tilescope::ui {

/// What was said by hand to be the same of pairs of files, by their paths. Base and new may be swapped.
class HandMatching {
  public:
    analyse::HandMatches of(const QString& base, const QString& now) const {
        if (const auto found = pairs_.find({base, now}); found != pairs_.end())
            return found->second;
        const auto other = pairs_.find({now, base});
        return other == pairs_.end() ? analyse::HandMatches() : swapped(other->second);
    }
    void set(const QString& base, const QString& now, const analyse::HandMatches& by_hand) {
        pairs_.erase({now, base});
        pairs_[{base, now}] = by_hand;
    }

  private:
    std::map<std::pair<QString, QString>, analyse::HandMatches> pairs_;
};

} // namespace tilescope::ui
