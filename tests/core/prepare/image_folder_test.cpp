// SPDX-License-Identifier: GPL-3.0-or-later
#include "prepare/data_sets.h"
#include "tests/temporary_folder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <zlib.h>

namespace tilescope::prepare {
namespace {

namespace fs = std::filesystem;

/// PNG (ISO/IEC 15948): signature, then chunks of length, type, data and CRC; rows of pixels each after their
/// filter, 0.
std::string chunk(const std::string& type, const std::string& data) {
    const auto big = [](std::uint32_t n) {
        return std::string{static_cast<char>(n >> 24), static_cast<char>(n >> 16 & 255),
                           static_cast<char>(n >> 8 & 255), static_cast<char>(n & 255)};
    };
    const std::string named = type + data;
    const auto sum = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(named.data()), static_cast<uInt>(named.size())));
    return big(static_cast<std::uint32_t>(data.size())) + named + big(sum);
}

std::string png(std::size_t height, std::size_t width, std::size_t channels,
                const std::vector<std::uint8_t>& values) {
    std::string rows;
    for (std::size_t y = 0; y < height; ++y) {
        rows += '\0';
        rows.append(reinterpret_cast<const char*>(values.data()) + y * width * channels, width * channels);
    }
    uLongf size = compressBound(rows.size());
    std::string packed(size, '\0');
    compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(rows.data()),
             rows.size());
    packed.resize(size);
    std::string header(13, '\0');
    header[3] = static_cast<char>(width);
    header[7] = static_cast<char>(height);
    header[8] = 8;
    header[9] = channels == 1 ? 0 : 2;
    return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", packed) + chunk("IEND", "");
}

/// A JPEG of 8 x 8 grey pixels of 128 (ITU T.81): one block whose coefficients are all 0. Quantisation by 1;
/// codes of one bit for "no difference" and "end of block".
std::string grey_jpeg() {
    std::string bytes("\xFF\xD8\xFF\xDB\x00\x43\x00", 7);
    bytes += std::string(64, '\x01');
    bytes += std::string("\xFF\xC0\x00\x0B\x08\x00\x08\x00\x08\x01\x01\x11\x00", 13);
    for (const char table : {'\x00', '\x10'})
        bytes += std::string("\xFF\xC4\x00\x14", 4) + table + '\x01' + std::string(15, '\0') + '\0';
    return bytes + std::string("\xFF\xDA\x00\x08\x01\x01\x00\x00\x3F\x00\x3F\xFF\xD9", 13);
}

class ImageFolder : public testing::Test {
  protected:
    std::string write(const std::string& name, const std::string& bytes) const {
        fs::create_directories((folder.path() / name).parent_path());
        std::ofstream(folder.path() / name, std::ios::binary) << bytes;
        return (folder.path() / name).string();
    }
    Result<run::DataSet> read(std::int64_t channels = 3, const graph::Shape& size = {}) const {
        workload::DataSpec spec;
        spec.file = folder.path().string();
        spec.channels = channels;
        spec.image_size = size;
        return read_own_data(spec);
    }
    const tests::TemporaryFolder folder;
};

TEST_F(ImageFolder, HasAClassForEachFolderInTheOrderOfNames) {
    write("dogs/b.png", png(1, 2, 3, {255, 0, 51, 0, 102, 0}));
    write("cats/z.PNG", png(1, 2, 3, {0, 0, 0, 255, 255, 255}));
    write("cats/a.png", png(1, 2, 1, {51, 102}));
    write("cats/notes.txt", "no image");
    const auto data = read();
    ASSERT_TRUE(data) << data.error().line();
    EXPECT_EQ(data->sample_shape, (graph::Shape{1, 2, 3}));
    EXPECT_EQ(data->labels, (std::vector<std::int32_t>{0, 0, 1}));
    EXPECT_EQ(data->classes, 2);
    const std::vector<float> wanted{0.2F, 0.2F, 0.2F, 0.4F, 0.4F, 0.4F, 0, 0,    0,
                                    1,    1,    1,    1,    0,    0.2F, 0, 0.4F, 0};
    for (std::size_t i = 0; i < wanted.size(); ++i)
        EXPECT_NEAR(data->samples.at(i), wanted[i], 1e-6) << i;
}

TEST_F(ImageFolder, ReadsJpegAsGreyAndAsColours) {
    write("one/a.jpg", grey_jpeg());
    for (const std::int64_t channels : {1, 3}) {
        const auto data = read(channels);
        ASSERT_TRUE(data) << data.error().line();
        EXPECT_EQ(data->sample_shape, (graph::Shape{8, 8, channels}));
        for (const float value : data->samples)
            EXPECT_NEAR(value, 128.0 / 255, 1e-6);
    }
}

// Two pixels as four: places -0.25, 0.25, 0.75 and 1.25, of which those outside are the edge's.
TEST_F(ImageFolder, ScalesBilinearlyWhereAskedTo) {
    write("one/a.png", png(1, 2, 1, {0, 204}));
    write("one/b.png", png(2, 2, 1, {0, 0, 204, 204}));
    EXPECT_NE(read(1).error().line().find("image is 2 x 2, those before 1 x 2; have them scaled"),
              std::string::npos)
        << read(1).error().line();
    const auto data = read(1, {1, 4});
    ASSERT_TRUE(data) << data.error().line();
    const std::vector<float> wanted{0, 0.2F, 0.6F, 0.8F, 0.4F, 0.4F, 0.4F, 0.4F};
    for (std::size_t i = 0; i < wanted.size(); ++i)
        EXPECT_NEAR(data->samples.at(i), wanted[i], 1e-6) << i;
}

TEST_F(ImageFolder, WhatCannotBeReadSaysWhy) {
    EXPECT_NE(read().error().line().find("no images in folders below"), std::string::npos);
    const std::string good = png(2, 2, 1, {1, 2, 3, 4});
    const auto refused = [&](const std::string& bytes) {
        const std::string path = write("one/a.png", bytes);
        const auto data = read();
        return !data && data.error().line().find(path) != std::string::npos;
    };
    EXPECT_TRUE(refused("x"));
    EXPECT_TRUE(refused(good.substr(0, good.size() / 2)));
    std::string huge = png(2, 2, 1, {1, 2, 3, 4}).substr(8 + 25);
    std::string header("\x7F\xFF\xFF\xFF\x7F\xFF\xFF\xFF\x08\x00\x00\x00\x00", 13);
    EXPECT_TRUE(refused("\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + huge));
    EXPECT_TRUE(refused(grey_jpeg().substr(0, 60)));
}

} // namespace
} // namespace tilescope::prepare
