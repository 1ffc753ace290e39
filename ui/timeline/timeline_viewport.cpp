// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_viewport.h"

#include "base/text.h"
#include "ui/widgets/axis_ticks.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilescope::ui {

void TimelineViewport::setLimits(std::int64_t from, std::int64_t to) {
    const bool all = from_ <= static_cast<double>(limit_from_) && to_ >= static_cast<double>(limit_to_);
    const bool at_end = to_ >= static_cast<double>(limit_to_);
    const double old_span = span();
    limit_from_ = from;
    limit_to_ = std::max(to, from + 1);
    if (all)
        showAll();
    else if (at_end)
        show(static_cast<double>(limit_to_) - old_span, static_cast<double>(limit_to_));
    else
        show(from_, to_);
}

void TimelineViewport::setWidth(double pixels) {
    width_ = std::max(1.0, pixels);
}

void TimelineViewport::show(double from, double to) {
    const auto low = static_cast<double>(limit_from_);
    const auto high = static_cast<double>(limit_to_);
    const double length = std::clamp(to - from, std::min(smallest_span, high - low), high - low);
    const double middle_shift = (to - from - length) / 2; // a span that is not allowed keeps its middle
    from_ = std::clamp(from + middle_shift, low, high - length);
    to_ = from_ + length;
}

TimelineViewport TimelineViewport::of(std::int64_t cycles) const {
    TimelineViewport own = *this;
    own.from_ -= static_cast<double>(cycles);
    own.to_ -= static_cast<double>(cycles);
    own.limit_from_ -= cycles;
    own.limit_to_ -= cycles;
    return own;
}

void TimelineViewport::showAll() {
    from_ = static_cast<double>(limit_from_);
    to_ = static_cast<double>(limit_to_);
}

void TimelineViewport::frame(double from, double to) {
    const double margin = (to - from) / 8;
    show(from - margin, to + margin);
}

void TimelineViewport::zoom(double factor, double x) {
    const double fixed = cycle(x);
    const auto whole = static_cast<double>(limit_to_ - limit_from_);
    const double length = std::clamp(span() / factor, std::min(smallest_span, whole), whole);
    const double start = fixed - x / width_ * length;
    show(start, start + length);
}

void TimelineViewport::pan(double pixels) {
    const double shift = pixels * cyclesPerPixel();
    show(from_ + shift, to_ + shift);
}

void TimelineViewport::reveal(double from, double to) {
    if (to - from > span())
        frame(from, to);
    else if (from < from_ || to > to_) // the middle of the view is where one looks first
        show((from + to - span()) / 2, (from + to + span()) / 2);
}

namespace {

struct Unit {
    double size;
    const char* name;
};

constexpr std::array<Unit, 4> seconds_units{{{1, "s"}, {1e-3, "ms"}, {1e-6, "\u00b5s"}, {1e-9, "ns"}}};

Unit unit_for(double seconds) {
    for (const Unit& unit : seconds_units)
        if (std::abs(seconds) >= unit.size * (1 - 1e-9))
            return unit;
    return seconds_units.back();
}

} // namespace

std::vector<AxisTick> time_ticks(double from, double to, int most) {
    std::vector<AxisTick> ticks;
    if (!(to > from))
        return ticks;
    const double step = tick_step(to - from, most);
    const Unit unit = unit_for(std::max(step, std::max(std::abs(from), std::abs(to)) / 10));
    const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step / unit.size) - 1e-9)));
    for (double i = std::ceil(from / step - 1e-9); i * step <= to * (1 + 1e-12); ++i)
        ticks.push_back({i * step, fixed_text(i * step / unit.size, digits) + " " + unit.name});
    return ticks;
}

std::vector<AxisTick> cycle_ticks(double from, double to, int most) {
    std::vector<AxisTick> ticks;
    if (!(to > from))
        return ticks;
    const double step = std::max(1.0, tick_step(to - from, most));
    for (double i = std::ceil(from / step - 1e-9); i * step <= to; ++i)
        ticks.push_back({i * step, count_text(std::llround(i * step))});
    return ticks;
}

QVariantList zoomOf(const TimelineViewport& view) {
    const auto [from, to] = view.limits();
    const bool all = view.from() <= static_cast<double>(from) && view.to() >= static_cast<double>(to);
    return all ? QVariantList() : QVariantList{view.from(), view.to()};
}

} // namespace tilescope::ui
