// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/budget.h"
#include "analyse/operation_figures.h"
#include "analyse/summary.h"
#include "app/command.h"
#include "app/output_file.h"
#include "base/try.h"
#include "export/junit.h"
#include "export/page.h"
#include "formats/json_reader.h"

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

namespace tilescope::app {
namespace {

struct CheckOptions {
    std::string file;
    std::string baseline;
    std::string budget;
    std::string junit;
    std::string markdown;
    std::string benchmark;
    bool github = false;
    bool init = false;
};

Result<nlohmann::ordered_json> document_of(const std::string& path, bool operations) {
    TRY(const auto profile, profile::Profile::open(path));
    TRY(const auto summary, analyse::summarise(*profile));
    auto document = analyse::document(summary);
    if (operations) {
        TRY(const auto costs, analyse::Costs::read(*profile));
        TRY(const auto figures, analyse::operation_figures(*profile, costs));
        document["operations"] = analyse::document(figures, costs);
    }
    return document;
}

/// Writes a budget that the profile just meets.
Result<void> init(const CheckOptions& o) {
    TRY(const auto report, document_of(o.file, false));
    const std::string status = report.at("run").at("status");
    if (status != "complete")
        return bad_input("the run is " + status + ", and only a complete one can set limits", o.file,
                         "record a profile that is complete");
    if (o.budget != "-" && std::filesystem::exists(o.budget))
        return bad_input("the budget is there already", o.budget, "give another name");
    return write_output(o.budget, analyse::budget_of(report).dump(2) + "\n");
}

/// A message as GitHub's workflow commands take it (docs.github.com, "Workflow commands", toolkit's
/// escapeData).
std::string annotation(const std::string& message) {
    std::string out;
    for (const char c : message)
        out += c == '%' ? "%25" : c == '\r' ? "%0D" : c == '\n' ? "%0A" : std::string(1, c);
    return out;
}

Result<void> check(const CheckOptions& o) {
    if (o.init)
        return init(o);
    TRY(const auto text, formats::read_text(o.budget));
    TRY(const auto limits, analyse::parse_budget(text, o.budget));
    const bool operations = analyse::needs_operations(limits);
    TRY(const auto report, document_of(o.file, operations));
    std::optional<nlohmann::ordered_json> baseline;
    if (!o.baseline.empty()) {
        TRY(baseline, document_of(o.baseline, operations));
    }
    TRY(const auto verdicts, analyse::check(limits, report, baseline ? &*baseline : nullptr, o.budget));
    bool met = true;
    for (const auto& v : verdicts) {
        met = met && v.met;
        std::cout << (v.met ? "met     " : "BROKEN  ") << v.detail << '\n';
        if (o.github && !v.met)
            std::cout << "::error title=Tilescope budget::" << annotation(v.detail) << '\n';
    }
    if (!o.junit.empty())
        TRY(write_output(o.junit, exports::junit(verdicts, o.budget)));
    if (!o.markdown.empty())
        TRY(write_output(o.markdown,
                         markdown(exports::verdict_page(verdicts, "Tilescope budget of " + o.file))));
    if (!o.benchmark.empty())
        TRY(write_output(o.benchmark, analyse::benchmark_list(verdicts).dump(2) + "\n"));
    if (!met)
        return Failure(Error{ErrorKind::NotMet, analyse::outcome(verdicts), o.file, {}});
    return {};
}

} // namespace

void add_check_command(CLI::App& program, Action& action) {
    auto options = std::make_shared<CheckOptions>();
    CLI::App* command = program.add_subcommand(
        "check", "Judge a profile by a budget (exit code 1: the run did not complete, or a limit is broken)");
    command->add_option("FILE", options->file, "Profile")->required();
    command->add_option("--budget", options->budget, "Budget file")->required()->type_name("FILE");
    command->add_option("--baseline", options->baseline, "Profile that relative limits compare with")
        ->type_name("BASE");
    command->add_option("--junit", options->junit, "Write the verdicts as JUnit XML")->type_name("FILE");
    command->add_option("--markdown", options->markdown, "Write the verdicts as Markdown")->type_name("FILE");
    command
        ->add_option("--benchmark", options->benchmark,
                     "Write the judged figures as a list of name, unit and value, for dashboards")
        ->type_name("FILE");
    command->add_flag("--github", options->github, "Print annotations for GitHub Actions");
    command->add_flag("--init", options->init,
                      "Write a new budget that the profile just meets, and judge nothing");
    command->footer("Examples:\n"
                    "  tilescope check run.tilescope --init --budget budget.json\n"
                    "  tilescope check run.tilescope --budget budget.json --baseline main.tilescope\n");
    command->callback([options, &action] { action = [options] { return check(*options); }; });
}

} // namespace tilescope::app
