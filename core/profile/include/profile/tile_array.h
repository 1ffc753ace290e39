// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilescope::profile {

/// One integer per tile, packed: a byte with the width of a value (0: all are the same; 1, 2, 4, 8 bytes,
/// signed), the number of values (4 bytes), the smallest value (8 bytes), then each value less the smallest,
/// unsigned, in `width` bytes. Little-endian. Where it is shorter so, what follows the header is deflated (a
/// zlib stream, RFC 1950), and 128 added to the width.
std::vector<std::byte> pack_tile_values(std::span<const std::int64_t> values);

/// nullopt for a blob that is not of this form.
std::optional<std::vector<std::int64_t>> unpack_tile_values(std::span<const std::byte> packed);

} // namespace tilescope::profile
