// SPDX-License-Identifier: GPL-3.0-or-later
// Files of records and the Examples in them, against bytes that are put together by hand.
#include "formats/example_record.h"
#include "formats/record_file.h"
#include "tests/temporary_folder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace tilescope::formats {
namespace {

using namespace std::string_literals;

/// The record "a": its length, that one's masked checksum, the byte, and its masked checksum.
const std::string record_a = "\x01\0\0\0\0\0\0\0\x01\x75\xde\x41"s
                             "a"
                             "\x78\x6e\xe4\x28"s;

/// {"x": [1, 300]}: fields of protocol buffers, each its number and kind, its length, and what is in it.
const std::string example_x = "\x0a\x0e"  // Example.features, 14 bytes
                              "\x0a\x0c"  // an entry of the map, 12 bytes
                              "\x0a\x01x" // its key
                              "\x12\x07"  // its value, a Feature of 7 bytes
                              "\x1a\x05"  // whose int64_list has 5 bytes
                              "\x0a\x03"  // values, packed in 3 bytes
                              "\x01\xac\x02"s;

class Records : public testing::Test {
  protected:
    std::string written(const std::string& bytes) const {
        std::string path = folder_ / "some.tfrecord";
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }
    /// The records of a file of these bytes, or the line that refuses it.
    std::vector<std::string> read(const std::string& bytes) const {
        auto reader = RecordReader::open(written(bytes));
        std::vector<std::string> records;
        while (true) {
            auto record = reader->next();
            if (!record)
                return {"refused: " + record.error().message};
            if (!*record)
                return records;
            records.push_back(**record);
        }
    }

  private:
    tests::TemporaryFolder folder_;
};

// RFC 3720, B.4, and the check value of CRC-32C in the catalogues of such sums.
TEST(Checksum, IsThatOfCastagnoli) {
    EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
    EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
    EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
}

TEST_F(Records, AreReadOneAfterTheOther) {
    EXPECT_EQ(read(""), std::vector<std::string>{});
    EXPECT_EQ(read(record_a + record_a), (std::vector<std::string>{"a", "a"}));
}

TEST_F(Records, AreWrittenAsTheyAreRead) {
    const std::string path = written("");
    auto writer = RecordWriter::create(path);
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->write("a"));
    ASSERT_TRUE(writer->flush());
    std::ifstream file(path, std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), record_a);
}

TEST_F(Records, ThatAreDamagedAnywhereAreRefused) {
    for (std::size_t at = 0; at < record_a.size(); ++at) {
        std::string damaged = record_a;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        EXPECT_TRUE(read(record_a + damaged).front().starts_with("refused: record 1 ")) << at;
    }
    for (std::size_t size = 1; size < record_a.size(); ++size)
        EXPECT_EQ(read(record_a.substr(0, size)), std::vector<std::string>{"refused: record 0 is cut short"});
}

TEST_F(Records, OfNoFileAreRefused) {
    const auto reader = RecordReader::open("no/such.tfrecord");
    ASSERT_FALSE(reader);
    EXPECT_EQ(reader.error().line(), "no/such.tfrecord: the file cannot be opened; check the path");
}

TEST(Examples, AreReadAndWrittenAsProtocolBuffersLayThemOut) {
    const auto example = parse_example(example_x);
    ASSERT_TRUE(example) << example.error().line();
    ASSERT_EQ(example->size(), 1U);
    EXPECT_EQ(std::get<std::vector<std::int64_t>>(example->at("x")), (std::vector<std::int64_t>{1, 300}));
    EXPECT_EQ(write_example(*example), example_x);
}

TEST(Examples, HaveFeaturesOfEachKind) {
    // -1 takes ten bytes; 1.5 is 0x3FC00000, here as a field of its own, which older writers make.
    const auto floats = parse_example("\x0a\x0e\x0a\x0c\x0a\x01"
                                      "f\x12\x07\x12\x05\x0d\x00\x00\xc0\x3f"s);
    ASSERT_TRUE(floats) << floats.error().line();
    EXPECT_EQ(std::get<std::vector<float>>(floats->at("f")), std::vector<float>{1.5F});
    const auto below = parse_example("\x0a\x15\x0a\x13\x0a\x01n\x12\x0e\x1a\x0c\x0a\x0a"
                                     "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s);
    ASSERT_TRUE(below) << below.error().line();
    EXPECT_EQ(std::get<std::vector<std::int64_t>>(below->at("n")), std::vector<std::int64_t>{-1});
    const Example all{{"floats", std::vector<float>{1.5F, -2.0F}},
                      {"nothing", {}},
                      {"none", std::vector<std::int64_t>{}},
                      {"texts", std::vector<std::string>{"a", std::string("\0b", 2), ""}},
                      {"wholes", std::vector<std::int64_t>{0, -1, std::int64_t{1} << 40}}};
    const auto again = parse_example(write_example(all));
    ASSERT_TRUE(again) << again.error().line();
    EXPECT_EQ(*again, all);
}

TEST(Examples, ThatAreCutShortAreRefusedOrHaveLess) {
    for (std::size_t size = 1; size < example_x.size(); ++size)
        EXPECT_FALSE(parse_example(std::string_view(example_x).substr(0, size))) << size;
    EXPECT_TRUE(parse_example("")->empty());
}

} // namespace
} // namespace tilescope::formats
