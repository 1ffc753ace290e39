// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <functional>
#include <ostream>
#include <string>

namespace tilescope::exports {

using Write = std::function<Result<void>(std::ostream&)>;

/// Which file at the path of an output may be replaced.
enum class Replace {
    Any,
    SameKind ///< one that is empty or begins with the same line as the new one, as an earlier output does
};

/// Lets `write` write a file that appears complete or not at all: it is written in the folder of `path`
/// without a name, or under one that no file has, and moved into place; until then, and where writing fails,
/// what was there stays. A link stays a link, to the new file. A device or a pipe is written directly.
/// Errors: those of `write`; BadInput where the file cannot be made or must not be replaced, System where it
/// cannot be written.
Result<void> write_whole_file(const std::string& path, const Write& write, Replace replace = Replace::Any);

} // namespace tilescope::exports
