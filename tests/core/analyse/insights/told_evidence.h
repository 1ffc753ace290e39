// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/insight_rules.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

/// Evidence that the rules of the insights are asked about.
namespace tilescope::analyse {

/// A run on one IPU of 100 tiles of 1,000 bytes, of which there is nothing to say.
inline Evidence healthy() {
    Evidence e;
    e.tiles_per_ipu = 100;
    e.bytes_per_tile = 1000;
    e.steps_per_execution = 50;
    e.executions = 20;
    e.steps = 1000;
    e.phases = profile::PhaseCycles{};
    e.phases->compute = 60;
    e.phases->exchange = 20;
    e.phases->sync = 10;
    e.phases->host = 10;
    e.fullest = Evidence::Tile{0, 7, 500};
    e.highest = Evidence::Tile{0, 8, 600};
    e.total_bytes = 100 * 400;
    e.ipus = {{0, 0, 100, 60}};
    e.elapsed = 1000;
    e.per = "step";
    e.compute_sets = {{"dense/Convolve", 1, 0, 3, 500, 100}};
    return e;
}

/// The same on several IPUs, as one replica that fills them.
inline Evidence on_ipus(std::int64_t count) {
    Evidence e = healthy();
    e.ipus.clear();
    for (std::int64_t i = 0; i < count; ++i)
        e.ipus.push_back({i, 0, 100, 60});
    e.total_bytes = count * 100 * 800;
    e.fullest->bytes = 800;
    e.highest->bytes = 850;
    return e;
}

inline Evidence with(Evidence e, const std::function<void(Evidence&)>& change) {
    change(e);
    return e;
}

inline std::vector<Insight> found(const Evidence& evidence) {
    std::vector<Insight> all;
    for (const Rule& rule : insight_rules())
        for (Insight& insight : rule(evidence))
            all.push_back(std::move(insight));
    return all;
}

inline const Insight& only(const std::vector<Insight>& insights, const std::string& code) {
    static const Insight none;
    const auto at = std::find_if(insights.begin(), insights.end(),
                                 [&](const Insight& each) { return each.code == code; });
    EXPECT_NE(at, insights.end()) << code;
    return at == insights.end() ? none : *at;
}

inline double figure(const Insight& insight, const std::string& name) {
    for (const InsightFigure& each : insight.figures)
        if (each.name == name)
            return each.value;
    ADD_FAILURE() << insight.code << " has no figure " << name;
    return 0;
}

} // namespace tilescope::analyse
