// SPDX-License-Identifier: GPL-3.0-or-later
#include "prepare/data_sets.h"
#include "tests/temporary_folder.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <zlib.h>

using namespace tilescope;
using prepare::Split;

namespace {

/// An IDX file of bytes: magic, extents, then 0, 1, 2, …
std::string idx(const std::vector<std::uint32_t>& extents, std::size_t bytes) {
    std::string text = {0, 0, 8, static_cast<char>(extents.size())};
    for (const std::uint32_t extent : extents)
        for (int shift = 24; shift >= 0; shift -= 8)
            text += static_cast<char>(extent >> shift & 0xFF);
    for (std::size_t i = 0; i < bytes; ++i)
        text += static_cast<char>(i % 10);
    return text;
}

void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

void write_gz(const std::string& path, const std::string& text) {
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
}

struct IdxFolder : testing::Test {
    tests::TemporaryFolder folder;
    std::string images = folder / "train-images-idx3-ubyte";
    std::string labels = folder / "train-labels-idx1-ubyte";
    void SetUp() override {
        write(images, idx({3, 2, 2}, 12));
        write(labels, idx({3}, 3));
    }
    Result<run::DataSet> read() { return prepare::read_idx(folder.path().string(), "mnist", Split::Train); }
};

} // namespace

TEST_F(IdxFolder, PixelsAreScaledAndLabelsKept) {
    const auto data = read();
    ASSERT_TRUE(data) << data.error().line();
    EXPECT_EQ(data->sample_shape, (graph::Shape{2, 2, 1}));
    EXPECT_EQ(data->labels, (std::vector<std::int32_t>{0, 1, 2}));
    EXPECT_FLOAT_EQ(data->samples[5], 5.0F / 255);
}

TEST_F(IdxFolder, GzipIsReadAsWell) {
    std::filesystem::remove(images);
    write_gz(images + ".gz", idx({3, 2, 2}, 12));
    const auto data = read();
    ASSERT_TRUE(data) << data.error().line();
    EXPECT_EQ(data->size(), 3);
}

TEST_F(IdxFolder, ATruncatedFileIsRefusedByName) {
    write(images, idx({3, 2, 2}, 11));
    auto data = read();
    ASSERT_FALSE(data);
    EXPECT_EQ(exit_code(data.error().kind), 3);
    EXPECT_NE(data.error().line().find("train-images-idx3-ubyte"), std::string::npos);
    write(images, std::string("\0\0\10", 3));
    EXPECT_FALSE(read());
    std::filesystem::remove(images);
    write_gz(images + ".gz", idx({3, 2, 2}, 12));
    std::filesystem::resize_file(images + ".gz", std::filesystem::file_size(images + ".gz") - 6);
    EXPECT_FALSE(read());
}

TEST_F(IdxFolder, HeadersThatLieAreRefused) {
    write(images, idx({0xFFFFFFFF, 0xFFFF, 0xFFFF}, 12));
    EXPECT_FALSE(read());
    write(images, idx({3, 2, 2}, 13)); // more than it says
    EXPECT_FALSE(read());
    write(images, idx({4, 2, 2}, 16)); // four images, three labels
    EXPECT_FALSE(read());
    write(images, "not an IDX file at all, but text");
    EXPECT_FALSE(read());
}

TEST_F(IdxFolder, WhatHoldsNothingOrUnpacksToFarMoreThanItsSizeIsRefused) {
    write(images, idx({0, 0xFFFFFFFF, 0xFFFFFFFF}, 0));
    auto data = read();
    ASSERT_FALSE(data);
    EXPECT_EQ(data.error().message, "the header says that there is nothing in the file");
    std::filesystem::remove(images);
    write_gz(images + ".gz", idx({65, 1024, 1024}, std::size_t{65} << 20));
    data = read();
    ASSERT_FALSE(data);
    EXPECT_EQ(data.error().message, "the file unpacks to more than 64 MiB and a hundred times its size");
}

TEST_F(IdxFolder, MissingFilesAreNamedWithThePlace) {
    std::filesystem::remove(labels);
    const auto data = read();
    ASSERT_FALSE(data);
    EXPECT_NE(data.error().line().find(folder.path().string()), std::string::npos);
}

TEST(SyntheticDigits, SampleIDependsOnSeedSplitAndIOnly) {
    const auto few = prepare::synthetic_digits(10, Split::Train, 1);
    const auto many = prepare::synthetic_digits(50, Split::Train, 1);
    EXPECT_TRUE(std::equal(few.samples.begin(), few.samples.end(), many.samples.begin()));
    EXPECT_NE(prepare::synthetic_digits(10, Split::Test, 1).samples, few.samples);
    EXPECT_NE(prepare::synthetic_digits(10, Split::Train, 2).samples, few.samples);
}

TEST(SyntheticDigits, AllTenClassesAreDrawnInkOnPaper) {
    const auto data = prepare::synthetic_digits(2000, Split::Train, 1);
    std::vector<int> count(10, 0);
    for (const auto label : data.labels)
        ++count.at(static_cast<std::size_t>(label));
    EXPECT_GT(*std::min_element(count.begin(), count.end()), 120);
    const auto [least, most] = std::minmax_element(data.samples.begin(), data.samples.end());
    EXPECT_GE(*least, 0.0F);
    EXPECT_LE(*most, 1.0F);
    const double mean = std::accumulate(data.samples.begin(), data.samples.end(), 0.0) /
                        static_cast<double>(data.samples.size());
    EXPECT_GT(mean, 0.05);
    EXPECT_LT(mean, 0.4);
}

TEST(SampleOrder, IsAPermutationThatSeedAndPassDecide) {
    auto order = run::sample_order(100, true, 1, 0);
    EXPECT_EQ(order, run::sample_order(100, true, 1, 0));
    EXPECT_NE(order, run::sample_order(100, true, 1, 1));
    EXPECT_NE(order, run::sample_order(100, true, 2, 0));
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, run::sample_order(100, false, 1, 0)); // 0 … 99
    EXPECT_EQ(order.front(), 0);
    EXPECT_EQ(order.back(), 99);
}

TEST(Gather, LabelsAreClassesOrOneHotRows) {
    const auto data = prepare::synthetic_digits(8, Split::Train, 1);
    graph::HostTensor images({graph::DType::Float32, {2, 784}});
    graph::HostTensor classes({graph::DType::Int32, {2}});
    run::gather(data, {5, 3}, images, classes);
    EXPECT_EQ(classes.ints()[0], data.labels[5]);
    EXPECT_EQ(classes.ints()[1], data.labels[3]);
    EXPECT_EQ(images.floats()[784], data.samples[3 * 784]);
    graph::HostTensor one_hot({graph::DType::Float32, {2, 10}});
    run::gather(data, {5, 3}, images, one_hot);
    for (std::int64_t k = 0; k < 10; ++k)
        EXPECT_EQ(one_hot.at(k), k == data.labels[5] ? 1 : 0);
}
