// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/run_list.h"

#include "base/try.h"
#include "json_text.h"
#include "setting_order.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

namespace tilescope::analyse {
namespace {

struct Known {
    RunFigure figure;
    const char* key;
};
constexpr std::array known{Known{RunFigure::StepTime, "timing.step_us"},
                           Known{RunFigure::Throughput, "timing.samples_per_s"},
                           Known{RunFigure::FullestTile, "memory.max_tile_bytes_with_gaps"},
                           Known{RunFigure::Compilation, "timing.compile_s"}};

const Known& known_of(RunFigure figure) {
    return *std::find_if(known.begin(), known.end(), [&](const Known& k) { return k.figure == figure; });
}

/// A value of which less is better.
double cost(const RunEntry& run, RunFigure figure) {
    return more_is_better(figure) ? -*run[figure] : *run[figure];
}

Result<RunEntry> read_head(const std::string& path) {
    TRY(const auto profile, profile::Profile::open(path));
    TRY(const auto run, profile->run());
    TRY(const auto target, profile->target());
    TRY(const auto kind, main_kind(*profile));
    TRY(const auto totals, profile->execution_totals(kind));
    TRY(const auto fullest, fullest_tile(*profile));
    RunEntry entry;
    entry.path = path;
    entry.workload = run.name;
    entry.label = run.label;
    entry.status = run.status;
    entry.estimate = run.estimate;
    entry.started_unix_ms = run.started_unix_ms;
    entry.settings = settings(run, target);
    const auto set = [&](RunFigure figure, std::optional<double> value) {
        entry.figures[static_cast<std::size_t>(figure)] = value;
    };
    const auto step = step_us(run, target, totals);
    set(RunFigure::StepTime, step);
    set(RunFigure::Throughput, samples_per_s(run.batch_size, step));
    if (run.compile_s > 0)
        set(RunFigure::Compilation, run.compile_s);
    if (fullest) {
        set(RunFigure::FullestTile, static_cast<double>(fullest->bytes));
        if (target.bytes_per_tile > 0) {
            entry.fit = fit_of(fullest->bytes, target.bytes_per_tile);
            entry.tile_share = fullest->share(target.bytes_per_tile);
        }
    }
    return entry;
}

} // namespace

const Figure& figure(RunFigure of) {
    static const std::vector<Figure>& all = figures();
    return *std::find_if(all.begin(), all.end(),
                         [&](const Figure& f) { return std::string_view(f.key) == known_of(of).key; });
}

bool more_is_better(RunFigure of) {
    return figure(of).sense == Sense::MoreIsBetter;
}

const Setting* RunEntry::setting(const std::string& key) const {
    const auto found =
        std::find_if(settings.begin(), settings.end(), [&](const Setting& s) { return s.key == key; });
    return found == settings.end() ? nullptr : &*found;
}

std::optional<double> RunEntry::number(const std::string& key) const {
    const Setting* found = setting(key);
    const auto value = found == nullptr ? nlohmann::ordered_json() : read_json(found->json);
    return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

RunEntry read_run(const std::string& path) {
    auto entry = read_head(path);
    if (entry)
        return std::move(*entry);
    RunEntry unread;
    unread.path = path;
    unread.error = entry.error().line();
    return unread;
}

std::vector<std::string> profiles_below(const std::string& folder, const std::function<bool()>& go_on) {
    namespace fs = std::filesystem;
    std::vector<std::string> paths;
    std::error_code ignored; // folders that may not be entered
    for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, ignored),
         end;
         at != end && (!go_on || go_on()); at.increment(ignored))
        if (at->path().extension() == ".tilescope" && at->is_regular_file(ignored))
            paths.push_back(at->path().string());
    std::sort(paths.begin(), paths.end());
    return paths;
}

std::vector<Setting> differing_settings(const std::vector<RunEntry>& runs) {
    std::vector<Setting> all;
    std::map<std::string, std::pair<std::set<std::string>, std::size_t>> seen; // values, and in how many runs
    std::size_t read = 0;
    for (const RunEntry& run : runs) {
        read += run.error.empty() ? 1 : 0;
        for (const Setting& setting : run.settings) {
            auto& [values, count] = seen[setting.key];
            if (count++ == 0)
                all.push_back({setting.key, setting.name, setting.unit, {}});
            values.insert(setting.json);
        }
    }
    std::erase_if(all, [&](const Setting& setting) {
        const auto& [values, count] = seen[setting.key];
        return values.size() == 1 && count == read;
    });
    std::sort(all.begin(), all.end(),
              [](const Setting& a, const Setting& b) { return weighs_more(a.key, b.key); });
    return all;
}

std::vector<SettingDifference> setting_differences(const RunEntry& base, const RunEntry& now) {
    std::vector<SettingDifference> differences;
    for (const Setting& setting : differing_settings({base, now})) {
        const auto told = [&](const RunEntry& run) {
            const Setting* of = run.setting(setting.key);
            return of == nullptr ? std::string("null") : of->json;
        };
        differences.push_back({setting.key, setting.name, setting.unit, told(base), told(now)});
    }
    return differences;
}

std::optional<std::size_t> run_before(const std::vector<RunEntry>& runs, std::size_t run) {
    std::optional<std::size_t> before;
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (runs[i].error.empty() && runs[i].workload == runs[run].workload &&
            runs[i].started_unix_ms < runs[run].started_unix_ms &&
            (!before || runs[i].started_unix_ms > runs[*before].started_unix_ms))
            before = i;
    return before;
}

Result<RunResults> read_results(const std::string& path) {
    TRY(const auto profile, profile::Profile::open(path));
    TRY(const auto rows, profile->epoch_metrics());
    return results_of(rows);
}

History history_of(const std::vector<RunEntry>& runs, RunFigure of, double tolerance_percent) {
    History history{figure(of).key, figure(of).unit, {}};
    for (const RunEntry& run : runs)
        if (run.error.empty()) {
            HistoryEntry& entry = history.entries.emplace_back();
            entry.path = run.path;
            entry.workload = run.workload;
            entry.label = run.label;
            entry.started_unix_ms = run.started_unix_ms;
            entry.status = run.status;
            entry.value = run[of];
        }
    mark_changes(history, tolerance_percent);
    return history;
}

std::vector<std::size_t> best_runs(const std::vector<RunEntry>& runs, const std::string& workload,
                                   RunFigure x, RunFigure y) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (runs[i].workload == workload && runs[i][x] && runs[i][y] && runs[i].fit != Fit::DoesNotFit)
            order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::tuple(cost(runs[a], x), cost(runs[a], y), a) <
               std::tuple(cost(runs[b], x), cost(runs[b], y), b);
    });
    std::vector<std::size_t> best;
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t i : order)
        if (const double now = cost(runs[i], y); now < least) {
            least = now;
            best.push_back(i);
        }
    return best;
}

} // namespace tilescope::analyse
