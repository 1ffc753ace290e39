// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command.h"
#include "app/engine_runs.h"
#include "app/interrupt.h"
#include "base/text.h"
#include "base/try.h"
#include "profile/trim.h"

#include <filesystem>
#include <iostream>

namespace tilescope::app {
namespace {

struct TrimOptions {
    std::string file;
    std::string output;
    std::string range;
    std::vector<std::int64_t> ipus;
    bool no_tiles = false;
};

Result<void> trim(const TrimOptions& o) {
    profile::Trimming keep;
    if (!o.range.empty()) {
        TRY(keep.executions, engine_runs_in(o.range));
    }
    keep.ipus = o.ipus;
    keep.tiles = !o.no_tiles;
    TRY(profile::trim(o.file, o.output, keep, &cancelled_by_signals()));
    std::error_code ignored;
    const auto size = [&](const std::string& path) {
        return bytes_text(static_cast<double>(std::filesystem::file_size(path, ignored)));
    };
    std::cerr << o.output << " has " << size(o.output) << " of " << size(o.file) << '\n';
    return {};
}

} // namespace

void add_trim_command(CLI::App& program, Action& action) {
    auto options = std::make_shared<TrimOptions>();
    CLI::App* command = program.add_subcommand("trim", "Write a smaller profile with a part of another");
    command->add_option("FILE", options->file, "Profile, which stays as it is")->required();
    command->add_option("-o,--output", options->output, "Profile to write")->required();
    command
        ->add_option("--range", options->range,
                     "Keep these engine runs, counted from 0, the last one included")
        ->type_name(engine_runs_type);
    command->add_option("--ipus", options->ipus, "Keep these IPUs of the first replica: 0,3")
        ->delimiter(',')
        ->type_name("LIST");
    command->add_flag("--no-tiles", options->no_tiles,
                      "Leave out the numbers of every tile of variables, compute sets and exchanges");
    command->footer("Examples:\n  tilescope trim run.tilescope --range 10:19 -o part.tilescope\n"
                    "  tilescope trim run.tilescope --no-tiles -o small.tilescope\n");
    command->callback([options, &action] { action = [options] { return trim(*options); }; });
}

} // namespace tilescope::app
