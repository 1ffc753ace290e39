// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/tile_array.h"

#include <limits>

namespace tilescope::profile {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
    std::vector<std::byte> out;
    for (const int value : values)
        out.push_back(static_cast<std::byte>(value));
    return out;
}

TEST(TileArray, PacksEqualValuesIntoTheHeaderAlone) {
    const std::vector<std::int64_t> values(1472, 7);
    EXPECT_EQ(pack_tile_values(values), bytes({0, 0xC0, 0x05, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(TileArray, PacksWhatIsAboveTheSmallestValueInTheFewestBytes) {
    const std::vector<std::int64_t> narrow = {-2, 253, 0};
    EXPECT_EQ(pack_tile_values(narrow),
              bytes({1, 3, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 255, 2}));
    const std::vector<std::int64_t> wider = {1000, 1256};
    EXPECT_EQ(pack_tile_values(wider), bytes({2, 2, 0, 0, 0, 0xE8, 0x03, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
}

TEST(TileArray, GivesBackEveryValueOfEveryWidth) {
    using Limits = std::numeric_limits<std::int64_t>;
    const std::vector<std::vector<std::int64_t>> cases = {{},
                                                          {5},
                                                          {0, 255},
                                                          {0, 256},
                                                          {0, 65535},
                                                          {0, 65536},
                                                          {0, 4294967295},
                                                          {0, 4294967296},
                                                          {-1, 1},
                                                          {Limits::min(), Limits::max(), 0}};
    for (const auto& values : cases)
        EXPECT_EQ(unpack_tile_values(pack_tile_values(values)), values);
}

TEST(TileArray, RefusesBlobsOfAnotherForm) {
    EXPECT_FALSE(unpack_tile_values({}));
    EXPECT_FALSE(unpack_tile_values(bytes({0, 1, 0, 0})));
    auto packed = pack_tile_values(std::vector<std::int64_t>{1, 2, 3});
    packed.pop_back();
    EXPECT_FALSE(unpack_tile_values(packed)) << "a value is missing";
    EXPECT_FALSE(unpack_tile_values(bytes({3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}))) << "no such width";
    EXPECT_FALSE(unpack_tile_values(bytes({0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0})))
        << "too many tiles";
}

} // namespace
} // namespace tilescope::profile
