// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/liveness/step_axis.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tilescope::ui {

double StepAxis::at(double step) const {
    if (!by_time_)
        return step;
    const auto point = static_cast<std::size_t>(live_->point_of(static_cast<std::int64_t>(std::floor(step))));
    const double within = std::clamp(step - static_cast<double>(live_->points[point].step), 0.0, 1.0);
    const auto start = static_cast<double>(live_->starts[point]);
    const auto cycles = static_cast<double>(live_->starts[point + 1]) - start;
    return start + within * cycles;
}

double StepAxis::stepAt(double at) const {
    if (!by_time_)
        return at;
    const auto point = static_cast<std::size_t>(pointAt(at));
    const auto start = static_cast<double>(live_->starts[point]);
    const auto cycles = static_cast<double>(live_->starts[point + 1]) - start;
    return static_cast<double>(live_->points[point].step) +
           (cycles > 0 ? std::clamp((at - start) / cycles, 0.0, 1.0) : 0.0);
}

std::int64_t StepAxis::pointAt(double at) const {
    if (!by_time_)
        return live_ ? live_->point_of(static_cast<std::int64_t>(std::floor(at))) : -1;
    const auto& starts = live_->starts;
    const auto after = std::upper_bound(starts.begin(), starts.end() - 1, at, [](double value, auto start) {
        return value < static_cast<double>(start);
    });
    return std::max<std::int64_t>(0, after - starts.begin() - 1);
}

std::pair<std::size_t, std::size_t> StepAxis::points(double from, double to) const {
    if (!live_ || live_->points.empty() || from >= static_cast<double>(last()))
        return {};
    const auto count = live_->points.size();
    if (!by_time_) {
        const auto point = static_cast<std::size_t>(pointAt(from));
        auto end = point;
        while (end < count && static_cast<double>(live_->points[end].step) < to)
            ++end;
        return {point, end};
    }
    const auto& starts = live_->starts;
    const auto begins = starts.begin(), ends = starts.end() - 1;
    const auto before = [](auto start, double value) { return static_cast<double>(start) < value; };
    auto first = std::lower_bound(begins, ends, from, before);
    if (first != begins && (first == ends || static_cast<double>(*first) > from))
        --first;
    const auto behind = to >= static_cast<double>(last()) ? ends : std::lower_bound(first, ends, to, before);
    return {static_cast<std::size_t>(first - begins), static_cast<std::size_t>(behind - begins)};
}

std::int64_t StepAxis::first() const {
    return by_time_ ? 0 : live_->points.front().step;
}

std::int64_t StepAxis::last() const {
    return by_time_ ? live_->pass_cycles() : live_->points.back().step + 1;
}

} // namespace tilescope::ui
