// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session/selection.h"

#include <QJsonArray>
#include <QList>
#include <QPoint>
#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::ui {

/// What is shown of two files.
enum class Showing { New, Base, Both, Difference };

/// Where one is in a file: a view and what is selected in it, or in the base, where that is shown.
struct Place {
    QString view;
    Selection selection;
    Showing showing = Showing::Both;
    bool operator==(const Place&) const = default;
};

/// What is in sight of the view of a place: how far its parts are scrolled and zoomed, and which of its tabs
/// are in front; in the view's own terms.
struct Sight {
    QList<QPoint> scroll;
    QJsonArray zooms;
    QList<int> tabs;
};

/// The places of one file in the order in which one came to them. Those of one view that follow each
/// other within `merge_ms` are one: the last of them.
class History {
  public:
    static constexpr std::int64_t merge_ms = 700;
    static constexpr std::size_t most = 200;

    /// One is at `place` now; what was ahead is forgotten. `now_ms` is a clock that never goes back.
    void visit(const Place& place, std::int64_t now_ms);
    bool canGo(int step) const; ///< -1: back, 1: forward
    /// The place to which that leads, from now on the current one. There must be one.
    const Place& go(int step, std::int64_t now_ms);
    void keepSight(Sight sight); ///< of the current place
    /// As it was kept last; nullopt: it was not. There must be a place.
    const std::optional<Sight>& sight() const { return sights_[at_]; }

  private:
    std::vector<Place> places_;
    std::vector<std::optional<Sight>> sights_; ///< of each
    std::size_t at_ = 0;                       ///< in them
    std::int64_t moved_ms_ = -merge_ms;
};

} // namespace tilescope::ui
