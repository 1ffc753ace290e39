// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/temporary_folder.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tilescope::tests {

using Arguments = std::vector<std::string>;

/// What a program that ended left behind.
struct Outcome {
    int exit_code = -1; ///< 128 + number of the signal that ended it, as a shell counts
    std::string out;
    std::string err;
};

/// Where a program runs.
struct Surroundings {
    std::string folder;                             ///< working folder; "" for the test's own
    std::map<std::string, std::string> environment; ///< added; TILESCOPE_DATA is unset otherwise
    std::string stdout_path;                        ///< "" for a file that Outcome::out is read from
    std::optional<std::size_t> largest_file;        ///< bytes, as `ulimit -f` sets it
    std::optional<std::size_t> most_memory = {};    ///< bytes of addresses, as `ulimit -v` sets it
    bool unprivileged = false;                      ///< as another user where the test runs as root
};

/// The real program `tilescope`, started as a process of its own; killed with the test.
class Program {
  public:
    explicit Program(const Arguments& arguments, const Surroundings& surroundings = {});
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    /// Whether stdout or stderr holds `text` within `patience`, before the program ends.
    bool says(const std::string& text, std::chrono::seconds patience = std::chrono::seconds(60));
    void signal(int number) const;
    Outcome wait();

  private:
    bool ended(int options); ///< of waitpid
    const TemporaryFolder folder_;
    pid_t pid_ = -1;
    int status_ = 0;
    bool running_ = true;
};

/// Runs `tilescope ARGUMENTS...` to its end.
Outcome tilescope(const Arguments& arguments, const Surroundings& surroundings = {});

/// Another program of the machine, found along PATH: "python3", "ldd". The exit code is 127 where it is not
/// there.
Outcome run_program(const Arguments& command);

/// The program of the build, or the one that TILESCOPE_TEST_PROGRAM names: an installed one.
std::string path_of_tilescope();
std::string sample(const std::string& name); ///< path of samples/NAME.json
std::string read_file(const std::string& path);

} // namespace tilescope::tests
