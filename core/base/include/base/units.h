// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>

namespace tilescope {

/// A number that means one thing. Two kinds do not mix; `.value` is the way out.
template<class Tag, class Rep>
struct Strong {
    using rep = Rep;
    Rep value{};

    constexpr Strong() = default;
    constexpr explicit Strong(Rep v) : value(v) {}
    constexpr auto operator<=>(const Strong&) const = default;
};

/// A Strong number that adds up: bytes, cycles.
template<class Tag>
struct Quantity : Strong<Tag, std::int64_t> {
    using Strong<Tag, std::int64_t>::Strong;
    constexpr Quantity operator+(Quantity other) const { return Quantity(this->value + other.value); }
    constexpr Quantity operator-(Quantity other) const { return Quantity(this->value - other.value); }
    constexpr Quantity operator*(std::int64_t factor) const { return Quantity(this->value * factor); }
    constexpr Quantity& operator+=(Quantity other) {
        this->value += other.value;
        return *this;
    }
    constexpr auto operator<=>(const Quantity&) const = default;
};

using Bytes = Quantity<struct BytesTag>;

/// Ceiling division of non-negative numbers.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

/// Bytes, of every allocation on a tile: the width of a load.
inline constexpr std::int64_t allocation_alignment = 8;
template<class Count>
constexpr Count aligned(Count bytes) {
    return static_cast<Count>(ceil_div(bytes, allocation_alignment) * allocation_alignment);
}

} // namespace tilescope
