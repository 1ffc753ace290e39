// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tilescope::app {

/// An option or argument of a command, as its help describes it.
struct OptionHelp {
    std::vector<std::string> names;  ///< "-o", "--output"; of an argument, its name alone
    std::string value;               ///< what it takes: "PATH", "N"; "" for a flag
    std::vector<std::string> values; ///< those it takes and no others, if they can be listed
    std::string description;
    std::string default_value;
    bool required = false;
    bool positional = false;
    bool repeated = false;
};

struct CommandHelp {
    std::string name;
    std::string description;
    std::string footer; ///< the examples
    std::vector<OptionHelp> options;
};

/// The commands of the program in the order of its help, without those that are hidden; first the program.
std::vector<CommandHelp> help_of(const CLI::App& program);

} // namespace tilescope::app
