// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "operators/operators.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tilescope::operators {
namespace {

/// As it stands in a cell of a Markdown table.
std::string cell(const std::string& text) {
    std::string out;
    for (const char c : text)
        out += c == '|' ? "\\|" : std::string(1, c);
    return out;
}

/// The rows that the table of the operator reference must have, in this order.
std::vector<std::string> expected_rows() {
    const graph::OperatorRegistry registry = standard_operators();
    std::vector<std::string> rows;
    for (const std::string& name : registry.names()) {
        const graph::Operator& op = registry.at(name);
        rows.push_back("| `" + name + "` | " + (op.gradient ? "yes" : "") + " | " + cell(op.summary) + " |");
    }
    return rows;
}

std::vector<std::string> described_rows() {
    std::ifstream file(TILESCOPE_SOURCE_DIR "/resources/docs/operators.md");
    std::vector<std::string> rows;
    std::string before; // in its chapter
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("## "))
            before.clear();
        if (!line.starts_with("| `"))
            continue;
        EXPECT_LT(before, line.substr(0, line.find('`', 3))) << "rows of a chapter go by their names";
        before = line.substr(0, line.find('`', 3));
        rows.push_back(line);
    }
    return rows;
}

/// What the one has and the other has not, a line each.
std::string beyond(const std::vector<std::string>& rows, const std::vector<std::string>& others) {
    std::string lines;
    for (const std::string& row : rows)
        if (std::find(others.begin(), others.end(), row) == others.end())
            lines += "\n" + row;
    return lines;
}

TEST(OperatorReference, IsTheRegistry) {
    const std::vector<std::string> expected = expected_rows();
    const std::vector<std::string> described = described_rows();
    ASSERT_EQ(beyond(expected, described), "") << "rows that resources/docs/operators.md lacks";
    ASSERT_EQ(beyond(described, expected), "") << "rows of resources/docs/operators.md of no operator";
    EXPECT_EQ(described.size(), expected.size()) << "each is there once";
}

TEST(OperatorReference, SaysWhatEveryOperatorDoes) {
    const graph::OperatorRegistry registry = standard_operators();
    for (const std::string& name : registry.names()) {
        EXPECT_TRUE(registry.at(name).summary.ends_with('.')) << name;
    }
}

} // namespace
} // namespace tilescope::operators
