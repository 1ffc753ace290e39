// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/tile_array.h"

#include <gtest/gtest.h>
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

TEST(TileArray, DeflatesWhatBecomesShorterSo) {
    std::vector<std::int64_t> values(1472, 100000);
    values[7] = -1;
    const std::vector<std::byte> packed = pack_tile_values(values);
    EXPECT_EQ(static_cast<int>(packed[0]), 128 + 4);
    EXPECT_LT(packed.size(), 100U);
    EXPECT_EQ(unpack_tile_values(packed), values);
}

// One stored block of three bytes and their Adler-32, by RFC 1950 and 1951.
TEST(TileArray, ReadsAnyZlibStream) {
    auto packed = bytes(
        {129, 3, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0x78, 1, 1, 3, 0, 0xFC, 0xFF, 0, 255, 2, 2, 3, 1, 2});
    EXPECT_EQ(unpack_tile_values(packed), (std::vector<std::int64_t>{10, 265, 12}));
    packed.back() = std::byte{9};
    EXPECT_FALSE(unpack_tile_values(packed)) << "a wrong sum";
    packed[1] = std::byte{4};
    packed.back() = std::byte{2};
    EXPECT_FALSE(unpack_tile_values(packed)) << "a value is missing";
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
