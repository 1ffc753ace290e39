// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file_names.h"

#include <algorithm>
#include <filesystem>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

/// A path without its ending, as parts from the last to the first.
std::vector<std::string> parts_of(const std::string& path) {
    const fs::path normal = fs::path(path).lexically_normal();
    std::vector<std::string> parts;
    for (const fs::path& part : normal.parent_path() / normal.stem())
        if (part != "/")
            parts.insert(parts.begin(), part.string());
    return parts;
}

std::string joined(const std::vector<std::string>& parts, std::size_t count) {
    std::string name;
    for (std::size_t i = std::min(count, parts.size()); i-- > 0;)
        name += parts[i] + (i > 0 ? "/" : "");
    return name;
}

} // namespace

std::vector<std::string> file_names(const std::vector<std::string>& paths) {
    std::vector<std::vector<std::string>> parts;
    std::size_t longest = 0;
    for (const std::string& path : paths) {
        parts.push_back(parts_of(path));
        longest = std::max(longest, parts.back().size());
    }
    std::vector<std::string> names;
    for (const auto& own : parts) {
        std::size_t count = 1;
        const auto is_of_another = [&](const auto& other) {
            return other != own && joined(other, count) == joined(own, count);
        };
        while (count < longest && std::any_of(parts.begin(), parts.end(), is_of_another))
            ++count;
        names.push_back(joined(own, count));
    }
    return names;
}

} // namespace tilescope
