// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_depth.h"

#include <cstddef>

namespace tilescope {

bool nests_too_deep(std::string_view json) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < json.size() && depth <= deepest_json; ++i) {
        const char c = json[i];
        if (c == '"')
            in_string = !in_string;
        else if (in_string)
            i += c == '\\' ? 1 : 0;
        else if (c == '[' || c == '{')
            ++depth;
        else if (c == ']' || c == '}')
            --depth;
    }
    return depth > deepest_json;
}

} // namespace tilescope
