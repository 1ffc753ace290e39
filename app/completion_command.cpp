// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command.h"
#include "app/command_help.h"

#include <algorithm>
#include <iostream>

namespace tilescope::app {
namespace {

using Commands = std::vector<CommandHelp>;

/// Within single quotes of a shell.
std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text)
        result += c == '\'' ? "'\\''" : std::string(1, c);
    return result + "'";
}

std::string joined(const std::vector<std::string>& words, const std::string& between = " ") {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : between) + word;
    return text;
}

std::vector<std::string> names_of(const Commands& commands) {
    std::vector<std::string> names;
    for (std::size_t i = 1; i < commands.size(); ++i)
        names.push_back(commands[i].name);
    return names;
}

std::vector<std::string> options_of(const CommandHelp& command) {
    std::vector<std::string> names;
    for (const OptionHelp& option : command.options)
        if (!option.positional)
            names.insert(names.end(), option.names.begin(), option.names.end());
    return names;
}

bool takes_directory(const OptionHelp& option) {
    return option.value == "DIR";
}

bool takes_file(const OptionHelp& option) {
    return option.value == "PATH" || option.value == "FILE" || option.value == "TEXT";
}

/// Names of options, then what is completed after each.
void print_bash(const Commands& commands) {
    std::cout << "# bash completion of tilescope\n"
                 "_tilescope() {\n"
                 "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                 "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                 "        COMPREPLY=($(compgen -W "
              << quoted(joined(names_of(commands)) + " " + joined(options_of(commands.front())))
              << " -- \"$word\"))\n"
                 "        return\n"
                 "    fi\n"
                 "    local options=''\n"
                 "    case ${COMP_WORDS[1]} in\n";
    for (std::size_t i = 1; i < commands.size(); ++i) {
        const CommandHelp& command = commands[i];
        std::cout << "    " << command.name << ")\n"
                  << "        options=" << quoted(joined(options_of(command))) << "\n"
                  << "        case $before in\n";
        for (const OptionHelp& option : command.options) {
            if (option.positional || option.value.empty())
                continue;
            std::cout << "        " << joined(option.names, " | ") << ") ";
            if (!option.values.empty())
                std::cout << "COMPREPLY=($(compgen -W " << quoted(joined(option.values))
                          << " -- \"$word\")); return ;;\n";
            else
                std::cout << (takes_directory(option) ? "COMPREPLY=($(compgen -d -- \"$word\")); "
                              : takes_file(option)    ? "COMPREPLY=($(compgen -f -- \"$word\")); "
                                                      : "")
                          << "return ;;\n";
        }
        std::cout << "        esac\n        ;;\n";
    }
    std::cout << "    esac\n"
                 "    case $word in\n"
                 "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
                 "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
                 "    esac\n"
                 "}\n"
                 "complete -o filenames -F _tilescope tilescope\n";
}

/// Of an option's description, what zsh's _arguments takes between brackets.
std::string zsh_text(const std::string& text) {
    std::string result;
    for (const char c : text)
        result += c == '[' || c == ']' || c == ':' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
    return result;
}

std::string zsh_value(const OptionHelp& option) {
    if (option.value.empty())
        return {};
    if (!option.values.empty())
        return ":" + option.value + ":(" + joined(option.values) + ")";
    return ":" + option.value +
           (takes_directory(option) ? ":_files -/"
            : takes_file(option)    ? ":_files"
                                    : ": ");
}

void print_zsh(const Commands& commands) {
    std::cout << "#compdef tilescope\n"
                 "# zsh completion of tilescope\n"
                 "_tilescope() {\n"
                 "    if (( CURRENT == 2 )); then\n"
                 "        local -a commands=(\n";
    for (std::size_t i = 1; i < commands.size(); ++i)
        std::cout << "            " << quoted(commands[i].name + ":" + zsh_text(commands[i].description))
                  << '\n';
    std::cout << "        )\n"
                 "        _describe command commands\n"
                 "        return\n"
                 "    fi\n"
                 "    shift words; (( CURRENT-- ))\n"
                 "    case $words[1] in\n";
    for (std::size_t i = 1; i < commands.size(); ++i) {
        std::cout << "    " << commands[i].name << ")\n        _arguments -s";
        for (const OptionHelp& option : commands[i].options) {
            if (option.positional)
                continue;
            for (const std::string& name : option.names)
                std::cout << " \\\n            "
                          << quoted((option.repeated ? "*" : "") + name + "[" + zsh_text(option.description) +
                                    "]" + zsh_value(option));
        }
        std::cout << " \\\n            '*:file:_files' ;;\n";
    }
    std::cout << "    esac\n"
                 "}\n"
                 "_tilescope \"$@\"\n";
}

void print_fish(const Commands& commands) {
    std::cout << "# fish completion of tilescope\n";
    for (std::size_t i = 1; i < commands.size(); ++i) {
        const CommandHelp& command = commands[i];
        std::cout << "complete -c tilescope -n __fish_use_subcommand -f -a " << command.name << " -d "
                  << quoted(command.description) << '\n';
        for (const OptionHelp& option : command.options) {
            if (option.positional)
                continue;
            std::cout << "complete -c tilescope -n " << quoted("__fish_seen_subcommand_from " + command.name);
            for (const std::string& name : option.names)
                std::cout << (name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1));
            if (!option.values.empty())
                std::cout << " -x -a " << quoted(joined(option.values));
            else if (takes_directory(option))
                std::cout << " -x -a '(__fish_complete_directories)'";
            else if (!option.value.empty())
                std::cout << (takes_file(option) ? " -r -F" : " -x");
            std::cout << " -d " << quoted(option.description) << '\n';
        }
    }
}

} // namespace

void add_completion_command(CLI::App& program, Action& action) {
    auto shell = std::make_shared<std::string>();
    CLI::App* command =
        program.add_subcommand("completion", "Print what makes a shell complete commands and options");
    command->add_option("SHELL", *shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    command->footer("Examples:\n"
                    "  source <(tilescope completion bash)\n"
                    "  tilescope completion zsh > ~/.zfunc/_tilescope\n"
                    "  tilescope completion fish > ~/.config/fish/completions/tilescope.fish\n");
    command->callback([shell, &program, &action] {
        action = [shell, &program]() -> Result<void> {
            const Commands commands = help_of(program);
            if (*shell == "bash")
                print_bash(commands);
            else if (*shell == "zsh")
                print_zsh(commands);
            else
                print_fish(commands);
            return {};
        };
    });
}

} // namespace tilescope::app
