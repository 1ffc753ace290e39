// SPDX-License-Identifier: GPL-3.0-or-later
#include "metric_path.h"

#include "base/pattern.h"

#include <charconv>
#include <optional>

namespace tilescope::analyse {
namespace {

using Json = nlohmann::ordered_json;

std::optional<long> position_of(const std::string& text) {
    long index = 0;
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (text.empty() || code != std::errc() || stop != text.data() + text.size())
        return std::nullopt;
    return index;
}

/// Of an entry of a list: its position where it has none.
std::string name_of(const Json& list, std::size_t position) {
    const Json& entry = list[position];
    if (entry.is_object())
        if (const auto name = entry.find("name"); name != entry.end() && name->is_string())
            return name->get<std::string>();
    return std::to_string(position);
}

/// Parts of a path and what is found by them, one after another.
class Search {
  public:
    explicit Search(std::string path) : path_(std::move(path)) {}
    std::vector<Metric> found;

    void look(const Json& at, std::size_t begin, const std::string& path, const std::string& key) {
        if (begin > path_.size() || at.is_null()) {
            const std::string rest = begin > path_.size() ? "" : "." + path_.substr(begin); // behind a null
            found.push_back({path + rest, key + rest, &at});
        } else if (at.is_object())
            look_in_object(at, begin, path, key);
        else if (at.is_array())
            look_in_list(at, begin, path, key);
    }

  private:
    /// The longest key that the rest of the path begins with.
    void look_in_object(const Json& object, std::size_t begin, const std::string& path,
                        const std::string& key) {
        for (std::size_t end = path_.size(); end != std::string::npos && end > begin;
             end = path_.rfind('.', end - 1))
            if (const auto next = object.find(path_.substr(begin, end - begin)); next != object.end()) {
                const std::string dot = path.empty() ? "" : ".";
                look(*next, end + 1, path + dot + next.key(), key + dot + next.key());
                return;
            }
    }
    void look_in_list(const Json& list, std::size_t begin, const std::string& path, const std::string& key) {
        const std::size_t dot = std::min(path_.find('.', begin), path_.size());
        if (const auto position = position_of(path_.substr(begin, dot - begin))) {
            const long size = static_cast<long>(list.size());
            const long index = *position < 0 ? *position + size : *position;
            if (index >= 0 && index < size)
                look(list[static_cast<std::size_t>(index)], dot + 1,
                     path + "." + path_.substr(begin, dot - begin), key + "[]");
            return;
        }
        const std::string before = path + ".";
        const std::string entry_key = key + "[]";
        for (std::size_t end = path_.size(); end != std::string::npos && end > begin && found.empty();
             end = path_.rfind('.', end - 1)) {
            const std::string pattern = path_.substr(begin, end - begin);
            for (std::size_t i = 0; i < list.size(); ++i)
                if (const std::string name = name_of(list, i);
                    !name.empty() && matches_pattern(pattern, name))
                    look(list[i], end + 1, before + name, entry_key);
        }
    }

    std::string path_;
};

void collect(const Json& node, const std::string& path, std::vector<std::string>& out) {
    const std::string before = path.empty() ? "" : path + ".";
    if (node.is_number() || node.is_null())
        out.push_back(path);
    else if (node.is_object())
        for (const auto& [key, value] : node.items())
            collect(value, before + key, out);
    else if (node.is_array())
        for (std::size_t i = 0; i < node.size(); ++i)
            if (const std::string name = name_of(node, i); !name.empty())
                collect(node[i], before + name, out);
}

} // namespace

std::vector<Metric> find_metrics(const Json& document, const std::string& path) {
    Search search(path);
    search.look(document, 0, {}, {});
    return std::move(search.found);
}

std::vector<std::string> all_metrics(const Json& document) {
    std::vector<std::string> names;
    collect(document, {}, names);
    return names;
}

} // namespace tilescope::analyse
