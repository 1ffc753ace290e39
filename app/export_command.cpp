// SPDX-License-Identifier: GPL-3.0-or-later
#include <fstream>

#include "app/command.h"
#include "export/chrome_trace.h"

namespace tilescope::app {
namespace {

struct ExportOptions {
    std::string file;
    std::string format = "trace";
    std::string output;
};

Result<void> export_profile(const ExportOptions& o) {
    const auto profile = profile::Profile::open(o.file);
    if (!profile)
        return Failure(profile.error());
    std::ofstream out(o.output, std::ios::binary);
    if (!out)
        return bad_input("the file cannot be written", o.output, "check the folder and its permissions");
    if (auto done = exports::chrome_trace(**profile, out); !done)
        return done;
    out.close();
    if (!out)
        return system_failure("the file cannot be written", o.output, "check the free space");
    return {};
}

} // namespace

void add_export_command(CLI::App& program, Action& action) {
    auto options = std::make_shared<ExportOptions>();
    CLI::App* command = program.add_subcommand("export", "Write a profile in another program's format");
    command->add_option("FILE", options->file, "Profile")->required();
    command->add_option("--format", options->format, "trace: Chrome trace JSON, for ui.perfetto.dev")
        ->check(CLI::IsMember({"trace"}))
        ->required();
    command->add_option("-o,--output", options->output, "File to write")->required()->type_name("PATH");
    command->footer("Example:\n  tilescope export run.tilescope --format trace -o run.json\n");
    command->callback([options, &action] { action = [options] { return export_profile(*options); }; });
}

} // namespace tilescope::app
