// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tilescope::analyse {

/// How much more the new run has, where what one run does not have counts as 0.
inline std::int64_t change_of(std::optional<std::int64_t> base, std::optional<std::int64_t> now) {
    return now.value_or(0) - base.value_or(0);
}
inline double change_of(std::optional<double> base, std::optional<double> now) {
    return now.value_or(0) - base.value_or(0);
}

/// What the differences of a figure between two runs come to, thing by thing.
class ChangeSum {
  public:
    /// `base`, `now`: the figure of a thing, or of `things` together; nullopt: that run does not have it, and
    /// all of the other counts as more or less. Gives the change.
    double add(std::optional<double> base, std::optional<double> now, std::int64_t things = 1);
    double add(std::optional<std::int64_t> base, std::optional<std::int64_t> now, std::int64_t things = 1);

    double by() const { return by_; }                        ///< new less base, of all
    std::int64_t in_now() const { return in_now_; }          ///< things that the new run has
    std::int64_t unchanged() const { return unchanged_; }    ///< things that are in both and the same
    double of_unchanged() const { return of_unchanged_; }    ///< their figure, added up
    double largest() const { return largest_; }              ///< change, whichever way; 0: there is none
    std::size_t largest_index() const { return largest_i_; } ///< in the order of adding, the first of several

  private:
    double by_ = 0;
    std::int64_t in_now_ = 0;
    std::int64_t unchanged_ = 0;
    double of_unchanged_ = 0;
    double largest_ = 0;
    std::size_t largest_i_ = 0;
    std::size_t added_ = 0;
};

inline double ChangeSum::add(std::optional<double> base, std::optional<double> now, std::int64_t things) {
    const double change = change_of(base, now);
    by_ += change;
    in_now_ += now ? things : 0;
    if (base && now && change == 0) {
        unchanged_ += things;
        of_unchanged_ += *now;
    }
    if (std::abs(change) > std::abs(largest_)) {
        largest_ = change;
        largest_i_ = added_;
    }
    ++added_;
    return change;
}

inline double ChangeSum::add(std::optional<std::int64_t> base, std::optional<std::int64_t> now,
                             std::int64_t things) {
    const auto real = [](const std::optional<std::int64_t>& value) {
        return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
    };
    return add(real(base), real(now), things);
}

} // namespace tilescope::analyse
