// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command.h"
#include "app/command_help.h"
#include "app/output_file.h"
#include "app/version.h"
#include "base/nearest_name.h"
#include "base/try.h"

#include <array>
#include <iostream>

namespace tilescope::app {
namespace {

constexpr std::array exit_codes{
    std::pair{0, "done"},
    std::pair{1, "a limit or an expected value is not met, or training diverged"},
    std::pair{2, "wrong usage"},
    std::pair{3, "bad input: a file that is missing, damaged or mistaken"},
    std::pair{4, "out of memory: the program does not fit the tiles; the profile is written"},
    std::pair{5, "anything else: a run that was cancelled, a full disk"},
};

/// Text as roff takes it literally.
std::string roff(const std::string& text) {
    std::string escaped;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool line_begins = i == 0 || text[i - 1] == '\n';
        if (line_begins && (text[i] == '.' || text[i] == '\''))
            escaped += "\\&";
        if (text[i] == '\\')
            escaped += "\\e";
        else if (text[i] == '-')
            escaped += "\\-";
        else
            escaped += text[i];
    }
    return escaped;
}

std::string page_name(const CommandHelp& program, const CommandHelp& command) {
    return &program == &command ? program.name : program.name + "-" + command.name;
}

std::string argument(const OptionHelp& option) {
    return "\\fI" + roff(option.names.front()) + "\\fR";
}

std::string synopsis(const CommandHelp& program, const CommandHelp& command, bool has_commands) {
    std::string text = "\\fB" + roff(program.name) + "\\fR";
    if (&program != &command)
        text += " \\fB" + roff(command.name) + "\\fR";
    text += " [\\fIoptions\\fR]";
    if (has_commands)
        text += " \\fIcommand\\fR \\&...";
    for (const OptionHelp& option : command.options)
        if (option.positional)
            text += (option.required ? " " : " [") + argument(option) + (option.repeated ? " \\&..." : "") +
                    (option.required ? "" : "]");
    return text;
}

std::string values_text(const OptionHelp& option) {
    std::string text;
    for (const std::string& value : option.values)
        text += (text.empty() ? "" : ", ") + value;
    return text;
}

void print(const OptionHelp& option, std::ostream& out) {
    out << ".TP\n";
    for (std::size_t i = 0; i < option.names.size(); ++i)
        out << (i > 0 ? ", " : "") << (option.positional ? "\\fI" : "\\fB") << roff(option.names[i])
            << "\\fR";
    if (!option.positional && !option.value.empty())
        out << " \\fI" << roff(option.value) << "\\fR";
    out << '\n' << roff(option.description);
    if (!option.values.empty() && option.description.find(option.values.back()) == std::string::npos)
        out << ": " << roff(values_text(option));
    if (!option.default_value.empty())
        out << ". Default: " << roff(option.default_value);
    out << '\n';
}

void print_options(const CommandHelp& command, std::ostream& out) {
    bool headed = false;
    for (const bool positional : {true, false})
        for (const OptionHelp& option : command.options)
            if (option.positional == positional) {
                if (!headed)
                    out << ".SH OPTIONS\n";
                headed = true;
                print(option, out);
            }
}

/// The footer of a help is a heading and lines that are indented.
void print_examples(const std::string& footer, std::ostream& out) {
    const std::size_t begin = footer.find("\n  ");
    if (begin == std::string::npos)
        return;
    out << ".SH EXAMPLES\n.nf\n" << roff(footer.substr(begin + 1)) << "\n.fi\n";
}

void print_page(const std::vector<CommandHelp>& commands, const CommandHelp& command, std::ostream& out) {
    const CommandHelp& program = commands.front();
    const bool whole = &command == &program;
    const std::string name = page_name(program, command);
    out << ".TH \"" << name << "\" 1 \"\" \"Tilescope " << roff(version) << "\" \"Tilescope\"\n"
        << ".SH NAME\n"
        << roff(name) << " \\- " << roff(command.description) << '\n'
        << ".SH SYNOPSIS\n"
        << synopsis(program, command, whole) << '\n';
    if (whole) {
        out << ".SH COMMANDS\n";
        for (std::size_t i = 1; i < commands.size(); ++i)
            out << ".TP\n\\fB" << roff(page_name(program, commands[i])) << "\\fR(1)\n"
                << roff(commands[i].description) << '\n';
    }
    print_options(command, out);
    print_examples(command.footer, out);
    out << ".SH EXIT STATUS\n";
    for (const auto& [code, meaning] : exit_codes)
        out << ".TP\n" << code << '\n' << roff(meaning) << '\n';
    out << ".SH SEE ALSO\n\\fB" << (whole ? "tilescope\\-gui" : "tilescope") << "\\fR(1)\n";
}

Result<void> print_manual(const CLI::App& program, const std::string& name) {
    const std::vector<CommandHelp> commands = help_of(program);
    std::vector<std::string> names;
    for (const CommandHelp& command : commands) {
        if (command.name == name || (name.empty() && &command == &commands.front())) {
            print_page(commands, command, std::cout);
            return {};
        }
        names.push_back(command.name);
    }
    return wrong_usage("there is no command \"" + name + "\"", "manual",
                       remedy_for(name, names, "see tilescope --help"));
}

/// NAME.1 for the program and each command.
Result<void> write_manual(const CLI::App& program, const std::string& folder) {
    const std::vector<CommandHelp> commands = help_of(program);
    for (const CommandHelp& command : commands) {
        const std::string path = folder + "/" + page_name(commands.front(), command) + ".1";
        TRY(write_output(path, [&](std::ostream& out) -> Result<void> {
            print_page(commands, command, out);
            return {};
        }));
    }
    return {};
}

} // namespace

void add_manual_command(CLI::App& program, Action& action) {
    auto name = std::make_shared<std::string>();
    auto folder = std::make_shared<std::string>();
    CLI::App* command = program.add_subcommand("manual", "Print a manual page, as man reads it");
    CLI::Option* one = command->add_option("COMMAND", *name, "Whose page; the program's if none is given");
    command->add_option("--all", *folder, "Write all pages into DIR instead")
        ->type_name("DIR")
        ->excludes(one);
    command->footer("Examples:\n  tilescope manual profile | man -l -\n  tilescope manual > tilescope.1\n");
    command->callback([name, folder, &program, &action] {
        action = [name, folder, &program] {
            return folder->empty() ? print_manual(program, *name) : write_manual(program, *folder);
        };
    });
}

} // namespace tilescope::app
