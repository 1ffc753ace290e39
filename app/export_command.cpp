// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command.h"
#include "export/chrome_trace.h"
#include "export/csv.h"
#include "export/graph_dot.h"

#include <filesystem>
#include <fstream>
#include <iostream>

namespace tilescope::app {
namespace {

struct ExportOptions {
    std::string file;
    std::string format = "trace";
    std::string table;
    std::string output;
};

Result<void> write(const profile::Profile& profile, const ExportOptions& o, std::ostream& out) {
    if (o.format == "csv")
        return exports::csv(profile, o.table, out);
    if (o.format == "dot")
        return exports::graph_dot(profile, out);
    return exports::chrome_trace(profile, out);
}

/// Writes beside the output and moves it into place, so that a failure leaves no half-written file; a device,
/// a pipe or a link is written directly.
Result<void> export_profile(const ExportOptions& o) {
    if (o.format == "csv" && o.table.empty())
        return wrong_usage("--format csv needs --table", {}, "for example --table operation_cost");
    if (o.format != "csv" && !o.table.empty())
        return wrong_usage("--table goes with --format csv only");
    const auto profile = profile::Profile::open(o.file);
    if (!profile)
        return Failure(profile.error());
    if (o.output == "-") {
        if (auto done = write(**profile, o, std::cout); !done)
            return done;
        std::cout.flush();
        if (!std::cout)
            return system_failure("the output cannot be written", "stdout");
        return {};
    }
    std::error_code error;
    const auto kind = std::filesystem::symlink_status(o.output, error).type();
    const bool in_place =
        kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::regular;
    const std::string partial = in_place ? o.output : o.output + ".part";
    std::ofstream out(partial, std::ios::binary);
    if (!out)
        return bad_input("the file cannot be written", o.output, "check the folder and its permissions");
    auto done = write(**profile, o, out);
    out.close();
    if (done && !out)
        done = system_failure("the file cannot be written", o.output, "check the free space");
    if (done && !in_place) {
        std::filesystem::rename(partial, o.output, error);
        if (error)
            done = system_failure("the file cannot be written: " + error.message(), o.output);
    }
    if (!done && !in_place)
        std::filesystem::remove(partial, error);
    return done;
}

} // namespace

void add_export_command(CLI::App& program, Action& action) {
    auto options = std::make_shared<ExportOptions>();
    CLI::App* command = program.add_subcommand("export", "Write a profile in another program's format");
    command->add_option("FILE", options->file, "Profile")->required();
    command
        ->add_option(
            "--format", options->format,
            "trace: Chrome trace JSON, for ui.perfetto.dev; csv: one table; dot: the graph, for Graphviz")
        ->check(CLI::IsMember({"trace", "csv", "dot"}))
        ->required();
    command->add_option("--table", options->table, "Table or view to write as CSV")->type_name("NAME");
    command->add_option("-o,--output", options->output, "File to write, or - for stdout")
        ->required()
        ->type_name("PATH");
    command->footer("Examples:\n"
                    "  tilescope export run.tilescope --format trace -o run.json\n"
                    "  tilescope export run.tilescope --format csv --table operation_cost -o costs.csv\n"
                    "  tilescope export run.tilescope --format dot -o - | dot -Tsvg -o graph.svg\n");
    command->callback([options, &action] { action = [options] { return export_profile(*options); }; });
}

} // namespace tilescope::app
