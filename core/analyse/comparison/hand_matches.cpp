// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/hand_matches.h"

#include "analyse/matching.h"
#include "base/nearest_name.h"
#include "base/try.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

namespace tilescope::analyse {
namespace {

std::vector<std::string> names_of(const Parts& parts, PartKind kind) {
    std::vector<std::string> names;
    if (kind == PartKind::Layer)
        for (const auto& layer : parts.layers)
            names.push_back(layer.name);
    else
        for (const auto& operation : parts.operations)
            names.push_back(operation.name);
    return names;
}

bool has(const Parts& parts, PartKind kind, const std::string& name) {
    const auto names = names_of(parts, kind);
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool concerns(const HandMatch& said, const HandMatch& match) {
    return said.part == match.part &&
           ((!said.base.empty() && said.base == match.base) || (!said.now.empty() && said.now == match.now));
}

} // namespace

HandMatches without(HandMatches matches, const HandMatch& match) {
    std::erase_if(matches, [&](const HandMatch& said) { return concerns(said, match); });
    return matches;
}

HandMatches with(HandMatches matches, const HandMatch& match) {
    matches = without(std::move(matches), match);
    matches.push_back(match);
    return matches;
}

HandMatches swapped(HandMatches matches) {
    for (HandMatch& match : matches)
        std::swap(match.base, match.now);
    return matches;
}

nlohmann::ordered_json document(const HandMatches& matches) {
    using Json = nlohmann::ordered_json;
    const auto name = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
    Json list = Json::array();
    for (const HandMatch& match : matches)
        list.push_back({{"part", tilescope::to_string(match.part)},
                        {"base", name(match.base)},
                        {"new", name(match.now)}});
    return list;
}

Result<HandMatch> parse_hand_match(const std::string& text, const Parts& base, const Parts& now) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos || text.size() == 1)
        return wrong_usage("--match " + text + " does not say what is the same", {},
                           "write BASE=NEW, or BASE= or =NEW for what has no counterpart");
    HandMatch match{PartKind::Layer, text.substr(0, sign), text.substr(sign + 1)};
    const auto known = [&](PartKind kind) {
        return (match.base.empty() || has(base, kind, match.base)) &&
               (match.now.empty() || has(now, kind, match.now));
    };
    if (known(PartKind::Layer))
        return match;
    match.part = PartKind::Operation;
    if (known(PartKind::Operation))
        return match;
    for (const auto& [name, parts, run] :
         {std::tuple(&match.base, &base, "base"), std::tuple(&match.now, &now, "new run")}) {
        if (name->empty() || has(*parts, PartKind::Layer, *name) || has(*parts, PartKind::Operation, *name))
            continue;
        auto names = names_of(*parts, PartKind::Layer);
        for (std::string& operation : names_of(*parts, PartKind::Operation))
            names.push_back(std::move(operation));
        return wrong_usage(std::string("the ") + run + " has no layer or operation \"" + *name + "\"",
                           "--match " + text,
                           remedy_for(*name, names, "`tilescope report` lists the layers"));
    }
    return wrong_usage("one is a layer, the other an operation", "--match " + text,
                       "name two layers or two operations");
}

Result<void> check_names(const HandMatches& matches, const Parts& base, const Parts& now,
                         const std::string& place) {
    for (std::size_t i = 0; i < matches.size(); ++i)
        for (const auto& [name, parts, run] :
             {std::tuple(&matches[i].base, &base, "base"), std::tuple(&matches[i].now, &now, "new run")})
            if (!name->empty() && !has(*parts, matches[i].part, *name))
                return bad_input(std::string("the ") + run + " has no " +
                                     tilescope::to_string(matches[i].part) + " \"" + *name + "\"",
                                 place + ": matches[" + std::to_string(i) + "]",
                                 remedy_for(*name, names_of(*parts, matches[i].part), "take it out"));
    return {};
}

} // namespace tilescope::analyse
