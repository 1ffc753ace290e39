// SPDX-License-Identifier: GPL-3.0-or-later
/// How large the profile of each sample is, and what takes the room in that of BERT-Large over 64 IPUs:
/// beside the limit of 40 MB, and of 1.3 times that of one replica (8 IPUs) and of two.
///
///     bench_size [SAMPLE...]    (default: all)
#include "build_paths.h"
#include "profile/profile.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;

namespace {

bool all_kept = true;

/// Of the estimate of a sample; 0 where it does not compile.
double megabytes(const std::string& sample, const std::string& path, const std::string& settings = {}) {
    const std::string command = TILESCOPE_BIN_DIR "/tilescope profile '" TILESCOPE_SOURCE_DIR "/samples/" +
                                sample + ".json' --estimate --progress none -o '" + path + "' " + settings;
    if (std::system(command.c_str()) != 0)
        return 0;
    return static_cast<double>(fs::file_size(path)) / 1e6;
}

void row(const std::string& what, double value, double limit, const char* unit) {
    const bool kept = value > 0 && value <= limit;
    all_kept = all_kept && kept;
    std::printf("  %-44s %8.2f %-3s limit %6.1f%s\n", what.c_str(), value, unit, limit, kept ? "" : "  OVER");
}

/// By table and index, largest first; the sqlite3 program's own count.
void show_tables(const std::string& path) {
    const std::string command =
        "sqlite3 '" + path +
        "' \"SELECT printf('    %-42s %8.2f MB', name, sum(pgsize) / 1e6) FROM dbstat GROUP BY name ORDER BY "
        "sum(pgsize) DESC LIMIT 12\" 2>/dev/null";
    std::fflush(stdout);
    if (std::system(command.c_str()) != 0)
        std::printf("    (install sqlite3 to see its tables)\n");
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
        std::printf("  %-44s %8.2f MB\n", sample.c_str(), megabytes(sample, path));
    const std::string large = "bert_large_pod16";
    const double one = megabytes(large, path, "--set ipu_config.auto_select_ipus=8");
    const double two = megabytes(large, path);
    const double eight = megabytes(large, path,
                                   "--set system=pod64 --set ipu_config.auto_select_ipus=64 --set "
                                   "compile.steps_per_execution=1024");
    std::printf("BERT-Large\n  %-44s %8.2f MB\n  %-44s %8.2f MB\n", "8 IPUs, one replica", one,
                "16 IPUs, two replicas", two);
    row("64 IPUs, eight replicas", eight, 40, "MB");
    row("64 IPUs, by one replica", eight / one, 1.3, "");
    row("64 IPUs, by two replicas", eight / two, 1.3, "");
    show_tables(path);
    fs::remove_all(folder);
    return all_kept ? 0 : 1;
}
