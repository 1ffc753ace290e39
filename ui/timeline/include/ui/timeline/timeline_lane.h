// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/counters.h"
#include "analyse/pipeline.h"
#include "analyse/tile_rows.h"
#include "profile/profile.h"

#include <QString>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tilescope::ui {

/// What a lane's slices stand for. Phases are drawn as what each pixel column is spent on; layers, operations
/// and program steps in the colours of what they are done for; activities of a pipeline in the same, with
/// gaps for idling; counters as curves; tiles as rows of phases; the rest in grey.
enum class LaneKind {
    Execution,
    Step,
    MicroBatch,
    Layer,
    Operation,
    Program,
    Phases,
    Tiles,
    Activity,
    LiveBytes,
    ExchangeRate,
    FlopRate,
    BusyTiles,
    LinkRate,
    Host ///< drawn as phases are, of which it has the host's alone
};
/// What a lane counts over time; nullopt: its slices are what it shows.
std::optional<analyse::Counter> counterOf(LaneKind kind);

/// One box of a lane. One that stands for several of the lane's things has no label.
struct TimelineSlice {
    std::int64_t start = 0; ///< cycles
    std::int64_t end = 0;
    QString label;
    std::int64_t execution = -1;
    std::int64_t step = -1;
    std::int64_t layer = -1; ///< profile::several where it stands for several, as the next two
    std::int64_t operation = -1;
    std::int64_t program = -1; ///< -1 where it stands for several
    std::int64_t merged = 1;   ///< how many of the lane's unit; 0: what lies between two
    std::int64_t longest = -1; ///< of its program steps
    std::int64_t longest_cycles = 0;
    bool traced = true;          ///< false: an execution whose program steps are not known
    profile::PhaseCycles cycles; ///< add up to its length
    profile::ActivityCycles activities;
    analyse::PipelineActivity activity = analyse::PipelineActivity::Idle; ///< of micro-batches and activities
    std::int64_t slot = -1;                                               ///< of the pipeline's schedule
    std::int64_t micro_batch = -1;
};

/// A figure along a lane: stretches of `width` cycles from `from` on.
struct LaneCurve {
    std::int64_t from = 0;
    std::int64_t width = 1;
    std::vector<profile::FigureSum> stretches;
    double top = 0;      ///< of the scale, which begins at 0
    double clock_hz = 0; ///< rates are per second; 0: per cycle
    /// Of [from, to), as near as the stretches tell; all of a stretch that it cuts counts by its share.
    profile::FigureSum over(double begin, double end) const;
};
/// "312 MiB", "2.1 TB/s", "94.0 TFLOP/s", "43.2 %"
QString counterText(analyse::Counter counter, double value, double clock_hz);

/// Slices in order of start, without overlap.
struct TimelineLane {
    LaneKind kind = LaneKind::Phases;
    QString name;
    std::vector<TimelineSlice> slices;
    QString remark;                                 ///< below the name, where there is room
    std::int64_t key = -1;                          ///< what a click on the name says
    QString unit;                                   ///< what `merged` counts: "program steps"
    LaneCurve curve;                                ///< of a counter
    std::shared_ptr<const analyse::TileRows> tiles; ///< of tiles, whose slices are program steps
};

/// Lanes that its copies share, since they may be many megabytes.
class SharedLanes {
  public:
    SharedLanes() = default;
    explicit SharedLanes(std::vector<TimelineLane> lanes)
        : lanes_(std::make_shared<const std::vector<TimelineLane>>(std::move(lanes))), end_(lanes_->size()) {}
    /// Those of [first, end) of these.
    SharedLanes part(std::size_t first, std::size_t end) const {
        SharedLanes some = *this;
        some.first_ = first_ + first;
        some.end_ = first_ + end;
        return some;
    }
    bool empty() const { return size() == 0; }
    std::size_t size() const { return end_ - first_; }
    const TimelineLane& operator[](std::size_t i) const { return (*lanes_)[first_ + i]; }
    const TimelineLane& front() const { return (*this)[0]; }
    auto begin() const { return lanes_->begin() + static_cast<std::ptrdiff_t>(first_); }
    auto end() const { return lanes_->begin() + static_cast<std::ptrdiff_t>(end_); }

  private:
    std::shared_ptr<const std::vector<TimelineLane>> lanes_ =
        std::make_shared<const std::vector<TimelineLane>>();
    std::size_t first_ = 0, end_ = 0;
};

/// The lanes of one IPU of one file.
struct TimelineGroup {
    std::int64_t ipu = 0;
    bool base = false; ///< of the file that is compared with
    QString name;
    SharedLanes lanes;
    std::int64_t shift = 0; ///< cycles by which it stands later than its slices say
};

/// An arrow from where something ends on one IPU to where it goes on, on the same or another.
struct TimelineFlow {
    std::int64_t from_ipu = 0;
    std::int64_t from = 0; ///< cycle
    std::int64_t to_ipu = 0;
    std::int64_t to = 0;
    bool chosen = false;                  ///< it leads to or from what is chosen
    LaneKind lane = LaneKind::MicroBatch; ///< where it is drawn; phases where there is no such lane
};

/// What the user has marked: a cycle, or [from, to), with a note.
struct TimelineMark {
    std::int64_t from = 0;
    std::int64_t to = 0; ///< `from`: a cycle
    QString note;
    bool operator==(const TimelineMark&) const = default;
};

/// A part of the time line with a name above the lanes and faint lines around it.
struct TimelineSection {
    std::int64_t start = 0;
    std::int64_t end = 0;
    QString label;
    std::int64_t inner = -1; ///< a fainter line within; -1: none
};

/// One piece of the overview strip: what the time of all IPUs in it is spent on, or the shares, 0 … 1, of a
/// pipeline's activities.
struct OverviewPiece {
    std::int64_t start = 0;
    std::int64_t end = 0;
    profile::PhaseCycles cycles;
    analyse::PipelineShares activities{};
};

} // namespace tilescope::ui
