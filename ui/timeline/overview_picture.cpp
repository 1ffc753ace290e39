// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/overview_picture.h"

#include "ui/timeline/activity_color.h"
#include "ui/timeline/timeline_painter.h"

#include <QPainter>
#include <algorithm>

namespace tilescope::ui {

void OverviewPicture::set(std::vector<OverviewPiece> pieces, std::int64_t ipus) {
    pieces_ = std::move(pieces);
    ipus_ = std::max<std::int64_t>(1, ipus);
    image_ = {};
}

const QImage& OverviewPicture::image(std::pair<std::int64_t, std::int64_t> limits, const QSize& size,
                                     const ChartStyle& style) {
    const Look look{limits, size, TimelinePainter::timeColors(style), activity_colors(style, style.waiting)};
    if (image_.isNull() || look != look_)
        draw(look, style);
    return image_;
}

void OverviewPicture::draw(const Look& look, const ChartStyle& style) {
    const auto [from, to] = look.limits;
    const auto count = static_cast<std::size_t>(std::max(1, look.size.width()));
    const int height = look.size.height();
    const double width =
        static_cast<double>(std::max<std::int64_t>(1, to - from)) / static_cast<double>(count);
    analyse::TimeColumns time(static_cast<double>(from), width, count);
    analyse::TimeColumns activities = time;
    for (const OverviewPiece& piece : pieces_) {
        const auto start = static_cast<double>(piece.start);
        const auto end = static_cast<double>(piece.end);
        time.add(start, end, piece.cycles, false);
        for (const analyse::PipelineActivity activity : analyse::pipeline_activities)
            if (activity != analyse::PipelineActivity::Waiting && activity != analyse::PipelineActivity::Idle)
                activities.spread(start, end, static_cast<std::size_t>(activity),
                                  piece.activities[static_cast<std::size_t>(activity)] * (end - start));
        activities.spread(start, end, TimeStack::host, piece.host * (end - start));
    }
    image_ = TimeStack::picture(time.columns(), width * static_cast<double>(ipus_), height, look.phases,
                                style.background);
    QPainter(&image_).drawImage(
        0, 0, TimeStack::picture(activities.columns(), width, height, look.activities, style.background));
    look_ = look;
}

} // namespace tilescope::ui
