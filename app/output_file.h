// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "export/whole_file.h"

#include <string>

namespace tilescope::app {

/// As exports::write_whole_file, or to stdout where `path` is "-".
Result<void> write_output(const std::string& path, const exports::Write& write,
                          exports::Replace replace = exports::Replace::Any);
Result<void> write_output(const std::string& path, const std::string& text,
                          exports::Replace replace = exports::Replace::Any);

/// Ends what was printed to stdout. Errors: System where it did not arrive, unless its reader closed early
/// (as `head` does), which is no mistake.
Result<void> finish_printing();

} // namespace tilescope::app
