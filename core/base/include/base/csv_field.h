// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace tilescope {

/// A field of a CSV line (RFC 4180): quoted where it holds a comma, a quote or a line break.
std::string csv_field(const std::string& text);

} // namespace tilescope
