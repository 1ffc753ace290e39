// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/counters.h"
#include "analyse/pipeline.h"
#include "analyse/slot_scale.h"
#include "analyse/tile_rows.h"
#include "profile/profile.h"

#include <QString>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
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
struct TimelineSlice : profile::SliceFigures { ///< of the lane's unit
    std::int64_t start = 0;                    ///< cycles
    std::int64_t end = 0;
    QString label;
    std::int64_t execution = -1;
    std::int64_t step = -1;
    std::int64_t layer = -1; ///< profile::several where it stands for several, as the next two
    std::int64_t operation = -1;
    std::int64_t program = -1; ///< -1 where it stands for several
    bool traced = true;        ///< false: an execution whose program steps are not known
    analyse::PipelineActivity activity = analyse::PipelineActivity::Idle; ///< of micro-batches and activities
    std::int64_t slot = -1;                                               ///< of the pipeline's schedule
    std::int64_t micro_batch = -1;
    bool hosted = false; ///< a part of it is the host's, as `TimelineLane::host` has it
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
    /// By activity: which stretches of a slice are the host's, from 0, where it begins, to 1.
    std::map<analyse::PipelineActivity, std::vector<std::pair<double, double>>> host = {};
};

/// How tall lanes are, in rows of text, by what they stand for.
using LaneHeights = std::map<LaneKind, double>;
/// Of single lanes, by their IPUs: in place of those of their kinds.
using OwnLaneHeights = std::map<std::pair<std::int64_t, LaneKind>, double>;

/// Some of the lanes that were made, in any order. Copies share the lanes, since they may be many megabytes.
class SharedLanes {
  public:
    SharedLanes() = default;
    explicit SharedLanes(std::vector<TimelineLane> lanes)
        : made_(std::make_shared<const std::vector<TimelineLane>>(std::move(lanes))) {
        for (const TimelineLane& lane : *made_)
            lanes_.push_back(&lane);
    }
    template<class Wanted>
    SharedLanes those(const Wanted& wanted) const {
        SharedLanes some = *this;
        std::erase_if(some.lanes_, [&](const TimelineLane* lane) { return !wanted(*lane); });
        return some;
    }
    /// By what stands for each, those that are alike as they are.
    template<class Place>
    SharedLanes sortedBy(const Place& place) const {
        SharedLanes sorted = *this;
        std::stable_sort(sorted.lanes_.begin(), sorted.lanes_.end(),
                         [&](const auto* a, const auto* b) { return place(*a) < place(*b); });
        return sorted;
    }
    bool empty() const { return lanes_.empty(); }
    std::size_t size() const { return lanes_.size(); }
    const TimelineLane& operator[](std::size_t i) const { return *lanes_[i]; }
    const TimelineLane& front() const { return *lanes_.front(); }
    class Iterator {
      public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = TimelineLane;
        using difference_type = std::ptrdiff_t;
        using pointer = const TimelineLane*;
        using reference = const TimelineLane&;
        Iterator() = default;
        explicit Iterator(const TimelineLane* const* at) : at_(at) {}
        reference operator*() const { return **at_; }
        pointer operator->() const { return *at_; }
        Iterator& operator++() {
            ++at_;
            return *this;
        }
        Iterator operator++(int) { return Iterator(at_++); }
        bool operator==(const Iterator&) const = default;

      private:
        const TimelineLane* const* at_ = nullptr;
    };
    Iterator begin() const { return Iterator(lanes_.data()); }
    Iterator end() const { return Iterator(lanes_.data() + lanes_.size()); }

  private:
    std::shared_ptr<const std::vector<TimelineLane>> made_;
    std::vector<const TimelineLane*> lanes_; ///< of them
};

/// The lanes of one IPU of one file.
struct TimelineGroup {
    std::int64_t ipu = 0;
    bool base = false; ///< of the file that is compared with
    QString name;
    SharedLanes lanes;
    std::int64_t shift = 0;                  ///< cycles by which it stands later than its slices say
    std::map<std::int64_t, QString> remarks; ///< of lanes by their keys, in place of their own
    bool fixed = false;                      ///< stays at the top while others scroll; such groups come first
    bool part = false;                       ///< lanes of an IPU whose others stand in a group of their own
    /// Its slices are at places of this, not at cycles; null: at cycles.
    std::shared_ptr<const analyse::SlotScale> scale = nullptr;
    std::int64_t cycle(std::int64_t at) const { return scale ? scale->cycle(at) : at; }
    const QString& remark(const TimelineLane& lane) const {
        const auto found = remarks.find(lane.key);
        return found == remarks.end() ? lane.remark : found->second;
    }
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
    double host = 0; ///< the share of the host
};

} // namespace tilescope::ui
