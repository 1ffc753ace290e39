// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/comparison.h"
#include "app/command.h"
#include "app/output_file.h"
#include "base/try.h"
#include "export/page.h"

#include <filesystem>
#include <nlohmann/json.hpp>

namespace tilescope::app {
namespace {

struct CompareOptions {
    std::string base;
    std::string now;
    std::string format = "text";
    std::vector<std::string> fail_on;
};

std::string name_of(const std::string& path) {
    return std::filesystem::path(path).stem().string();
}

/// What of `--fail-on` is the case, as one line.
Result<void> judge(const CompareOptions& o, const analyse::Comparison& c) {
    std::string broken;
    const auto add = [&](const std::string& text) { broken += (broken.empty() ? "" : ", ") + text; };
    for (const auto& [path, run] : {std::pair{o.base, c.base}, std::pair{o.now, c.now}})
        if (!o.fail_on.empty() && run.status != profile::RunStatus::Complete)
            add(name_of(path) + " is " + profile::to_string(run.status));
    for (const std::string& what : o.fail_on) {
        if (what == "slower" && analyse::grew(c, "step time"))
            add("a step takes longer");
        if (what == "larger" && analyse::grew(c, "fullest tile with gaps"))
            add("the fullest tile needs more memory");
        if (what == "any" && analyse::differ(c))
            add("the profiles differ");
    }
    return broken.empty() ? Result<void>() : Failure(Error{ErrorKind::NotMet, broken, o.now, {}});
}

Result<void> compare(const CompareOptions& o) {
    TRY(const auto base, profile::Profile::open(o.base));
    TRY(const auto now, profile::Profile::open(o.now));
    TRY(const auto comparison, analyse::compare(*base, *now));
    if (o.format == "json") {
        TRY(write_output("-", analyse::document(comparison).dump(2) + "\n"));
    } else {
        const exports::Page page = exports::comparison_page(comparison, name_of(o.base), name_of(o.now));
        TRY(write_output("-", o.format == "markdown" ? markdown(page)
                              : o.format == "html"   ? html(page)
                                                     : text(page)));
    }
    return judge(o, comparison);
}

} // namespace

void add_compare_command(CLI::App& program, Action& action) {
    auto options = std::make_shared<CompareOptions>();
    CLI::App* command = program.add_subcommand("compare", "Print how two profiles differ, and why");
    command->add_option("BASE", options->base, "Profile to compare with")->required();
    command->add_option("NEW", options->now, "Profile to look at")->required();
    command->add_option("--format", options->format, "text, json, markdown or html")
        ->check(CLI::IsMember({"text", "json", "markdown", "html"}))
        ->capture_default_str();
    command
        ->add_option(
            "--fail-on", options->fail_on,
            "End with code 1 where the new run is slower, larger, or differs in anything, or where one of "
            "them did not complete; may be repeated")
        ->check(CLI::IsMember({"slower", "larger", "any"}));
    command->footer(
        "Examples:\n  tilescope compare yesterday.tilescope today.tilescope\n"
        "  tilescope compare yesterday.tilescope today.tilescope --format markdown\n"
        "  tilescope compare main.tilescope branch.tilescope --fail-on slower --fail-on larger\n");
    command->callback([options, &action] { action = [options] { return compare(*options); }; });
}

} // namespace tilescope::app
