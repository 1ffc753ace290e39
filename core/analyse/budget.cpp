// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/budget.h"

#include "base/nearest_name.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace tilescope::analyse {
namespace {

using Json = nlohmann::ordered_json;

std::string number_text(double value) {
    char text[64];
    if (value == std::floor(value) && std::fabs(value) < 1e15)
        std::snprintf(text, sizeof text, "%.0f", value);
    else
        std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

/// All numbers of a document by dotted path.
void collect(const Json& node, const std::string& path, std::vector<std::string>& out) {
    if (node.is_number())
        out.push_back(path);
    else if (node.is_object())
        for (const auto& [key, value] : node.items())
            collect(value, path.empty() ? key : std::string(path).append(".").append(key), out);
}

/// The number at a dotted path; -1 counts from the end of an array.
std::optional<double> find(const Json& document, const std::string& path) {
    const Json* at = &document;
    std::size_t begin = 0;
    while (begin <= path.size()) {
        // A key may hold dots or spaces itself ("by_category.Vertex Code"): take the longest that fits.
        if (at->is_array()) {
            const std::size_t end = std::min(path.find('.', begin), path.size());
            long index = 0;
            const auto [stop, code] = std::from_chars(path.data() + begin, path.data() + end, index);
            if (code != std::errc() || stop != path.data() + end)
                return std::nullopt;
            const auto size = static_cast<long>(at->size());
            index = index < 0 ? index + size : index;
            if (index < 0 || index >= size)
                return std::nullopt;
            at = &(*at)[static_cast<std::size_t>(index)];
            begin = end + 1;
        } else if (at->is_object()) {
            const Json* next = nullptr;
            for (std::size_t end = path.size();;) {
                const std::string key = path.substr(begin, end - begin);
                if (at->contains(key)) {
                    next = &at->at(key);
                    begin = end + 1;
                    break;
                }
                end = end == begin ? std::string::npos : path.rfind('.', end - 1);
                if (end == std::string::npos || end < begin)
                    break;
            }
            if (next == nullptr)
                return std::nullopt;
            at = next;
        } else {
            return std::nullopt;
        }
        if (begin > path.size())
            break;
    }
    return at->is_number() ? std::optional(at->get<double>()) : std::nullopt;
}

} // namespace

Result<std::vector<Limit>> parse_budget(const std::string& text, const std::string& path) {
    const Json document = Json::parse(text, nullptr, false);
    if (document.is_discarded() || !document.is_object())
        return bad_input("not a JSON object", path,
                         "write {\"limits\": [{\"metric\": \"memory.max_tile_bytes\", \"max\": 600000}]}");
    for (const auto& [key, value] : document.items())
        if (key != "limits" && key != "$schema" && key != "description")
            return bad_input("unknown key \"" + key + "\"", path, "did you mean \"limits\"?");
    if (!document.contains("limits") || !document["limits"].is_array() || document["limits"].empty())
        return bad_input("there are no limits", path, "give a list \"limits\"");
    const std::vector<std::string> bounds{"max", "min", "max_increase_percent", "max_decrease_percent"};
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
            if (!value.is_number())
                return bad_input("\"" + key + "\" is not a number", place);
            const double bound = value.get<double>();
            if (key == "max")
                limit.most = bound;
            else if (key == "min")
                limit.least = bound;
            else if (key == "max_increase_percent")
                limit.increase_percent = bound;
            else if (key == "max_decrease_percent")
                limit.decrease_percent = bound;
            else {
                const std::string nearest = nearest_name(key, bounds);
                return bad_input("unknown key \"" + key + "\"", place,
                                 nearest.empty()
                                     ? "use max, min, max_increase_percent or max_decrease_percent"
                                     : "did you mean \"" + nearest + "\"?");
            }
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
    std::vector<Verdict> verdicts;
    for (const Limit& limit : limits) {
        const auto value = find(report, limit.metric);
        if (!value) {
            std::vector<std::string> names;
            collect(report, "", names);
            const std::string nearest = nearest_name(limit.metric, names);
            return bad_input("the profile has no metric \"" + limit.metric + "\"", path,
                             nearest.empty() ? "`tilescope report --format json` shows all"
                                             : "did you mean \"" + nearest + "\"?");
        }
        Verdict verdict{limit, *value, {}, true, {}};
        const auto judge = [&](bool met, const std::string& relation, double bound) {
            if (!verdict.detail.empty())
                verdict.detail += "; ";
            verdict.detail += limit.metric + " is " + number_text(*value) + ", " + (met ? "not " : "") +
                              relation + " " + number_text(bound);
            verdict.met = verdict.met && met;
        };
        if (limit.most)
            judge(*value <= *limit.most, "more than", *limit.most);
        if (limit.least)
            judge(*value >= *limit.least, "less than", *limit.least);
        if (limit.increase_percent || limit.decrease_percent) {
            verdict.baseline = baseline == nullptr ? std::nullopt : find(*baseline, limit.metric);
            if (!verdict.baseline)
                return bad_input(baseline == nullptr
                                     ? "a relative limit on " + limit.metric + " needs a baseline"
                                     : "the baseline has no metric \"" + limit.metric + "\"",
                                 path, "give --baseline FILE");
            const double base = *verdict.baseline;
            if (limit.increase_percent)
                judge(*value <= base + std::fabs(base) * *limit.increase_percent / 100,
                      "more than " + number_text(*limit.increase_percent) + " % above the baseline's", base);
            if (limit.decrease_percent)
                judge(*value >= base - std::fabs(base) * *limit.decrease_percent / 100,
                      "more than " + number_text(*limit.decrease_percent) + " % below the baseline's", base);
        }
        verdicts.push_back(std::move(verdict));
    }
    return verdicts;
}

} // namespace tilescope::analyse
