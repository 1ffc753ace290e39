// SPDX-License-Identifier: GPL-3.0-or-later
#include "prepare/data_sets.h"
#include "tests/temporary_folder.h"

#include <fstream>
#include <gtest/gtest.h>

namespace tilescope::prepare {
namespace {

class Texts : public testing::Test {
  protected:
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(folder / name) << text;
        return folder / name;
    }
    static Result<run::DataSet> read(const std::string& path, std::int64_t sequence, std::int64_t vocabulary,
                                     const std::string& words_from = {}) {
        workload::DataSpec spec;
        spec.file = path;
        spec.sequence = sequence;
        spec.vocabulary = vocabulary;
        return read_own_data(spec, words_from);
    }
    const tests::TemporaryFolder folder;
};

TEST_F(Texts, OfNumbersAreCutAndFilled) {
    const auto data = read(write("t.txt", "1\t7 8 9 10 11\n\n0\t5\r\n"), 4, 0);
    ASSERT_TRUE(data) << data.error().line();
    EXPECT_EQ(data->sample_shape, (graph::Shape{4}));
    EXPECT_EQ(data->samples, (std::vector<float>{7, 8, 9, 10, 5, 0, 0, 0}));
    EXPECT_EQ(data->labels, (std::vector<std::int32_t>{1, 0}));
    EXPECT_EQ(data->classes, 2);
}

// the: 3 times, cat: 2; of those that stand once "sat" is the last by its letters.
TEST_F(Texts, OfWordsAreNumberedByHowOftenTheyAre) {
    const std::string train = write("train.txt", "0\tThe cat, the CAT.\n2\tthe dog sat\n");
    const auto data = read(train, 4, 5);
    ASSERT_TRUE(data) << data.error().line();
    EXPECT_EQ(data->samples, (std::vector<float>{2, 3, 2, 3, 2, 1, 4, 0}));
    EXPECT_EQ(data->classes, 3);
    const auto test = read(write("test.txt", "1\tsat bird the\n"), 3, 5, train);
    ASSERT_TRUE(test) << test.error().line();
    EXPECT_EQ(test->samples, (std::vector<float>{4, 1, 2})) << "by the words of the training";
}

TEST_F(Texts, WhatCannotBeReadSaysWhy) {
    const auto line_of = [&](const std::string& text) {
        return read(write("t.txt", text), 4, 0).error().line();
    };
    EXPECT_NE(line_of("1\t2\nno class\n").find("line 2 does not begin with a class and a tab"),
              std::string::npos);
    EXPECT_NE(line_of("-1\t2\n").find("line 1"), std::string::npos);
    EXPECT_NE(line_of("1\tseven\n").find("token \"seven\" is no number"), std::string::npos);
    EXPECT_NE(line_of("\n").find("no texts"), std::string::npos);
}

} // namespace
} // namespace tilescope::prepare
