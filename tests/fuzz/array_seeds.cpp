// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/array_file.h"
#include "tests/fuzz/seeds.h"

#include <cstddef>
#include <sstream>

namespace tilescope::tests {
namespace {

std::string npy(const std::string& type, const std::vector<std::int64_t>& extents, std::size_t bytes) {
    std::ostringstream out;
    formats::write_npy(out, type, extents, std::vector<std::byte>(bytes, std::byte{1}));
    return out.str();
}

} // namespace

std::vector<Seed> npy_seeds() {
    return {{"floats.npy", npy("<f4", {2, 3}, 24)},
            {"halves.npy", npy("<f2", {4}, 8)},
            {"bytes.npy", npy("|u1", {2, 2, 1}, 4)},
            {"numbers.npy", npy("<i8", {3}, 24)},
            {"scalar.npy", npy("<f8", {}, 8)}};
}

} // namespace tilescope::tests
