// SPDX-License-Identifier: GPL-3.0-or-later
#include "markup.h"

#include <cstdio>

namespace tilescope::exports {

std::string markup_text(const std::string& text) {
    std::string out;
    for (const char c : shown_text(text))
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        default:
            out += c;
        }
    return out;
}

std::string pixels(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

std::string svg_text(double x, double y, const char* anchor, const std::string& text) {
    return "<text x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" text-anchor=\"" + anchor + "\">" +
           markup_text(text) + "</text>";
}

} // namespace tilescope::exports
