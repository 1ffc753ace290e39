// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/history.h"

#include "analyse/budget.h"
#include "analyse/figures.h"
#include "analyse/operation_figures.h"
#include "base/nearest_name.h"
#include "base/pattern.h"
#include "base/text.h"
#include "base/try.h"
#include "metric_path.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

namespace tilescope::analyse {
namespace {

using Json = nlohmann::ordered_json;

/// What was found of the figure in a profile.
struct Reading {
    HistoryEntry entry;
    FigureUnit unit = FigureUnit::None;
    bool known = false;             ///< the profile has such a figure, or says why it is absent
    std::vector<std::string> names; ///< of its figures, where it has no such one
};

Result<Json> report_of(const profile::Profile& profile, const Summary& summary, const std::string& metric) {
    Json report = document(summary);
    if (metric.starts_with("operations.")) {
        TRY(const auto costs, Costs::read(profile));
        TRY(const auto figures, operation_figures(profile, costs));
        report["operations"] = document(figures, costs);
    }
    return report;
}

/// Takes the figure's value from a report.
Result<void> read_figure(Reading& reading, const Summary& summary, const Json& report,
                         const std::string& metric) {
    const std::vector<Metric> found = find_metrics(report, metric);
    if (found.size() > 1)
        return bad_input("\"" + metric + "\" names " + count_text(static_cast<std::int64_t>(found.size())) +
                             " figures",
                         reading.entry.path, "name one, as " + found.front().path);
    if (found.empty()) {
        reading.names = all_metrics(report);
        reading.entry.why_absent = "it has no such figure";
        return {};
    }
    const Metric& figure = found.front();
    reading.known = figure.value->is_number() || figure.value->is_null();
    reading.unit = unit_of(figure.key);
    if (const std::string why = why_incomplete(summary.run.status, summary.run.error, summary.run.trimmed);
        !why.empty())
        reading.entry.why_absent = why;
    else if (figure.value->is_number())
        reading.entry.value = figure.value->get<double>();
    else
        reading.entry.why_absent = summary.why_absent(metric);
    return {};
}

/// nullopt for a profile of another workload.
Result<std::optional<Reading>> read_profile(const std::string& path, const HistoryOptions& options) {
    TRY(const auto profile, profile::Profile::open(path));
    TRY(const auto run, profile->run());
    if (!options.workload.empty() && !matches_pattern(options.workload, run.name))
        return std::optional<Reading>();
    TRY(const auto summary, summarise(*profile));
    TRY(const auto report, report_of(*profile, summary, options.metric));
    Reading reading;
    reading.entry.path = path;
    reading.entry.workload = run.name;
    reading.entry.label = run.label;
    reading.entry.tool_version = run.tool_version;
    reading.entry.started_unix_ms = run.started_unix_ms;
    reading.entry.status = run.status;
    TRY(read_figure(reading, summary, report, options.metric));
    return std::optional(std::move(reading));
}

bool differs(double before, double now, double tolerance_percent) {
    constexpr double rounding = 1e-12; // of means over different numbers of steps
    if (!std::isfinite(before) || !std::isfinite(now))
        return before != now && !(std::isnan(before) && std::isnan(now));
    return std::fabs(now - before) > std::fabs(before) * std::max(tolerance_percent / 100, rounding);
}

Json number(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

} // namespace

void mark_changes(History& history, double tolerance_percent) {
    std::stable_sort(history.entries.begin(), history.entries.end(),
                     [](const HistoryEntry& a, const HistoryEntry& b) {
                         return std::tie(a.started_unix_ms, a.path) < std::tie(b.started_unix_ms, b.path);
                     });
    std::map<std::string, std::size_t> last; // with a value, by workload
    for (std::size_t i = 0; i < history.entries.size(); ++i) {
        HistoryEntry& entry = history.entries[i];
        if (!entry.value)
            continue;
        const auto [before, is_first] = last.emplace(entry.workload, i);
        if (is_first)
            continue;
        entry.before = before->second;
        before->second = i;
        entry.changed = differs(*history.entries[*entry.before].value, *entry.value, tolerance_percent);
    }
}

Result<std::string> cause_of(const History& history, const HistoryEntry& entry) {
    TRY(const auto base, profile::Profile::open(history.entries[entry.before.value()].path));
    TRY(const auto now, profile::Profile::open(entry.path));
    TRY(const auto comparison, compare(*base, *now));
    return likely_cause(comparison, history.metric, history.unit);
}

std::optional<std::size_t> History::first_change() const {
    const auto first =
        std::find_if(entries.begin(), entries.end(), [](const HistoryEntry& entry) { return entry.changed; });
    return first == entries.end() ? std::nullopt
                                  : std::optional(static_cast<std::size_t>(first - entries.begin()));
}

Result<History> read_history(const std::vector<std::string>& paths, const HistoryOptions& options) {
    History history{options.metric, {}, {}};
    bool known = false;
    std::vector<std::string> names;
    for (const std::string& path : paths) {
        TRY(auto reading, read_profile(path, options));
        if (!reading)
            continue;
        known = known || reading->known;
        if (reading->unit != FigureUnit::None)
            history.unit = reading->unit;
        if (names.empty())
            names = std::move(reading->names);
        history.entries.push_back(std::move(reading->entry));
    }
    if (history.entries.empty())
        return bad_input("no profile is of a workload \"" + options.workload + "\"", {}, "see --workload");
    if (!known)
        return bad_input("no profile has a figure \"" + options.metric + "\"", {},
                         remedy_for(options.metric, names, "`tilescope report --format json` shows all"));
    mark_changes(history, options.tolerance_percent);
    for (HistoryEntry& entry : history.entries)
        if (entry.changed) {
            TRY(entry.cause, cause_of(history, entry));
        }
    return history;
}

nlohmann::ordered_json document(const History& history) {
    Json runs = Json::array();
    for (const HistoryEntry& entry : history.entries) {
        const auto before = entry.before ? history.entries[*entry.before].value : std::nullopt;
        const Difference difference{history.metric, history.unit, before, entry.value};
        runs.push_back({{"file", entry.path},
                        {"label", entry.label},
                        {"workload", entry.workload},
                        {"started", date_text(entry.started_unix_ms)},
                        {"started_unix_ms", entry.started_unix_ms},
                        {"tool_version", entry.tool_version},
                        {"status", profile::to_string(entry.status)},
                        {"value", number(entry.value)},
                        {"absent", entry.why_absent.empty() ? Json(nullptr) : Json(entry.why_absent)},
                        {"change_percent", number(difference.percent())},
                        {"changed", entry.changed},
                        {"cause", entry.cause}});
    }
    const auto first = history.first_change();
    return {{"metric", history.metric},
            {"unit", to_string(history.unit)},
            {"first_change", first ? Json(*first) : Json(nullptr)},
            {"runs", runs}};
}

std::string label_text(const std::string& label) {
    constexpr std::size_t hash = 40, enough = 10;
    const bool commit =
        label.size() == hash && label.find_first_not_of("0123456789abcdef") == std::string::npos;
    return commit ? label.substr(0, enough) : label;
}

std::string date_text(std::int64_t unix_ms) {
    if (unix_ms == 0)
        return {};
    const std::time_t time = unix_ms / 1000;
    std::tm parts{};
    std::array<char, 32> text{};
    gmtime_r(&time, &parts);
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts)};
}

} // namespace tilescope::analyse
