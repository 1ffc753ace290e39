// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/insights.h"

#include "analyse/insight_rules.h"
#include "analyse/summary.h"
#include "base/try.h"

#include <iterator>
#include <nlohmann/json.hpp>

namespace tilescope::analyse {

nlohmann::ordered_json document(const Insight& insight) {
    using Json = nlohmann::ordered_json;
    Json figures = Json::array();
    for (const InsightFigure& figure : insight.figures)
        figures.push_back({{"name", figure.name}, {"value", figure.value}, {"unit", figure.unit}});
    const InsightSubject& subject = insight.subject;
    return {{"code", insight.code},
            {"severity", profile::to_string(insight.severity)},
            {"title", insight.title},
            {"detail", insight.detail},
            {"figures", figures},
            {"subject",
             {{"kind", profile::to_string(subject.kind)},
              {"ipus", subject.ipus},
              {"id", subject.id < 0 ? Json() : Json(subject.id)},
              {"name", subject.name.empty() ? Json() : Json(subject.name)}}}};
}

Result<std::vector<Insight>> find_insights(const profile::Profile& profile, const Summary& summary) {
    std::vector<Insight> insights;
    if (summary.target.tiles_per_ipu == 0) // run on the host
        return insights;
    TRY(const auto evidence, evidence_of(profile, summary));
    for (const Rule& rule : insight_rules()) {
        auto found = rule(evidence);
        std::move(found.begin(), found.end(), std::back_inserter(insights));
    }
    return insights;
}

} // namespace tilescope::analyse
