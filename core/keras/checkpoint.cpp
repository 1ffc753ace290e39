// SPDX-License-Identifier: GPL-3.0-or-later
#include "checkpoint.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace tilescope::keras {
namespace {

constexpr const char* layers_name = "layers";
constexpr const char* older_name = "_layer_checkpoint_dependencies";

/// "dense_12" as "dense" and 12; "dense" as "dense" and 0.
std::pair<std::string, std::size_t> numbered_name(const std::string& name) {
    const std::size_t at = name.rfind('_');
    const std::string digits = at == std::string::npos ? "" : name.substr(at + 1);
    const bool number =
        !digits.empty() && digits.size() < 9 &&
        std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    return number ? std::pair{name.substr(0, at), static_cast<std::size_t>(std::stoul(digits))}
                  : std::pair{name, std::size_t{0}};
}

} // namespace

KerasCheckpoint::KerasCheckpoint(const formats::Hdf5File& file) : file_(file) {
    for (const char* container : {layers_name, older_name}) {
        if (file.has_group(container)) {
            container_ = container;
            return;
        }
        const std::string joined = std::string(container) + "\\";
        for (const std::string& member : file.members(""))
            if (member.rfind(joined, 0) == 0) {
                container_ = container;
                separator_ = '\\';
                return;
            }
    }
}

std::string KerasCheckpoint::join(const std::string& group, const std::string& name) const {
    return group.empty() ? name : group + separator_ + name;
}

std::vector<std::string> KerasCheckpoint::within(const std::string& group) const {
    if (separator_ == '/')
        return file_.members(group);
    std::vector<std::string> names;
    const std::string prefix = group + separator_;
    for (const std::string& member : file_.members(""))
        if (member.rfind(prefix, 0) == 0 && member.find(separator_, prefix.size()) == std::string::npos)
            names.push_back(member.substr(prefix.size()));
    return names;
}

/// Layer n of a class is the n-th that the file has of it, however they are counted.
std::string KerasCheckpoint::counted_twice(const std::string& container, const std::string& name) const {
    const auto [kind, number] = numbered_name(name);
    std::vector<std::size_t> numbers;
    for (const std::string& each : within(container))
        if (const auto [other, n] = numbered_name(each); other == kind)
            numbers.push_back(n);
    std::sort(numbers.begin(), numbers.end());
    if (number >= numbers.size())
        return name;
    return numbers[number] == 0 ? kind : kind + "_" + std::to_string(numbers[number]);
}

std::string KerasCheckpoint::group(const std::string& layer, const std::string& part) const {
    std::string path;
    std::istringstream names(layer);
    bool class_follows = false;
    for (std::string name; std::getline(names, name, '/');) {
        if (class_follows && container_ == older_name)
            name = counted_twice(path, name);
        class_follows = !class_follows && name == layers_name;
        path = join(path, class_follows ? container_ : name);
    }
    std::istringstream parts(part);
    for (std::string name; std::getline(parts, name, '/');) {
        const std::string hidden = join(path, "_" + name); // a private member of the layer
        path = file_.has_group(hidden) ? hidden : join(path, name);
    }
    return path;
}

std::vector<std::string> KerasCheckpoint::data_sets(const std::string& group) const {
    std::vector<std::string> sets;
    for (const std::string& holder : {group, join(group, "cell")}) {
        const std::string vars = holder + "/vars";
        const std::size_t count = file_.members(vars).size();
        for (std::size_t i = 0; i < count; ++i)
            sets.push_back(vars + "/" + std::to_string(i));
    }
    return sets;
}

std::vector<std::string> KerasCheckpoint::groups() const {
    std::vector<std::string> all;
    for (const std::string& name : within(container_))
        all.push_back(join(container_, name));
    return all;
}

} // namespace tilescope::keras
