// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/history.h"
#include "analyse/run_list.h"
#include "app/command.h"
#include "app/number_checks.h"
#include "app/output_file.h"
#include "base/try.h"
#include "export/history.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

namespace tilescope::app {
namespace {

namespace fs = std::filesystem;

struct Options {
    std::vector<std::string> paths;
    analyse::HistoryOptions history;
    std::string format = "text";
};

/// The profiles in a folder and the folders in it; those that cannot be read are told, and left out.
void add_folder(const std::string& folder, std::vector<std::string>& files) {
    for (const std::string& path : analyse::profiles_below(folder))
        if (const auto profile = profile::Profile::open(path))
            files.push_back(path);
        else
            std::cerr << "tilescope: warning: " << profile.error().line() << '\n';
}

Result<std::vector<std::string>> profiles_of(const std::vector<std::string>& paths) {
    std::vector<std::string> files;
    for (const std::string& path : paths) {
        if (!fs::is_directory(path)) {
            files.push_back(path);
            continue;
        }
        const std::size_t before = files.size();
        add_folder(path, files);
        if (files.size() == before)
            return bad_input("there are no profiles in the folder", path,
                             "record one with tilescope profile");
    }
    return files;
}

Result<void> history(const Options& o) {
    TRY(const auto files, profiles_of(o.paths));
    TRY(const auto history, analyse::read_history(files, o.history));
    if (o.format == "json")
        return write_output("-", analyse::document(history).dump(2) + "\n");
    if (o.format == "csv")
        return write_output("-", exports::history_csv(history));
    if (o.format == "svg")
        return write_output("-", exports::history_svg(history));
    const exports::Page page = exports::history_page(history);
    return write_output("-", o.format == "markdown" ? markdown(page)
                             : o.format == "html"   ? html(page)
                                                    : text(page));
}

} // namespace

void add_history_command(CLI::App& program, Action& action) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        program.add_subcommand("history", "Print a figure over many profiles, and where it changed first");
    command->add_option("PATH", options->paths, "Profiles, or folders of them")->required()->expected(1, -1);
    command
        ->add_option("--figure", options->history.metric,
                     "Figure, as limits of a budget name it: memory.max_tile_bytes, layers.dense.cycles")
        ->type_name("NAME")
        ->capture_default_str();
    command
        ->add_option("--workload", options->history.workload,
                     "Only workloads of this name; * stands for any text")
        ->type_name("NAME");
    command
        ->add_option("--tolerance", options->history.tolerance_percent,
                     "Changes up to so many percent are none")
        ->type_name("PERCENT")
        ->check(not_negative())
        ->capture_default_str();
    command->add_option("--format", options->format, "text, json, csv, svg, markdown or html")
        ->check(CLI::IsMember({"text", "json", "csv", "svg", "markdown", "html"}))
        ->capture_default_str();
    command->footer("Examples:\n  tilescope history profiles\n"
                    "  tilescope history profiles --figure memory.max_tile_bytes_with_gaps --format svg\n"
                    "  tilescope history monday.tilescope tuesday.tilescope --figure layers.dense.cycles\n");
    command->callback([options, &action] { action = [options] { return history(*options); }; });
}

} // namespace tilescope::app
