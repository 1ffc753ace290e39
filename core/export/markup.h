// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace tilescope::exports {

/// Text as content or attribute of HTML and XML, without the control characters that XML forbids.
std::string markup_text(const std::string& text);

} // namespace tilescope::exports
