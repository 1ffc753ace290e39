// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// How files spell the values of an enum: said once, by a function `spelling` beside it.
namespace tilescope {

template<std::size_t count>
struct Spelling {
    std::string_view what;                      ///< it is a kind of: "phase"
    std::array<std::string_view, count> values; ///< in the order of the enum
};

template<class... Text>
constexpr Spelling<sizeof...(Text)> spelled(std::string_view what, Text... values) {
    return {what, {values...}};
}

template<class Kind>
concept Spelled = requires(Kind kind) {
    spelling(kind).values;
};

template<Spelled Kind>
std::string to_string(Kind kind) {
    return std::string(spelling(kind).values.at(static_cast<std::size_t>(kind)));
}

/// nullopt for a text that is none of its values.
template<Spelled Kind>
std::optional<Kind> parse(std::string_view text) {
    constexpr auto values = spelling(Kind{}).values;
    const auto found = std::find(values.begin(), values.end(), text);
    return found == values.end() ? std::nullopt : std::optional(static_cast<Kind>(found - values.begin()));
}

} // namespace tilescope
