// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/settings.h"
#include "base/text.h"
#include "comparison_notes.h"
#include "export/page.h"

#include <algorithm>
#include <map>

namespace tilescope::exports {
namespace {

using analyse::Difference;
using analyse::ErrorBands;

/// A table whose columns are the runs: a name, the base, and one or two columns for each other run.
PageTable table_of_runs(const std::string& what, const std::string& base,
                        const std::vector<RunComparison>& runs, bool changes) {
    PageTable table{{what, base}, {false, true}, {}};
    for (const RunComparison& run : runs) {
        table.header.push_back(run.name);
        if (changes)
            table.header.emplace_back();
    }
    table.right.resize(table.header.size(), true);
    return table;
}

PageSection settings_section(const std::vector<RunComparison>& runs, const std::string& base) {
    PageSection section{"differs", "What differs", {}, {}};
    add_caveats(section, base, runs.front().comparison.base);
    PageTable table = table_of_runs("", base, runs, false);
    std::map<std::string, std::size_t> row_of; // by key, in the order of what weighs most
    for (std::size_t i = 0; i < runs.size(); ++i) {
        add_caveats(section, runs[i].name, runs[i].comparison.now);
        for (const auto& d : runs[i].comparison.settings) {
            const std::string before = analyse::setting_text(d.base, d.unit);
            const auto [row, is_new] = row_of.emplace(d.key, table.rows.size());
            if (is_new) { // those that do not differ have what the base has
                table.rows.emplace_back(runs.size() + 2, before);
                table.rows.back()[0] = d.name;
            }
            table.rows[row->second][i + 2] = analyse::setting_text(d.now, d.unit);
        }
    }
    if (!table.rows.empty())
        section.tables.push_back(std::move(table));
    return section;
}

PageSection answers_section(const std::vector<RunComparison>& runs, const std::string& base) {
    PageSection section{"answer", "In short", {}, {}};
    for (const RunComparison& run : runs)
        add_answer(section, run.comparison, base, run.name);
    return section;
}

/// Adds what one run has to a row: its figure and what that is to the base's.
void put(std::vector<std::string>& row, std::size_t run, const Difference& d) {
    row[1] = analyse::figure_text(d.base, d.unit);
    row[2 * run + 2] = analyse::figure_text(d.now, d.unit);
    row[2 * run + 3] = !d.base && d.now ? "added" : analyse::relative_text(d);
}

PageSection figures_section(const std::vector<RunComparison>& runs, const std::string& base,
                            const ErrorBands& bands) {
    PageTable table = table_of_runs("figure", base, runs, true);
    std::map<std::string, std::size_t> row_of;
    for (std::size_t i = 0; i < runs.size(); ++i)
        for (const Difference& d : runs[i].comparison.headline) {
            const auto [row, is_new] = row_of.emplace(d.name, table.rows.size());
            if (is_new) {
                table.rows.emplace_back(table.header.size(), "–");
                table.rows.back()[0] = analyse::figure_label(d);
            }
            put(table.rows[row->second], i, d);
        }
    return {"headline", with_error("Figures", {}, bands, figures_compared), {std::move(table)}, {}};
}

/// The causes of each run that explain most.
template<class Value>
PageSection causes_section(std::string name, std::string title, analyse::FigureUnit unit,
                           const std::vector<RunComparison>& runs,
                           std::vector<analyse::Cause> analyse::Comparison::*causes, Value amount) {
    PageSection section{std::move(name), std::move(title), {}, {}};
    PageTable table{{"run", "cause", to_string(unit), "why"}, {false, false, true, false}, {}};
    constexpr std::size_t most = 5;
    for (const RunComparison& run : runs) {
        const auto all = analyse::folded(run.comparison.*causes, amount);
        for (std::size_t i = 0; i < std::min(most, all.size()); ++i) {
            const std::optional<double> by = all[i].*amount;
            table.rows.push_back({i == 0 ? run.name : std::string(), name_text(all[i]),
                                  by ? signed_text(*by, analyse::figure_text(by, unit)) : std::string("–"),
                                  all[i].why});
        }
        if (const auto sum = analyse::explained(all, amount))
            table.rows.push_back(
                {all.empty() ? run.name : std::string(),
                 "not explained",
                 sum->unexplained == 0
                     ? std::string("0")
                     : signed_text(sum->unexplained, analyse::figure_text(sum->unexplained, unit)),
                 {}});
    }
    if (!table.rows.empty())
        section.tables.push_back(std::move(table));
    return section;
}

/// Layers as the base has them, then those that only other runs have.
PageSection layers_section(const std::vector<RunComparison>& runs, const std::string& base,
                           const ErrorBands& bands) {
    const analyse::Basis basis = runs.front().comparison.basis;
    PageSection section{"layers",
                        with_error("Layers", "cycles " + analyse::per(basis) + ", of one replica", bands,
                                   {FigureKind::Compute}),
                        {},
                        {}};
    PageTable table = table_of_runs("layer", base, runs, true);
    std::vector<const analyse::Comparison*> all;
    all.reserve(runs.size());
    for (const RunComparison& run : runs)
        all.push_back(&run.comparison);
    for (const analyse::CostsOfRuns& layer : analyse::costs_of_runs(all, &analyse::Comparison::layers)) {
        table.rows.emplace_back(table.header.size(), "–");
        table.rows.back()[0] = layer.name;
        for (std::size_t i = 0; i < runs.size(); ++i)
            if (layer.runs[i] != nullptr)
                put(table.rows.back(), i, layer.runs[i]->cycles);
    }
    if (!table.rows.empty())
        section.tables.push_back(std::move(table));
    return section;
}

} // namespace

Page comparisons_page(const std::vector<RunComparison>& runs, const std::string& base) {
    Page page{base + " ->", {}, {}, {}};
    for (const RunComparison& run : runs)
        page.title += (&run == &runs.front() ? " " : ", ") + run.name;
    RunBands of_runs{{base, runs.front().comparison.base.error_bands}};
    for (const RunComparison& run : runs)
        of_runs.emplace_back(run.name, run.comparison.now.error_bands);
    const ErrorBands bands = common_bands(of_runs);
    for (PageSection section :
         {settings_section(runs, base), answers_section(runs, base), figures_section(runs, base, bands),
          causes_section("causes", why_time(runs.front().comparison.basis, bands),
                         analyse::FigureUnit::Cycles, runs, &analyse::Comparison::causes,
                         &analyse::Cause::cycles),
          causes_section("memory_causes", why_memory(bands), analyse::FigureUnit::Bytes, runs,
                         &analyse::Comparison::memory_causes, &analyse::Cause::bytes),
          layers_section(runs, base, bands), accuracy_section(of_runs)})
        if (!section.empty())
            page.sections.push_back(std::move(section));
    return page;
}

} // namespace tilescope::exports
