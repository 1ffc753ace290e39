// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/insights.h"

#include "analyse/insight_rules.h"
#include "analyse/summary.h"
#include "base/try.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <tuple>

namespace tilescope::analyse {

std::string identity(const Insight& insight) {
    std::string result = insight.code + " " + std::string(profile::to_string(insight.subject.kind)) + " " +
                         std::to_string(insight.subject.id) + " " + insight.subject.name;
    for (const std::int64_t ipu : insight.subject.ipus)
        result += " " + std::to_string(ipu);
    return result;
}

std::optional<double> cost_share(const Insight& insight, const Summary& summary) {
    if (!insight.cost || insight.cost->unit != FigureUnit::Cycles)
        return std::nullopt;
    const auto whole =
        insight.cost->planned ? summary.planned_cycles(summary.basis) : summary.elapsed_cycles(summary.basis);
    return whole && *whole > 0 ? std::optional(insight.cost->value / *whole) : std::nullopt;
}

nlohmann::ordered_json document(const Insight& insight) {
    using Json = nlohmann::ordered_json;
    Json figures = Json::array();
    for (const InsightFigure& figure : insight.figures)
        figures.push_back({{"name", figure.name}, {"value", figure.value}, {"unit", to_string(figure.unit)}});
    const InsightSubject& subject = insight.subject;
    Json cost;
    if (insight.cost)
        cost = {{"value", insight.cost->value},
                {"unit", to_string(insight.cost->unit)},
                {"per", insight.cost->per.empty() ? Json() : Json(insight.cost->per)},
                {"planned", insight.cost->planned}};
    return {{"code", insight.code},
            {"severity", profile::to_string(insight.severity)},
            {"title", insight.title},
            {"detail", insight.detail},
            {"figures", figures},
            {"subject",
             {{"kind", profile::to_string(subject.kind)},
              {"ipus", subject.ipus},
              {"id", subject.id < 0 ? Json() : Json(subject.id)},
              {"name", subject.name.empty() ? Json() : Json(subject.name)}}},
            {"cost", cost}};
}

void rank(std::vector<Insight>& insights, InsightOrder order) {
    const auto of = [](const Insight& insight, FigureUnit unit) {
        return insight.cost && insight.cost->unit == unit ? insight.cost->value : -1.0;
    };
    const auto key = [&](const Insight& i) {
        const double cycles = of(i, FigureUnit::Cycles), bytes = of(i, FigureUnit::Bytes);
        const auto severity = static_cast<double>(i.severity);
        const double error = i.severity == Severity::Error ? 1 : 0;
        return order == InsightOrder::Time    ? std::tuple(error, cycles, bytes)
               : order == InsightOrder::Bytes ? std::tuple(error, bytes, cycles)
                                              : std::tuple(severity, cycles, bytes);
    };
    std::stable_sort(insights.begin(), insights.end(),
                     [&](const Insight& a, const Insight& b) { return key(a) > key(b); });
}

Result<std::vector<Insight>> find_insights(const profile::Profile& profile, const Summary& summary,
                                           const Costs& costs) {
    std::vector<Insight> insights;
    if (summary.target.tiles_per_ipu == 0) // run on the host
        return insights;
    TRY(const auto evidence, evidence_of(profile, summary, costs));
    for (const Rule& rule : insight_rules()) {
        auto found = rule(evidence);
        std::move(found.begin(), found.end(), std::back_inserter(insights));
    }
    return insights;
}

} // namespace tilescope::analyse
