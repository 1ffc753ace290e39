// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command.h"
#include "app/engine_runs.h"
#include "app/output_file.h"
#include "base/try.h"
#include "export/chrome_trace.h"
#include "export/csv.h"
#include "export/graph_dot.h"

#include <cmath>
#include <iostream>
#include <unistd.h>

namespace tilescope::app {
namespace {

struct ExportOptions {
    std::string file;
    std::string format = "trace";
    std::string table;
    std::string by;
    std::string range;
    std::string output;
    bool force = false;
};

Result<void> write(const profile::Profile& profile, const ExportOptions& o, std::ostream& out) {
    if (o.format == "csv")
        return exports::csv(profile, o.table, out);
    if (o.format == "dot")
        return exports::graph_dot(profile, out,
                                  o.by.empty()      ? exports::GraphNodes::Automatic
                                  : o.by == "layer" ? exports::GraphNodes::Layers
                                                    : exports::GraphNodes::Operations);
    exports::TracePart part;
    if (!o.range.empty()) {
        TRY(part.executions, engine_runs_in(o.range));
    }
    const bool shown = o.output != "-" && isatty(STDERR_FILENO) != 0;
    if (shown)
        part.written = [](double share) {
            std::cerr << "\r" << std::llround(share * 100) << " % of the engine runs" << std::flush;
        };
    auto done = exports::chrome_trace(profile, out, part);
    if (shown)
        std::cerr << '\r' << std::string(28, ' ') << '\r';
    return done;
}

Result<void> export_profile(const ExportOptions& o) {
    if (o.format == "csv" && o.table.empty())
        return wrong_usage("--format csv needs --table", {}, "for example --table operation_cost");
    if (o.format != "csv" && !o.table.empty())
        return wrong_usage("--table goes with --format csv only", {}, "remove it");
    if (o.format != "dot" && !o.by.empty())
        return wrong_usage("--by goes with --format dot only", {}, "remove it");
    if (o.format != "trace" && !o.range.empty())
        return wrong_usage("--range goes with --format trace only", {}, "remove it");
    TRY(const auto profile, profile::Profile::open(o.file));
    return write_output(
        o.output, [&](std::ostream& out) { return write(*profile, o, out); },
        o.force ? exports::Replace::Any : exports::Replace::SameKind);
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
    command
        ->add_option(
            "--by", options->by,
            "Of the graph: a node for each operation, or for what a layer does in a phase; without it "
            "operations, and layers where there are more than " +
                std::to_string(exports::most_operations))
        ->check(CLI::IsMember({"operation", "layer"}));
    command
        ->add_option("--range", options->range,
                     "Of the trace: these engine runs, counted from 0, the last one included")
        ->type_name(engine_runs_type);
    command->add_option("-o,--output", options->output, "File to write, or - for stdout")
        ->required()
        ->type_name("PATH");
    command->add_flag("--force", options->force, "Replace a file that is no earlier export of this kind");
    command->footer("Examples:\n"
                    "  tilescope export run.tilescope --format trace -o run.json\n"
                    "  tilescope export run.tilescope --format trace --range 0:9 -o begin.json\n"
                    "  tilescope export run.tilescope --format csv --table operation_cost -o costs.csv\n"
                    "  tilescope export run.tilescope --format dot -o - | dot -Tsvg -o graph.svg\n"
                    "  tilescope export run.tilescope --format dot --by layer -o layers.dot\n");
    command->callback([options, &action] { action = [options] { return export_profile(*options); }; });
}

} // namespace tilescope::app
