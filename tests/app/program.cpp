// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/program.h"

#include "build_paths.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tilescope::tests {
namespace {

constexpr int not_started = 127; ///< as a shell says it
constexpr uid_t nobody = 65534;

void redirect(int descriptor, const std::string& path) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file < 0 || dup2(file, descriptor) < 0)
        _exit(not_started);
    close(file);
}

/// Turns this process, a child of the test, into the command.
[[noreturn]] void become(const Arguments& command, const Surroundings& in, const std::string& out,
                         const std::string& err) {
    redirect(STDOUT_FILENO, in.stdout_path.empty() ? out : in.stdout_path);
    redirect(STDERR_FILENO, err);
    unsetenv("TILESCOPE_DATA");
    for (const auto& [name, value] : in.environment)
        setenv(name.c_str(), value.c_str(), 1);
    if (in.largest_file) {
        const rlimit limit{*in.largest_file, *in.largest_file};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (in.most_memory) {
        const rlimit limit{*in.most_memory, *in.most_memory};
        setrlimit(RLIMIT_AS, &limit);
    }
    if (chdir(in.folder.c_str()) != 0 || (in.unprivileged && geteuid() == 0 && setuid(nobody) != 0))
        _exit(not_started);
    prctl(PR_SET_PDEATHSIG, SIGKILL); // which another user does not inherit
    std::vector<char*> arguments;
    for (const std::string& argument : command)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(not_started);
}

/// Makes the other user the owner of a folder and what is in it.
void give_away(const std::string& folder) {
    (void)!chown(folder.c_str(), nobody, static_cast<gid_t>(-1));
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        (void)!chown(entry.path().c_str(), nobody, static_cast<gid_t>(-1));
}

pid_t start(const Arguments& command, Surroundings surroundings, const TemporaryFolder& own) {
    if (surroundings.folder.empty())
        surroundings.folder = own.path().string();
    if (surroundings.unprivileged && geteuid() == 0)
        give_away(surroundings.folder);
    const pid_t pid = fork();
    if (pid == 0)
        become(command, surroundings, own / "stdout", own / "stderr");
    if (pid < 0)
        throw std::runtime_error("no process can be started");
    return pid;
}

int exit_code_of(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

Program::Program(const Arguments& arguments, const Surroundings& surroundings) {
    Arguments command{path_of_tilescope()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    pid_ = start(command, surroundings, folder_);
}

Program::~Program() {
    if (!running_)
        return;
    kill(pid_, SIGKILL);
    ended(0);
}

bool Program::ended(int options) {
    if (running_ && waitpid(pid_, &status_, options) == pid_)
        running_ = false;
    return !running_;
}

bool Program::says(const std::string& text, std::chrono::seconds patience) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < until) {
        for (const char* stream : {"stdout", "stderr"})
            if (read_file(folder_ / stream).find(text) != std::string::npos)
                return true;
        if (ended(WNOHANG))
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
}

void Program::signal(int number) const {
    kill(pid_, number);
}

Outcome Program::wait() {
    ended(0);
    return {exit_code_of(status_), read_file(folder_ / "stdout"), read_file(folder_ / "stderr")};
}

Outcome tilescope(const Arguments& arguments, const Surroundings& surroundings) {
    return Program(arguments, surroundings).wait();
}

Outcome run_program(const Arguments& command) {
    const TemporaryFolder own;
    int status = 0;
    waitpid(start(command, {}, own), &status, 0);
    return {exit_code_of(status), read_file(own / "stdout"), read_file(own / "stderr")};
}

std::string path_of_tilescope() {
    const char* installed = std::getenv("TILESCOPE_TEST_PROGRAM"); // tests/install
    return installed == nullptr ? TILESCOPE_BIN_DIR "/tilescope" : installed;
}

std::string sample(const std::string& name) {
    return TILESCOPE_SOURCE_DIR "/samples/" + name + ".json";
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace tilescope::tests
