// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/csv_field.h"
#include "base/text.h"
#include "export/history.h"

#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>

namespace tilescope::exports {
namespace {

using analyse::History;
using analyse::HistoryEntry;

std::string file_name(const HistoryEntry& entry) {
    return std::filesystem::path(entry.path).stem().string();
}

/// As programs read it: all digits that tell it from other numbers, none for thousands.
std::string digits_of(const std::optional<double>& value) {
    std::array<char, 32> text{};
    return value ? std::string(text.data(), std::to_chars(text.begin(), text.end(), *value).ptr)
                 : std::string();
}

analyse::Difference difference_of(const History& history, const HistoryEntry& entry) {
    const auto before = entry.before ? history.entries[*entry.before].value : std::nullopt;
    return {history.metric, history.unit, before, entry.value};
}

/// Units that texts of figures do not have themselves.
std::string named_unit(analyse::FigureUnit unit) {
    using Unit = analyse::FigureUnit;
    const bool told = unit == Unit::None || unit == Unit::Us || unit == Unit::Bytes || unit == Unit::Seconds;
    return told ? std::string() : " (" + to_string(unit) + ")";
}

PageNote change_note(const History& history, const HistoryEntry& entry) {
    const HistoryEntry& before = history.entries[*entry.before];
    const analyse::Difference d = difference_of(history, entry);
    const double change = std::fabs(d.change().value_or(0));
    return {profile::Severity::Info,
            "First changed in " + file_name(entry) + ": " + analyse::figure_text(d.base, d.unit, change) +
                " to " + analyse::figure_text(d.now, d.unit, change) + ", " + analyse::relative_text(d),
            "Against " + file_name(before) + ": " +
                (entry.cause.empty() ? "no cause is known" : entry.cause)};
}

} // namespace

Page history_page(const History& history) {
    PageTable table{{"started (UTC)", "profile", "label", "tool", "workload",
                     history.metric + named_unit(history.unit), "", "likely cause"},
                    {false, false, false, false, false, true, true, false},
                    {}};
    for (const HistoryEntry& entry : history.entries)
        table.rows.push_back(
            {analyse::date_text(entry.started_unix_ms), file_name(entry), analyse::label_text(entry.label),
             entry.tool_version, entry.workload,
             entry.value ? analyse::figure_text(entry.value, history.unit) : "– (" + entry.why_absent + ")",
             entry.before ? analyse::relative_text(difference_of(history, entry)) : "", entry.cause});
    PageSection section{"history",
                        history.metric + ", " +
                            count_text(static_cast<std::int64_t>(history.entries.size())) +
                            (history.entries.size() == 1 ? " profile" : " profiles"),
                        {std::move(table)},
                        {}};
    if (const auto first = history.first_change())
        section.notes.push_back(change_note(history, history.entries[*first]));
    else
        section.notes.push_back({profile::Severity::Info, "It never changed", {}});
    section.pictures.push_back({history.metric, history_svg(history), {}});
    return {"History of " + history.metric, {}, {}, {std::move(section)}};
}

std::string history_csv(const History& history) {
    std::string out = "file,label,workload,tool_version,started,status,value,change_percent,changed,cause\n";
    for (const HistoryEntry& entry : history.entries) {
        const auto percent = difference_of(history, entry).percent();
        const std::string cells[] = {csv_field(entry.path),
                                     csv_field(entry.label),
                                     csv_field(entry.workload),
                                     csv_field(entry.tool_version),
                                     analyse::date_text(entry.started_unix_ms),
                                     profile::to_string(entry.status),
                                     digits_of(entry.value),
                                     digits_of(percent),
                                     entry.changed ? "1" : "0",
                                     csv_field(entry.cause)};
        for (const std::string& cell : cells)
            out += (&cell == &cells[0] ? "" : ",") + cell;
        out += '\n';
    }
    return out;
}

} // namespace tilescope::exports
