// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/chart_style.h"
#include "ui/timeline/lane_items.h"
#include "ui/timeline/tile_pictures.h"
#include "ui/timeline/time_stack.h"
#include "ui/timeline/timeline_lane.h"
#include "ui/timeline/timeline_viewport.h"

#include <QPainter>
#include <QRect>

namespace tilescope::ui {

/// What is lit up: slices that belong to it keep their colour, the others fade. All -1: nothing is.
struct TimelineHighlight {
    std::int64_t operation = -1;
    std::int64_t layer = -1;
    std::int64_t program = -1;
    std::int64_t micro_batch = -1; ///< of a pipeline
    bool any() const { return operation >= 0 || layer >= 0 || program >= 0 || micro_batch >= 0; }
    bool matches(LaneKind lane, const TimelineSlice& slice) const;
    bool operator==(const TimelineHighlight&) const = default;
};

/// What slices of layers, operations and program steps are coloured by: what they are done for, or what their
/// time is spent on.
enum class SliceColour { Activity, Time };

QColor counter_color(const ChartStyle& style, analyse::Counter counter);

/// Draws one lane into `rect`, whose left edge is pixel 0 of the viewport. Area is time: what a column of
/// pixels shows is what the time in it was spent on, and nothing is widened.
class TimelinePainter {
  public:
    /// `pictures` keeps what would take long to draw again.
    TimelinePainter(QPainter& painter, const ChartStyle& style, const TimelineViewport& viewport,
                    TilePictures& pictures, SliceColour colour = SliceColour::Activity);
    void lane(const TimelineLane& lane, const QRect& rect, const TimelineHighlight& highlight);
    /// What a run of slices says: "96 program steps".
    static QString merged_text(const TimelineLane& lane, const LaneItem& item);
    /// What a box is called: its label, how many it is of, or its lane.
    static QString item_name(const TimelineLane& lane, const LaneItem& item, const TimelineSlice& slice);
    /// Time above, cycles below; `clock_hz` 0: cycles only. Grid lines go down to `bottom`.
    void axis(const QRect& rect, double clock_hz, int bottom);
    /// Their names in `rect` where they fit, and their borders down to `bottom`.
    void sections(const std::vector<TimelineSection>& sections, const QRect& rect, int bottom);

    static TimeStack::Colors timeColors(const ChartStyle& style); ///< in the order of TimeKind

  private:
    analyse::TimeColumns columns(const QRect& rect) const;
    void stack(const analyse::TimeColumns& columns, double full, const QRect& rect,
               const TimeStack::Colors& colors, const std::vector<double>& tones);
    void phases(const TimelineLane& lane, const QRect& rect, const TimelineHighlight& highlight);
    void named(const TimelineLane& lane, const QRect& whole, const TimelineHighlight& highlight);
    void numbers(const TimelineLane& lane, const QRect& strip);
    void runs(const TimelineLane& lane, const std::vector<LaneItem>& items, const QRect& rect,
              const TimelineHighlight& highlight);
    void host(const TimelineLane& lane, const QRect& rect);
    void curve(const TimelineLane& lane, const QRect& rect);
    void tiles(const TimelineLane& lane, const QRect& rect);
    void ringSlowest(const TimelineLane& lane, const QRect& rect);
    QColor namedColor(LaneKind kind, const TimelineSlice& slice) const;
    void plate(const QRect& card, const QString& text);
    /// `left`: where the lane begins.
    void activity(const TimelineLane& lane, const TimelineSlice& slice, const QRect& full, int left,
                  bool faded, bool lit);
    void label(const QString& text, const QRect& box, const QColor& colour);
    void untraced(const TimelineLane& lane, const QRect& rect);
    QColor faded(const QColor& colour) const { return ChartStyle::mixed(style_.background, colour, 0.28); }

    QPainter& painter_;
    const ChartStyle& style_;
    const TimelineViewport& viewport_;
    TilePictures& pictures_;
    SliceColour colour_;
};

} // namespace tilescope::ui
