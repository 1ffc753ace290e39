// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/shown_text.h"

#include <string>

namespace tilescope::exports {

/// Shown text as content or attribute of HTML and XML.
std::string markup_text(const std::string& text);

/// A coordinate of a picture, in pixels: "12.5".
std::string pixels(double value);
/// Text of an SVG picture; `anchor`: which end of it is at x, "start", "middle" or "end".
std::string svg_text(double x, double y, const char* anchor, const std::string& text);

} // namespace tilescope::exports
