// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/tile_array.h"

#include <algorithm>
#include <zlib.h>

namespace tilescope::profile {
namespace {

constexpr std::size_t header_bytes = 13;
constexpr std::uint32_t most_tiles = 1U << 20;
constexpr std::size_t runs = 16;          ///< the first byte
constexpr std::size_t deflated = 128;     ///< in the first byte
constexpr std::size_t short_enough = 128; ///< bytes of runs that the other form need not be tried for

void append(std::vector<std::byte>& out, std::uint64_t value, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i)
        out.push_back(static_cast<std::byte>(value >> (8 * i)));
}

std::uint64_t read(std::span<const std::byte> in, std::size_t at, std::size_t width) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i)
        value |= static_cast<std::uint64_t>(in[at + i]) << (8 * i);
    return value;
}

/// Keeps the header, and what follows it as it is where it would not become shorter.
void deflate_values(std::vector<std::byte>& packed) {
    std::vector<std::byte> out(packed.size());
    uLongf size = out.size() - header_bytes;
    const auto* values = reinterpret_cast<const Bytef*>(packed.data() + header_bytes);
    if (size == 0 ||
        compress2(reinterpret_cast<Bytef*>(out.data() + header_bytes), &size, values, size, Z_BEST_SPEED) !=
            Z_OK ||
        size >= packed.size() - header_bytes)
        return;
    std::copy_n(packed.begin(), header_bytes, out.begin());
    out[0] |= static_cast<std::byte>(deflated);
    out.resize(header_bytes + size);
    packed = std::move(out);
}

/// Empty where it is no zlib stream of `bytes` bytes.
std::vector<std::byte> inflate_values(std::span<const std::byte> stream, std::size_t bytes) {
    std::vector<std::byte> out(bytes);
    uLongf size = bytes;
    if (uncompress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(stream.data()),
                   stream.size()) != Z_OK ||
        size != bytes)
        out.clear();
    return out;
}

void append_number(std::vector<std::byte>& out, std::uint64_t value) {
    for (; value >= 128; value >>= 7)
        out.push_back(static_cast<std::byte>(value | 128));
    out.push_back(static_cast<std::byte>(value));
}

/// nullopt at the end, or where it has more than 64 bits. Takes it from `in`.
std::optional<std::uint64_t> take_number(std::span<const std::byte>& in) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 10 && i < in.size(); ++i) {
        const auto byte = static_cast<std::uint64_t>(in[i]);
        value |= (byte & 127) << (7 * i);
        if (byte < 128) {
            in = in.subspan(i + 1);
            return value;
        }
    }
    return std::nullopt;
}

/// Stops where that becomes longer than `most` bytes.
std::vector<std::byte> pack_runs(std::span<const std::int64_t> values, std::size_t most) {
    std::vector<std::byte> out = {static_cast<std::byte>(runs)};
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < values.size() && out.size() <= most;) {
        std::size_t end = i + 1;
        while (end < values.size() && values[end] == values[i])
            ++end;
        const std::uint64_t change = static_cast<std::uint64_t>(values[i]) - before;
        append_number(out, change >> 63 == 0 ? change << 1 : ~(change << 1));
        append_number(out, end - i);
        before = static_cast<std::uint64_t>(values[i]);
        i = end;
    }
    return out;
}

std::optional<std::vector<std::int64_t>> unpack_runs(std::span<const std::byte> packed) {
    std::vector<std::int64_t> values;
    std::uint64_t value = 0;
    while (!packed.empty()) {
        const auto change = take_number(packed);
        const auto length = take_number(packed);
        if (!change || !length || *length > most_tiles - values.size())
            return std::nullopt;
        value += (*change & 1) == 0 ? *change >> 1 : ~(*change >> 1);
        values.insert(values.end(), static_cast<std::size_t>(*length), static_cast<std::int64_t>(value));
    }
    return values;
}

std::vector<std::byte> pack_widths(std::span<const std::int64_t> values) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const std::int64_t base = values.empty() ? 0 : *least;
    const std::uint64_t range =
        values.empty() ? 0 : static_cast<std::uint64_t>(*most) - static_cast<std::uint64_t>(base);
    const std::size_t width = range == 0            ? 0
                              : range <= 0xFF       ? 1
                              : range <= 0xFFFF     ? 2
                              : range <= 0xFFFFFFFF ? 4
                                                    : 8;
    std::vector<std::byte> out;
    out.reserve(header_bytes + width * values.size());
    out.push_back(static_cast<std::byte>(width));
    append(out, values.size(), 4);
    append(out, static_cast<std::uint64_t>(base), 8);
    for (const std::int64_t value : values)
        append(out, static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(base), width);
    deflate_values(out);
    return out;
}

std::optional<std::vector<std::int64_t>> unpack_widths(std::span<const std::byte> packed) {
    if (packed.size() < header_bytes)
        return std::nullopt;
    const auto width = static_cast<std::size_t>(packed[0]) % deflated;
    const auto count = static_cast<std::size_t>(read(packed, 1, 4));
    const bool known = width == 0 || width == 1 || width == 2 || width == 4 || width == 8;
    if (!known || count > most_tiles)
        return std::nullopt;
    std::span<const std::byte> data = packed.subspan(header_bytes);
    std::vector<std::byte> inflated;
    if (static_cast<std::size_t>(packed[0]) >= deflated) {
        inflated = inflate_values(data, width * count);
        data = inflated;
    }
    if (data.size() != width * count)
        return std::nullopt;
    const std::uint64_t base = read(packed, 5, 8);
    std::vector<std::int64_t> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<std::int64_t>(base + read(data, i * width, width));
    return values;
}

} // namespace

std::vector<std::byte> pack_tile_values(std::span<const std::int64_t> values) {
    const std::size_t longest = header_bytes + sizeof(std::int64_t) * values.size();
    std::vector<std::byte> packed = pack_runs(values, longest);
    if (packed.size() <= short_enough)
        return packed;
    std::vector<std::byte> other = pack_widths(values);
    return other.size() < packed.size() ? other : packed;
}

std::optional<std::vector<std::int64_t>> unpack_tile_values(std::span<const std::byte> packed) {
    return !packed.empty() && static_cast<std::size_t>(packed[0]) == runs ? unpack_runs(packed.subspan(1))
                                                                          : unpack_widths(packed);
}

std::optional<std::vector<std::int64_t>> unpack_tile_values(std::span<const std::byte> packed,
                                                            std::span<const std::byte> base) {
    auto values = unpack_tile_values(packed);
    if (base.empty() || !values)
        return values;
    const auto others = unpack_tile_values(base);
    if (!others || others->size() != values->size())
        return std::nullopt;
    for (std::size_t i = 0; i < others->size(); ++i) // a damaged one may say any
        (*values)[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>((*values)[i]) +
                                                 static_cast<std::uint64_t>((*others)[i]));
    return values;
}

} // namespace tilescope::profile
