// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/chart_style.h"
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

/// Draws one lane into `rect`, whose left edge is pixel 0 of the viewport. Cost follows from the pixels:
/// what falls into a pixel that is already drawn is skipped.
class TimelinePainter {
  public:
    TimelinePainter(QPainter& painter, const ChartStyle& style, const TimelineViewport& viewport);
    void lane(const TimelineLane& lane, const QRect& rect, const TimelineHighlight& highlight, bool pale);
    void overview(const std::vector<OverviewPiece>& pieces, const QRect& rect);
    /// Time above, cycles below; `clock_hz` 0: cycles only. Grid lines go down to `bottom`.
    void axis(const QRect& rect, double clock_hz, int bottom);
    /// Their names in `rect` where they fit, and their borders down to `bottom`.
    void sections(const std::vector<TimelineSection>& sections, const QRect& rect, int bottom);

  private:
    void phases(const TimelineSlice& slice, const QRect& box, bool faded);
    void activity(const TimelineSlice& slice, const QRect& box, bool faded, bool lit);
    void label(const QString& text, const QRect& box, const QColor& colour);
    void untraced(const QRect& run, std::int64_t executions);
    QColor faded(const QColor& colour) const { return ChartStyle::mixed(style_.background, colour, 0.28); }

    QPainter& painter_;
    const ChartStyle& style_;
    const TimelineViewport& viewport_;
};

} // namespace tilescope::ui
