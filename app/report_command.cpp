// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/summary.h"
#include "app/command.h"
#include "app/output_file.h"
#include "base/nearest_name.h"
#include "base/try.h"
#include "export/page.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tilescope::app {
namespace {

struct ReportOptions {
    std::string file;
    std::string format = "text";
    std::vector<std::string> sections;
};

Result<void> check_sections(const ReportOptions& o, const exports::Page& page) {
    std::vector<std::string> known;
    for (const exports::PageSection& section : page.sections)
        known.push_back(section.name);
    for (const std::string& section : o.sections)
        if (std::find(known.begin(), known.end(), section) == known.end()) {
            return wrong_usage("there is no section \"" + section + "\"", "--section",
                               remedy_for(section, known, "see tilescope report --help"));
        }
    return {};
}

Result<void> report(const ReportOptions& o) {
    TRY(const auto profile, profile::Profile::open(o.file));
    TRY(const auto summary, analyse::summarise(*profile));
    exports::Page page = exports::report_page(summary);
    if (o.format == "html")
        TRY(add_pictures(page, *profile, summary));
    TRY(check_sections(o, page));
    const auto asked = [&](const std::string& section) {
        return std::find(o.sections.begin(), o.sections.end(), section) != o.sections.end();
    };
    if (o.format == "json") {
        nlohmann::ordered_json document = analyse::document(summary);
        for (const exports::PageSection& section : page.sections)
            if (!o.sections.empty() && !asked(section.name))
                document.erase(section.name);
        return write_output("-", document.dump(2) + "\n");
    }
    std::erase_if(page.sections, [&](const exports::PageSection& section) {
        return o.sections.empty() ? section.empty() : !asked(section.name);
    });
    return write_output("-", o.format == "markdown" ? markdown(page)
                             : o.format == "html"   ? html(page)
                                                    : text(page));
}

} // namespace

void add_report_command(CLI::App& program, Action& action) {
    auto options = std::make_shared<ReportOptions>();
    CLI::App* command = program.add_subcommand("report", "Print what a profile says");
    command->add_option("FILE", options->file, "Profile")->required();
    command->add_option("--format", options->format, "text, json, markdown or html")
        ->check(CLI::IsMember({"text", "json", "markdown", "html"}))
        ->capture_default_str();
    command
        ->add_option("--section", options->sections,
                     "Only this section (may be repeated): run, target, result, timing, memory, accuracy, "
                     "ipus, layers or insights")
        ->expected(1)
        ->allow_extra_args(false)
        ->take_all()
        ->type_name("NAME");
    command->footer("Examples:\n  tilescope report run.tilescope\n"
                    "  tilescope report run.tilescope --format json | jq .timing.step_us\n"
                    "  tilescope report run.tilescope --section memory --section insights\n"
                    "  tilescope report run.tilescope --format html > run.html\n");
    command->callback([options, &action] { action = [options] { return report(*options); }; });
}

} // namespace tilescope::app
