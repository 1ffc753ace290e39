// SPDX-License-Identifier: GPL-3.0-or-later
#include "accuracy_notes.h"
#include "analyse/cause_sum.h"
#include "analyse/settings.h"
#include "base/text.h"
#include "comparison_notes.h"
#include "export/page.h"

#include <algorithm>
#include <utility>

namespace tilescope::exports {
namespace {

using analyse::Difference;
using analyse::ErrorBands;
using analyse::figure_text;

/// The amount of the change; its share stands beside it.
std::string change(const Difference& d) {
    const auto by = d.change();
    if (!by || *by == 0)
        return analyse::relative_text(d);
    return signed_text(*by, figure_text(by, d.unit));
}

std::string relative(const Difference& d) {
    const auto by = d.change();
    return by && *by != 0 && *d.base != 0 ? change_text(*d.base, *d.now) : "";
}

/// From the time of the base to that of the new run.
PageSection bridge_section(const analyse::Comparison& c, const ErrorBands& bands) {
    PageSection section{
        "bridge",
        with_error("From base to new", "elapsed time " + analyse::per(c.basis), bands, {FigureKind::Host}),
        {},
        {}};
    if (!c.bridge || c.bridge->parts.empty())
        return section;
    PageTable table{{"", "time", "of the base"}, {false, true, true}, {}};
    const auto time = [](double us) { return figure_text(us, analyse::FigureUnit::Us); };
    table.rows.push_back({"base", time(c.bridge->base_us), {}});
    for (const analyse::BridgePart& part : c.bridge->parts) {
        const double share = part.us / c.bridge->base_us;
        table.rows.push_back({analyse::text_of(part), signed_text(part.us, time(part.us)),
                              signed_text(share, share_text(share))});
    }
    table.rows.push_back({"new", time(c.bridge->now_us), change_text(c.bridge->base_us, c.bridge->now_us)});
    section.tables.push_back(std::move(table));
    return section;
}

/// First what differs before any figure: a run that did not complete, and what was asked for.
PageSection differences_section(const analyse::Comparison& c, const std::string& base,
                                const std::string& now) {
    PageSection section{"differs", "What differs", {}, {}};
    for (const auto& [name, run] : {std::pair{base, c.base}, std::pair{now, c.now}})
        add_caveats(section, name, run);
    if (!analyse::differ(c))
        section.notes.push_back({profile::Severity::Info, "no difference in any figure", {}});
    PageTable table{{"", "base", "new"}, {false, true, true}, {}};
    for (const auto& d : c.settings)
        table.rows.push_back(
            {d.name, analyse::setting_text(d.base, d.unit), analyse::setting_text(d.now, d.unit)});
    if (!table.rows.empty())
        section.tables.push_back(std::move(table));
    return section;
}

PageSection headline_section(const analyse::Comparison& c, const ErrorBands& bands) {
    PageTable table{{"figure", "base", "new", "change", ""}, {false, true, true, true, true}, {}};
    for (const Difference& d : c.headline) {
        table.rows.push_back({analyse::figure_label(d), figure_text(d.base, d.unit),
                              figure_text(d.now, d.unit), change(d), relative(d)});
    }
    return {"headline", with_error("Figures", {}, bands, figures_compared), {std::move(table)}, {}};
}

/// What makes a difference: what changes no amount (the clock), the largest causes with the largest of what
/// they are made of, the sum of the others, and how far all of them explain it.
class CausesTable {
  public:
    using Amount = std::optional<double> analyse::Cause::*;
    CausesTable(analyse::FigureUnit unit, Amount amount)
        : unit_(unit), amount_(amount), table_{{"cause", to_string(unit), "of all changes", "why"},
                                               {false, true, true, false},
                                               {}} {}
    PageTable of(const std::vector<analyse::Cause>& causes) {
        std::vector<analyse::Cause> others;
        for (const analyse::Cause& cause : analyse::folded(causes, amount_))
            if (!(cause.*amount_))
                table_.rows.push_back({name_text(cause), "–", "–", cause.why});
            else if (told_ < most_causes) {
                ++told_;
                add(name_text(cause), *(cause.*amount_), cause.share, cause.why);
                add_parts(cause.parts);
            } else
                others.push_back(cause);
        add_others(others, {});
        if (const auto sum = analyse::explained(causes, amount_)) {
            if (causes.size() > 1)
                add("in all", sum->all(), {}, {});
            add("explained", sum->explained, {}, {});
            add("not explained", sum->unexplained, {}, {});
        }
        return std::move(table_);
    }

  private:
    static constexpr std::size_t most_causes = 12;
    static constexpr std::size_t most_parts = 3;

    void add(const std::string& what, double by, std::optional<double> part, const std::string& why) {
        table_.rows.push_back({what, by == 0 ? "0" : signed_text(by, figure_text(by, unit_)),
                               part ? share_text(*part) : std::string(), why});
    }
    /// One alone is what its cause says.
    void add_parts(const std::vector<analyse::Cause>& parts) {
        if (parts.size() < 2)
            return;
        // One other would take a row all the same.
        const std::size_t told = parts.size() <= most_parts + 1 ? parts.size() : most_parts;
        for (std::size_t i = 0; i < told; ++i)
            add("· " + name_text(parts[i]), *(parts[i].*amount_), {}, reason_text(parts[i]));
        if (parts.size() > told)
            add_others({parts.begin() + most_parts, parts.end()}, "· "); // two at least
    }
    void add_others(const std::vector<analyse::Cause>& others, const std::string& mark) {
        const auto [sum, share] = analyse::sum_of(others, amount_);
        const auto count = static_cast<std::int64_t>(others.size());
        if (count == 1)
            add(name_text(others.front()), sum, others.front().share, others.front().why);
        else if (count > 1)
            add(mark + count_text(count) + " others", sum, mark.empty() ? std::optional(share) : std::nullopt,
                {});
    }

    analyse::FigureUnit unit_;
    Amount amount_;
    PageTable table_;
    std::size_t told_ = 0;
};

PageSection causes_section(std::string name, std::string title, analyse::FigureUnit unit,
                           const std::vector<analyse::Cause>& causes,
                           std::optional<double> analyse::Cause::*amount) {
    PageSection section{std::move(name), std::move(title), {}, {}};
    PageTable table = CausesTable(unit, amount).of(causes);
    if (!table.rows.empty())
        section.tables.push_back(std::move(table));
    return section;
}

PageSection time_causes_section(const analyse::Comparison& c, const ErrorBands& bands) {
    return causes_section("causes", why_time(c.basis, bands), analyse::FigureUnit::Cycles, c.causes,
                          &analyse::Cause::cycles);
}

PageSection memory_causes_section(const analyse::Comparison& c, const ErrorBands& bands) {
    return causes_section("memory_causes", why_memory(bands), analyse::FigureUnit::Bytes, c.memory_causes,
                          &analyse::Cause::bytes);
}

PageTable costs_table(const char* what, const std::vector<analyse::CostDifference>& rows) {
    PageTable table{{what, "cycles", "new", "", "live at the peak step", "new", ""},
                    {false, true, true, true, true, true, true},
                    {}};
    const auto state = [](const Difference& d) {
        return !d.base ? "added" : !d.now ? "removed" : analyse::relative_text(d);
    };
    for (const auto& row : rows)
        table.rows.push_back({analyse::name_text(row), figure_text(row.cycles.base, row.cycles.unit),
                              figure_text(row.cycles.now, row.cycles.unit), state(row.cycles),
                              figure_text(row.memory.base, row.memory.unit),
                              figure_text(row.memory.now, row.memory.unit), state(row.memory)});
    return table;
}

PageSection layers_section(const analyse::Comparison& c, const ErrorBands& bands) {
    PageSection section{"layers",
                        with_error("Layers", analyse::per(c.basis) + ", of one replica", bands,
                                   {FigureKind::Compute, FigureKind::Memory}),
                        {},
                        {}};
    if (!c.layers.empty())
        section.tables.push_back(costs_table("layer", c.layers));
    return section;
}

PageSection operations_section(const analyse::Comparison& c, const ErrorBands& bands) {
    PageSection section{"operations",
                        with_error("Operations", analyse::per(c.basis) + ", of one replica", bands,
                                   {FigureKind::Compute, FigureKind::Memory}),
                        {},
                        {}};
    constexpr std::size_t most = 20; // the largest changes stand first
    std::vector<analyse::CostDifference> changed;
    for (const auto& row : c.operations)
        if (changed.size() < most && row.cycles.change().value_or(0) != 0)
            changed.push_back(row);
    if (!changed.empty())
        section.tables.push_back(costs_table("operation", changed));
    PageTable table{{"", "operation"}, {false, false}, {}};
    for (const std::string& name : c.added_operations)
        table.rows.push_back({"added", name});
    for (const std::string& name : c.removed_operations)
        table.rows.push_back({"removed", name});
    if (!table.rows.empty())
        section.tables.push_back(std::move(table));
    return section;
}

/// What was said by hand to be the same.
PageSection matches_section(const analyse::Comparison& c) {
    PageSection section{"matches", "Matched by hand", {}, {}};
    PageTable table{{"", "base", "new"}, {false, false, false}, {}};
    for (const analyse::HandMatch& match : c.by_hand)
        table.rows.push_back({to_string(match.part), match.base.empty() ? "no counterpart" : match.base,
                              match.now.empty() ? "no counterpart" : match.now});
    if (!table.rows.empty())
        section.tables.push_back(std::move(table));
    return section;
}

PageSection answer_section(const analyse::Comparison& c, const std::string& base, const std::string& now) {
    PageSection section{"answer", "In short", {}, {}};
    add_answer(section, c, base, now);
    return section;
}

} // namespace

std::string why_time(analyse::Basis basis, const ErrorBands& bands) {
    return with_error("Why", "IPU time " + analyse::per(basis) + ", of one replica", bands,
                      {FigureKind::Compute});
}

std::string why_memory(const ErrorBands& bands) {
    return with_error("Why", "fullest tile with gaps", bands, {FigureKind::Memory});
}

void add_answer(PageSection& section, const analyse::Comparison& c, const std::string& base,
                const std::string& now) {
    if (const std::string text = analyse::answer(c, base, now); !text.empty())
        section.notes.push_back({profile::Severity::Info, text, {}});
}

void add_caveats(PageSection& section, const std::string& name, const analyse::ComparedRun& run) {
    std::string detail = run.error;
    for (const std::string& caveat : analyse::caveats(run, name))
        section.notes.push_back({profile::Severity::Warning, caveat, std::exchange(detail, {})});
}

Page comparison_page(const analyse::Comparison& c, const std::string& base, const std::string& now) {
    Page page{base + " -> " + now, {}, {}, {}};
    const RunBands of_runs{{base, c.base.error_bands}, {now, c.now.error_bands}};
    const ErrorBands bands = common_bands(of_runs);
    for (PageSection section :
         {differences_section(c, base, now), answer_section(c, base, now), matches_section(c),
          headline_section(c, bands), bridge_section(c, bands), time_causes_section(c, bands),
          memory_causes_section(c, bands), layers_section(c, bands), operations_section(c, bands),
          accuracy_section(of_runs)})
        if (!section.empty())
            page.sections.push_back(std::move(section));
    return page;
}

} // namespace tilescope::exports
