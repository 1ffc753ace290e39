// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_painter.h"

#include "ui/session/format.h"
#include "ui/timeline/activity_color.h"

#include <algorithm>
#include <cmath>

namespace tilescope::ui {

bool TimelineHighlight::matches(LaneKind lane, const TimelineSlice& slice) const {
    if (lane == LaneKind::Activity)
        return micro_batch >= 0 && slice.micro_batch == micro_batch;
    if (lane == LaneKind::Execution || lane == LaneKind::Step)
        return true;
    if (lane == LaneKind::Layer)
        return slice.layer == layer;
    if (lane == LaneKind::Operation || program < 0)
        return operation < 0 ? slice.layer == layer : slice.operation == operation;
    return slice.program == program;
}

TimelinePainter::TimelinePainter(QPainter& painter, const ChartStyle& style, const TimelineViewport& viewport)
    : painter_(painter), style_(style), viewport_(viewport) {}

void TimelinePainter::label(const QString& text, const QRect& box, const QColor& colour) {
    constexpr int padding = 4;
    if (text.isEmpty() || box.width() < 26)
        return;
    const QRect inside = box.adjusted(padding, 0, -padding, 0);
    painter_.setPen(colour);
    painter_.drawText(inside, Qt::AlignLeft | Qt::AlignVCenter,
                      painter_.fontMetrics().elidedText(text, Qt::ElideRight, inside.width()));
}

void TimelinePainter::phases(const TimelineSlice& slice, const QRect& box, bool fade) {
    const std::int64_t sum = slice.sync + slice.exchange + slice.host + slice.compute;
    if (sum <= 0)
        return;
    const auto tone = [&](const QColor& c) { // what was not traced looks paler than what was
        return fade ? faded(c) : slice.whole ? ChartStyle::mixed(c, style_.background, 0.45) : c;
    };
    const auto fill = [&](int left, int top, int width, int height, const QColor& c) {
        if (width > 0 && height > 0)
            painter_.fillRect(left, top, width, height, tone(c));
    };
    const QColor& exchange = slice.inter_ipu ? style_.inter_ipu : style_.exchange;
    if (slice.merged == 1 && !slice.whole && box.width() >= 3) { // one step: its phases follow each other
        double at = static_cast<double>(slice.start);
        const auto next = [&](std::int64_t cycles, const QColor& c) {
            const int left = std::max(box.left(), static_cast<int>(std::lround(viewport_.x(at))));
            at += static_cast<double>(cycles);
            fill(left, box.top(),
                 std::min(box.right() + 1, static_cast<int>(std::lround(viewport_.x(at)))) - left,
                 box.height(), c);
        };
        next(slice.sync, style_.sync);
        next(slice.exchange, exchange);
        next(slice.host, style_.host);
        next(slice.compute, style_.compute);
        return;
    }
    // Several steps: the height shows each phase's share of the time, compute at the bottom.
    const auto length = static_cast<double>(std::max({std::int64_t{1}, slice.end - slice.start, sum}));
    double bottom = box.bottom() + 1;
    const auto stack = [&](std::int64_t cycles, const QColor& c) {
        const double height = box.height() * static_cast<double>(cycles) / length;
        const int top = static_cast<int>(std::lround(bottom - height));
        fill(box.left(), top, box.width(), static_cast<int>(std::lround(bottom)) - top, c);
        bottom -= height;
    };
    stack(slice.compute, style_.compute);
    stack(slice.exchange, exchange);
    stack(slice.sync, style_.sync);
    stack(slice.host, style_.host);
}

void TimelinePainter::activity(const TimelineSlice& slice, const QRect& full, bool fade, bool lit) {
    using Activity = analyse::PipelineActivity;
    if (slice.activity == Activity::Idle)
        return;
    const QColor color =
        fade ? faded(activity_color(style_, slice.activity)) : activity_color(style_, slice.activity);
    const QRect box = full.adjusted(0, 1, full.width() > 4 ? -1 : 0, -1);
    if (slice.activity == Activity::Waiting) {
        constexpr int hatched_from = 3; // pixels: less holds no line of a hatch
        if (box.width() < hatched_from)
            painter_.fillRect(box, ChartStyle::mixed(style_.background, color, 0.4));
        else
            painter_.fillRect(box, QBrush(color, Qt::BDiagPattern));
        return;
    }
    // A copy is known by its shape as well: it is lower than a pass.
    const int inset = slice.activity == Activity::Copy ? box.height() / 4 : 0;
    const QRect body = box.adjusted(0, inset, 0, -inset);
    painter_.fillRect(body, color);
    if (lit && box.width() > 2) {
        painter_.setPen(QPen(style_.text, 1));
        painter_.setBrush(Qt::NoBrush);
        painter_.drawRect(body.adjusted(0, 0, -1, -1));
    }
    constexpr int margin = 3;
    if (slice.label.isEmpty() ||
        painter_.fontMetrics().horizontalAdvance(slice.label) + 2 * margin > box.width())
        return;
    painter_.setPen(fade ? style_.muted : ChartStyle::textOn(color));
    painter_.drawText(box, Qt::AlignCenter, slice.label);
}

void TimelinePainter::untraced(const QRect& run, std::int64_t executions) {
    const QString text = executions == 1
                             ? QObject::tr("not traced")
                             : QObject::tr("%1 executions, not traced").arg((formatCount(executions)));
    const int width = painter_.fontMetrics().horizontalAdvance(text) + 16;
    if (run.width() < width + 8)
        return;
    const QRect card(run.center().x() - width / 2, run.center().y() - painter_.fontMetrics().height() * 5 / 8,
                     width, painter_.fontMetrics().height() * 5 / 4);
    painter_.setRenderHint(QPainter::Antialiasing);
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(style_.background);
    painter_.drawRoundedRect(card, 4, 4);
    painter_.setRenderHint(QPainter::Antialiasing, false);
    painter_.setPen(style_.muted);
    painter_.drawText(card, Qt::AlignCenter, text);
}

void TimelinePainter::lane(const TimelineLane& lane, const QRect& rect, const TimelineHighlight& highlight,
                           bool pale) {
    auto slice =
        std::lower_bound(lane.slices.begin(), lane.slices.end(), viewport_.from(),
                         [](const TimelineSlice& s, double at) { return static_cast<double>(s.end) <= at; });
    int drawn = rect.left() - 1; // last pixel column that is taken
    QRect run;                   // of executions that were not traced
    std::int64_t run_executions = 0;
    painter_.save();
    painter_.setClipRect(rect);
    painter_.translate(rect.left(), 0);
    drawn -= rect.left();
    for (; slice != lane.slices.end() && static_cast<double>(slice->start) < viewport_.to(); ++slice) {
        const double x0 = std::max(-2.0, viewport_.x(static_cast<double>(slice->start)));
        const double x1 = std::min(rect.width() + 2.0, viewport_.x(static_cast<double>(slice->end)));
        const int left = std::max(drawn + 1, static_cast<int>(std::lround(x0)));
        int right = std::max(static_cast<int>(std::lround(x1)), static_cast<int>(std::lround(x0)) + 1);
        if (right <= left)
            continue;
        drawn = right - 1;
        const bool lit = highlight.any() && highlight.matches(lane.kind, *slice);
        const bool fade = (highlight.any() && !lit) || pale;
        const QRect full(left, rect.top(), right - left, rect.height());
        if (lane.kind == LaneKind::Phases) {
            phases(*slice, full, fade);
            if (slice->whole) {
                run = run.isNull() ? full : run.united(full);
                run_executions += slice->merged;
            } else {
                untraced(run.intersected(rect.translated(-rect.left(), 0)), run_executions);
                run = {};
                run_executions = 0;
            }
            continue;
        }
        if (lane.kind == LaneKind::Activity) {
            activity(*slice, full, fade, lit);
            continue;
        }
        const bool named = !slice->label.isEmpty();
        QColor fill =
            lane.kind == LaneKind::Execution || lane.kind == LaneKind::Step
                ? ChartStyle::mixed(style_.background, style_.text,
                                    (slice->execution + slice->step) % 2 == 0 ? 0.13 : 0.19)
            : named ? style_.hue(lane.kind == LaneKind::Program ? slice->label.section(QLatin1Char('/'), -1)
                                                                : slice->label)
                    : ChartStyle::mixed(style_.background, style_.text, 0.16);
        if (fade)
            fill = faded(fill);
        const bool gap = right - left > 3; // neighbours of one colour stay apart
        const QRect box = full.adjusted(0, 1, gap ? -1 : 0, -1);
        painter_.fillRect(box, fill);
        if (lit && lane.kind != LaneKind::Execution && lane.kind != LaneKind::Step && box.width() > 2) {
            painter_.setPen(QPen(style_.text, 1));
            painter_.setBrush(Qt::NoBrush);
            painter_.drawRect(box.adjusted(0, 0, -1, -1));
        }
        label(slice->label, box.intersected(QRect(0, rect.top(), rect.width(), rect.height())),
              fade ? style_.muted : ChartStyle::textOn(fill));
    }
    untraced(run.intersected(rect.translated(-rect.left(), 0)), run_executions);
    painter_.restore();
}

void TimelinePainter::overview(const std::vector<OverviewPiece>& pieces, const QRect& rect) {
    const auto [from, to] = viewport_.limits();
    const double scale = rect.width() / static_cast<double>(std::max<std::int64_t>(1, to - from));
    for (const OverviewPiece& piece : pieces) {
        const int left =
            rect.left() + static_cast<int>(std::lround(static_cast<double>(piece.start - from) * scale));
        const int right =
            rect.left() + static_cast<int>(std::lround(static_cast<double>(piece.end - from) * scale));
        double bottom = rect.bottom() + 1;
        for (const auto& [share, colour] :
             {std::pair{piece.compute, style_.compute}, std::pair{piece.exchange, style_.exchange},
              std::pair{piece.sync, style_.sync}, std::pair{piece.host, style_.host}}) {
            const double height = rect.height() * std::clamp(share, 0.0, 1.0);
            const QRectF box(left, bottom - height, std::max(1, right - left), height);
            painter_.fillRect(box, colour);
            bottom -= height;
        }
        for (const analyse::PipelineActivity activity : analyse::pipeline_activities) {
            const double share = piece.activities[static_cast<std::size_t>(activity)];
            if (activity == analyse::PipelineActivity::Waiting || share <= 0)
                continue; // empty, as idling
            const double height = rect.height() * share;
            painter_.fillRect(QRectF(left, bottom - height, std::max(1, right - left), height),
                              activity_color(style_, activity));
            bottom -= height;
        }
    }
}

void TimelinePainter::sections(const std::vector<TimelineSection>& sections, const QRect& rect, int bottom) {
    painter_.save();
    painter_.setClipRect(QRect(rect.left(), rect.top(), rect.width(), bottom - rect.top()));
    const auto x = [&](std::int64_t cycle) {
        return rect.left() + static_cast<int>(std::lround(viewport_.x(static_cast<double>(cycle))));
    };
    constexpr int apart = 5; // pixels between two lines, so that many do not become a grey block
    int last = rect.left() - apart;
    for (const TimelineSection& section : sections) {
        if (static_cast<double>(section.end) < viewport_.from() ||
            static_cast<double>(section.start) > viewport_.to())
            continue;
        const int left = x(section.start);
        const int right = x(section.end);
        if (left - last >= apart) {
            painter_.setPen(style_.line);
            painter_.drawLine(left, rect.top(), left, bottom);
            last = left;
        }
        if (section.inner >= 0 && x(section.inner) - last >= apart) {
            painter_.setPen(QPen(style_.line, 1, Qt::DotLine));
            painter_.drawLine(x(section.inner), rect.bottom(), x(section.inner), bottom);
        }
        const QRect seen = QRect(left, rect.top(), right - left, rect.height()).intersected(rect);
        if (painter_.fontMetrics().horizontalAdvance(section.label) + 4 > seen.width())
            continue;
        painter_.setPen(style_.muted);
        painter_.drawText(seen, Qt::AlignCenter, section.label);
    }
    painter_.restore();
}

void TimelinePainter::axis(const QRect& rect, double clock_hz, int bottom) {
    const QFontMetrics metrics = painter_.fontMetrics();
    const int most =
        std::max(1, rect.width() / std::max(1, metrics.horizontalAdvance(QStringLiteral("1,234,567,890"))));
    const int row = rect.height() / (clock_hz > 0 ? 2 : 1);
    const auto draw = [&](const std::vector<AxisTick>& ticks, double cycles_per_unit, int top,
                          const QColor& colour, bool grid) {
        for (const AxisTick& tick : ticks) {
            const int x = rect.left() + static_cast<int>(std::lround(viewport_.x(tick.at * cycles_per_unit)));
            painter_.setPen(style_.line);
            if (grid)
                painter_.drawLine(x, top + row - 5, x, bottom);
            const QString label = QString::fromStdString(tick.label);
            if (x + 4 + metrics.horizontalAdvance(label) > rect.right())
                continue; // half a number would mislead
            painter_.setPen(colour);
            painter_.drawText(QRect(x + 4, top, 400, row), Qt::AlignLeft | Qt::AlignVCenter, label);
        }
    };
    painter_.save();
    painter_.setClipRect(QRect(rect.left(), rect.top(), rect.width(), bottom - rect.top()));
    if (clock_hz > 0)
        draw(time_ticks(viewport_.from() / clock_hz, viewport_.to() / clock_hz, most), clock_hz, rect.top(),
             style_.text, true);
    draw(cycle_ticks(viewport_.from(), viewport_.to(), most), 1, clock_hz > 0 ? rect.top() + row : rect.top(),
         style_.muted, clock_hz <= 0);
    painter_.restore();
}

} // namespace tilescope::ui
