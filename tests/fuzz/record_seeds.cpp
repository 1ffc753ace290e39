// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/example_record.h"
#include "formats/record_file.h"
#include "tests/fuzz/seeds.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace tilescope::tests {
namespace {

std::string example(std::int64_t number) {
    return formats::write_example({{"label", std::vector<std::int64_t>{number, -1}},
                                   {"size", std::vector<float>{0.5F, 2.0F}},
                                   {"text", std::vector<std::string>{"one", ""}},
                                   {"none", {}}});
}

} // namespace

std::vector<Seed> example_seeds() {
    return {{"kinds", example(300)}, {"others", example(-1)}};
}

std::vector<Seed> record_seeds() {
    const std::string path = (std::filesystem::temp_directory_path() / "tilescope-seed.tfrecord").string();
    if (auto writer = formats::RecordWriter::create(path)) {
        for (const std::int64_t number : {1, 300})
            if (!writer->write(example(number)))
                return {};
        if (!writer->flush())
            return {};
    }
    std::ifstream file(path, std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    std::filesystem::remove(path);
    return {{"two", bytes}};
}

} // namespace tilescope::tests
