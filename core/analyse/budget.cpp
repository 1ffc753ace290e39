// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/budget.h"

#include "base/nearest_name.h"
#include "base/text.h"
#include "base/try.h"
#include "json_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tilescope::analyse {
namespace {

using Json = nlohmann::ordered_json;

/// All figures of a document by dotted path.
void collect(const Json& node, const std::string& path, std::vector<std::string>& out) {
    if (node.is_number() || node.is_null())
        out.push_back(path);
    else if (node.is_object())
        for (const auto& [key, value] : node.items())
            collect(value, path.empty() ? key : std::string(path).append(".").append(key), out);
}

/// The entry of a list that a position names; -1 counts from the end.
const Json* entry(const Json& list, const std::string& position) {
    long index = 0;
    const auto [stop, code] = std::from_chars(position.data(), position.data() + position.size(), index);
    if (code != std::errc() || stop != position.data() + position.size())
        return nullptr;
    const auto size = static_cast<long>(list.size());
    index = index < 0 ? index + size : index;
    return index < 0 || index >= size ? nullptr : &list[static_cast<std::size_t>(index)];
}

/// What stands at a dotted path; null where the path meets a null on its way, nullptr where there is none.
const Json* find(const Json& document, const std::string& path) {
    const Json* at = &document;
    for (std::size_t begin = 0; begin <= path.size() && !at->is_null();) {
        // A key may hold dots or spaces itself ("by_category.Vertex Code"): take the longest that fits.
        std::size_t end = at->is_array() ? std::min(path.find('.', begin), path.size()) : path.size();
        const Json* next = at->is_array() ? entry(*at, path.substr(begin, end - begin)) : nullptr;
        while (at->is_object() && next == nullptr) {
            if (const auto found = at->find(path.substr(begin, end - begin)); found != at->end()) {
                next = &*found;
                break;
            }
            end = end == begin ? std::string::npos : path.rfind('.', end - 1);
            if (end == std::string::npos || end < begin)
                break;
        }
        if (next == nullptr)
            return nullptr;
        at = next;
        begin = end + 1;
    }
    return at;
}

/// A path without the positions in lists, as key "absent" names figures.
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
std::string why_absent(const Json& report, const std::string& metric) {
    const auto absent = report.find("absent");
    const std::string path = without_positions(metric);
    if (absent != report.end())
        for (const auto& [figure, reason] : absent->items())
            if (path == figure || path.starts_with(figure + "."))
                return reason.get<std::string>();
    return {};
}

std::string status_of(const Json& report) {
    const Json* status = find(report, "run.status");
    return status != nullptr && status->is_string() ? status->get<std::string>() : "unknown";
}

/// A figure of a report, or why it has none.
struct Figure {
    std::optional<double> value;
    std::string why_absent;
};

Result<Figure> figure_of(const Json& report, const std::string& metric, const std::string& whose,
                         const std::string& path) {
    const Json* found = find(report, metric);
    if (found != nullptr && found->is_number())
        return Figure{found->get<double>(), {}};
    std::string why = why_absent(report, metric);
    if (!why.empty())
        return Figure{{}, std::move(why)};
    if (found != nullptr && found->is_null())
        return Figure{{}, "not recorded"};
    const std::string status = status_of(report);
    if (found == nullptr && status != "complete" && without_positions(metric) != metric)
        return Figure{{}, "the run is " + status};
    std::vector<std::string> names;
    collect(report, "", names);
    return bad_input(whose + " has no metric \"" + metric + "\"", path,
                     remedy_for(metric, names, "`tilescope report --format json` shows all"));
}

Verdict status_verdict(const Json& report) {
    Verdict verdict;
    verdict.metric = "run.status";
    verdict.status = status_of(report);
    verdict.met = verdict.status == "complete";
    verdict.detail = "run.status is " + verdict.status + (verdict.met ? "" : ", not complete");
    const Json* error = find(report, "run.error");
    if (!verdict.met && error != nullptr && error->is_string() && !error->get<std::string>().empty())
        verdict.detail += ": " + error->get<std::string>();
    return verdict;
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

/// Judges by the baseline, whose figure must come from a run that was completed.
Result<void> judge_relative(Verdict& verdict, const Json* baseline, const std::string& path) {
    const Limit& limit = *verdict.limit;
    if (baseline == nullptr)
        return bad_input("a relative limit on " + limit.metric + " needs a baseline", path,
                         "give --baseline FILE");
    TRY(const auto base, figure_of(*baseline, limit.metric, "the baseline", path));
    verdict.baseline = base.value;
    const std::string status = status_of(*baseline);
    if (!base.value || status != "complete") {
        verdict.met = false;
        verdict.detail += (verdict.detail.empty() ? limit.metric + ": " : "; ") +
                          (status != "complete" ? "the baseline is " + status + ", not complete"
                                                : "absent from the baseline: " + base.why_absent);
        return {};
    }
    const double from = *base.value;
    if (limit.increase_percent)
        judge(verdict, *verdict.value <= from + std::fabs(from) * *limit.increase_percent / 100,
              "more than " + number_text(*limit.increase_percent) + " % above the baseline's", from);
    if (limit.decrease_percent)
        judge(verdict, *verdict.value >= from - std::fabs(from) * *limit.decrease_percent / 100,
              "more than " + number_text(*limit.decrease_percent) + " % below the baseline's", from);
    return {};
}

} // namespace

Result<std::vector<Limit>> parse_budget(const std::string& text, const std::string& path) {
    const Json document = read_json(text);
    if (document.is_discarded() || !document.is_object())
        return bad_input("not a JSON object", path,
                         "write {\"limits\": [{\"metric\": \"memory.max_tile_bytes\", \"max\": 600000}]}");
    for (const auto& [key, value] : document.items())
        if (key != "limits" && key != "$schema" && key != "description")
            return bad_input("unknown key \"" + key + "\"", path, "did you mean \"limits\"?");
    if (!document.contains("limits") || !document["limits"].is_array() || document["limits"].empty())
        return bad_input("there are no limits", path, "give a list \"limits\"");
    const std::vector<std::string> bounds{"max", "min", "max_increase_percent", "max_decrease_percent"};
    std::vector<std::string> keys = bounds;
    keys.insert(keys.end(), {"metric", "reason", "description"});
    std::vector<Limit> limits;
    for (const Json& item : document["limits"]) {
        const std::string place = path + ": limits[" + std::to_string(limits.size()) + "]";
        if (!item.is_object() || !item.contains("metric") || !item["metric"].is_string())
            return bad_input("a limit without a metric", place,
                             "name one of `tilescope report --format json`");
        Limit limit;
        limit.metric = item["metric"].get<std::string>();
        for (const auto& [key, value] : item.items()) {
            if (key == "metric" || key == "description")
                continue;
            if (key == "reason") {
                if (!value.is_string())
                    return bad_input("\"reason\" is not a text", place);
                limit.reason = value.get<std::string>();
                continue;
            }
            if (std::find(bounds.begin(), bounds.end(), key) == bounds.end()) {
                return bad_input("unknown key \"" + key + "\"", place,
                                 remedy_for(key, keys,
                                            "use max, min, max_increase_percent, max_decrease_percent "
                                            "or reason"));
            }
            if (!value.is_number())
                return bad_input("\"" + key + "\" is not a number", place);
            const double bound = value.get<double>();
            if (key == "max")
                limit.most = bound;
            else if (key == "min")
                limit.least = bound;
            else if (key == "max_increase_percent")
                limit.increase_percent = bound;
            else
                limit.decrease_percent = bound;
        }
        if (!limit.most && !limit.least && !limit.increase_percent && !limit.decrease_percent)
            return bad_input("a limit without a bound", place,
                             "add max, min, max_increase_percent or max_decrease_percent");
        limits.push_back(std::move(limit));
    }
    return limits;
}

Result<std::vector<Verdict>> check(const std::vector<Limit>& limits, const Json& report, const Json* baseline,
                                   const std::string& path) {
    std::vector<Verdict> verdicts{status_verdict(report)};
    for (const Limit& limit : limits) {
        TRY(const auto figure, figure_of(report, limit.metric, "the profile", path));
        Verdict verdict{limit.metric, limit, {}, figure.value, {}, true, {}};
        if (!figure.value) {
            verdict.met = false;
            verdict.detail = limit.metric + " is absent: " + figure.why_absent;
        } else {
            if (limit.most)
                judge(verdict, *figure.value <= *limit.most, "more than", *limit.most);
            if (limit.least)
                judge(verdict, *figure.value >= *limit.least, "less than", *limit.least);
            if (limit.increase_percent || limit.decrease_percent)
                TRY(judge_relative(verdict, baseline, path));
        }
        if (!verdict.met && !limit.reason.empty())
            verdict.detail += " (" + limit.reason + ")";
        verdicts.push_back(std::move(verdict));
    }
    return verdicts;
}

std::string outcome(const std::vector<Verdict>& verdicts) {
    std::string text;
    std::int64_t limits = 0;
    std::int64_t broken = 0;
    for (const Verdict& v : verdicts) {
        limits += v.limit ? 1 : 0;
        broken += v.limit && !v.met ? 1 : 0;
        if (!v.limit && !v.met)
            text = "the run is " + v.status + ", ";
    }
    return text + (broken == 0 ? "all " + count_text(limits) + " limits are met"
                               : count_text(broken) + " of " + count_text(limits) + " limits are broken");
}

} // namespace tilescope::analyse
