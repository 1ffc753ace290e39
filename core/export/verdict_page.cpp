// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "export/page.h"

namespace tilescope::exports {

Page verdict_page(const std::vector<analyse::Verdict>& verdicts, const std::string& of) {
    PageTable table{
        {"", "metric", "value", "baseline", "limit", "why"}, {false, false, true, true, false, false}, {}};
    PageSection section{"limits", {}, {}, {}};
    for (const auto& v : verdicts) {
        if (!v.limit) {
            table.rows.push_back({v.met ? "met" : "BROKEN", v.metric,
                                  v.status ? to_string(*v.status) : "unknown", "",
                                  to_string(profile::RunStatus::Complete), ""});
            if (!v.met)
                section.notes.push_back({profile::Severity::Error, "The run cannot be judged", v.detail});
            continue;
        }
        table.rows.push_back({v.met ? "met" : "BROKEN", v.metric, v.value ? number_text(*v.value) : "–",
                              v.baseline ? number_text(*v.baseline) : "", analyse::bound_text(*v.limit),
                              v.limit->reason});
        if (!v.met && !v.cause.empty())
            section.notes.push_back({profile::Severity::Error, "Likely cause of " + v.metric, v.cause});
        if (!v.value)
            section.notes.push_back({profile::Severity::Error, "A figure is absent", v.detail});
    }
    section.title = of + ": " + analyse::outcome(verdicts);
    section.tables.push_back(std::move(table));
    return {"Tilescope budget", {}, {}, {std::move(section)}};
}

} // namespace tilescope::exports
