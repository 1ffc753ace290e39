// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/shown_text.h"

#include <algorithm>
#include <string_view>

namespace tilescope {

std::string shown_text(const std::string& text) {
    const char* const replacement = "\xEF\xBF\xBD"; // U+FFFD
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view rest = std::string_view(text).substr(i);
        const auto first = static_cast<unsigned char>(rest[0]);
        const bool second_controls =
            rest.size() > 1 && first == 0xC2 && static_cast<unsigned char>(rest[1]) < 0xA0;
        if ((first < 0x20 && first != '\n' && first != '\t') || first == 0x7F) {
            out += replacement;
        } else if (second_controls) { // U+0080 to U+009F
            out += replacement;
            i += 1;
        } else if (rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF")) { // U+FFFE, U+FFFF
            out += replacement;
            i += 2;
        } else
            out += text[i];
    }
    return out;
}

std::string line_text(const std::string& text) {
    std::string out = shown_text(text);
    std::replace_if(
        out.begin(), out.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return out;
}

} // namespace tilescope
