// SPDX-License-Identifier: GPL-3.0-or-later
/// How large the profile of each sample is, and what takes the room in that of BERT-Large over 64 IPUs:
/// beside the limit of 40 MB, and of 1.3 times that of one replica (8 IPUs) and of two.
///
///     bench_size [SAMPLE...]    (default: all)
#include "bench/table.h"
#include "build_paths.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;
using namespace tilescope;

namespace {

bench::Table table("size");

/// Of the estimate of a sample.
double megabytes(const std::string& sample, const std::string& path, const std::string& settings = {}) {
    const std::string command = TILESCOPE_BIN_DIR "/tilescope profile '" TILESCOPE_SOURCE_DIR "/samples/" +
                                sample + ".json' --estimate --progress none -o '" + path + "' " + settings;
    if (std::system(command.c_str()) != 0)
        std::exit(1); // it has said why
    return static_cast<double>(fs::file_size(path)) / 1e6;
}

/// By table and index, largest first; the sqlite3 program's own count.
void show_tables(const std::string& path) {
    const std::string command =
        "sqlite3 '" + path +
        "' \"SELECT printf('  (%-42s %8.2f MB)', name, sum(pgsize) / 1e6) FROM dbstat GROUP BY name ORDER BY "
        "sum(pgsize) DESC LIMIT 12\" 1>&2 2>/dev/null";
    if (std::system(command.c_str()) != 0)
        std::fprintf(stderr, "  (install sqlite3 to see its tables)\n");
}

} // namespace

int main(int argc, char** argv) {
    std::vector<std::string> samples(argv + 1, argv + argc);
    if (samples.empty())
        for (const auto& entry : fs::directory_iterator(TILESCOPE_SOURCE_DIR "/samples"))
            if (entry.path().extension() == ".json")
                samples.push_back(entry.path().stem().string());
    std::sort(samples.begin(), samples.end());
    const fs::path folder = fs::temp_directory_path() / ("bench_size_" + std::to_string(getpid()));
    fs::create_directory(folder);
    const std::string path = (folder / "run.tilescope").string();
    for (const std::string& sample : samples)
        std::fprintf(stderr, "  (%s: %.2f MB)\n", sample.c_str(), megabytes(sample, path));
    const std::string large = "bert_large_pod16_grouped";
    const double one = megabytes(large, path, "--set ipu_config.auto_select_ipus=8");
    const double two = megabytes(large, path);
    const double eight = megabytes(large, path,
                                   "--set system=pod64 --set ipu_config.auto_select_ipus=64 --set "
                                   "compile.steps_per_execution=1024");
    constexpr double growth = 1.3; // what replicas may add
    table.at_most("BERT-Large, 64 IPUs", eight, "MB", 40);
    table.at_most("BERT-Large, 8 replicas by 1.3 times one", eight, "MB", growth * one);
    table.at_most("BERT-Large, 8 replicas by 1.3 times two", eight, "MB", growth * two);
    show_tables(path);
    fs::remove_all(folder);
    return table.exit_code();
}
