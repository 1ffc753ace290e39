// SPDX-License-Identifier: GPL-3.0-or-later
#include "accuracy_notes.h"

#include "base/text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace tilescope::exports {

std::string with_error(const std::string& title, std::string note, const analyse::ErrorBands& bands,
                       const analyse::FigureKinds& kinds) {
    const std::string error = analyse::typical_error(bands, kinds);
    note += (note.empty() || error.empty() ? "" : "; ") + error;
    return note.empty() ? title : title + " (" + note + ")";
}

analyse::ErrorBands common_bands(const RunBands& runs) {
    const auto first = analyse::document(runs.front().second);
    const bool same = std::all_of(runs.begin(), runs.end(),
                                  [&](const auto& run) { return analyse::document(run.second) == first; });
    return same ? runs.front().second : analyse::ErrorBands{};
}

PageSection accuracy_section(const RunBands& runs) {
    PageSection section{"accuracy", "Accuracy (predicted over published figures of the kind)", {}, {}};
    PageTable table{{"figures of", "typical error", "from", "to", "published figures"},
                    {false, true, true, true, true},
                    {}};
    const auto add = [&](const std::string& of_run, const analyse::ErrorBands& bands) {
        for (const profile::ErrorBandRecord& band : bands) {
            const std::string figures = of_run + analyse::figures_of(band.kind);
            table.rows.push_back({figures, "×" + amount_text(band.typical), amount_text(band.lowest),
                                  amount_text(band.highest), count_text(band.rows)});
            section.notes.push_back({profile::Severity::Info, "published " + figures, band.source});
        }
    };
    if (const analyse::ErrorBands same = common_bands(runs); !same.empty())
        add({}, same);
    else
        for (const auto& [name, bands] : runs)
            add(name + ": ", bands);
    if (!table.rows.empty())
        section.tables.push_back(std::move(table));
    return section;
}

} // namespace tilescope::exports
