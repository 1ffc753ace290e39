// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilescope::profile {

/// One integer per tile, packed in the shorter of two forms, which the first byte tells. Little-endian.
/// * Runs, 16: for each run of equal values the difference to the value of the run before (to 0 at first),
/// then
///   its length. Both are unsigned numbers in groups of 7 bits, the lowest first, of which all but the last
///   have 128 added; a difference d is the number 2 d, or -2 d - 1 where it is negative.
/// * Widths: the width of a value (0: all are the same; 1, 2, 4, 8 bytes), the number of values (4 bytes),
/// the
///   smallest value (8 bytes, signed), then each value less the smallest, unsigned, in `width` bytes. Where
///   it is shorter so, what follows the header is deflated (a zlib stream, RFC 1950), and 128 added to the
///   width.
std::vector<std::byte> pack_tile_values(std::span<const std::int64_t> values);

/// nullopt for a blob that is not of this form.
std::optional<std::vector<std::int64_t>> unpack_tile_values(std::span<const std::byte> packed);

/// The same plus those of `base`, one by one, where that is not empty.
std::optional<std::vector<std::int64_t>> unpack_tile_values(std::span<const std::byte> packed,
                                                            std::span<const std::byte> base);

} // namespace tilescope::profile
