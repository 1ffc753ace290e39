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
    bool force = false;

    /// The options that name a file to write, and those files.
    std::vector<std::pair<const char*, std::string>> outputs() const {
        return {{"--junit", junit}, {"--markdown", markdown}, {"--benchmark", benchmark}};
    }
};

/// A profile and all its figures.
struct Judged {
    std::unique_ptr<profile::Profile> profile;
    analyse::Summary summary;
    nlohmann::ordered_json report;
};

Result<Judged> read(const std::string& path, bool operations) {
    TRY(auto profile, profile::Profile::open(path));
    TRY(auto summary, analyse::summarise(*profile));
    auto document = analyse::document(summary);
    if (operations) {
        TRY(const auto costs, analyse::Costs::read(*profile));
        TRY(const auto figures, analyse::operation_figures(*profile, costs));
        document["operations"] = analyse::document(figures, costs);
    }
    return Judged{std::move(profile), std::move(summary), std::move(document)};
}

/// What is judged stays.
Result<void> check_outputs(const CheckOptions& o) {
    std::error_code unknown;
    for (const auto& [option, output] : o.outputs())
        for (const auto& [what, input] :
             {std::pair("the profile that is judged", o.file), std::pair("the baseline", o.baseline),
              std::pair("the budget", o.budget)})
            if (std::filesystem::equivalent(output, input, unknown))
                return wrong_usage(std::string(option) + " is " + what, output, "name another file");
    return {};
}

/// Writes a budget that the profile just meets.
Result<void> init(const CheckOptions& o) {
    TRY(const auto judged, read(o.file, false));
    const profile::RunRecord& run = judged.summary.run;
    if (const std::string why = analyse::why_incomplete(run.status, run.error, run.trimmed); !why.empty())
        return bad_input(why + ", and only a complete one can set limits", o.file,
                         "record a profile that is complete");
    if (o.budget != "-" && std::filesystem::exists(o.budget))
        return bad_input("the budget is there already", o.budget, "give another name");
    return write_output(o.budget, analyse::budget_of(judged.report).dump(2) + "\n");
}

/// A message as GitHub's workflow commands take it (docs.github.com, "Workflow commands", toolkit's
/// escapeData).
std::string annotation(const std::string& message) {
    std::string out;
    for (const char c : message)
        out += c == '%' ? "%25" : c == '\r' ? "%0D" : c == '\n' ? "%0A" : std::string(1, c);
    return out;
}

/// In text, and as GitHub's annotations; whether all are met.
bool print(const std::vector<analyse::Verdict>& verdicts, bool github) {
    bool met = true;
    for (const auto& v : verdicts) {
        met = met && v.met;
        std::cout << (v.met ? "met     " : "BROKEN  ") << v.detail << '\n';
        if (!v.cause.empty())
            std::cout << "        likely cause: " << v.cause << '\n';
        if (github && !v.met)
            std::cout << "::error title=Tilescope budget::"
                      << annotation(v.detail + (v.cause.empty() ? "" : "\nlikely cause: " + v.cause)) << '\n';
    }
    return met;
}

/// An empty list begins as others do, for it may take the place of one.
std::string benchmark_text(const std::vector<analyse::Verdict>& verdicts) {
    const auto list = analyse::benchmark_list(verdicts);
    return list.empty() ? "[\n]\n" : list.dump(2) + "\n";
}

exports::JunitSuite suite_of(const CheckOptions& o, const Judged& judged) {
    const profile::RunRecord& run = judged.summary.run;
    const auto progress = judged.profile->progress();
    return {run.name, o.budget, o.file, run.started_unix_ms, progress ? progress->elapsed_ms : 0};
}

struct Against {
    Judged base;
    analyse::Comparison comparison;
};

Result<std::optional<Against>> baseline_of(const CheckOptions& o, bool operations, const Judged& judged) {
    if (o.baseline.empty())
        return std::optional<Against>();
    TRY(auto base, read(o.baseline, operations));
    TRY(auto comparison, analyse::compare(*base.profile, *judged.profile));
    return std::optional(Against{std::move(base), std::move(comparison)});
}

Result<void> check(const CheckOptions& o) {
    if (o.init)
        return init(o);
    TRY(check_outputs(o));
    TRY(const auto text, formats::read_text(o.budget));
    TRY(const auto limits, analyse::parse_budget(text, o.budget));
    const bool operations = analyse::needs_operations(limits);
    TRY(const auto judged, read(o.file, operations));
    TRY(const auto against, baseline_of(o, operations, judged));
    const analyse::Comparison* comparison = against ? &against->comparison : nullptr;
    const auto baseline =
        against ? std::optional(analyse::Baseline{against->base.report, against->comparison}) : std::nullopt;
    TRY(auto verdicts, analyse::check(limits, judged.report, baseline ? &*baseline : nullptr, o.budget));
    TRY(analyse::explain(verdicts, *judged.profile, judged.summary, comparison));
    const bool met = print(verdicts, o.github);
    const auto replace = o.force ? exports::Replace::Any : exports::Replace::SameKind;
    if (!o.junit.empty())
        TRY(write_output(o.junit, exports::junit(verdicts, suite_of(o, judged)), replace));
    if (!o.markdown.empty())
        TRY(write_output(o.markdown, markdown(exports::verdict_page(verdicts, o.file)), replace));
    if (!o.benchmark.empty())
        TRY(write_output(o.benchmark, benchmark_text(verdicts), replace));
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
    command->add_flag("--force", options->force, "Replace any file that is there");
    command->add_flag("--init", options->init,
                      "Write a new budget that the profile just meets, and judge nothing");
    command->footer("Examples:\n"
                    "  tilescope check run.tilescope --init --budget budget.json\n"
                    "  tilescope check run.tilescope --budget budget.json --baseline main.tilescope\n");
    command->callback([options, &action] { action = [options] { return check(*options); }; });
}

} // namespace tilescope::app
