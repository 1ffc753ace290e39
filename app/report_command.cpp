// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/summary.h"
#include "app/command.h"
#include "app/text_output.h"
#include "base/nearest_name.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

namespace tilescope::app {
namespace {

using analyse::Summary;

struct ReportOptions {
    std::string file;
    std::string format = "text";
    std::vector<std::string> sections;
};

void print_run(const Summary& s, std::ostream& out) {
    TextTable table({"Run", ""}, {false, false});
    table.add({"  workload", s.run.name});
    table.add({"  status",
               profile::to_string(s.run.status) + (s.run.estimate ? " (estimate: no values computed)" : "")});
    table.add({"  device", s.run.device});
    table.add({"  seed", std::to_string(s.run.seed)});
    if (!s.run.data_note.empty())
        table.add({"  data", s.run.data_note});
    if (!s.run.error.empty())
        table.add({"  error", s.run.error});
    if (s.target.tiles_per_ipu > 0)
        table.add({"  target", s.target.generation + ", " + std::to_string(s.target.ipus) + " IPU, " +
                                   thousands(s.target.tiles_per_ipu) + " tiles of " +
                                   bytes_text(static_cast<double>(s.target.bytes_per_tile)) + ", " +
                                   number_text(s.target.clock_hz / 1e9) + " GHz"});
    table.print(out);
}

void print_result(const Summary& s, std::ostream& out) {
    if (!s.outputs.empty()) {
        out << "\nOutputs\n";
        TextTable table({"  name", "shape", "values", "expected"}, {false, false, false, false});
        for (const auto& o : s.outputs)
            table.add({"  " + o.name, o.shape, o.values.substr(0, 40), o.expected.substr(0, 40)});
        table.print(out);
    }
    if (!s.epochs.empty()) {
        out << "\nTraining\n";
        std::vector<std::string> header{"  epoch"};
        std::vector<bool> right{true};
        for (const auto& [name, value] : s.epochs.front().metrics) {
            header.push_back(name);
            right.push_back(true);
        }
        TextTable table(header, right);
        for (const auto& epoch : s.epochs) {
            std::vector<std::string> row{std::to_string(epoch.epoch)};
            for (const auto& [name, value] : epoch.metrics)
                row.push_back(number_text(value));
            row.resize(right.size());
            table.add(row);
        }
        table.print(out);
    }
    if (!s.evaluation.empty()) {
        out << "\nEvaluation\n";
        for (const auto& [name, value] : s.evaluation)
            out << "  " << name << "  " << number_text(value) << '\n';
    }
}

void print_timing(const Summary& s, std::ostream& out) {
    out << "\nTiming" << (s.run.device == "cpu" ? " (of the host)" : " (simulated)") << '\n';
    TextTable table({"  step", microseconds_text(s.step_us)}, {false, true});
    table.add({"  throughput", number_text(s.samples_per_s) + " samples/s"});
    table.add({"  steps", thousands(s.steps)});
    table.add({"  engine runs", thousands(s.executions)});
    table.add({"  cycles", thousands(s.cycles_total)});
    table.add({"  compile time", number_text(s.run.compile_s) + " s"});
    table.print(out);
    const auto total = static_cast<double>(std::max<std::int64_t>(s.by_phase.total(), 1));
    if (s.by_phase.total() == 0)
        return;
    TextTable phases({"  phase", "cycles", "share"}, {false, true, true});
    for (const auto& [name, cycles] :
         {std::pair{"compute", s.by_phase.compute}, std::pair{"exchange", s.by_phase.exchange},
          std::pair{"sync", s.by_phase.sync}, std::pair{"inter-IPU", s.by_phase.inter_ipu},
          std::pair{"host", s.by_phase.host}})
        phases.add(
            {std::string("  ") + name, thousands(cycles), percent_text(static_cast<double>(cycles) / total)});
    out << '\n';
    phases.print(out);
}

void print_memory(const Summary& s, std::ostream& out) {
    if (s.target.tiles_per_ipu == 0)
        return;
    out << "\nMemory\n";
    TextTable table({"  in use at the peak", bytes_text(static_cast<double>(s.total_bytes))}, {false, true});
    table.add({"  with gaps", bytes_text(static_cast<double>(s.total_bytes_with_gaps))});
    table.add({"  always live", bytes_text(static_cast<double>(s.always_live_bytes))});
    table.add({"  fullest tile", bytes_text(static_cast<double>(s.max_tile_bytes)) + " (tile " +
                                     std::to_string(s.max_tile) + ", " +
                                     percent_text(static_cast<double>(s.max_tile_bytes) /
                                                  static_cast<double>(s.target.bytes_per_tile)) +
                                     ")"});
    table.print(out);
    TextTable categories({"  category", "always live", "not always live"}, {false, true, true});
    for (const auto& c : s.categories)
        categories.add({"  " + c.category, bytes_text(static_cast<double>(c.always_live)),
                        bytes_text(static_cast<double>(c.not_always_live))});
    out << '\n';
    categories.print(out);
}

void print_layers(const Summary& s, std::ostream& out) {
    if (s.layers.empty())
        return;
    out << "\nLayers (one step)\n";
    TextTable table({"  layer", "kind", "parameters", "cycles", "flops", "variables"},
                    {false, false, true, true, true, true});
    for (const auto& l : s.layers)
        table.add({"  " + (l.name.empty() ? std::string("(no layer)") : l.name.substr(0, 32)), l.kind,
                   thousands(l.parameters), thousands(l.cycles()), thousands(l.flops),
                   bytes_text(static_cast<double>(l.memory_bytes))});
    table.print(out);
}

void print_insights(const Summary& s, std::ostream& out) {
    if (s.insights.empty())
        return;
    out << "\nInsights\n";
    constexpr std::size_t width = 94;
    for (const auto& i : s.insights) {
        out << "  " << i.severity << ": " << i.title << '\n';
        for (std::string rest = i.detail; !rest.empty();) { // wrapped at spaces
            std::size_t cut = rest.size() <= width ? rest.size() : rest.rfind(' ', width);
            cut = cut == std::string::npos ? width : cut;
            out << "    " << rest.substr(0, cut) << '\n';
            rest = cut < rest.size() ? rest.substr(cut + 1) : "";
        }
    }
}

const std::vector<std::pair<std::string, void (*)(const Summary&, std::ostream&)>>& text_sections() {
    static const std::vector<std::pair<std::string, void (*)(const Summary&, std::ostream&)>> list = {
        {"run", print_run},       {"result", print_result}, {"timing", print_timing},
        {"memory", print_memory}, {"layers", print_layers}, {"insights", print_insights}};
    return list;
}

Result<void> report(const ReportOptions& o) {
    std::vector<std::string> known{"target", "ipus"};
    for (const auto& [name, print] : text_sections())
        known.push_back(name);
    for (const std::string& section : o.sections)
        if (std::find(known.begin(), known.end(), section) == known.end()) {
            const std::string nearest = nearest_name(section, known);
            return wrong_usage("there is no section \"" + section + "\"", "--section",
                               nearest.empty() ? "use run, result, timing, memory, layers or insights"
                                               : "did you mean \"" + nearest + "\"?");
        }
    const auto wanted = [&](const std::string& section) {
        return o.sections.empty() ||
               std::find(o.sections.begin(), o.sections.end(), section) != o.sections.end();
    };
    const auto profile = profile::Profile::open(o.file);
    if (!profile)
        return Failure(profile.error());
    const auto summary = analyse::summarise(**profile);
    if (!summary)
        return Failure(summary.error());
    if (o.format == "json") {
        const auto document = analyse::document(*summary);
        nlohmann::ordered_json chosen;
        for (const auto& [key, value] : document.items())
            if (wanted(key))
                chosen[key] = value;
        std::cout << chosen.dump(2) << '\n';
        return {};
    }
    for (const auto& [name, print] : text_sections())
        if (wanted(name))
            print(*summary, std::cout);
    return {};
}

} // namespace

void add_report_command(CLI::App& program, Action& action) {
    auto options = std::make_shared<ReportOptions>();
    CLI::App* command = program.add_subcommand("report", "Print what a profile says");
    command->add_option("FILE", options->file, "Profile")->required();
    command->add_option("--format", options->format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->add_option("--section", options->sections, "Only this section (may be repeated)")
        ->expected(1)
        ->take_all();
    command->footer("Examples:\n  tilescope report run.tilescope\n"
                    "  tilescope report run.tilescope --format json | jq .timing.step_us\n"
                    "  tilescope report run.tilescope --section memory\n");
    command->callback([options, &action] { action = [options] { return report(*options); }; });
}

} // namespace tilescope::app
