// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// A number of a report's document, found by a dotted path.
struct Metric {
    std::string path;                              ///< "layers.conv2d.cycles"
    std::string key;                               ///< as the list of figures names it: "layers[].cycles"
    const nlohmann::ordered_json* value = nullptr; ///< may be null, or lie behind one
};

/// All metrics that a path names. In a list, a part of the path is a position, -1 the last, or the name of an
/// entry, in which * stands for any characters: "layers.conv2d*.cycles" is one metric for each such layer.
/// Entries without a name go by their position: "ipus.*.memory_bytes" is one for each IPU.
/// Keys and names may hold dots themselves. Empty where there is none.
std::vector<Metric> find_metrics(const nlohmann::ordered_json& document, const std::string& path);

/// The paths of all numbers of a document, those in lists by their entries' names or positions.
std::vector<std::string> all_metrics(const nlohmann::ordered_json& document);

} // namespace tilescope::analyse
