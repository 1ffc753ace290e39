// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// How a profile spells its kinds.
namespace tilescope::profile {

/// `what` it is a kind of, and the `names` of its values in their order.
template<class Kind>
struct Spelling;

template<class Kind>
concept Spelled = requires {
    Spelling<Kind>::names;
};

/// nullopt for a text that is none of its names.
template<Spelled Kind>
std::optional<Kind> parse(std::string_view text) {
    constexpr auto& names = Spelling<Kind>::names;
    const auto found = std::find(names.begin(), names.end(), text);
    return found == names.end() ? std::nullopt : std::optional(static_cast<Kind>(found - names.begin()));
}

template<>
struct Spelling<RunStatus> {
    static constexpr std::string_view what = "status";
    static constexpr std::array<std::string_view, 6> names = {"running",       "complete", "cancelled",
                                                              "out_of_memory", "failed",   "killed"};
};
template<>
struct Spelling<Phase> {
    static constexpr std::string_view what = "phase";
    static constexpr std::array<std::string_view, 4> names = {"forward", "recompute", "backward", "update"};
};
template<>
struct Spelling<ExecutionKind> {
    static constexpr std::string_view what = "kind of execution";
    static constexpr std::array<std::string_view, 3> names = {"train", "evaluate", "predict"};
};

} // namespace tilescope::profile
