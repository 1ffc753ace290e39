// SPDX-License-Identifier: GPL-3.0-or-later
/// What a script costs beside the same workload: the time of `tilescope run` of the Keras tutorial with a
/// loop on the device, by that of `tilescope profile` of samples/keras_mnist_faster.json, in turn.
///
///     bench_script [ROUNDS]    (default: 3)
#include "bench/table.h"
#include "build_paths.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;
using namespace tilescope;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(const std::string& arguments) {
    const std::string command = TILESCOPE_BIN_DIR "/tilescope " + arguments + " >/dev/null 2>&1";
    const auto begin = Clock::now();
    if (std::system(command.c_str()) != 0) {
        std::fprintf(stderr, "failed: %s\n", command.c_str());
        std::exit(1);
    }
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

} // namespace

int main(int argc, char** argv) {
    bench::Table table("script");
    const char* figure = "tilescope run, the Keras tutorial with a loop, 1 epoch";
    if (!fs::exists(TILESCOPE_BIN_DIR "/../python/modules")) {
        table.skipped(figure, "this build has no Python");
        return 0;
    }
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
    const fs::path folder = fs::temp_directory_path() / ("bench_script_" + std::to_string(getpid()));
    fs::create_directory(folder);
    const std::string to = " --overwrite -o '" + (folder / "run.tilescope").string() + "' ";
    std::vector<double> of_script;
    std::vector<double> of_workload;
    for (int round = 0; round < rounds; ++round) {
        of_script.push_back(
            seconds_of("run" + to + TILESCOPE_SOURCE_DIR "/bench/script/keras_mnist_faster.py 1"));
        of_workload.push_back(seconds_of("profile" + to +
                                         "--progress none --set fit.epochs=1 " TILESCOPE_SOURCE_DIR
                                         "/samples/keras_mnist_faster.json"));
    }
    fs::remove_all(folder);
    table.at_most(figure, median(of_script), "s", "profile", median(of_workload), 1.15);
    return table.exit_code();
}
