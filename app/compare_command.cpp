// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/comparison.h"
#include "app/command.h"
#include "app/text_output.h"

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

namespace tilescope::app {
namespace {

struct CompareOptions {
    std::string base;
    std::string now;
    std::string format = "text";
};

std::string figure(const std::optional<double>& value, const std::string& unit) {
    if (!value)
        return "-";
    if (unit == "bytes")
        return bytes_text(*value);
    if (unit == "us")
        return microseconds_text(*value);
    return number_text(*value) + (unit == "cycles" || unit.empty() ? "" : " " + unit);
}

std::string change(const analyse::Difference& d) {
    const auto percent = d.percent();
    if (!percent)
        return d.change().value_or(1) == 0 ? "=" : "-";
    if (*percent == 0)
        return "=";
    char text[32];
    std::snprintf(text, sizeof text, "%+.1f %%", *percent);
    return text;
}

Result<void> compare(const CompareOptions& o) {
    const auto base = profile::Profile::open(o.base);
    if (!base)
        return Failure(base.error());
    const auto now = profile::Profile::open(o.now);
    if (!now)
        return Failure(now.error());
    const auto comparison = analyse::compare(**base, **now);
    if (!comparison)
        return Failure(comparison.error());
    if (o.format == "json") {
        std::cout << analyse::document(*comparison).dump(2) << '\n';
        return {};
    }
    TextTable headline({"figure", "base", "new", "change"}, {false, true, true, true});
    for (const auto& d : comparison->headline)
        headline.add({d.name, figure(d.base, d.unit), figure(d.now, d.unit), change(d)});
    headline.print(std::cout);
    std::cout << "\nLayers (one step)\n";
    TextTable layers({"  layer", "cycles", "new", "change", "memory", "new", "change"},
                     {false, true, true, true, true, true, true});
    for (const auto& l : comparison->layers)
        layers.add({"  " + l.name.substr(0, 32), figure(l.cycles.base, "cycles"),
                    figure(l.cycles.now, "cycles"), change(l.cycles), figure(l.memory.base, "bytes"),
                    figure(l.memory.now, "bytes"), change(l.memory)});
    layers.print(std::cout);
    for (const auto& [title, names] : {std::pair{"Added operations", &comparison->added_operations},
                                       std::pair{"Removed operations", &comparison->removed_operations}}) {
        if (names->empty())
            continue;
        std::cout << '\n' << title << '\n';
        for (const std::string& name : *names)
            std::cout << "  " << name << '\n';
    }
    return {};
}

} // namespace

void add_compare_command(CLI::App& program, Action& action) {
    auto options = std::make_shared<CompareOptions>();
    CLI::App* command = program.add_subcommand("compare", "Print how two profiles differ");
    command->add_option("BASE", options->base, "Profile to compare with")->required();
    command->add_option("NEW", options->now, "Profile to look at")->required();
    command->add_option("--format", options->format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->footer("Example:\n  tilescope compare yesterday.tilescope today.tilescope\n");
    command->callback([options, &action] { action = [options] { return compare(*options); }; });
}

} // namespace tilescope::app
