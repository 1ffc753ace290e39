// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/number_text.h"
#include "export/page.h"

#include <algorithm>

namespace tilescope::exports {
namespace {

std::string bound(const analyse::Limit& l) {
    std::string text;
    const auto add = [&](const char* name, const std::optional<double>& value, const char* unit) {
        if (value)
            text += (text.empty() ? "" : ", ") + std::string(name) + " " + number_text(*value) + unit;
    };
    add("at most", l.most, "");
    add("at least", l.least, "");
    add("at most", l.increase_percent, " % more");
    add("at most", l.decrease_percent, " % less");
    return text;
}

} // namespace

Page verdict_page(const std::vector<analyse::Verdict>& verdicts, const std::string& title) {
    PageTable table{{"", "metric", "value", "baseline", "limit"}, {false, false, true, true, false}, {}};
    for (const auto& v : verdicts)
        table.rows.push_back({v.met ? "met" : "BROKEN", v.limit.metric, number_text(v.value),
                              v.baseline ? number_text(*v.baseline) : "", bound(v.limit)});
    const auto broken = std::count_if(verdicts.begin(), verdicts.end(), [](const auto& v) { return !v.met; });
    const std::string all = std::to_string(verdicts.size());
    return {title,
            {},
            {},
            {{"limits",
              broken == 0 ? "All " + all + " limits are met"
                          : std::to_string(broken) + " of " + all + " limits broken",
              {std::move(table)},
              {}}}};
}

} // namespace tilescope::exports
