// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/seeds.h"

#include <array>
#include <zlib.h>

namespace tilescope::tests {
namespace {

/// The bytes of an IDX file with these extents (yann.lecun.com/exdb/mnist, "The IDX file format").
std::string idx(const std::vector<int>& extents) {
    std::string bytes{'\0', '\0', '\x08', static_cast<char>(extents.size())};
    int count = 1;
    for (const int extent : extents) {
        bytes += std::string(3, '\0') + static_cast<char>(extent);
        count *= extent;
    }
    for (int i = 0; i < count; ++i)
        bytes += static_cast<char>(i);
    return bytes;
}

std::string gzip(const std::string& bytes) {
    z_stream stream{};
    constexpr int gzip_format = 15 + 16; // zlib.h, deflateInit2
    deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_format, 8, Z_DEFAULT_STRATEGY);
    std::array<char, 4096> out{};
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = out.size();
    deflate(&stream, Z_FINISH);
    deflateEnd(&stream);
    return {out.data(), stream.total_out};
}

} // namespace

std::vector<Seed> idx_seeds() {
    return {{"images", idx({3, 4, 5})},
            {"labels", idx({7})},
            {"images.gz", gzip(idx({3, 4, 5}))},
            {"labels.gz", gzip(idx({7}))}};
}

} // namespace tilescope::tests
