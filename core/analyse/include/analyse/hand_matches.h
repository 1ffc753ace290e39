// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "base/spelling.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tilescope::analyse {

struct Parts;

enum class PartKind { Layer, Operation };
constexpr auto spelling(PartKind) {
    return spelled("part", "layer", "operation");
}

/// Says of a layer or an operation of the new run which one of the base it is. One of the names may be "":
/// then the other one has no counterpart.
struct HandMatch {
    PartKind part = PartKind::Layer;
    std::string base;
    std::string now;
    bool operator==(const HandMatch&) const = default;
};
/// What was said of two runs: a part of either is in one at most.
using HandMatches = std::vector<HandMatch>;

/// With what is said now, in place of what was said of its parts before.
HandMatches with(HandMatches matches, const HandMatch& match);
/// Without what was said of the parts of `match`.
HandMatches without(HandMatches matches, const HandMatch& match);
/// The same with base and new run swapped.
HandMatches swapped(HandMatches matches);

/// A list of {"part", "base", "new"}, as documents and files have it; null has no counterpart.
nlohmann::ordered_json document(const HandMatches& matches);

/// What "BASE=NEW" says: of layers where both are, else of operations; "BASE=" and "=NEW" have no
/// counterpart. Errors: no such text, or names that a run does not have, with the nearest one.
Result<HandMatch> parse_hand_match(const std::string& text, const Parts& base, const Parts& now);
/// Errors: a part that a run does not have. `place`: where that was said.
Result<void> check_names(const HandMatches& matches, const Parts& base, const Parts& now,
                         const std::string& place);

} // namespace tilescope::analyse
