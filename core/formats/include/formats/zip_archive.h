// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <optional>
#include <string>

namespace tilescope::formats {

/// The content of one entry of a zip archive; nullopt where the archive has no such entry. Errors: BadInput
/// for a file that is missing, no archive, damaged (a wrong checksum) or cut short, and for an entry that
/// unpacks to more than it may (unpacked_size.h).
Result<std::optional<std::string>> zip_entry(const std::string& path, const std::string& entry);

/// Whether an archive has an entry. Errors: as zip_entry.
Result<bool> zip_has_entry(const std::string& path, const std::string& entry);

/// Whether bytes begin as a zip archive does.
bool begins_as_zip(const std::string& bytes);

} // namespace tilescope::formats
