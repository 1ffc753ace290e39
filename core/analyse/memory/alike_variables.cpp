// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/alike_variables.h"

#include "analyse/like_names.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace tilescope::analyse {
namespace {

AlikeVariables together(const HeldVariables& variables, const TileVariables& of) {
    AlikeVariables all;
    all.variables = variables;
    all.by_column.assign(of.columns.size(), 0);
    std::int64_t most = -1;
    for (const auto& [variable, bytes] : variables) {
        if (bytes > most) {
            most = bytes;
            all.largest = variable;
        }
        all.bytes += bytes;
        all.on_all_tiles += variable->bytes;
        all.streaming += variable->streaming_bytes;
        if (const auto columns = of.by_column.find(variable->id); columns != of.by_column.end())
            for (std::size_t i = 0; i < all.by_column.size(); ++i)
                all.by_column[i] += columns->second[i];
    }
    return all;
}

std::vector<AlikeVariables> folded(const HeldVariables& variables, const TileVariables& of) {
    std::vector<std::string> names;
    names.reserve(variables.size());
    for (const auto& [variable, bytes] : variables)
        names.push_back(to_string(variable->category) + ": " + variable->name);
    std::vector<AlikeVariables> result;
    for (const LikeNames& alike : fold_names(names)) {
        HeldVariables some;
        for (const std::size_t member : alike.members)
            some.push_back(variables[member]);
        result.push_back(together(some, of));
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    return result;
}

} // namespace

VariableList list_variables(const TileVariables& of, bool ever, bool fold) {
    VariableList list;
    HeldVariables on_tiles, beside;
    for (const auto& [variable, bytes] : of.rows)
        if (ever || live_at(variable, of.peak.step)) {
            on_tiles.emplace_back(&variable, bytes);
            list.bytes += bytes;
        }
    for (const profile::VariableRecord& variable : of.streaming) {
        beside.emplace_back(&variable, 0);
        list.streaming += variable.streaming_bytes;
    }
    for (const HeldVariables* const all : {&on_tiles, &beside}) {
        if (fold) {
            std::vector<AlikeVariables> alike = folded(*all, of);
            list.rows.insert(list.rows.end(), alike.begin(), alike.end());
        } else
            for (const auto& each : *all)
                list.rows.push_back(together({each}, of));
    }
    return list;
}

} // namespace tilescope::analyse
