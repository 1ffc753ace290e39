// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVariantList>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::ui {

/// Which cycles a time line shows, and where: pixel 0 is the left edge of the lanes. No widget needed.
class TimelineViewport {
  public:
    /// The whole time line, cycles [from, to). A view that showed everything, or touched the end, grows
    /// along.
    void setLimits(std::int64_t from, std::int64_t to);
    void setWidth(double pixels);

    double from() const { return from_; }
    double to() const { return to_; }
    double span() const { return to_ - from_; }
    double width() const { return width_; }
    std::pair<std::int64_t, std::int64_t> limits() const { return {limit_from_, limit_to_}; }
    double cyclesPerPixel() const { return span() / width_; }
    double x(double cycle) const { return (cycle - from_) / cyclesPerPixel(); }
    double cycle(double x) const { return from_ + x * cyclesPerPixel(); }
    /// The same pixels for what stands `cycles` later than its own cycles say.
    TimelineViewport of(std::int64_t cycles) const;

    /// Shows exactly [from, to), as far as the limits and the smallest span allow.
    void show(double from, double to);
    void showAll();
    /// Shows [from, to) with a margin of an eighth of its length at each side.
    void frame(double from, double to);
    /// The cycle under pixel `x` stays there; factor > 1 shows less time.
    void zoom(double factor, double x);
    /// Positive: later cycles come into view.
    void pan(double pixels);
    /// Moves as little as needed to have [from, to) in view; zooms out where it does not fit.
    void reveal(double from, double to);

    bool operator==(const TimelineViewport&) const = default;

  private:
    static constexpr double smallest_span = 16; // cycles: a program step is rarely shorter

    double from_ = 0;
    double to_ = 1;
    double width_ = 1;
    std::int64_t limit_from_ = 0;
    std::int64_t limit_to_ = 1;
};

/// [from, to) of what is shown; empty: it is all.
QVariantList zoomOf(const TimelineViewport& view);

/// One mark of an axis.
struct AxisTick {
    double at = 0; ///< in the units of the axis
    std::string label;
};

/// Marks at 1, 2 or 5 times a power of ten inside [from, to] (seconds), at most `most`, labelled in one unit
/// (ns, us, ms, s) with as many digits as tell neighbours apart.
std::vector<AxisTick> time_ticks(double from_seconds, double to_seconds, int most);
/// The same for cycles: "1,250,000".
std::vector<AxisTick> cycle_ticks(double from, double to, int most);

} // namespace tilescope::ui
