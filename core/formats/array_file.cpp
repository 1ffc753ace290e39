// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/array_file.h"

#include "base/try.h"
#include "formats/zip_archive.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>
#include <type_traits>

namespace tilescope::formats {
namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";
constexpr std::int64_t most_values = std::int64_t{1} << 31; ///< 8 GiB of floats

Result<std::string> read_all(const std::string& path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        return bad_input("is no regular file", path, "name a file that holds the array");
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return bad_input("the file cannot be opened", path, "check the path");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

Failure no_array(const std::string& path, const std::string& what) {
    return bad_input(what, path, "save it again with numpy.save()");
}

template<class T, class To>
void take(const char* from, std::vector<To>& to) {
    for (To& value : to) {
        T number;
        std::memcpy(&number, from, sizeof(T));
        if constexpr (std::is_same_v<T, std::uint64_t> && std::is_same_v<To, std::int64_t>)
            number = std::min<T>(number, std::numeric_limits<To>::max());
        value = static_cast<To>(std::common_type_t<T, int>(number)); // int8 is a number, and no character
        from += sizeof(T);
    }
}

/// Half precision (IEEE 754 binary16).
void take_halves(const char* from, std::vector<float>& to) {
    for (float& value : to) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, from, 2);
        const int exponent = bits >> 10 & 31;
        const int fraction = bits & 1023;
        const float size = exponent == 0    ? std::ldexp(static_cast<float>(fraction), -24)
                           : exponent == 31 ? (fraction == 0 ? INFINITY : NAN)
                                            : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
        value = (bits & 0x8000U) != 0 ? -size : size;
        from += 2;
    }
}

struct Element {
    std::size_t bytes;
    void (*take)(const char*, std::vector<float>&);
    void (*take_integers)(const char*, std::vector<std::int64_t>&) = nullptr; ///< of whole numbers
};

template<class T>
constexpr Element whole{sizeof(T), take<T, float>, take<T, std::int64_t>};

/// What a type's text is, "<f4" or "|u1"; nullptr where it is not read.
const Element* element_of(const std::string& type) {
    static const std::vector<std::pair<std::string, Element>> known{
        {"f2", {2, take_halves}},     {"f4", {4, take<float, float>}}, {"f8", {8, take<double, float>}},
        {"i1", whole<std::int8_t>},   {"i2", whole<std::int16_t>},     {"i4", whole<std::int32_t>},
        {"i8", whole<std::int64_t>},  {"u1", whole<std::uint8_t>},     {"u2", whole<std::uint16_t>},
        {"u4", whole<std::uint32_t>}, {"u8", whole<std::uint64_t>},    {"b1", whole<std::uint8_t>}};
    if (type.size() != 3 || (type[0] != '<' && type[0] != '|'))
        return nullptr;
    for (const auto& [name, element] : known)
        if (type.compare(1, 2, name) == 0)
            return &element;
    return nullptr;
}

Result<std::vector<std::int64_t>> extents_of(const std::string& text, const std::string& path,
                                             bool may_be_empty) {
    std::vector<std::int64_t> extents;
    std::int64_t elements = 1;
    const char* at = text.data();
    for (const char* const end = at + text.size();;) {
        at = std::find_if(at, end, [](char c) { return c >= '0' && c <= '9'; });
        if (at == end)
            break;
        std::int64_t extent = 0;
        const auto read = std::from_chars(at, end, extent);
        at = read.ptr;
        if (read.ec != std::errc() || extent < (may_be_empty ? 0 : 1) || extent > most_values / elements)
            return no_array(path,
                            "the array's shape (" + text.substr(0, 60) + ") has nothing in it, or too much");
        elements *= std::max<std::int64_t>(extent, 1);
        extents.push_back(extent);
    }
    return extents;
}

/// The values, the last axis fastest, of an array that is stored with the first one fastest.
template<class T>
std::vector<T> row_by_row(const std::vector<std::int64_t>& extents, const std::vector<T>& columns) {
    std::vector<std::size_t> strides(extents.size(), 1); // of each axis in the rows
    for (std::size_t axis = strides.size(); axis-- > 1;)
        strides[axis - 1] = strides[axis] * static_cast<std::size_t>(extents[axis]);
    std::vector<T> rows(columns.size());
    std::vector<std::int64_t> index(extents.size());
    std::size_t at = 0;
    for (const T value : columns) {
        rows[at] = value;
        for (std::size_t axis = 0; axis < index.size(); ++axis) {
            at += strides[axis];
            if (++index[axis] < extents[axis])
                break;
            at -= strides[axis] * static_cast<std::size_t>(extents[axis]);
            index[axis] = 0;
        }
    }
    return rows;
}

/// A line's numbers; false where one is none.
bool numbers_in(const std::string& line, std::vector<float>& values) {
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) {
        const std::size_t first = cell.find_first_not_of(" \t\r\"+");
        const std::size_t last = cell.find_last_not_of(" \t\r\"");
        float value = 0;
        if (first == std::string::npos)
            return false;
        const char* const end = cell.data() + last + 1;
        const auto read = std::from_chars(cell.data() + first, end, value);
        if (read.ec != std::errc() || read.ptr != end)
            return false;
        values.push_back(value);
    }
    return true;
}

/// An array in the bytes of a file, by its header.
struct Stored {
    std::string type; ///< as "<f4"
    const Element* element = nullptr;
    bool by_columns = false;
    std::vector<std::int64_t> extents;
    std::size_t elements = 1;
    const char* values = nullptr;

    template<class T>
    std::vector<T> read(void (*take_all)(const char*, std::vector<T>&)) const {
        std::vector<T> all(elements);
        take_all(values, all);
        return by_columns ? row_by_row(extents, all) : all;
    }
};

/// Of "KEY: OPEN…CLOSE" in a header what stands between; nullopt: it is not so.
std::optional<std::string> between(std::string_view header, std::string_view key, std::string_view open,
                                   std::string_view close) {
    const auto skip = [&](std::string_view text) {
        header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
        const bool there = header.starts_with(text);
        header.remove_prefix(there ? text.size() : 0);
        return there;
    };
    header.remove_prefix(std::min(header.find(key), header.size()));
    if (!skip(key) || !skip(":") || !skip(open))
        return std::nullopt;
    const std::size_t end = header.find(close);
    return end == std::string_view::npos ? std::nullopt : std::optional(std::string(header.substr(0, end)));
}

Result<Stored> stored_in(const std::string& bytes, const std::string& path, bool may_be_empty) {
    if (!std::string_view(bytes).starts_with(npy_magic) || bytes.size() < 10)
        return no_array(path, "the file is no array of NumPy");
    const bool long_header = bytes[6] > 1;
    const std::size_t begin = long_header ? 12 : 10;
    std::uint32_t length = 0;
    if (bytes.size() >= begin)
        std::memcpy(&length, bytes.data() + 8, long_header ? 4 : 2);
    if (bytes.size() < begin || bytes.size() - begin < length)
        return no_array(path, "the file is cut short");
    constexpr std::uint32_t longest = 10'000; // as numpy.load() has it
    if (length > longest)
        return no_array(path, "the array's header has " + std::to_string(length) + " bytes");
    const std::string_view header = std::string_view(bytes).substr(begin, length);
    const auto type = between(header, "'descr'", "'", "'");
    const auto order = between(header, "'fortran_order'", "", ",");
    const auto shape = between(header, "'shape'", "(", ")");
    if (!type || !order || (*order != "True" && *order != "False") || !shape ||
        shape->find_first_not_of("0123456789, ") != std::string::npos)
        return no_array(path, "the array's header is not understood");
    Stored array{*type, element_of(*type), *order == "True", {}};
    if (array.element == nullptr)
        return no_array(path, "element type " + *type + " is not read; use float32, int32 or uint8");
    TRY(array.extents, extents_of(*shape, path, may_be_empty));
    for (const std::int64_t extent : array.extents)
        array.elements *= static_cast<std::size_t>(extent);
    const std::size_t wanted = array.elements * array.element->bytes;
    if (bytes.size() - begin - length != wanted)
        return no_array(path, "the file has " + std::to_string(bytes.size() - begin - length) +
                                  " bytes of values, its header wants " + std::to_string(wanted));
    array.values = bytes.data() + begin + length;
    return array;
}

} // namespace

Result<ArrayFile> parse_npy(const std::string& bytes, const std::string& path) {
    TRY(const Stored array, stored_in(bytes, path, false));
    return ArrayFile{array.extents, array.read(array.element->take), array.type == "|u1"};
}

Result<NumberFile> read_npy_numbers(const std::string& path) {
    TRY(const auto bytes, read_all(path));
    TRY(const Stored array, stored_in(bytes, path, true));
    NumberFile numbers{array.extents, array.type.substr(1), {}, {}};
    if (array.element->take_integers != nullptr)
        numbers.integers = array.read(array.element->take_integers);
    else
        numbers.values = array.read(array.element->take);
    return numbers;
}

Result<ArrayFile> read_npy_file(const std::string& path) {
    TRY(const auto bytes, read_all(path));
    return parse_npy(bytes, path);
}

Result<ArrayFile> read_npz_file(const std::string& path, const std::string& name) {
    TRY(const auto bytes, zip_entry(path, name + ".npy"));
    if (!bytes)
        return bad_input("there is no array \"" + name + "\"", path,
                         "save it with numpy.savez(FILE, x=samples, y=classes)");
    return parse_npy(*bytes, path + ": " + name);
}

void write_npy(std::ostream& out, const std::string& type, const std::vector<std::int64_t>& extents,
               std::span<const std::byte> bytes) {
    std::string shape;
    for (const std::int64_t extent : extents)
        shape += std::to_string(extent) + ", ";
    std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
    constexpr std::size_t before = 10; // magic, version and the header's length
    header.append(63 - (before + header.size()) % 64, ' ').push_back('\n');
    const auto length = static_cast<std::uint16_t>(header.size());
    out << npy_magic << '\x01' << '\x00' << static_cast<char>(length & 255) << static_cast<char>(length >> 8)
        << header;
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

Result<ArrayFile> read_csv_file(const std::string& path) {
    TRY(const auto text, read_all(path));
    std::istringstream lines(text);
    ArrayFile table{{0, 0}, {}, false};
    std::int64_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (line.find_first_not_of(" \t\r") == std::string::npos)
            continue;
        std::vector<float> row;
        if (!numbers_in(line, row)) {
            if (number == 1)
                continue;
            return bad_input("line " + std::to_string(number) + " has something that is no number", path,
                             "write numbers between commas");
        }
        const auto width = static_cast<std::int64_t>(row.size());
        if (table.extents[0] > 0 && width != table.extents[1])
            return bad_input("line " + std::to_string(number) + " has " + std::to_string(width) +
                                 " numbers, those before have " + std::to_string(table.extents[1]),
                             path, "give every row as many");
        table.extents = {table.extents[0] + 1, width};
        table.values.insert(table.values.end(), row.begin(), row.end());
    }
    if (table.values.empty())
        return bad_input("the table has no row", path, "write numbers between commas");
    return table;
}

} // namespace tilescope::formats
