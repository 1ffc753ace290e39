// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/budget.h"

#include "analyse/figures.h"
#include "base/nearest_name.h"
#include "base/pattern.h"
#include "base/text.h"
#include "base/try.h"
#include "json_text.h"
#include "metric_path.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tilescope::analyse {
namespace {

using Json = nlohmann::ordered_json;

/// A key without the brackets of its lists, as "absent" names figures.
std::string without_lists(std::string key) {
    for (std::size_t at = key.find("[]"); at != std::string::npos; at = key.find("[]", at))
        key.erase(at, 2);
    return key;
}

/// A path without the positions in lists.
std::string without_positions(const std::string& path) {
    std::string out;
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find('.', begin), path.size());
        const std::string part = path.substr(begin, end - begin);
        if (part.find_first_not_of("-0123456789") != std::string::npos)
            out += (out.empty() ? "" : ".") + part;
        begin = end + 1;
    }
    return out;
}

/// Why a report lacks a figure, as it says itself; "" where it does not.
std::string why_absent(const Json& report, const std::string& figure_path) {
    const auto absent = report.find("absent");
    if (absent != report.end())
        for (const auto& [figure, reason] : absent->items())
            if (figure_path == figure || figure_path.starts_with(figure + "."))
                return reason.get<std::string>();
    return {};
}

std::string text_at(const Json& report, const std::string& path) {
    const std::vector<Metric> found = find_metrics(report, path);
    return found.size() == 1 && found[0].value->is_string() ? found[0].value->get<std::string>()
                                                            : std::string();
}

/// Nullopt where the report says none that is known.
std::optional<profile::RunStatus> status_of(const Json& report) {
    return parse<profile::RunStatus>(text_at(report, "run.status"));
}

std::string text_of(std::optional<profile::RunStatus> status) {
    return status ? to_string(*status) : "unknown";
}

std::string words_of(std::optional<profile::RunStatus> status) {
    return status ? profile::words(*status) : "unknown";
}

/// A figure of a report, or why it has none.
struct Found {
    std::string metric;
    FigureUnit unit = FigureUnit::None;
    std::optional<double> value;
    std::string why_absent;
};

/// The figures that a limit's metric names: several where it has a pattern.
Result<std::vector<Found>> figures_of(const Json& report, const std::string& metric, const std::string& whose,
                                      const std::string& path) {
    std::vector<Found> figures;
    for (const Metric& found : find_metrics(report, metric)) {
        if (found.value->is_number())
            figures.push_back({found.path, unit_of(found.key), found.value->get<double>(), {}});
        else if (found.value->is_null()) {
            const std::string why = why_absent(report, without_lists(found.key));
            figures.push_back({found.path, unit_of(found.key), {}, why.empty() ? "not recorded" : why});
        }
    }
    if (!figures.empty())
        return figures;
    const std::string list = without_positions(metric);
    if (const std::string why = why_absent(report, list); !why.empty())
        return std::vector{Found{metric, {}, {}, why}};
    const auto status = status_of(report);
    if (status != profile::RunStatus::Complete && list != metric)
        return std::vector{Found{metric, {}, {}, "the run is " + words_of(status)}};
    return bad_input(whose + " has no metric \"" + metric + "\"", path,
                     remedy_for(metric, all_metrics(report), "`tilescope report --format json` shows all"));
}

Verdict status_verdict(const Json& report) {
    Verdict verdict;
    verdict.metric = "run.status";
    verdict.status = status_of(report);
    const std::string error = text_at(report, "run.error");
    const bool complete = verdict.status == profile::RunStatus::Complete;
    const std::string why = why_incomplete(verdict.status, error, text_at(report, "run.trimmed"));
    verdict.met = why.empty();
    verdict.reason = complete && !error.empty() ? "the run ended with an error" : why;
    verdict.detail = "run.status is " + text_of(verdict.status);
    if (complete && !verdict.met)
        verdict.detail += ", but " + why;
    else if (!complete)
        verdict.detail += ", not complete" + (error.empty() ? "" : ": " + error);
    return verdict;
}

/// Whether a figure is a number: else no bound holds.
bool is_number(Verdict& verdict) {
    if (!std::isnan(*verdict.value))
        return true;
    verdict.met = false;
    verdict.detail = verdict.metric + " is not a number";
    return false;
}

/// "METRIC is 12, more than 10", with as many digits as tell the two apart.
void judge(Verdict& verdict, bool met, const std::string& relation, double bound) {
    const double value = *verdict.value;
    const bool alike = number_text(value) == number_text(bound) && value != bound;
    const auto text = alike ? exact_text : number_text;
    verdict.detail += (verdict.detail.empty() ? verdict.metric + " is " : "; ") + text(value) + ", " +
                      (met ? "not " : "") + relation + " " + text(bound);
    verdict.met = verdict.met && met;
}

/// "layers.my_conv.cycles" as the baseline names it: "layers.conv2d.cycles".
std::string name_in_baseline(const std::string& metric, const Comparison& comparison) {
    const bool of_layer = metric.starts_with("layers.");
    if (!of_layer && !metric.starts_with("operations."))
        return metric;
    const std::string list = metric.substr(0, metric.find('.') + 1);
    for (const CostDifference& row : of_layer ? comparison.layers : comparison.operations)
        if (metric.starts_with(list + row.name + ".") && row.cycles.base)
            return list + row.base_name + metric.substr(list.size() + row.name.size());
    return metric;
}

/// The baseline's figure, or why it has none.
Found in_baseline(const std::string& metric, const Baseline& baseline, const std::string& path) {
    const auto status = status_of(baseline.report);
    if (const std::string why = why_incomplete(status, text_at(baseline.report, "run.error"),
                                               text_at(baseline.report, "run.trimmed"), "the baseline");
        !why.empty())
        return {metric, {}, {}, status == profile::RunStatus::Complete ? why : why + ", not complete"};
    const std::string name = name_in_baseline(metric, baseline.comparison);
    const auto found = figures_of(baseline.report, name, "the baseline", path);
    if (!found)
        return {metric, {}, {}, "absent from the baseline"};
    Found figure = found->front();
    if (!figure.value)
        figure.why_absent = "absent from the baseline: " + figure.why_absent;
    else if (std::isnan(*figure.value))
        return {metric, {}, {}, "the baseline's is not a number"};
    return figure;
}

void judge_relative(Verdict& verdict, const Found& base) {
    const Limit& limit = *verdict.limit;
    if (!base.value) {
        verdict.met = false;
        verdict.detail += (verdict.detail.empty() ? verdict.metric + ": " : "; ") + base.why_absent;
        return;
    }
    const double from = *base.value;
    if (limit.increase_percent)
        judge(verdict, *verdict.value <= from + std::fabs(from) * *limit.increase_percent / 100,
              "more than " + number_text(*limit.increase_percent) + " % above the baseline's", from);
    if (limit.decrease_percent)
        judge(verdict, *verdict.value >= from - std::fabs(from) * *limit.decrease_percent / 100,
              "more than " + number_text(*limit.decrease_percent) + " % below the baseline's", from);
}

Result<Verdict> verdict_on(const Limit& limit, const Found& figure, const Baseline* baseline,
                           const std::string& path) {
    const bool relative = limit.increase_percent || limit.decrease_percent;
    if (relative && baseline == nullptr)
        return bad_input("a relative limit on " + limit.metric + " needs a baseline", path,
                         "give --baseline FILE");
    Verdict verdict{figure.metric, figure.unit, limit, {}, figure.value, {}, true, {}, {}};
    const Found base = baseline ? in_baseline(figure.metric, *baseline, path) : Found{};
    verdict.baseline = base.value;
    if (!figure.value) {
        verdict.met = false;
        verdict.detail = figure.metric + " is absent: " + figure.why_absent;
    } else if (is_number(verdict)) {
        if (limit.most)
            judge(verdict, *figure.value <= *limit.most, "more than", *limit.most);
        if (limit.least)
            judge(verdict, *figure.value >= *limit.least, "less than", *limit.least);
        if (relative)
            judge_relative(verdict, base);
    }
    if (!verdict.met && !limit.reason.empty())
        verdict.detail += " (" + limit.reason + ")";
    return verdict;
}

/// The limits on a workload: all, but for those on others.
Result<std::vector<Limit>> limits_for(const std::vector<Limit>& limits, const Json& report,
                                      const std::string& path) {
    const std::string workload = text_at(report, "run.workload");
    std::vector<Limit> chosen;
    for (const Limit& limit : limits)
        if (limit.workload.empty() || matches_pattern(limit.workload, workload))
            chosen.push_back(limit);
    if (chosen.empty())
        return bad_input("no limit is for the workload \"" + workload + "\"", path,
                         "give one without \"workload\", or with that name");
    return chosen;
}

/// What a limit has beside its bounds.
Result<bool> read_text_key(Limit& limit, const std::string& key, const Json& value,
                           const std::string& place) {
    if (key == "metric" || key == "description")
        return true;
    if (key != "reason" && key != "workload")
        return false;
    if (!value.is_string())
        return bad_input("\"" + key + "\" is not a text", place);
    (key == "reason" ? limit.reason : limit.workload) = value.get<std::string>();
    return true;
}

Result<Limit> parse_limit(const Json& item, const std::string& place) {
    const std::vector<std::string> bounds{"max", "min", "max_increase_percent", "max_decrease_percent"};
    std::vector<std::string> keys = bounds;
    keys.insert(keys.end(), {"metric", "workload", "reason", "description"});
    if (!item.is_object() || !item.contains("metric") || !item["metric"].is_string())
        return bad_input("a limit without a metric", place, "name one of `tilescope report --format json`");
    Limit limit;
    limit.metric = item["metric"].get<std::string>();
    const std::array targets{&limit.most, &limit.least, &limit.increase_percent, &limit.decrease_percent};
    for (const auto& [key, value] : item.items()) {
        TRY(const bool text, read_text_key(limit, key, value, place));
        if (text)
            continue;
        const auto bound = std::find(bounds.begin(), bounds.end(), key);
        if (bound == bounds.end())
            return bad_input("unknown key \"" + key + "\"", place,
                             remedy_for(key, keys,
                                        "use max, min, max_increase_percent, max_decrease_percent, "
                                        "workload or reason"));
        if (!value.is_number())
            return bad_input("\"" + key + "\" is not a number", place);
        *targets[static_cast<std::size_t>(bound - bounds.begin())] = value.get<double>();
    }
    if (!limit.most && !limit.least && !limit.increase_percent && !limit.decrease_percent)
        return bad_input("a limit without a bound", place,
                         "add max, min, max_increase_percent or max_decrease_percent");
    return limit;
}

} // namespace

Result<std::vector<Limit>> parse_budget(const std::string& text, const std::string& path) {
    const Json document = read_json(text);
    if (document.is_discarded() || !document.is_object())
        return bad_input("not a JSON object", path,
                         "write {\"limits\": [{\"metric\": \"memory.max_tile_bytes\", \"max\": 600000}]}");
    for (const auto& [key, value] : document.items())
        if (key != "limits" && key != "$schema" && key != "description")
            return bad_input("unknown key \"" + key + "\"", path,
                             remedy_for(key, {"limits", "description"}, "remove it"));
    if (!document.contains("limits") || !document["limits"].is_array() || document["limits"].empty())
        return bad_input("there are no limits", path, "give a list \"limits\"");
    std::vector<Limit> limits;
    for (const Json& item : document["limits"]) {
        TRY(auto limit, parse_limit(item, path + ": limits[" + std::to_string(limits.size()) + "]"));
        limits.push_back(std::move(limit));
    }
    return limits;
}

Result<std::vector<Verdict>> check(const std::vector<Limit>& limits, const Json& report,
                                   const Baseline* baseline, const std::string& path) {
    std::vector<Verdict> verdicts{status_verdict(report)};
    TRY(const auto chosen, limits_for(limits, report, path));
    for (const Limit& limit : chosen) {
        TRY(const auto figures, figures_of(report, limit.metric, "the profile", path));
        for (const Found& figure : figures) {
            TRY(auto verdict, verdict_on(limit, figure, baseline, path));
            verdicts.push_back(std::move(verdict));
        }
    }
    return verdicts;
}

std::string why_incomplete(std::optional<profile::RunStatus> status, const std::string& error,
                           const std::string& trimmed, const std::string& run) {
    if (status != profile::RunStatus::Complete)
        return run + " is " + words_of(status);
    if (!error.empty())
        return run + " ended with an error: " + error;
    return trimmed.empty() ? std::string() : run + " was trimmed to " + trimmed;
}

std::string bound_text(const Limit& l) {
    std::string text;
    const auto add = [&](const char* name, const std::optional<double>& value, const char* unit) {
        if (value)
            text += (text.empty() ? "" : ", ") + std::string(name) + " " + number_text(*value) + unit;
    };
    add("at most", l.most, "");
    add("at least", l.least, "");
    add("at most", l.increase_percent, " % more");
    add("at most", l.decrease_percent, " % less");
    return text;
}

bool needs_operations(const std::vector<Limit>& limits) {
    return std::any_of(limits.begin(), limits.end(),
                       [](const Limit& limit) { return limit.metric.starts_with("operations."); });
}

Json budget_of(const Json& report) {
    Json limits = Json::array();
    for (const char* metric : {"timing.step_us", "memory.max_tile_bytes_with_gaps",
                               "memory.total_bytes_with_gaps", "memory.always_live_bytes"})
        for (const Metric& found : find_metrics(report, metric))
            if (found.value->is_number())
                limits.push_back({{"metric", metric}, {"max", *found.value}});
    return {{"limits", limits}};
}

Json benchmark_list(const std::vector<Verdict>& verdicts) {
    Json list = Json::array();
    for (const Verdict& verdict : verdicts)
        if (verdict.value)
            list.push_back(
                {{"name", verdict.metric}, {"unit", to_string(verdict.unit)}, {"value", *verdict.value}});
    return list;
}

std::string outcome(const std::vector<Verdict>& verdicts) {
    std::string text;
    std::int64_t limits = 0;
    std::int64_t broken = 0;
    for (const Verdict& v : verdicts) {
        limits += v.limit ? 1 : 0;
        broken += v.limit && !v.met ? 1 : 0;
        if (!v.limit && !v.met)
            text = v.reason + ", ";
    }
    return text + (broken == 0 ? "all " + count_text(limits) + " limits are met"
                               : count_text(broken) + " of " + count_text(limits) + " limits are broken");
}

} // namespace tilescope::analyse
