// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::formats {

/// An array of bytes in the IDX format of the MNIST files, row by row.
struct IdxFile {
    std::vector<std::int64_t> extents;
    std::vector<unsigned char> bytes;
};

/// Reads a file, plain or gzip, with so many dimensions. Errors: BadInput with the path for one that cannot
/// be opened, a wrong magic number, one cut short or longer than its header says, one with nothing in it,
/// more than 2 GiB or than it may unpack to (unpacked_size.h).
Result<IdxFile> read_idx_file(const std::string& path, std::size_t dimensions);

} // namespace tilescope::formats
