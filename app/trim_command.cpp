// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command.h"
#include "base/text.h"
#include "base/try.h"
#include "profile/trim.h"

#include <charconv>
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

std::optional<std::int64_t> number_in(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && end == text.data() + text.size() && value >= 0 ? std::optional(value)
                                                                                 : std::nullopt;
}

/// "10:19", the last one included.
Result<std::pair<std::int64_t, std::int64_t>> range_in(const std::string& text) {
    const std::size_t colon = text.find(':');
    const auto from = number_in(std::string_view(text).substr(0, colon));
    const auto to = colon == std::string::npos ? from : number_in(std::string_view(text).substr(colon + 1));
    if (!from || !to || *from > *to)
        return Failure(Error{ErrorKind::Usage,
                             "--range does not take \"" + text + "\"",
                             {},
                             "give engine runs as FROM:TO, as 10:19"});
    return std::pair(*from, *to);
}

Result<void> trim(const TrimOptions& o) {
    profile::Trimming keep;
    if (!o.range.empty()) {
        TRY(keep.executions, range_in(o.range));
    }
    keep.ipus = o.ipus;
    keep.tiles = !o.no_tiles;
    TRY(profile::trim(o.file, o.output, keep));
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
        ->type_name("FROM:TO");
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
