// SPDX-License-Identifier: GPL-3.0-or-later
#include "markup.h"

namespace tilescope::exports {

std::string markup_text(const std::string& text) {
    std::string out;
    for (const char c : text)
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
            if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
                out += c;
        }
    return out;
}

} // namespace tilescope::exports
