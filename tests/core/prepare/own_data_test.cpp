// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/array_file.h"
#include "prepare/data_sets.h"
#include "tests/temporary_folder.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace tilescope::prepare {
namespace {

class OwnData : public testing::Test {
  protected:
    std::string write(const std::string& name, const std::string& bytes) const {
        std::ofstream(folder / name, std::ios::binary) << bytes;
        return folder / name;
    }
    /// As numpy/lib/format.py has it: magic, version 1, the header's length, the header, the values.
    template<class T>
    static std::string npy(const std::string& type, const std::string& shape, const std::vector<T>& values,
                           const std::string& order = "False") {
        std::string header =
            "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }";
        header.append(118 - header.size(), ' ');
        std::string bytes("\x93NUMPY\x01\x00\x76\x00", 10);
        bytes += header;
        return bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    }
    static Result<run::DataSet> own(const std::string& path, const std::string& labels) {
        workload::DataSpec spec;
        spec.file = path;
        spec.labels = labels;
        return read_own_data(spec);
    }
    const tests::TemporaryFolder folder;
};

TEST_F(OwnData, ArraysOfNumPyWithTheirLabels) {
    const std::string images = write("x.npy", npy<std::uint8_t>("|u1", "2, 1, 3", {0, 51, 255, 102, 0, 0}));
    const auto data = own(images, write("y.npy", npy<std::int64_t>("<i8", "2,", {4, 0})));
    ASSERT_TRUE(data) << data.error().line();
    EXPECT_EQ(data->sample_shape, (graph::Shape{1, 3}));
    EXPECT_EQ(data->samples, (std::vector<float>{0, 0.2F, 1, 0.4F, 0, 0})) << "bytes are scaled";
    EXPECT_EQ(data->labels, (std::vector<std::int32_t>{4, 0}));
    EXPECT_EQ(data->classes, 5);
    const auto rows = own(images, write("hot.npy", npy<float>("<f4", "2, 3", {0, 0, 1, 0, 1, 0})));
    ASSERT_TRUE(rows) << rows.error().line();
    EXPECT_EQ(rows->labels, (std::vector<std::int32_t>{2, 1})) << "one-hot rows";
}

// In one go, however long a header is: NumPy itself reads 10,000 bytes.
TEST_F(OwnData, HeadersAreReadAsFarAsNumPyDoes) {
    const auto with_header = [&](const std::string& header) {
        std::string bytes("\x93NUMPY\x02\x00", 8);
        const auto length = static_cast<std::uint32_t>(header.size());
        bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
        return formats::parse_npy(bytes + header + std::string("\x07\x09", 2), "x");
    };
    const std::string much(9'000, ' ');
    const auto array = with_header("{'descr': '|u1', 'fortran_order': False, 'shape': (2,)," + much + "}");
    ASSERT_TRUE(array) << array.error().line();
    EXPECT_EQ(array->values, (std::vector<float>{7, 9}));
    const std::string ones(9'000, '1');
    EXPECT_FALSE(with_header("{'descr': '|u1', 'fortran_order': False, 'shape': (2,)," +
                             std::string(3'000'000, ' ') + "}"));
    for (const std::string& header :
         {much, "'descr': '" + much, "{'descr': '|u1', 'fortran_order': " + much + ", 'shape': (2,)}",
          "{'descr': '|u1', 'fortran_order': False, 'shape': (" + ones + ",)}",
          "{'descr': '|u1', 'fortran_order': False, 'shape': (2" + much,
          std::string("{'descr': '|u1', 'fortran_order': False, 'shape': (1+1,)}")})
        EXPECT_FALSE(with_header(header)) << header.substr(0, 60);
}

TEST_F(OwnData, WhatIsNoFileIsNotWaitedFor) {
    const std::string pipe = folder / "pipe.npy";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const auto array = formats::read_npy_file(pipe);
    ASSERT_FALSE(array);
    EXPECT_EQ(array.error().line(), pipe + ": is no regular file; name a file that holds the array");
}

TEST_F(OwnData, EveryElementTypeIsRead) {
    const std::vector<float> wanted{1, -2};
    EXPECT_EQ(formats::parse_npy(npy<double>("<f8", "2,", {1, -2}), "x")->values, wanted);
    EXPECT_EQ(formats::parse_npy(npy<std::int8_t>("|i1", "2,", {1, -2}), "x")->values, wanted);
    EXPECT_EQ(formats::parse_npy(npy<std::int16_t>("<i2", "2,", {1, -2}), "x")->values, wanted);
    EXPECT_EQ(
        formats::parse_npy(npy<std::uint16_t>("<f2", "4,", {0x3C00, 0xC000, 0x3555, 0x0001}), "x")->values,
        (std::vector<float>{1, -2, 0.333251953125F, 5.9604645e-8F}));
}

// numpy.save of a transposed array, or of a table of pandas.
TEST_F(OwnData, ArraysThatAreStoredColumnByColumnAreTheSame) {
    const auto array =
        formats::parse_npy(npy<float>("<f4", "2, 3, 2", {0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11}, "True"), "x");
    ASSERT_TRUE(array) << array.error().line();
    EXPECT_EQ(array->values, (std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
    EXPECT_EQ(formats::parse_npy(npy<float>("<f4", "", {7}, "True"), "x")->values, std::vector<float>{7});
}

TEST_F(OwnData, TablesHaveTheClassInTheLastColumn) {
    const auto data = own(write("t.csv", "width,height,class\n1.5,-2,0\n\n0.25,3e2,2\r\n"), "");
    ASSERT_TRUE(data) << data.error().line();
    EXPECT_EQ(data->samples, (std::vector<float>{1.5F, -2, 0.25F, 300}));
    EXPECT_EQ(data->labels, (std::vector<std::int32_t>{0, 2}));
}

TEST_F(OwnData, WhatCannotBeReadSaysWhy) {
    const auto refused = [&](const std::string& path, const std::string& labels, const std::string& part) {
        const auto data = own(path, labels);
        ASSERT_FALSE(data) << part;
        EXPECT_NE(data.error().line().find(part), std::string::npos) << data.error().line();
    };
    const std::string good = npy<float>("<f4", "2, 2", {1, 2, 3, 4});
    const std::string x = write("x.npy", good);
    const std::string y = write("y.npy", npy<std::int32_t>("<i4", "2,", {0, 1}));
    refused(x, "", "no labels");
    refused(x, write("three.npy", npy<std::int32_t>("<i4", "3,", {0, 1, 2})), "differ in number");
    refused(x, write("half.npy", npy<float>("<f4", "2,", {0, 0.5F})), "label 1 is no class");
    refused(x, write("minus.npy", npy<float>("<f4", "2,", {0, -1})), "label 1 is no class");
    refused(write("cut.npy", good.substr(0, good.size() - 1)), y, "15 bytes of values, its header wants 16");
    for (std::size_t length = 0; length < 130; length += 5)
        EXPECT_FALSE(formats::parse_npy(good.substr(0, length), "x")) << length;
    refused(write("big.npy", npy<float>(">f4", "1,", {1})), y, ">f4");
    refused(write("huge.npy", npy<float>("<f4", "99999999, 99999999, 99999999", {})), y, "too much");
    refused(write("t.csv", "1,2\n3,four\n"), "", "line 2");
    refused(write("t.csv", "1,2\n3,4,5\n"), "", "line 2 has 3 numbers");
    refused(write("t.csv", "class\n"), "", "no row");
    refused(write("t.png", "x"), "", ".npz, .npy or .csv, a folder of images");
}

TEST_F(OwnData, RandomDataAreUniform) {
    const auto data = random_data({3, 4}, 5, 2000, 7);
    EXPECT_EQ(data.samples.size(), 24000U);
    double mean = 0;
    for (const float value : data.samples) {
        EXPECT_TRUE(value >= 0 && value <= 1);
        mean += value / 24000.0;
    }
    EXPECT_NEAR(mean, 0.5, 0.01);
    std::vector<int> counts(5);
    for (const std::int32_t label : data.labels)
        ++counts.at(static_cast<std::size_t>(label));
    for (const int count : counts)
        EXPECT_NEAR(count, 400, 80); // four deviations
}

} // namespace
} // namespace tilescope::prepare
