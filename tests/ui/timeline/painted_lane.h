// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/timeline_painter.h"

#include <QWidget>

namespace tilescope::ui {

/// The pass of a micro-batch, behind those that the lane has.
inline void add_pass(TimelineLane& lane, int micro_batch, analyse::PipelineActivity activity,
                     std::int64_t start, std::int64_t end) {
    TimelineSlice slice;
    slice.start = start;
    slice.end = end;
    slice.activity = activity;
    slice.micro_batch = micro_batch;
    slice.label = QString::number(micro_batch);
    lane.slices.push_back(slice);
}

/// A lane from cycle 0 to `cycles`, in pixels of that size.
inline QImage painted_lane(const TimelineLane& lane, std::int64_t cycles, QSize size) {
    TimelineViewport view;
    view.setWidth(size.width());
    view.setLimits(0, static_cast<double>(cycles));
    view.show(0, static_cast<double>(cycles));
    QImage image(size, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    QWidget widget;
    const ChartStyle style(&widget);
    TilePictures pictures;
    TimelinePainter(painter, style, view, pictures).lane(lane, image.rect(), {});
    return image;
}

} // namespace tilescope::ui
