// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/change_sum.h"
#include "analyse/tile_contents.h"
#include "base/error.h"
#include "profile/profile.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// What is live on the IPUs of a replica, on one of them or on some of its tiles together, program step by
/// program step.
struct Liveness {
    /// Bytes over all tiles of the IPUs, or over those that were chosen, while one program step runs, and of
    /// that of these tiles on which most is live then: at another step it may be another tile.
    struct Point {
        std::int64_t step = 0; ///< its place in the order of execution
        std::int64_t always = 0;
        std::int64_t not_always = 0;
        std::int64_t fullest_tile = 0;
        std::int64_t program = -1; ///< program step
        std::int64_t total() const { return always + not_always; }
    };
    /// Neighbouring steps of one layer in one phase: steps [from, to].
    struct Band {
        std::int64_t from = 0;
        std::int64_t to = 0;
        std::string name; ///< of the layer; "": steps of none
        profile::Phase phase = profile::Phase::Forward;
    };

    std::int64_t ipu = 0; ///< every_ipu: all of a replica
    std::int64_t ipus = 1;
    std::vector<std::int64_t> chosen;    ///< tiles of the IPU; none: all of the IPUs
    std::vector<Point> points;           ///< in order of execution
    std::vector<std::string> step_names; ///< by point
    /// Cycles from the begin of one pass of the program, in which each step runs once, one after the other
    /// and as long as one of its runs takes: by point where it begins, and last where the pass ends. Steps of
    /// I/O tiles beside those that compute take none. Empty: the file does not say how long steps take.
    std::vector<std::int64_t> starts;
    std::vector<Band> bands;
    std::vector<profile::VariableRecord> variables; ///< with their bytes on these tiles, largest first
    std::int64_t bytes_per_tile = 0;
    std::int64_t tiles = 0; ///< how many these are
    std::int64_t limit() const { return bytes_per_tile * tiles; }

    /// The file says what lives on the fullest of the tiles; where it does not, all of Point::fullest_tile
    /// are 0.
    bool fullest_known() const;

    /// Index of the point at which most bytes are live, the first of several; -1: there are none.
    std::int64_t peak() const;
    /// Index of the first point at which the fullest tile holds more than it has; -1: none does.
    std::int64_t first_over() const;
    /// Peaks in falling order: points where more is live than at any within `apart` points on either side.
    std::vector<std::int64_t> peaks(std::int64_t apart) const;
    /// The point of a step, or the last before it; -1: there are none.
    std::int64_t point_of(std::int64_t step) const;
    /// Steps of the program, of which a file of some IPUs of a run has those that run on them.
    std::int64_t steps() const { return points.empty() ? 0 : points.back().step + 1; }
    /// Cycles of one pass; 0: they are not known.
    std::int64_t pass_cycles() const { return starts.empty() ? 0 : starts.back(); }
    /// Indices of the variables that are live at a step, largest first.
    std::vector<std::size_t> live_at(std::int64_t step) const;
    /// Those that are live at any of the steps [from, to]; they need not be live together.
    std::vector<std::size_t> live_in(std::int64_t from, std::int64_t to) const;
    /// Index of the point of these steps at which most bytes are live, the first of several; -1: there are
    /// none.
    std::int64_t peak_in(std::int64_t from, std::int64_t to) const;
    /// The last step that needs a variable; nullopt: none does, or the file does not say.
    std::optional<std::int64_t> last_use(const profile::VariableRecord& variable) const;
    /// Their bytes together, on these tiles.
    std::int64_t bytes_live_at(std::int64_t step) const;
    /// The steps [from, to] at which a variable is live: all of them where it always is.
    struct Life {
        std::int64_t from = 0;
        std::int64_t to = 0;
        std::int64_t steps() const { return to - from + 1; }
    };
    Life life_of(const profile::VariableRecord& variable) const;
    /// Of these, those that are not live at the step before: they appear here. And those of the step before
    /// that are not live any more.
    std::vector<std::size_t> appear_at(std::int64_t step) const;
    std::vector<std::size_t> gone_at(std::int64_t step) const;
    /// What begins and ends to live between the step before and this one.
    struct Turn {
        std::vector<std::size_t> appear, gone; ///< indices of variables
        std::int64_t appear_bytes = 0;
        std::int64_t gone_bytes = 0;
        std::optional<std::int64_t> change; ///< of what is live in all; nullopt: no step is before
    };
    Turn turn_at(std::int64_t step) const;
};

/// What is live at a step of one run, beside what is at a step of another. Points into both.
struct LiveChanges {
    std::vector<VariableChange> changed; ///< also what only one of them has; the largest change first
    ChangeSum sum;                       ///< of all of them
};
LiveChanges live_changes(const Liveness& now, std::int64_t step, const Liveness& before,
                         std::int64_t step_before, const OldNames& old_names);

/// What is live more or less than at the same step of another run, in bytes.
struct LiveDifference {
    std::vector<std::optional<std::int64_t>>
        by;                    ///< by point of the new run; nullopt: the base has no such step
    std::int64_t largest = -1; ///< point of the largest change, the first of several; -1: nothing differs
};
/// `same_steps`: program steps of the base by those of the new run (match_steps).
LiveDifference live_difference(const Liveness& now, const Liveness& before,
                               const std::map<std::int64_t, std::int64_t>& same_steps);

/// Of some tiles: what their variables add up to at each step. `ipu`: every_ipu for all of a replica, of
/// which no `tiles` are told apart. Errors: those of reading the profile.
Result<Liveness> read_liveness(const profile::Profile& profile, std::int64_t ipu,
                               const std::vector<std::int64_t>& tiles = {});

/// What is live on all tiles of an IPU, by program step.
struct LiveCourse {
    std::int64_t ipu = 0;
    std::vector<std::int64_t> always;
    std::vector<std::int64_t> all; ///< always live ones included
    std::int64_t most = 0;         ///< of `all`
};
/// Of the one of these IPUs that holds the most at once, the first of several; no steps where none holds
/// anything. Errors: those of reading the profile.
Result<LiveCourse> fullest_course(const profile::Profile& profile,
                                  const std::vector<profile::IpuRecord>& ipus);

} // namespace tilescope::analyse
