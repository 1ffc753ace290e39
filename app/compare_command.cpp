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
};

Result<void> compare(const CompareOptions& o) {
    TRY(const auto base, profile::Profile::open(o.base));
    TRY(const auto now, profile::Profile::open(o.now));
    TRY(const auto comparison, analyse::compare(*base, *now));
    if (o.format == "json")
        return write_output("-", analyse::document(comparison).dump(2) + "\n");
    const auto name = [](const std::string& path) { return std::filesystem::path(path).stem().string(); };
    const exports::Page page = exports::comparison_page(comparison, name(o.base), name(o.now));
    return write_output("-", o.format == "markdown" ? markdown(page) : text(page));
}

} // namespace

void add_compare_command(CLI::App& program, Action& action) {
    auto options = std::make_shared<CompareOptions>();
    CLI::App* command = program.add_subcommand("compare", "Print how two profiles differ");
    command->add_option("BASE", options->base, "Profile to compare with")->required();
    command->add_option("NEW", options->now, "Profile to look at")->required();
    command->add_option("--format", options->format, "text, json or markdown")
        ->check(CLI::IsMember({"text", "json", "markdown"}))
        ->capture_default_str();
    command->footer("Examples:\n  tilescope compare yesterday.tilescope today.tilescope\n"
                    "  tilescope compare yesterday.tilescope today.tilescope --format markdown\n");
    command->callback([options, &action] { action = [options] { return compare(*options); }; });
}

} // namespace tilescope::app
