// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/activity_color.h"

namespace tilescope::ui {

QColor activity_color(const ChartStyle& style, analyse::PipelineActivity activity) {
    switch (activity) {
    case analyse::PipelineActivity::Forward:
        return style.forward;
    case analyse::PipelineActivity::Recompute:
        return style.recompute;
    case analyse::PipelineActivity::Backward:
        return style.backward;
    case analyse::PipelineActivity::Copy:
        return style.link_copy;
    case analyse::PipelineActivity::Update:
        return style.update;
    case analyse::PipelineActivity::Waiting:
        return style.hidden.contains(QLatin1String("waiting"))
                   ? style.background
                   : ChartStyle::mixed(style.background, style.text, style.dark ? 0.28 : 0.3);
    case analyse::PipelineActivity::Idle:
        break;
    }
    return style.background;
}

TimeStack::Colors activity_colors(const ChartStyle& style, const QColor& other, const QColor& hatch) {
    return {
        {style.forward, style.recompute, style.backward, style.link_copy, style.update, other, style.host},
        hatch};
}

} // namespace tilescope::ui
