// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <functional>
#include <ostream>
#include <string>

namespace tilescope::app {

using Write = std::function<Result<void>(std::ostream&)>;

/// Lets `write` write a whole file, or stdout where `path` is "-". A file appears complete or not at all: it
/// is written beside `path` and moved into place. A device, a pipe or a link is written directly.
/// Errors: those of `write`; BadInput where the file cannot be made, System where it cannot be written.
Result<void> write_output(const std::string& path, const Write& write);
Result<void> write_output(const std::string& path, const std::string& text);

/// Ends what was printed to stdout. Errors: System where it did not arrive, unless its reader closed early
/// (as `head` does), which is no mistake.
Result<void> finish_printing();

} // namespace tilescope::app
