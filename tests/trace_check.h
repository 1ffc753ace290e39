// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::tests {

/// What a strict reader makes of a trace in Chrome's format, as written in Google's "Trace Event Format".
struct CheckedTrace {
    struct Lane {
        std::int64_t slices = 0;
        std::int64_t outermost_ns = 0; ///< sum over the slices that are in no other
        std::map<std::string, std::int64_t> ns_by_name;
    };
    /// A slice on each end, by process and lane name, in whole nanoseconds.
    struct Arrow {
        std::string from_lane, to_lane;
        std::int64_t from_begin = 0, to_begin = 0;
    };
    std::map<std::pair<std::string, std::string>, Lane> lanes;            ///< by process and lane name
    std::map<std::pair<std::string, std::string>, std::int64_t> counters; ///< samples, by process and name
    std::vector<Arrow> arrows;
    /// What is wrong: times that are no whole nanoseconds, slices of a track that are out of order or overlap
    /// without nesting, tracks without a name, flows that lack an end or a slice. At most 20.
    std::vector<std::string> problems;
};

CheckedTrace check_trace(std::istream& text);

} // namespace tilescope::tests
