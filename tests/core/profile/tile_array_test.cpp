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

// By hand, as the header says.
TEST(TileArray, PacksRunsOfEqualValues) {
    EXPECT_EQ(pack_tile_values(std::vector<std::int64_t>(1472, 7)), bytes({16, 14, 0xC0, 0x0B}));
    EXPECT_EQ(pack_tile_values(std::vector<std::int64_t>{5, 5, -1, 100, 100, 100}),
              bytes({16, 10, 2, 11, 1, 0xCA, 0x01, 3}));
    EXPECT_EQ(pack_tile_values({}), bytes({16}));
}

/// So different from each other that they make no runs.
std::vector<std::int64_t> spread(std::size_t count, std::int64_t most) {
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < count; ++i)
        values.push_back(static_cast<std::int64_t>(i * i * 7919 + i) % most);
    return values;
}

TEST(TileArray, PacksWhatHasNoRunsInTheFewestBytesOfItsWidth) {
    for (const auto& [most, width] : {std::pair{200, 1}, std::pair{60000, 2}, std::pair{1 << 30, 4}}) {
        const auto values = spread(1472, most);
        const auto packed = pack_tile_values(values);
        EXPECT_EQ(static_cast<int>(packed[0]) % 128, width);
        EXPECT_LE(packed.size(), 13 + 1472 * static_cast<std::size_t>(width));
        EXPECT_EQ(unpack_tile_values(packed), values);
    }
}

TEST(TileArray, AddsThoseOfABase) {
    const auto base = spread(100, 60000);
    const auto rest = spread(100, 9);
    const auto sum = unpack_tile_values(pack_tile_values(rest), pack_tile_values(base));
    ASSERT_TRUE(sum);
    for (std::size_t i = 0; i < 100; ++i)
        EXPECT_EQ(sum->at(i), base[i] + rest[i]);
    EXPECT_EQ(unpack_tile_values(pack_tile_values(rest), {}), rest);
    EXPECT_FALSE(unpack_tile_values(pack_tile_values(rest), pack_tile_values(spread(99, 9))))
        << "a tile is missing";
}

TEST(TileArray, ReadsWhatEarlierVersionsPacked) {
    EXPECT_EQ(unpack_tile_values(bytes({0, 0xC0, 0x05, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0})),
              std::vector<std::int64_t>(1472, 7));
    EXPECT_EQ(
        unpack_tile_values(bytes({1, 3, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 255, 2})),
        (std::vector<std::int64_t>{-2, 253, 0}));
    EXPECT_EQ(unpack_tile_values(bytes({2, 2, 0, 0, 0, 0xE8, 0x03, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})),
              (std::vector<std::int64_t>{1000, 1256}));
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
    std::vector<std::int64_t> values;
    for (int i = 0; i < 1472; ++i)
        values.push_back(i % 2 == 0 ? 100000 : i % 4);
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
    auto packed = pack_tile_values(spread(1472, 60000));
    packed.pop_back();
    EXPECT_FALSE(unpack_tile_values(packed)) << "a value is missing";
    EXPECT_FALSE(unpack_tile_values(bytes({3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}))) << "no such width";
    EXPECT_FALSE(unpack_tile_values(bytes({0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0})))
        << "too many tiles";
    EXPECT_FALSE(unpack_tile_values(bytes({16, 2, 0xFF, 0xFF, 0xFF, 0x7F}))) << "too many tiles";
    EXPECT_FALSE(unpack_tile_values(bytes({16, 2}))) << "a run without a length";
    EXPECT_FALSE(unpack_tile_values(bytes({16, 2, 0x80}))) << "half a number";
    EXPECT_FALSE(unpack_tile_values(
        bytes({16, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 1})))
        << "too long a number";
}

} // namespace
} // namespace tilescope::profile
