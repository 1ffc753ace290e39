// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_painter.h"

#include "known_texts.h"
#include "ui/session/format.h"
#include "ui/timeline/activity_color.h"
#include "ui/timeline/lane_items.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilescope::ui {

bool TimelineHighlight::matches(LaneKind lane, const TimelineSlice& slice) const {
    if (lane == LaneKind::Activity || lane == LaneKind::MicroBatch)
        return micro_batch < 0 ? lane == LaneKind::MicroBatch : slice.micro_batch == micro_batch;
    if (lane == LaneKind::Execution || lane == LaneKind::Step)
        return true;
    if (operation < 0 && layer < 0 && program < 0)
        return true;
    if (lane == LaneKind::Layer)
        return slice.layer == layer;
    if (lane == LaneKind::Operation || program < 0)
        return operation < 0 ? slice.layer == layer : slice.operation == operation;
    return slice.program == program;
}

TimelinePainter::TimelinePainter(QPainter& painter, const ChartStyle& style, const TimelineViewport& viewport,
                                 TilePictures& pictures, SliceColour colour)
    : painter_(painter), style_(style), viewport_(viewport), pictures_(pictures), colour_(colour) {}

namespace {

constexpr double fade_share = 0.72;
constexpr double untraced_share = 0.45;

/// Waiting is hatched, as it is where it stands by itself.
TimeStack::Colors pass_colors(const ChartStyle& style) {
    return activity_colors(style, style.background,
                           activity_color(style, analyse::PipelineActivity::Waiting));
}

std::array<std::int64_t, TimeStack::parts> parts_of(const profile::ActivityCycles& a) {
    return {a.forward, a.recompute, a.backward, a.copy, a.update, a.other, 0};
}

std::array<std::int64_t, TimeStack::parts> parts_of(const profile::PhaseCycles& cycles) {
    std::array<std::int64_t, TimeStack::parts> parts{};
    for (const analyse::TimeKind kind : analyse::time_kinds)
        parts[static_cast<std::size_t>(kind)] = analyse::cycles_of(cycles, kind);
    return parts;
}

QColor grey(const ChartStyle& style, bool second) {
    return ChartStyle::mixed(style.background, style.text, second ? 0.19 : 0.13);
}

} // namespace

TimeStack::Colors TimelinePainter::timeColors(const ChartStyle& style) {
    return {{style.compute, style.exchange, style.inter_ipu, style.sync, style.host, style.waiting, {}},
            ChartStyle::mixed(style.waiting, style.text, style.dark ? 0.2 : 0.12)};
}

/// Of the activity, or kind of time, that takes most of it; every other layer and operation is lighter, so
/// that neighbours part.
QColor TimelinePainter::namedColor(LaneKind kind, const TimelineSlice& slice) const {
    if (kind == LaneKind::Execution || kind == LaneKind::Step)
        return grey(style_, (slice.execution + slice.step) % 2 != 0);
    const bool by_time = colour_ == SliceColour::Time;
    const auto parts = by_time ? parts_of(slice.cycles) : parts_of(slice.activities);
    const auto most = std::max_element(parts.begin(), parts.end()) - parts.begin();
    const QColor color =
        (by_time ? timeColors(style_)
                 : activity_colors(style_, ChartStyle::mixed(style_.background, style_.text, 0.3)))
            .part[static_cast<std::size_t>(most)];
    const std::int64_t id = kind == LaneKind::Layer       ? slice.layer
                            : kind == LaneKind::Operation ? slice.operation
                                                          : slice.program;
    return ChartStyle::mixed(color, style_.background, id % 2 == 0 ? 0.15 : 0.4);
}

void TimelinePainter::label(const QString& text, const QRect& box, const QColor& colour) {
    constexpr int padding = 3;
    const QRect inside = box.adjusted(padding, 0, -padding, 0);
    if (text.isEmpty() || inside.width() <= 0)
        return;
    const QFontMetrics metrics = painter_.fontMetrics();
    // Of a name that is cut as much is left as tells it from others; less says nothing.
    const int enough = 10 * metrics.averageCharWidth();
    const bool whole = textFits(painter_.font(), text, inside.width());
    if (!whole && inside.width() < enough)
        return;
    painter_.setPen(colour);
    drawKnownText(
        painter_, inside, Qt::AlignLeft | Qt::AlignVCenter,
        whole ? text
              : metrics.elidedText(text, text.contains(QLatin1Char(' ')) ? Qt::ElideRight : Qt::ElideMiddle,
                                   inside.width()));
}

void TimelinePainter::stack(const analyse::TimeColumns& columns, double full, const QRect& rect,
                            const TimeStack::Colors& colors, const std::vector<double>& tones) {
    const double ratio = painter_.device()->devicePixelRatioF();
    const int height = static_cast<int>(std::lround(rect.height() * ratio));
    QImage image = TimeStack::picture(columns.columns(), full, height, colors, style_.background, tones);
    image.setDevicePixelRatio(ratio);
    painter_.drawImage(rect.topLeft(), image);
}

analyse::TimeColumns TimelinePainter::columns(const QRect& rect) const {
    const double ratio = painter_.device()->devicePixelRatioF();
    return {viewport_.from(), viewport_.cyclesPerPixel() / ratio,
            static_cast<std::size_t>(std::lround(std::max(1, rect.width()) * ratio))};
}

void TimelinePainter::phases(const TimelineLane& lane, const QRect& rect,
                             const TimelineHighlight& highlight) {
    analyse::TimeColumns time = columns(rect);
    analyse::TimeColumns marks = columns(rect); // 0: not traced, 1: lit up
    const auto first =
        std::lower_bound(lane.slices.begin(), lane.slices.end(), viewport_.from(),
                         [](const TimelineSlice& s, double at) { return static_cast<double>(s.end) <= at; });
    for (auto s = first; s != lane.slices.end() && static_cast<double>(s->start) < viewport_.to(); ++s) {
        const auto start = static_cast<double>(s->start);
        const auto end = static_cast<double>(s->end);
        time.add(start, end, s->cycles, s->program >= 0 && s->merged == 1);
        if (!s->traced)
            marks.spread(start, end, 0, end - start);
        if (highlight.any() && highlight.matches(LaneKind::Phases, *s))
            marks.spread(start, end, 1, end - start);
    }
    std::vector<double> tones;
    for (const auto& column : marks.columns())
        tones.push_back(highlight.any() && column[1] < time.width() / 2 ? fade_share
                        : column[0] > time.width() / 2                  ? untraced_share
                                                                        : 0);
    stack(time, time.width(), rect, timeColors(style_), tones);
    untraced(lane, rect);
}

void TimelinePainter::activity(const TimelineLane& lane, const TimelineSlice& slice, const QRect& full,
                               int left, bool fade, bool lit) {
    using Activity = analyse::PipelineActivity;
    if (slice.activity == Activity::Idle) {
        constexpr int outlined_from = 4; // pixels: in less there is nothing within the line
        painter_.setPen(style_.line);
        painter_.setBrush(Qt::NoBrush);
        if (full.width() >= outlined_from)
            painter_.drawRect(full.adjusted(0, 1, -2, -2));
        return;
    }
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
    QRect own = box; // without the host's part
    QRect hosts;     // the widest of the host's
    if (slice.hosted) {
        const auto length = static_cast<double>(slice.end - slice.start);
        const auto x = [&](double share) {
            return left + static_cast<int>(
                              std::lround(viewport_.x(static_cast<double>(slice.start) + share * length)));
        };
        for (const auto& [from, to] : lane.host.at(slice.activity)) {
            const QRect host = QRect(x(from), body.top(), x(to) - x(from), body.height()) & body;
            painter_.fillRect(host, fade ? faded(style_.host) : style_.host);
            hosts = host.width() > hosts.width() ? host : hosts;
            if (host.left() <= own.left())
                own.setLeft(std::max(own.left(), host.right() + 1));
            else if (host.right() >= own.right())
                own.setRight(host.left() - 1);
        }
    }
    if (lit && box.width() > 2) {
        painter_.setPen(QPen(style_.text, 1));
        painter_.setBrush(Qt::NoBrush);
        painter_.drawRect(body.adjusted(0, 0, -1, -1));
    }
    constexpr int margin = 3;
    const auto fits = [&](const QRect& room) {
        return textFits(painter_.font(), slice.label, room.width() - 2 * margin);
    };
    if (slice.label.isEmpty() || !fits(box))
        return;
    const QRect& widest = hosts.width() > own.width() ? hosts : own; // whose colour is behind all of the text
    const QRect& room = fits(widest) ? widest : box;
    painter_.setPen(fade                          ? style_.muted
                    : own.contains(room.center()) ? ChartStyle::textOn(color)
                                                  : ChartStyle::textOn(style_.host));
    drawKnownText(painter_, room, Qt::AlignCenter, slice.label);
}

void TimelinePainter::host(const TimelineLane& lane, const QRect& rect) {
    phases(lane, rect, {});
    for (const TimelineSlice& slice : lane.slices) {
        const double x0 = std::max(0.0, viewport_.x(static_cast<double>(slice.start)));
        const double x1 = std::min<double>(rect.width(), viewport_.x(static_cast<double>(slice.end)));
        if (x1 > x0 && !slice.label.isEmpty())
            label(slice.label, QRectF(rect.left() + x0, rect.top(), x1 - x0, rect.height()).toRect(),
                  ChartStyle::textOn(style_.host));
    }
}

/// Names each stretch of executions whose program steps are not known, where there is room.
void TimelinePainter::untraced(const TimelineLane& lane, const QRect& rect) {
    for (auto s = lane.slices.begin(); s != lane.slices.end();) {
        if (s->traced) {
            ++s;
            continue;
        }
        const std::int64_t start = s->start;
        std::int64_t end = s->end;
        std::int64_t executions = 0;
        for (; s != lane.slices.end() && !s->traced; ++s) {
            end = s->end;
            executions += s->merged;
        }
        const int left = static_cast<int>(std::max(0.0, viewport_.x(static_cast<double>(start))));
        const int right = static_cast<int>(
            std::min(static_cast<double>(rect.width()), viewport_.x(static_cast<double>(end))));
        const QString text =
            executions == 1
                ? QObject::tr("not traced: totals only")
                : QObject::tr("%1 executions, not traced: totals only").arg(formatCount(executions));
        const int width = textWidth(painter_.font(), text) + 16;
        if (right - left < width + 8)
            continue;
        const int height = painter_.fontMetrics().height() * 5 / 4;
        plate(QRect(rect.left() + (left + right - width) / 2, rect.center().y() - height / 2, width, height),
              text);
    }
}

void TimelinePainter::plate(const QRect& card, const QString& text) {
    painter_.setRenderHint(QPainter::Antialiasing);
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(style_.background);
    painter_.drawRoundedRect(card, 4, 4);
    painter_.setRenderHint(QPainter::Antialiasing, false);
    painter_.setPen(style_.muted);
    drawKnownText(painter_, card, Qt::AlignCenter, text);
}

namespace {

double host_share(const TimelineLane& lane, const TimelineSlice& slice) {
    double share = 0;
    if (slice.hosted)
        for (const auto& [from, to] : lane.host.at(slice.activity))
            share += to - from;
    return share;
}

/// What passes of a pipeline in a run are done for. Whole turns of passes within a few pixels have no edges
/// that could be seen: each is spread evenly, else pixels and passes would beat against each other.
void add_passes(analyse::TimeColumns& columns, const TimelineLane& lane, const LaneItem& run,
                double cycles_per_pixel) {
    constexpr double turn_below = 4; // pixels
    for (std::size_t i = run.first; i < run.end;) {
        const auto turn = next_turn(lane.slices, i, run.end, cycles_per_pixel, turn_below * cycles_per_pixel);
        const std::size_t next = turn.value_or(i + 1);
        std::array<double, TimeStack::parts> cycles{};
        for (std::size_t k = i; k < next; ++k)
            if (const TimelineSlice& s = lane.slices[k]; s.activity != analyse::PipelineActivity::Idle) {
                const auto length = static_cast<double>(s.end - s.start);
                const double host = host_share(lane, s);
                cycles[static_cast<std::size_t>(s.activity)] += length * (1 - host);
                cycles[TimeStack::host] += length * host;
            }
        const auto start = static_cast<double>(lane.slices[i].start);
        const auto end = static_cast<double>(turn ? lane.slices[*turn].start : lane.slices[i].end);
        for (std::size_t part = 0; part < cycles.size(); ++part)
            columns.spread(start, end, part, cycles[part]);
        i = next;
    }
}

} // namespace

/// All runs of a lane in one picture: their columns show what they are done for.
void TimelinePainter::runs(const TimelineLane& lane, const std::vector<LaneItem>& items, const QRect& rect,
                           const TimelineHighlight& highlight) {
    const bool activities = lane.kind == LaneKind::Activity || lane.kind == LaneKind::MicroBatch;
    const bool plain = lane.kind == LaneKind::Execution || lane.kind == LaneKind::Step;
    const bool by_time = colour_ == SliceColour::Time && !activities && !plain;
    analyse::TimeColumns columns = this->columns(rect);
    analyse::TimeColumns lit = columns;
    for (const LaneItem& item : items) {
        if (item.merged && activities)
            add_passes(columns, lane, item, viewport_.cyclesPerPixel());
        for (std::size_t i = item.first; item.merged && i < item.end; ++i) {
            const TimelineSlice& s = lane.slices[i];
            const auto start = static_cast<double>(s.start);
            const auto end = static_cast<double>(s.end);
            if (plain)
                columns.spread(start, end, TimeStack::rest, end - start);
            else if (!activities)
                for (std::size_t part = 0; part < TimeStack::parts; ++part)
                    columns.spread(
                        start, end, part,
                        static_cast<double>((by_time ? parts_of(s.cycles) : parts_of(s.activities))[part]));
            if (highlight.matches(lane.kind, s))
                lit.spread(start, end, 0, end - start);
        }
    }
    std::vector<double> tones;
    for (std::size_t c = 0; highlight.any() && c < lit.columns().size(); ++c)
        tones.push_back(lit.columns()[c][0] < columns.width() / 2 ? fade_share : 0);
    const QColor last = plain ? grey(style_, true) : ChartStyle::mixed(style_.background, style_.text, 0.3);
    stack(columns, columns.width(), rect,
          by_time      ? timeColors(style_)
          : activities ? pass_colors(style_)
                       : activity_colors(style_, last),
          tones);
    if (lane.kind == LaneKind::Activity) // their numbers stand above them
        return;
    painter_.setPen(QPen(style_.muted, 1, Qt::DotLine));
    for (const LaneItem& item : items) {
        if (!item.merged)
            continue;
        const auto x = [&](std::int64_t cycle) {
            return rect.left() + static_cast<int>(std::lround(std::clamp(
                                     viewport_.x(static_cast<double>(cycle)), 0.0, double(rect.width()))));
        };
        const int left = x(lane.slices[item.first].start);
        const int right = x(lane.slices[item.end - 1].end);
        if (!activities) // whose edge would take of their area, each of them being a colour for itself
            painter_.drawLine(left, rect.bottom(), right, rect.bottom());
        const QString text = merged_text(lane, item);
        constexpr int beside = 10, apart = 6;
        if (!textFits(painter_.font(), text, right - left - beside - apart))
            continue;
        const int width = textWidth(painter_.font(), text) + beside;
        const int height = std::min(rect.height() - 3, painter_.fontMetrics().height());
        plate(QRect((left + right - width) / 2, rect.center().y() - height / 2, width, height), text);
    }
}

QString TimelinePainter::item_name(const TimelineLane& lane, const LaneItem& item,
                                   const TimelineSlice& slice) {
    return !slice.label.isEmpty() ? slice.label : slice.merged > 1 ? merged_text(lane, item) : lane.name;
}

QString TimelinePainter::merged_text(const TimelineLane& lane, const LaneItem& item) {
    std::int64_t count = 0;
    for (std::size_t i = item.first; i < item.end; ++i)
        count += lane.slices[i].merged;
    return QStringLiteral("%1 %2").arg(formatCount(count), lane.unit);
}

void TimelinePainter::lane(const TimelineLane& lane, const QRect& rect, const TimelineHighlight& highlight) {
    painter_.save();
    painter_.setClipRect(rect, Qt::IntersectClip);
    if (lane.kind == LaneKind::Phases)
        phases(lane, rect, highlight);
    else if (lane.kind == LaneKind::Tiles)
        tiles(lane, rect);
    else if (lane.kind == LaneKind::Host)
        host(lane, rect);
    else if (counterOf(lane.kind))
        curve(lane, rect);
    else
        named(lane, rect, highlight);
    painter_.restore();
}

/// The numbers of passes that are too narrow to hold them, as many as have room.
void TimelinePainter::numbers(const TimelineLane& lane, const QRect& strip) {
    constexpr int margin = 3;
    using Activity = analyse::PipelineActivity;
    const auto first =
        std::lower_bound(lane.slices.begin(), lane.slices.end(), viewport_.from(),
                         [](const TimelineSlice& s, double at) { return static_cast<double>(s.end) <= at; });
    const auto end = std::find_if(first, lane.slices.end(), [&](const TimelineSlice& s) {
        return static_cast<double>(s.start) >= viewport_.to();
    });
    const QFont inside = painter_.font();
    const auto fits = [&](const TimelineSlice& s) { // of tens of thousands few are worth measuring
        const double room =
            viewport_.x(static_cast<double>(s.end)) - viewport_.x(static_cast<double>(s.start));
        return textFits(inside, s.label, static_cast<int>(room) - 2 * margin - 1);
    };
    const auto last_forward =
        std::find_if(lane.slices.rbegin(), lane.slices.rend(),
                     [](const TimelineSlice& s) { return s.activity == Activity::Forward; });
    // Where forward passes have their numbers here, backward ones have theirs only after all of them: one row
    // for both would mix two series.
    const bool forward = std::any_of(
        first, end, [&](const TimelineSlice& s) { return s.activity == Activity::Forward && !fits(s); });
    const auto pass = [&](const TimelineSlice& s) {
        return s.activity == Activity::Forward ||
               (s.activity == Activity::Backward &&
                (!forward || last_forward == lane.slices.rend() || s.start > last_forward->start));
    };
    const auto shown = std::count_if(first, end, pass);
    if (shown == 0)
        return;
    painter_.save();
    QFont small = painter_.font();
    small.setPointSizeF(std::max(8.0, small.pointSizeF() * 0.8));
    painter_.setFont(small);
    painter_.setPen(style_.muted);
    const auto width_of = [&](const QString& text) { return textWidth(painter_.font(), text); };
    // Every so many, whatever is in view, so that moving the view moves the numbers along.
    const double apart =
        (viewport_.x(static_cast<double>((end - 1)->end)) - viewport_.x(static_cast<double>(first->start))) /
        static_cast<double>(shown);
    std::int64_t every = 1;
    for (int step = 0; static_cast<double>(every) * apart < width_of(QStringLiteral("000")) + margin; ++step)
        every = step % 3 == 1 ? every / 2 * 5 : every * 2; // 1, 2, 5, 10 …
    double last = -1e9;
    for (auto s = first; s != end; ++s) {
        const double x = viewport_.x(static_cast<double>(s->start));
        if (!pass(*s) || s->micro_batch % every != 0 || x < last + margin || x < 0 || fits(*s))
            continue;
        const int width = width_of(s->label);
        if (x + width > strip.width()) // half a number would mislead
            break;
        drawKnownText(painter_, QRectF(strip.left() + x, strip.top(), width + 1, strip.height()),
                      Qt::AlignLeft | Qt::AlignVCenter, s->label);
        last = x + width;
    }
    painter_.restore();
}

void TimelinePainter::named(const TimelineLane& lane, const QRect& whole,
                            const TimelineHighlight& highlight) {
    const int strip = lane.kind == LaneKind::Activity ? painter_.fontMetrics().height() * 4 / 5 : 0;
    const QRect rect = whole.adjusted(0, strip, 0, 0);
    if (strip > 0)
        numbers(lane, QRect(whole.left(), whole.top(), whole.width(), strip));
    const std::vector<LaneItem> items = lane_items(lane, viewport_);
    runs(lane, items, rect, highlight);
    for (const LaneItem& item : items) {
        if (item.merged)
            continue;
        const TimelineSlice& slice = lane.slices[item.first];
        const double x0 = std::max(-2.0, viewport_.x(static_cast<double>(slice.start)));
        const double x1 = std::min(rect.width() + 2.0, viewport_.x(static_cast<double>(slice.end)));
        const int left = rect.left() + static_cast<int>(std::lround(x0));
        const QRect full(left, rect.top(), rect.left() + static_cast<int>(std::lround(x1)) - left,
                         rect.height());
        const bool lit = highlight.any() && highlight.matches(lane.kind, slice);
        const bool fade = highlight.any() && !lit;
        if (lane.kind == LaneKind::Activity || lane.kind == LaneKind::MicroBatch) {
            activity(lane, slice, full, rect.left(), fade, lit && highlight.micro_batch >= 0);
            continue;
        }
        const QColor color = namedColor(lane.kind, slice);
        const QColor fill = fade ? faded(color) : color;
        const QRect box = full.adjusted(0, 1, full.width() > 3 ? -1 : 0, -1); // neighbours stay apart
        painter_.fillRect(box, fill);
        if (lit && lane.kind != LaneKind::Execution && lane.kind != LaneKind::Step) {
            painter_.setPen(QPen(style_.text, 1));
            painter_.setBrush(Qt::NoBrush);
            painter_.drawRect(box.adjusted(0, 0, -1, -1));
        }
        label(slice.label, box.intersected(rect), fade ? style_.muted : ChartStyle::textOn(fill));
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
        constexpr int digit = 4; // at least
        if (seen.width() < digit + 4 || textWidth(painter_.font(), section.label) + 4 > seen.width())
            continue;
        painter_.setPen(style_.muted);
        drawKnownText(painter_, seen, Qt::AlignCenter, section.label);
    }
    painter_.restore();
}

void TimelinePainter::axis(const QRect& rect, double clock_hz, int bottom) {
    const QFontMetrics metrics = painter_.fontMetrics();
    const int most =
        std::max(1, rect.width() / std::max(1, textWidth(painter_.font(), QStringLiteral("1,234,567,890"))));
    const int row = rect.height() / (clock_hz > 0 ? 2 : 1);
    const auto draw = [&](const std::vector<AxisTick>& ticks, double cycles_per_unit, int top,
                          const QColor& colour, bool grid) {
        for (const AxisTick& tick : ticks) {
            const int x = rect.left() + static_cast<int>(std::lround(viewport_.x(tick.at * cycles_per_unit)));
            painter_.setPen(style_.line);
            if (grid)
                painter_.drawLine(x, top + row - 5, x, bottom);
            const QString label = QString::fromStdString(tick.label);
            if (x + 4 + textWidth(painter_.font(), label) > rect.right())
                continue; // half a number would mislead
            painter_.setPen(colour);
            drawKnownText(painter_, QRect(x + 4, top, 400, row), Qt::AlignLeft | Qt::AlignVCenter, label);
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
