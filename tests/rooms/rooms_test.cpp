// SPDX-License-Identifier: GPL-3.0-or-later
// The rooms of core/ and ui/, and the programs of app/, as their CMakeLists.txt declare them, held against
// what their files include.
#include "build_paths.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

using Names = std::set<std::string>;

struct Room {
    fs::path folder;
    Names depends;
    Names includes; ///< rooms whose headers its files include
};
using Rooms = std::map<std::string, Room>; ///< by the name that includes begin with: "graph", "ui/graph"

std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

/// "ui_graph" of a CMakeLists.txt is included as "ui/graph".
std::string included_as(const std::string& name) {
    return name.rfind("ui_", 0) == 0 ? "ui/" + name.substr(3) : name;
}

/// The words behind DEPENDS, up to the next keyword.
Names depends_of(const std::string& arguments) {
    Names names;
    std::istringstream words(arguments);
    bool depends = false;
    for (std::string word; words >> word;)
        if (word == "DEPENDS" || word == "LINK" || word == "FOLDERS")
            depends = word == "DEPENDS";
        else if (depends)
            names.insert(included_as(word));
    return names;
}

Rooms declared_rooms() {
    const std::regex declaration(R"(tilescope_(ui_)?room\((\w+)([^)]*)\))");
    Rooms rooms;
    for (const char* part : {"core", "ui"})
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(TILESCOPE_SOURCE_DIR) / part)) {
            if (entry.path().filename() != "CMakeLists.txt")
                continue;
            const std::string text = text_of(entry.path());
            std::smatch match;
            if (std::regex_search(text, match, declaration))
                rooms[(match[1].matched ? "ui/" : "") + match[2].str()] = {
                    entry.path().parent_path(), depends_of(match[3].str()), {}};
        }
    // The kernels are built twice, so that they are no ordinary room; others include them as one.
    rooms["kernels"] = {fs::path(TILESCOPE_SOURCE_DIR) / "core/operators/kernels", {"base"}, {}};
    return rooms;
}

bool below(const fs::path& path, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

/// The room of a file is that whose folder is nearest above it.
const std::string* room_of(const fs::path& file, const Rooms& rooms) {
    const std::string* nearest = nullptr;
    for (const auto& [name, room] : rooms)
        if (below(file, room.folder) && (nearest == nullptr || below(room.folder, rooms.at(*nearest).folder)))
            nearest = &name;
    return nearest;
}

/// Rooms whose headers a text includes.
Names included_by(const std::string& text, const Rooms& rooms) {
    static const std::regex include(R"re(#include "((?:ui/)?\w+)/)re");
    Names names;
    for (std::sregex_iterator it(text.begin(), text.end(), include), end; it != end; ++it)
        if (const std::string room = (*it)[1].str(); rooms.contains(room))
            names.insert(room);
    return names;
}

void read_includes(Rooms& rooms) {
    for (const char* part : {"core", "ui"})
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(TILESCOPE_SOURCE_DIR) / part)) {
            const std::string extension = entry.path().extension().string();
            const std::string* name = room_of(entry.path(), rooms);
            if ((extension != ".cpp" && extension != ".h") || name == nullptr)
                continue;
            Names others = included_by(text_of(entry.path()), rooms);
            others.erase(*name);
            rooms[*name].includes.merge(others);
        }
}

/// A program of app/, or the module of the engine: what it links, and what its files include.
struct Program {
    std::string target;
    Names depends;
    Names includes;
};

/// The rooms that a target is linked with.
Names linked_by(const std::string& text, const std::string& target) {
    const std::regex linking("target_link_libraries\\(" + target + " PRIVATE ([^)]*)\\)");
    std::smatch match;
    Names names;
    if (!std::regex_search(text, match, linking))
        return names;
    std::istringstream words(match[1].str());
    const std::string room = "tilescope_";
    for (std::string word; words >> word;)
        if (word.rfind(room, 0) == 0 && word != "tilescope_settings" && word != "tilescope_version")
            names.insert(included_as(word.substr(room.size())));
    return names;
}

std::vector<Program> programs(const Rooms& rooms) {
    const fs::path app = fs::path(TILESCOPE_SOURCE_DIR) / "app";
    const std::string declared = text_of(app / "CMakeLists.txt");
    std::vector<Program> all{
        {"tilescope", linked_by(declared, "tilescope"), {}},
        {"tilescope-gui", linked_by(declared, "tilescope-gui"), {}},
        {"tilescope_engine", linked_by(text_of(app / "python/CMakeLists.txt"), "tilescope_engine"), {}}};
    const auto add = [&](Program& program, const fs::path& file) {
        program.includes.merge(included_by(text_of(file), rooms));
    };
    for (const auto& entry : fs::directory_iterator(app)) {
        const std::string stem = entry.path().stem().string();
        const std::string extension = entry.path().extension().string();
        if (extension != ".cpp" && extension != ".h")
            continue;
        add(all[stem == "tilescope_gui" ? 1 : 0], entry.path());
        if (stem == "progress_bars") // of both
            add(all[2], entry.path());
    }
    for (const auto& entry : fs::directory_iterator(app / "python/engine"))
        add(all[2], entry.path());
    return all;
}

/// All rooms that some lead to.
Names reached(const Rooms& rooms, const Names& from) {
    Names all;
    std::vector<std::string> open(from.begin(), from.end());
    while (!open.empty()) {
        const std::string name = open.back();
        open.pop_back();
        if (const auto room = rooms.find(name); all.insert(name).second && room != rooms.end())
            open.insert(open.end(), room->second.depends.begin(), room->second.depends.end());
    }
    return all;
}

const Names what_runs{"graph",    "operators", "kernels", "training", "layers",  "formats", "keras",  "onnx",
                      "workload", "ipu",       "program", "lowering", "compile", "run",     "prepare"};
/// The others of core/: what the window and the analysis may reach.
const Names what_reads{"base", "mapping", "profile", "analyse", "export"};

class RoomsTest : public testing::Test {
  protected:
    RoomsTest() : rooms(declared_rooms()) { read_includes(rooms); }
    Rooms rooms;
};

} // namespace

TEST_F(RoomsTest, AreFoundWithTheirIncludes) {
    ASSERT_TRUE(rooms.contains("compile"));
    EXPECT_TRUE(rooms["compile"].includes.contains("lowering"));
    ASSERT_TRUE(rooms.contains("ui/graph"));
    EXPECT_TRUE(rooms["ui/graph"].includes.contains("ui/widgets"));
}

TEST_F(RoomsTest, EachRunsOrReads) {
    for (const auto& [name, room] : rooms)
        if (name.rfind("ui/", 0) != 0) {
            EXPECT_NE(what_runs.contains(name), what_reads.contains(name)) << name;
        }
}

/// The arrows of the README, "a, b -> c, d", are those that the rooms of core/ declare; to base all lead.
TEST_F(RoomsTest, LeadWhereTheReadmeSays) {
    const std::string readme = text_of(fs::path(TILESCOPE_SOURCE_DIR) / "README.md");
    const std::regex arrows("\n    ([a-z, ]+?) *-> ([a-z, ]+)(?=\n)");
    const auto words = [](std::string text) {
        std::replace(text.begin(), text.end(), ',', ' ');
        std::istringstream in(text);
        return Names(std::istream_iterator<std::string>(in), {});
    };
    std::map<std::string, Names> told;
    for (std::sregex_iterator it(readme.begin(), readme.end(), arrows), end; it != end; ++it)
        for (const std::string& from : words((*it)[1].str()))
            told[from].merge(words((*it)[2].str()));
    for (const auto& [name, room] : rooms) {
        Names declared = room.depends;
        declared.erase("base");
        if (name.rfind("ui/", 0) != 0) {
            EXPECT_EQ(told[name], declared) << name;
        }
    }
    for (const auto& [name, to] : told)
        EXPECT_TRUE(rooms.contains(name)) << name;
}

TEST_F(RoomsTest, IncludeNoRoomThatTheyDoNotDeclare) {
    for (const auto& [name, room] : rooms)
        for (const std::string& other : room.includes)
            EXPECT_TRUE(room.depends.contains(other)) << name << " includes " << other;
}

TEST_F(RoomsTest, DeclareNoRoomThatTheyDoNotInclude) {
    for (const auto& [name, room] : rooms)
        for (const std::string& other : room.depends)
            EXPECT_TRUE(room.includes.contains(other))
                << name << " declares " << other << " and includes nothing of it";
}

TEST_F(RoomsTest, DependOnEachOtherInOneDirection) {
    Names done;
    std::vector<std::string> path;
    const std::function<void(const std::string&)> visit = [&](const std::string& name) {
        if (done.contains(name))
            return;
        ASSERT_EQ(std::find(path.begin(), path.end(), name), path.end()) << "a circle through " << name;
        path.push_back(name);
        for (const std::string& other : rooms[name].depends)
            visit(other);
        path.pop_back();
        done.insert(name);
    };
    for (const auto& [name, room] : rooms)
        visit(name);
}

/// The window, the analysis, the exports and the profile never reach what runs.
TEST_F(RoomsTest, OfWhatIsSeenNeverReachWhatRuns) {
    for (const auto& [name, room] : rooms) {
        if (name.rfind("ui/", 0) != 0 && name != "analyse" && name != "export" && name != "profile")
            continue;
        const Names all = reached(rooms, room.depends);
        for (const std::string& other : what_runs)
            EXPECT_FALSE(all.contains(other)) << name << " reaches " << other;
    }
}

TEST_F(RoomsTest, ProgramsLinkTheRoomsThatTheyInclude) {
    for (const Program& program : programs(rooms)) {
        EXPECT_FALSE(program.depends.empty()) << program.target;
        for (const std::string& room : program.includes)
            EXPECT_TRUE(program.depends.contains(room)) << program.target << " includes " << room;
        for (const std::string& room : program.depends) {
            EXPECT_TRUE(rooms.contains(room)) << program.target << " links " << room << ", which is no room";
            EXPECT_TRUE(program.includes.contains(room))
                << program.target << " links " << room << " and includes nothing of it";
        }
    }
}

/// What they could include from the root of the sources, past the include roots of the rooms.
TEST_F(RoomsTest, ProgramsAndTestsIncludeWhatRoomsOffer) {
    const fs::path root = TILESCOPE_SOURCE_DIR;
    const std::regex include(R"re(#include "((?:core|ui)/[^"]+)")re");
    std::size_t seen = 0;
    for (const char* part : {"app", "bench", "tests"})
        for (const auto& entry : fs::recursive_directory_iterator(root / part)) {
            if (!entry.is_regular_file() ||
                (entry.path().extension() != ".cpp" && entry.path().extension() != ".h"))
                continue;
            const std::string text = text_of(entry.path());
            for (std::sregex_iterator it(text.begin(), text.end(), include), end; it != end; ++it, ++seen) {
                const fs::path header = (*it)[1].str();
                const auto room = std::next(header.begin());
                EXPECT_TRUE(*header.begin() == "ui" && fs::exists(root / "ui" / *room / "include" / header))
                    << fs::relative(entry.path(), root) << " includes " << header
                    << ", which its room keeps to itself";
            }
        }
    EXPECT_GT(seen, 100U);
}

bool is_source(const fs::path& path) {
    static const Names extensions{".cpp", ".h", ".py", ".pyi", ".sh", ".cmake"};
    static const Names names{"CMakeLists.txt", "run", "remake", "build_paths.h.in"};
    return extensions.contains(path.extension().string()) || names.contains(path.filename().string());
}

/// In the first line, or the second where the first says what runs it.
TEST(Sources, SayTheirLicence) {
    const fs::path root = TILESCOPE_SOURCE_DIR;
    std::size_t sources = 0;
    const auto check = [&](const fs::path& path) {
        std::ifstream file(path);
        std::string line;
        std::getline(file, line);
        if (line.rfind("#!", 0) == 0)
            std::getline(file, line);
        EXPECT_NE(line.find("SPDX-License-Identifier: GPL-3.0-or-later"), std::string::npos)
            << fs::relative(path, root);
        ++sources;
    };
    check(root / "CMakeLists.txt");
    for (const char* part : {".ci", "app", "bench", "cmake", "core", "resources", "samples", "tests", "ui"})
        for (const auto& entry : fs::recursive_directory_iterator(root / part))
            if (entry.is_regular_file() && is_source(entry.path()))
                check(entry.path());
    EXPECT_GT(sources, 1000U);
}

/// The literal that `.arg(` at a place of a source fills in, or its last line; "": it fills in another text.
std::string filled_in(const std::string& source, std::size_t at) {
    while (at > 0 && (std::isspace(static_cast<unsigned char>(source[at - 1])) || source[at - 1] == ')'))
        --at;
    const std::size_t begin = at < 2 || source[at - 1] != '"' ? std::string::npos : source.rfind('"', at - 2);
    return begin == std::string::npos ? std::string() : source.substr(begin, at - begin);
}

bool has_tag(const std::string& text) {
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1))
        if (at + 1 < text.size() && std::isalpha(static_cast<unsigned char>(text[at + 1])))
            return true;
    return text.find("&nbsp;") != std::string::npos;
}

/// Texts are plain: they become rich text in inHtml() and asHtml(), which escape them once.
TEST(Sources, EscapeTextsInOnePlace) {
    const auto tagged = [](const std::string& source) {
        return has_tag(filled_in(source, source.find(".arg(")));
    };
    EXPECT_TRUE(tagged("tr(\"of <b>%1</b>\")\n    .arg(name)"));
    EXPECT_FALSE(tagged("tr(\"%1 < %2\").arg(a, b)"));
    std::set<std::string> escaping;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(TILESCOPE_SOURCE_DIR) / "ui")) {
        if (!entry.is_regular_file())
            continue;
        const std::string name = fs::relative(entry.path(), TILESCOPE_SOURCE_DIR).generic_string();
        const std::string source = text_of(entry.path());
        if (source.find("toHtmlEscaped") != std::string::npos)
            escaping.insert(name);
        for (std::size_t at = source.find(".arg("); at != std::string::npos;
             at = source.find(".arg(", at + 1))
            EXPECT_FALSE(has_tag(filled_in(source, at)))
                << name << " fills in rich text unescaped, not with inHtml(): " << filled_in(source, at);
    }
    EXPECT_EQ(escaping, std::set<std::string>{"ui/session/format.cpp"});
}

/// The window starts runs as processes, and the command line needs no Qt.
TEST_F(RoomsTest, TheWindowNeverReachesWhatRunsNorTheCommandLineTheWindow) {
    for (const Program& program : programs(rooms)) {
        const bool window = program.target == "tilescope-gui";
        for (const std::string& room : reached(rooms, program.depends)) {
            EXPECT_FALSE(window && what_runs.contains(room)) << program.target << " reaches " << room;
            EXPECT_FALSE(!window && room.rfind("ui/", 0) == 0) << program.target << " reaches " << room;
        }
    }
}
