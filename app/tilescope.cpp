// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command.h"
#include "app/output_file.h"
#include "app/version.h"
#include "base/host_memory.h"
#include "base/nearest_name.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <malloc.h>
#include <new>
#include <string_view>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>

namespace {

using namespace tilescope;

int fail(const Error& error) {
    std::cout.flush();
    std::cerr << "tilescope: " << error.line() << '\n';
    return exit_code(error.kind);
}

/// CLI11's message as one line, with the nearest command or option for a name it does not know.
Error usage_error(const CLI::ParseError& error, const CLI::App& program, const std::string& first_argument) {
    Error result{ErrorKind::Usage, error.what(), {}, "see tilescope --help"};
    std::vector<std::string> names;
    for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    const auto chosen = program.get_subcommands();
    if (chosen.empty()) {
        if (!first_argument.empty() && first_argument[0] != '-')
            result.message = "there is no command \"" + first_argument + "\"";
        result.remedy = remedy_for(first_argument, names, result.remedy);
        return result;
    }
    const CLI::App& command = *chosen.front();
    result.remedy = "see tilescope " + command.get_name() + " --help";
    if (command.get_prefix_command()) // what is left is a script and its arguments
        return result;
    if (const std::vector<std::string> unknown = program.remaining(true); !unknown.empty()) {
        result.message = command.get_name() + " does not take " + unknown.front();
        std::vector<std::string> options;
        for (const CLI::Option* option : command.get_options())
            for (const std::string& name : option->get_lnames())
                options.push_back("--" + name);
        if (unknown.front().starts_with('-'))
            result.remedy = remedy_for(unknown.front(), options, result.remedy);
    }
    return result;
}

int run(int argc, char** argv) {
    CLI::App program{"Tilescope: profile models on simulated IPUs and read the profiles."};
    program.name("tilescope");
    program.set_version_flag("--version", std::string("tilescope ") + app::version);
    program.footer("Examples:\n"
                   "  tilescope profile samples/keras_mnist.json -o run.tilescope\n"
                   "  tilescope report run.tilescope\n"
                   "  tilescope compare base.tilescope run.tilescope\n"
                   "  tilescope check run.tilescope --budget budget.json\n");
    program.require_subcommand(1);
    app::Action action;
    app::add_profile_command(program, action);
    app::add_run_command(program, action);
    app::add_report_command(program, action);
    app::add_compare_command(program, action);
    app::add_history_command(program, action);
    app::add_check_command(program, action);
    app::add_trim_command(program, action);
    app::add_export_command(program, action);
    app::add_query_command(program, action);
    app::add_infer_command(program, action);
    app::add_summary_command(program, action);
    app::add_devices_command(program, action);
    app::add_monitor_command(program, action);
    app::add_completion_command(program, action);
    app::add_manual_command(program, action);
    try {
        program.parse(argc, argv);
    } catch (const CLI::Success& success) {
        return program.exit(success); // --help and --version
    } catch (const CLI::ParseError& error) {
        return fail(usage_error(error, program, argc > 1 ? argv[1] : ""));
    }
    const auto done = action();
    if (!done)
        return fail(done.error());
    if (const auto printed = app::finish_printing(); !printed)
        return fail(printed.error());
    return 0;
}

/// Memory that runs out where nobody can pass it on: in a thread of its own, or while another failure is on
/// its way.
std::terminate_handler terminate_otherwise = nullptr;
[[noreturn]] void on_terminate() {
    try {
        if (const std::exception_ptr thrown = std::current_exception())
            std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
        constexpr std::string_view line = "tilescope: the memory of this computer does not suffice\n";
        (void)!write(STDERR_FILENO, line.data(), line.size());
        _exit(exit_code(ErrorKind::System));
    } catch (...) { // a bug: what is known of it is said
        terminate_otherwise();
    }
    std::abort();
}

/// Threads cannot be started where the memory for their stacks is not there.
bool for_want_of_memory(const std::system_error& error) {
    return error.code() == std::errc::resource_unavailable_try_again ||
           error.code() == std::errc::not_enough_memory;
}

/// glibc gives each thread an arena of 64 MiB of addresses. Where these are limited (ulimit -v) it cannot,
/// and takes each allocation of a thread from the system.
void share_arena_where_addresses_are_limited() {
    rlimit addresses{};
    if (getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY)
        mallopt(M_ARENA_MAX, 1);
}

} // namespace

int main(int argc, char** argv) {
    share_arena_where_addresses_are_limited();
    terminate_otherwise = std::set_terminate(on_terminate);
    std::signal(SIGPIPE, SIG_IGN); // a reader that closes early ends the output, not the program
    std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error of writing, as a full disk is
    try {
        return run(argc, argv);
    } catch (const std::bad_alloc&) {
        return fail(host_memory_error());
    } catch (const std::system_error& error) {
        return fail(for_want_of_memory(error) ? host_memory_error()
                                              : Error{ErrorKind::System, error.what(), {}, {}});
    } catch (const std::exception& error) { // what users give is refused by a Result
        return fail({ErrorKind::System,
                     std::string("an error in tilescope itself: ") + error.what(),
                     {},
                     "report it with the command that led to it"});
    }
}
