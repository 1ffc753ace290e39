// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_help.h"

#include <algorithm>

namespace tilescope::app {
namespace {

/// "TEXT:{text,json}" is what CLI11 makes of an option of which the values are known.
void split_values(OptionHelp& option) {
    const std::size_t open = option.value.find('{');
    if (open == std::string::npos)
        return;
    std::string list = option.value.substr(open + 1);
    list = list.substr(0, list.find('}'));
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        option.values.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    option.value.erase(open > 0 && option.value[open - 1] == ':' ? open - 1 : open);
}

OptionHelp help_of(const CLI::Option& option) {
    OptionHelp help;
    for (const std::string& name : option.get_snames())
        help.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames())
        help.names.push_back("--" + name);
    help.positional = option.get_positional();
    if (help.positional)
        help.names = {option.get_name(true)};
    if (option.get_items_expected_max() > 0)
        help.value = option.get_type_name();
    split_values(help);
    help.description = option.get_description();
    help.default_value = option.get_default_str();
    help.required = option.get_required();
    help.repeated =
        option.get_expected_max() > 1 || option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    return help;
}

CommandHelp help_of_one(const CLI::App& command) {
    CommandHelp help{command.get_name(), command.get_description(), command.get_footer(), {}};
    for (const CLI::Option* option : command.get_options())
        help.options.push_back(help_of(*option));
    return help;
}

} // namespace

std::vector<CommandHelp> help_of(const CLI::App& program) {
    std::vector<CommandHelp> commands{help_of_one(program)};
    for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
        if (!command->get_group().empty())
            commands.push_back(help_of_one(*command));
    return commands;
}

} // namespace tilescope::app
