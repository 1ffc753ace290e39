// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace tilescope::formats {

/// An array of numbers, row by row.
struct ArrayFile {
    std::vector<std::int64_t> extents;
    std::vector<float> values;
    bool bytes = false; ///< they were unsigned bytes, as of images
};

/// NumPy's format (numpy/lib/format.py, versions 1 to 3): integers and floats of 1 to 8 bytes and truth
/// values, little-endian, row by row. `path` names the file in messages. Errors: BadInput for what is no such
/// file, cut short, longer than its header says, or of another type or order.
Result<ArrayFile> parse_npy(const std::string& bytes, const std::string& path);
Result<ArrayFile> read_npy_file(const std::string& path);

/// An array of which whole numbers and truth values are as they are in the file.
struct NumberFile {
    std::vector<std::int64_t> extents;
    std::string type;                   ///< NumPy's text without the order of bytes: "f4", "i8", "b1"
    std::vector<float> values;          ///< of floats
    std::vector<std::int64_t> integers; ///< of others; of uint64 at most the greatest int64
};
/// As read_npy_file; an extent may be 0.
Result<NumberFile> read_npy_numbers(const std::string& path);

/// The array NAME of a NumPy archive (.npz). Errors: as parse_npy, and where there is no such array.
Result<ArrayFile> read_npz_file(const std::string& path, const std::string& name);

/// Writes version 1 of the format: `type` is NumPy's text of the elements' type ("<f4"), `bytes` their values
/// row by row.
void write_npy(std::ostream& out, const std::string& type, const std::vector<std::int64_t>& extents,
               std::span<const std::byte> bytes);

/// A table of numbers, one row in each line, between commas; a first line that is not of numbers is its head.
/// Errors: BadInput with the line for what is no number, and for rows of different length.
Result<ArrayFile> read_csv_file(const std::string& path);

} // namespace tilescope::formats
