// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/app/command_fixture.h"
#include "tests/json_schema.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace tilescope::tests {
namespace {

namespace fs = std::filesystem;

const fs::path source_folder = TILESCOPE_SOURCE_DIR;
const fs::path docs_folder = source_folder / "resources/docs";

/// A fenced block of one language.
struct Block {
    std::size_t line = 0; ///< of its first line, from 1
    std::vector<std::string> lines;
};

std::vector<Block> blocks(const fs::path& page, const std::string& language) {
    std::istringstream text(read_file(page.string()));
    std::vector<Block> found;
    bool inside = false;
    std::size_t number = 0;
    for (std::string line; std::getline(text, line);) {
        ++number;
        if (inside && line == "```")
            inside = false;
        else if (inside)
            found.back().lines.push_back(line);
        else if (line == "```" + language) {
            found.push_back({number + 1, {}});
            inside = true;
        }
    }
    return found;
}

/// A command of a page, and the exit code that a comment behind it documents: "# exit code 3".
struct Example {
    std::string place;
    std::string command;
    int exit_code = 0;
};

std::vector<Example> examples(const fs::path& page) {
    const std::string mark = "# exit code ";
    std::vector<Example> found;
    for (const Block& block : blocks(page, "sh")) {
        bool continues = false;
        for (std::size_t i = 0; i < block.lines.size(); ++i) {
            if (continues)
                found.back().command += "\n" + block.lines[i];
            else
                found.push_back(
                    {page.filename().string() + ":" + std::to_string(block.line + i), block.lines[i], 0});
            continues = block.lines[i].ends_with('\\');
        }
    }
    for (Example& example : found)
        if (const auto at = example.command.find(mark); at != std::string::npos)
            example.exit_code = std::stoi(example.command.substr(at + mark.size()));
    std::erase_if(found, [](const Example& e) { return !e.command.starts_with("tilescope"); });
    return found;
}

/// The README, the tour, then the others: later examples use the profiles of earlier ones.
std::vector<fs::path> pages() {
    std::vector<fs::path> result{source_folder / "README.md", docs_folder / "first-profile.md"};
    std::vector<fs::path> others;
    for (const auto& entry : fs::directory_iterator(docs_folder))
        if (entry.path().extension() == ".md" && entry.path() != result[1])
            others.push_back(entry.path());
    std::sort(others.begin(), others.end());
    result.insert(result.end(), others.begin(), others.end());
    return result;
}

class Documentation : public CommandTest {};

TEST_F(Documentation, EveryExampleEndsWithItsExitCode) {
    fs::create_directory_symlink(source_folder / "samples", folder / "samples");
    std::set<std::string> done; // what stands on two pages runs once
    for (const fs::path& page : pages())
        for (const Example& example : examples(page)) {
            if (!done.insert(example.command).second)
                continue;
            const std::string script =
                "cd '" + folder.path().string() +
                "' && export PATH='" TILESCOPE_BIN_DIR
                "':\"$PATH\" QT_QPA_PLATFORM=offscreen XDG_CONFIG_HOME=\"$PWD\" && unset TILESCOPE_DATA && " +
                example.command;
            const Outcome outcome = run_program({"sh", "-c", script});
            EXPECT_EQ(outcome.exit_code, example.exit_code)
                << example.place << ": " << example.command << "\n"
                << outcome.err;
        }
    EXPECT_GT(done.size(), 30U);
}

TEST_F(Documentation, CommandsHasEveryCommandAndOption) {
    const std::string text = read_file(docs_folder / "commands.md");
    std::istringstream help(printed({"--help"}));
    bool commands = false;
    int found = 0;
    for (std::string line; std::getline(help, line);) {
        if (line == "Subcommands:" || line.empty()) {
            commands = line == "Subcommands:";
            continue;
        }
        if (!commands)
            continue;
        const std::string command = line.substr(2, line.find(' ', 2) - 2);
        const auto begin = text.find("\n## " + command + "\n");
        ASSERT_NE(begin, std::string::npos) << command;
        const std::string section = text.substr(begin, text.find("\n## ", begin + 4) - begin);
        std::istringstream options(printed({command, "--help"}));
        for (std::string option; std::getline(options, option);) {
            if (!option.starts_with("  -") || option.starts_with("  -h,"))
                continue;
            std::string name = option.substr(2, option.find(' ', 2) - 2);
            name = name.substr(name.find(',') + 1); // "-o,--output": the long one
            EXPECT_TRUE(holds(section, name)) << command << " " << name;
        }
        ++found;
    }
    EXPECT_GE(found, 9);
}

TEST_F(Documentation, JsonOfItsPagesConformsToTheSchemas) {
    int checked = 0;
    for (const fs::path& page : pages())
        for (const Block& block : blocks(page, "json")) {
            std::string text;
            for (const std::string& line : block.lines)
                text += line + "\n";
            auto json = SchemaJson::parse(text, nullptr, false);
            ASSERT_FALSE(json.is_discarded()) << page << ": " << text;
            const bool budget = json.contains("limits");
            if (!budget && !json.contains("model") && !json.contains("graph"))
                json["model"]["keras"] = "model.json"; // a part of a workload
            const std::string schema = budget ? "budget" : "workload";
            EXPECT_EQ(schema_errors((source_folder / "resources" / (schema + ".schema.json")).string(),
                                    write("document.json", json.dump())),
                      "")
                << page << ": " << text;
            ++checked;
        }
    EXPECT_GE(checked, 4);
}

TEST_F(Documentation, TheBudgetOfItsPageIsTheSample) {
    const std::vector<Block> json = blocks(docs_folder / "budgets.md", "json");
    ASSERT_FALSE(json.empty());
    std::string shown;
    for (const std::string& line : json[0].lines)
        shown += line + "\n";
    EXPECT_EQ(shown, read_file((source_folder / "samples/budgets/keras_mnist.json").string()));
}

/// Links are to pages and pictures that exist.
TEST_F(Documentation, LinksLeadSomewhere) {
    int links = 0;
    for (const fs::path& page : pages()) {
        const std::string text = read_file(page.string());
        for (auto at = text.find("]("); at != std::string::npos; at = text.find("](", at + 2)) {
            const std::string link = text.substr(at + 2, text.find(')', at) - at - 2);
            if (link.starts_with("http"))
                continue;
            EXPECT_TRUE(fs::exists(page.parent_path() / link)) << page << ": " << link;
            ++links;
        }
    }
    EXPECT_GT(links, 15);
}

TEST_F(Documentation, EveryPageIsInTheHelp) {
    const std::string resources = read_file((source_folder / "resources/tilescope.qrc").string());
    for (const auto& entry : fs::directory_iterator(docs_folder))
        EXPECT_TRUE(holds(resources, "<file>docs/" + entry.path().filename().string() + "</file>"))
            << entry.path();
}

} // namespace
} // namespace tilescope::tests
