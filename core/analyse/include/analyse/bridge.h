// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// A part of a change of time: "exchange", in microseconds, with the layers that it is of, largest first.
struct BridgePart {
    std::string name;
    double us = 0;
    std::vector<BridgePart> parts = {}; ///< what changes nothing is not among them
};

/// From the elapsed time of the base to that of the new run, per Comparison::basis. Where several IPUs are
/// compared, each part is their mean, so that the parts add up to the change of elapsed time.
struct TimeBridge {
    double base_us = 0;
    double now_us = 0;
    std::vector<BridgePart>
        parts; ///< the clock, then the phases in their order, and what is of none; those that change
    double change() const { return now_us - base_us; }
};

/// "exchange, mostly in layer_*_attention × 24"
std::string text_of(const BridgePart& part);

nlohmann::ordered_json document(const TimeBridge& bridge);

} // namespace tilescope::analyse
