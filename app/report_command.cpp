// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command.h"
#include "app/output_file.h"
#include "base/try.h"
#include "export/run_report.h"
#include "profile/profile.h"

namespace tilescope::app {
namespace {

struct ReportOptions {
    std::string file;
    std::string format = "text";
    std::vector<std::string> sections;
};

Result<void> report(const ReportOptions& o) {
    TRY(const auto profile, profile::Profile::open(o.file));
    const auto format = parse<exports::ReportFormat>(o.format).value_or(exports::ReportFormat::Text);
    TRY(const std::string report, exports::report(*profile, format, o.sections));
    return write_output("-", report);
}

} // namespace

void add_report_command(CLI::App& program, Action& action) {
    auto options = std::make_shared<ReportOptions>();
    CLI::App* command = program.add_subcommand("report", "Print what a profile says");
    command->add_option("FILE", options->file, "Profile")->required();
    command->add_option("--format", options->format, "text, json, markdown or html")
        ->check(CLI::IsMember(exports::report_formats()))
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
