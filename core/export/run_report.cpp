// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/run_report.h"

#include "analyse/summary.h"
#include "base/nearest_name.h"
#include "base/try.h"
#include "export/page.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tilescope::exports {
namespace {

Result<void> check_sections(const std::vector<std::string>& asked, const Page& page) {
    std::vector<std::string> known;
    for (const PageSection& section : page.sections)
        known.push_back(section.name);
    for (const std::string& section : asked)
        if (std::find(known.begin(), known.end(), section) == known.end())
            return wrong_usage("there is no section \"" + section + "\"", "--section",
                               remedy_for(section, known, "see tilescope report --help"));
    return {};
}

} // namespace

std::vector<std::string> report_formats() {
    const auto names = spelling(ReportFormat{}).values;
    return {names.begin(), names.end()};
}

Result<std::string> report(const profile::Profile& profile, ReportFormat format,
                           const std::vector<std::string>& sections) {
    TRY(const auto summary, analyse::summarise(profile));
    Page page = report_page(summary);
    if (format == ReportFormat::Html)
        TRY(add_pictures(page, profile, summary));
    TRY(check_sections(sections, page));
    const auto asked = [&](const PageSection& section) {
        return std::find(sections.begin(), sections.end(), section.name) != sections.end();
    };
    if (format == ReportFormat::Json) {
        nlohmann::ordered_json document = analyse::document(summary);
        for (const PageSection& section : page.sections)
            if (!sections.empty() && !asked(section))
                document.erase(section.name);
        return document.dump(2) + "\n";
    }
    std::erase_if(page.sections, [&](const PageSection& section) {
        return sections.empty() ? section.empty() : !asked(section);
    });
    return format == ReportFormat::Markdown ? markdown(page)
           : format == ReportFormat::Html   ? html(page)
                                            : text(page);
}

} // namespace tilescope::exports
