// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/settings.h"
#include "export/number_text.h"
#include "export/page.h"

namespace tilescope::exports {
namespace {

using analyse::Difference;

std::string amount(double value, const std::string& unit) {
    if (unit == "bytes")
        return bytes_text(value);
    if (unit == "us")
        return microseconds_text(value);
    if (unit == "s")
        return microseconds_text(value * 1e6);
    return number_text(value);
}

std::string figure(const std::optional<double>& value, const std::string& unit) {
    return value ? amount(*value, unit) : "–";
}

std::string change(const Difference& d) {
    if (d.wall_time)
        return "wall time";
    const auto by = d.change();
    if (!by)
        return "–";
    return *by == 0 ? "=" : (*by > 0 ? "+" : "") + amount(*by, d.unit);
}

std::string relative(const Difference& d) {
    const auto percent = d.percent();
    if (!percent || *percent == 0)
        return "";
    return signed_percent(*percent);
}

/// First what differs before any figure: a run that did not complete, and what was asked for.
PageSection differences_section(const analyse::Comparison& c, const std::string& base,
                                const std::string& now) {
    PageSection section{"differs", "What differs", {}, {}};
    for (const auto& [name, run] : {std::pair{base, c.base}, std::pair{now, c.now}})
        if (run.status != profile::RunStatus::Complete)
            section.notes.push_back(
                {"warning",
                 name + " is " + profile::to_string(run.status) + ": its figures are of what was recorded",
                 run.error});
    PageTable table{{"", "base", "new"}, {false, true, true}, {}};
    for (const auto& d : c.settings)
        table.rows.push_back(
            {d.name, analyse::setting_text(d.base, d.unit), analyse::setting_text(d.now, d.unit)});
    if (!table.rows.empty())
        section.tables.push_back(std::move(table));
    return section;
}

PageSection headline_section(const analyse::Comparison& c) {
    PageTable table{{"figure", "base", "new", "change", ""}, {false, true, true, true, true}, {}};
    for (const Difference& d : c.headline) {
        const bool named = d.unit == "cycles" || d.unit == "samples/s";
        table.rows.push_back(
            {d.name + (named && d.name.find(d.unit) == std::string::npos ? " (" + d.unit + ")" : ""),
             figure(d.base, d.unit), figure(d.now, d.unit), change(d), relative(d)});
    }
    return {"headline", "Figures", {std::move(table)}, {}};
}

PageTable costs_table(const char* what, const std::vector<analyse::CostDifference>& rows) {
    PageTable table{{what, "cycles", "new", "", "live at the peak", "new", ""},
                    {false, true, true, true, true, true, true},
                    {}};
    const auto state = [](const Difference& d) {
        if (!d.base)
            return std::string("added");
        if (!d.now)
            return std::string("removed");
        return d.percent() ? (*d.percent() == 0 ? "=" : relative(d)) : change(d);
    };
    for (const auto& row : rows)
        table.rows.push_back({row.name, figure(row.cycles.base, "cycles"), figure(row.cycles.now, "cycles"),
                              state(row.cycles), figure(row.memory.base, "bytes"),
                              figure(row.memory.now, "bytes"), state(row.memory)});
    return table;
}

PageSection layers_section(const analyse::Comparison& c) {
    PageSection section{"layers", "Layers (" + analyse::per(c.basis) + ", of one replica)", {}, {}};
    if (!c.layers.empty())
        section.tables.push_back(costs_table("layer", c.layers));
    return section;
}

PageSection operations_section(const analyse::Comparison& c) {
    PageSection section{"operations", "Operations (" + analyse::per(c.basis) + ", of one replica)", {}, {}};
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

} // namespace

Page comparison_page(const analyse::Comparison& c, const std::string& base, const std::string& now) {
    Page page{base + " -> " + now, {}, {}, {}};
    for (PageSection section :
         {differences_section(c, base, now), headline_section(c), layers_section(c), operations_section(c)})
        if (!section.empty())
            page.sections.push_back(std::move(section));
    return page;
}

} // namespace tilescope::exports
