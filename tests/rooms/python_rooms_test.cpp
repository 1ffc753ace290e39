// SPDX-License-Identifier: GPL-3.0-or-later
// The packages and modules of tilescope_front, and which of them import each other.
#include "build_paths.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace fs = std::filesystem;

namespace {

using Names = std::set<std::string>;

std::vector<std::string> parts_of(const std::string& text, char between) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, between);)
        parts.push_back(part);
    return parts;
}

std::string read(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// What a module imports of its own program, each as a path from the top: of "from ..keras import (a, b as
/// c)" in a package {"keras", "a"} and {"keras", "b"}.
std::vector<std::vector<std::string>> imports(const std::string& text,
                                              const std::vector<std::string>& package) {
    static const std::regex import(R"((?:^|\n) *from (\.+)([\w.]*) import (\([^)]*\)|[^\n]*))");
    static const std::regex name(R"((?:^|[(,])\s*(\w+))");
    std::vector<std::vector<std::string>> found;
    for (std::sregex_iterator it(text.begin(), text.end(), import), end; it != end; ++it) {
        const auto up = static_cast<std::ptrdiff_t>((*it)[1].length()) - 1;
        std::vector<std::string> from(package.begin(), package.end() - up);
        for (const std::string& part : parts_of((*it)[2].str(), '.'))
            from.push_back(part);
        const std::string names = (*it)[3].str();
        for (std::sregex_iterator each(names.begin(), names.end(), name); each != end; ++each) {
            found.push_back(from);
            found.back().push_back((*each)[1].str());
        }
    }
    return found;
}

fs::path front() {
    return fs::path(TILESCOPE_SOURCE_DIR) / "app/python/modules/tilescope_front";
}

/// What each package, and each module beside them, imports of the others.
std::map<std::string, Names> imported() {
    const fs::path root = front();
    std::map<std::string, Names> all;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
        if (entry.path().extension() != ".py")
            continue;
        const fs::path path = fs::relative(entry.path(), root);
        std::vector<std::string> package;
        for (const fs::path& part : path.parent_path())
            package.push_back(part.string());
        const std::string own = package.empty() ? path.stem().string() : package[0];
        for (const auto& other : imports(read(entry.path()), package))
            if (other[0] != own)
                all[own].insert(other[0]);
    }
    return all;
}

} // namespace

TEST(PythonRooms, ImportsAreReadAsPythonDoes) {
    const auto found = imports("from . import a\nfrom .b.c import (d as e,\n    f)\n    from .. import g, h\n"
                               "import i\nfrom j import k\n",
                               {"top", "inner"});
    const std::vector<std::vector<std::string>> expected{{"top", "inner", "a"},
                                                         {"top", "inner", "b", "c", "d"},
                                                         {"top", "inner", "b", "c", "f"},
                                                         {"top", "g"},
                                                         {"top", "h"}};
    EXPECT_EQ(found, expected);
}

/// What two of them are about moves to where both may have it.
TEST(PythonRooms, NoTwoImportEachOther) {
    const auto all = imported();
    ASSERT_TRUE(all.contains("keras"));
    std::set<std::pair<std::string, std::string>> pairs;
    for (const auto& [from, others] : all)
        for (const std::string& to : others)
            if (const auto back = all.find(to); from < to && back != all.end() && back->second.contains(from))
                pairs.emplace(from, to);
    EXPECT_EQ(pairs, (std::set<std::pair<std::string, std::string>>{}));
}

/// As the README draws them.
TEST(PythonRooms, PackagesImportThoseBeforeThem) {
    const std::vector<std::string> order{"tensors", "operations", "tracing", "optimizers",
                                         "data",    "ipu",        "tf1",     "keras"};
    const auto all = imported();
    std::set<std::pair<std::string, std::string>> backwards;
    for (auto from = order.begin(); from != order.end(); ++from) {
        ASSERT_TRUE(all.contains(*from)) << *from;
        for (auto later = from + 1; later != order.end(); ++later)
            if (all.at(*from).contains(*later))
                backwards.emplace(*from, *later);
    }
    EXPECT_EQ(backwards, (std::set<std::pair<std::string, std::string>>{}));
    for (const auto& entry : fs::directory_iterator(front())) {
        const std::string name = entry.path().filename().string();
        if (entry.is_directory() && name != "__pycache__") {
            EXPECT_EQ(std::count(order.begin(), order.end(), name), 1) << name;
        }
    }
}
