// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/record_file.h"

#include "base/try.h"

#include <algorithm>
#include <array>
#include <zlib.h>

namespace tilescope::formats {
namespace {

constexpr std::uint64_t longest = 1U << 31; // of one record

constexpr std::array<std::uint32_t, 256> crc_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t rest = byte;
        for (int bit = 0; bit < 8; ++bit)
            rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0x82F63B78U : 0U);
        table[byte] = rest;
    }
    return table;
}

/// The checksum as the files have it: turned and shifted, since what is checked may itself hold checksums.
std::uint32_t masked(std::string_view bytes) {
    const std::uint32_t crc = crc32c(bytes);
    return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
}

template<class Number>
Number number_in(const char* bytes) {
    Number number = 0;
    for (std::size_t i = sizeof(Number); i-- > 0;)
        number = static_cast<Number>((number << 8) | static_cast<std::uint8_t>(bytes[i]));
    return number;
}

template<class Number>
std::string bytes_of(Number number) {
    std::string bytes;
    for (std::size_t i = 0; i < sizeof(Number); ++i)
        bytes += static_cast<char>((number >> (8 * i)) & 0xFF);
    return bytes;
}

} // namespace

std::uint32_t crc32c(std::string_view bytes) {
    static constexpr std::array<std::uint32_t, 256> table = crc_table();
    std::uint32_t crc = 0xFFFFFFFFU;
    for (const char byte : bytes)
        crc = (crc >> 8) ^ table[(crc ^ static_cast<std::uint8_t>(byte)) & 0xFF];
    return ~crc;
}

void RecordReader::Close::operator()(gzFile_s* file) const {
    gzclose(file);
}

Result<RecordReader> RecordReader::open(const std::string& path) {
    gzFile_s* const file = gzopen(path.c_str(), "rb");
    if (file == nullptr)
        return bad_input("the file cannot be opened", path, "check the path");
    return RecordReader(path, file);
}

Failure RecordReader::damaged(const std::string& what) const {
    return bad_input("record " + std::to_string(number_) + " " + what, path_,
                     "write the file again; it must be one of TFRecords");
}

Result<std::size_t> RecordReader::take(char* to, std::size_t bytes) {
    const int taken = gzread(file_.get(), to, static_cast<unsigned>(bytes));
    int state = Z_OK;
    gzerror(file_.get(), &state);
    if (taken < 0 || (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR))
        return damaged("cannot be unpacked");
    return static_cast<std::size_t>(taken);
}

Result<std::optional<std::string>> RecordReader::next() {
    std::array<char, 12> head{};
    TRY(const std::size_t there, take(head.data(), head.size()));
    if (there == 0)
        return std::nullopt;
    if (there < head.size())
        return damaged("is cut short");
    const auto length = number_in<std::uint64_t>(head.data());
    if (masked({head.data(), 8}) != number_in<std::uint32_t>(head.data() + 8) || length > longest)
        return damaged("has a damaged length");
    // Grown as it is read: a length that lies reserves nothing that is not there.
    constexpr std::size_t piece = 1 << 20;
    std::string record;
    for (std::size_t left = length + 4; left > 0;) {
        const std::size_t want = std::min(piece, left);
        const std::size_t at = record.size();
        record.resize(at + want);
        TRY(const std::size_t taken, take(record.data() + at, want));
        if (taken < want)
            return damaged("is cut short");
        left -= want;
    }
    const auto expected = number_in<std::uint32_t>(record.data() + length);
    record.resize(length);
    if (masked(record) != expected)
        return damaged("is damaged");
    ++number_;
    return record;
}

Result<RecordWriter> RecordWriter::create(const std::string& path) {
    std::ofstream file(path, std::ios::binary);
    if (!file)
        return system_failure("the file cannot be written", path, "check its folder");
    return RecordWriter(path, std::move(file));
}

Result<void> RecordWriter::write(std::string_view record) {
    const std::string length = bytes_of(static_cast<std::uint64_t>(record.size()));
    file_ << length << bytes_of(masked(length)) << record << bytes_of(masked(record));
    if (!file_)
        return system_failure("the record cannot be written", path_, "make room on the disk");
    return {};
}

Result<void> RecordWriter::flush() {
    if (!file_.flush())
        return system_failure("the records cannot be written", path_, "make room on the disk");
    return {};
}

} // namespace tilescope::formats
