// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command.h"
#include "app/recording_options.h"
#include "base/try.h"
#include "ipu/system.h"
#include "profile/writer_lock.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace tilescope::app {
namespace {

namespace fs = std::filesystem;

struct RunOptions {
    std::string output;
    std::string system;
    std::string data;
    std::vector<std::string> set;
    bool estimate = false;
    RecordingOptions recording;
    int replicas = 0;
    int instances = 0;
    std::string progress = "auto";
    std::vector<std::string> script; ///< and its arguments
    std::vector<std::string> own;    ///< the names of the options in front of it
};

/// The usual help, whose usage has what comes after the options.
class RunHelp : public CLI::Formatter {
  public:
    std::string make_usage(const CLI::App* command, std::string name) const override {
        std::string usage = Formatter::make_usage(command, std::move(name));
        usage.insert(usage.find_last_not_of('\n') + 1, " SCRIPT.py [ARGUMENTS]");
        return usage;
    }
};

#ifdef TILESCOPE_PYTHON

constexpr const char* runner = "modules/tilescope_run.py";

/// Where the Python modules lie: beside the programs of a build, or where they are installed.
Result<fs::path> modules_folder() {
    std::error_code failed;
    const fs::path programs = fs::read_symlink("/proc/self/exe", failed).parent_path();
    for (const char* const folder : {"../python", TILESCOPE_PYTHON_INSTALLED})
        if (fs::exists(programs / folder / runner, failed))
            return fs::canonical(programs / folder, failed);
    return system_failure("the Python modules are not where they belong", (programs / "../python").string(),
                          "install Tilescope again");
}

/// Whether a script's text names an option, or reads its arguments by itself.
bool may_take(const std::string& text, const std::string& option) {
    const std::string name = option.substr(2);
    for (const std::string& sign : {std::string("argv"), option, '"' + name + '"', '\'' + name + '\''})
        if (text.find(sign) != std::string::npos)
            return true;
    return false;
}

/// Tells of options of this command behind a script that seems to know nothing of them.
void note_options_behind(const RunOptions& o) {
    std::ifstream file(o.script.front());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::size_t i = 1; i < o.script.size() && o.progress != "none"; ++i) {
        const std::string name = o.script[i].substr(0, o.script[i].find('='));
        if (std::find(o.own.begin(), o.own.end(), name) != o.own.end() && !may_take(text, name))
            std::cerr << "tilescope: note: " << name
                      << " stands behind the script, so that it is an argument of the script: for tilescope, "
                         "put it in front\n";
    }
}

/// Becomes Python with the script: its output, its exit code and its signals are the command's.
Result<void> run_script(const RunOptions& o) {
    if (o.script.empty())
        return wrong_usage("run needs a script", {}, "for example: tilescope run script.py");
    const std::string& script = o.script.front();
    if (script.starts_with('-'))
        return wrong_usage("run does not take " + script, {}, "see tilescope run --help");
    std::error_code failed;
    if (!fs::is_regular_file(script, failed))
        return bad_input("there is no such script", script);
    const std::string output = o.output.empty() ? fs::path(script).stem().string() + ".tilescope" : o.output;
    // What the script's first program would end with, after all that the script does before.
    if (!o.system.empty())
        if (const auto system = ipu::find_system(o.system); !system) // a name that was typed
            return wrong_usage(system.error().message, "--system", system.error().remedy);
    TRY(profile::reserve(output)); // given back: it is the script that writes
    TRY(const auto folder, modules_folder());
    const char* from_environment = std::getenv("TILESCOPE_DATA");
    const nlohmann::json options{{"output", output},
                                 {"system", o.system},
                                 {"data_folder", !o.data.empty()               ? o.data
                                                 : from_environment != nullptr ? from_environment
                                                                               : ""},
                                 {"cache", o.recording.cache},
                                 {"label", o.recording.label},
                                 {"set", o.set},
                                 {"estimate", o.estimate},
                                 {"overwrite", o.recording.overwrite},
                                 {"replicas", o.replicas},
                                 {"instances", o.instances},
                                 {"progress", o.progress}};
    note_options_behind(o);
    setenv("TILESCOPE_RUN", options.dump().c_str(), 1);
    const std::string runner_path = (folder / runner).string();
    std::vector<char*> arguments;
    // Its own path: by a bare name Python would look for its library beside the first python3 on the PATH.
    for (const std::string& each : {std::string(TILESCOPE_PYTHON), runner_path})
        arguments.push_back(strdup(each.c_str()));
    for (const std::string& each : o.script)
        arguments.push_back(strdup(each.c_str()));
    arguments.push_back(nullptr);
    execv(TILESCOPE_PYTHON, arguments.data());
    return system_failure(std::string("Python cannot be started: ") + std::strerror(errno), TILESCOPE_PYTHON,
                          "install Debian's python3 and python3-numpy");
}

#else

Result<void> run_script(const RunOptions&) {
    return system_failure("this build has no Python", "tilescope run",
                          "install python3-dev, python3-numpy and pybind11-dev, and build again");
}

#endif

} // namespace

void add_run_command(CLI::App& program, Action& action) {
    auto options = std::make_shared<RunOptions>();
    CLI::App* command = program.add_subcommand(
        "run", "Run SCRIPT.py, for IPU TensorFlow, on simulated IPUs, and record its programs");
    command->add_option("-o,--output", options->output,
                        "Profile to write (default: SCRIPT's name + .tilescope)");
    command
        ->add_option(
            "--system", options->system,
            "System whose IPUs the script finds (default: the smallest that has as many as it asks for)")
        ->type_name("NAME");
    command->add_option("--set", options->set, "Override a key of the script's workloads: fit.batch_size=32")
        ->expected(1)
        ->allow_extra_args(false) // the script comes next
        ->take_all()
        ->type_name("KEY=VALUE");
    command->add_option("--data", options->data, "Folder with the data sets (default: $TILESCOPE_DATA)")
        ->type_name("DIR");
    command
        ->add_option(
            "--num-replicas", options->replicas,
            "Replicas that popdist tells the script of, of all instances together, as poprun's (default: as "
            "many as instances)")
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
    command
        ->add_option("--num-instances", options->instances,
                     "Processes that run the script, each with data and replicas of its own, as poprun's")
        ->check(CLI::Range(1, 64))
        ->type_name("N");
    command->add_flag("--estimate", options->estimate, "Compile and time without computing values");
    command->add_option("--progress", options->progress, "Of compilation: auto, plain or none")
        ->check(CLI::IsMember({"auto", "plain", "none"}))
        ->capture_default_str();
    add_recording_options(*command, options->recording);
    command->prefix_command();
    command->formatter(std::make_shared<RunHelp>());
    command->footer("What stands behind SCRIPT.py are arguments of the script.\n\nExamples:\n"
                    "  tilescope run script.py\n"
                    "  tilescope run --data datasets -o run.tilescope script.py --epochs 2\n");
    command->callback([command, options, &action] {
        options->script = command->remaining();
        for (const CLI::Option* option : command->get_options())
            for (const std::string& name : option->get_lnames())
                if (name != "help")
                    options->own.push_back("--" + name);
        action = [options] { return run_script(*options); };
    });
}

} // namespace tilescope::app
