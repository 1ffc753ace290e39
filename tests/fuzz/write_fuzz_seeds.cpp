// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/imports.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

namespace {

namespace fs = std::filesystem;

/// Small files of ONNX's backend tests, where Debian's package libonnx-testdata is installed.
void copy_backend_tests(const fs::path& folder, const std::string& extension, std::uintmax_t most_bytes) {
    const fs::path data = "/usr/share/libonnx-testdata/data";
    if (!fs::exists(data))
        return;
    for (const auto& entry : fs::recursive_directory_iterator(data))
        if (entry.path().extension() == extension && entry.file_size() < most_bytes) {
            std::string name = fs::relative(entry.path(), data).string();
            std::replace(name.begin(), name.end(), '/', '-');
            fs::copy_file(entry.path(), folder / name, fs::copy_options::overwrite_existing);
        }
}

} // namespace

/// Writes the seeds of each import into a folder of its own, and a dictionary beside it where it has one:
/// DIR/onnx_model/…, DIR/onnx_model.dict.
int main(int argc, char** argv) try {
    using namespace tilescope::tests;
    if (argc != 2) {
        std::fputs("usage: write_fuzz_seeds DIR\n", stderr);
        return 2;
    }
    for (const Import& import : imports()) {
        const fs::path folder = fs::path(argv[1]) / import.name;
        fs::create_directories(folder);
        for (const Seed& seed : import.seeds())
            if (!(std::ofstream(folder / seed.name, std::ios::binary) << seed.bytes)) {
                std::fprintf(stderr, "cannot write %s\n", (folder / seed.name).c_str());
                return 5;
            }
    }
    const fs::path folder = argv[1];
    for (const Import& import : imports()) {
        if (import.words().empty())
            continue;
        std::ofstream dictionary(folder / (import.name + ".dict"));
        for (const std::string& word : import.words())
            dictionary << '"' << word << "\"\n";
    }
    copy_backend_tests(folder / "onnx_model", ".onnx", 2000);
    copy_backend_tests(folder / "onnx_tensor", ".pb", 100);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "write_fuzz_seeds: %s\n", error.what());
    return 5;
}
