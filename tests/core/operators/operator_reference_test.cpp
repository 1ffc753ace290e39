// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "operators/operators.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

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
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("| `"))
            rows.push_back(line);
    return rows;
}

TEST(OperatorReference, IsTheRegistry) {
    const std::vector<std::string> expected = expected_rows();
    std::ostringstream table;
    for (const std::string& row : expected)
        table << row << '\n';
    EXPECT_EQ(described_rows(), expected) << "the table of resources/docs/operators.md should be\n"
                                          << table.str();
}

TEST(OperatorReference, SaysWhatEveryOperatorDoes) {
    const graph::OperatorRegistry registry = standard_operators();
    for (const std::string& name : registry.names()) {
        EXPECT_TRUE(registry.at(name).summary.ends_with('.')) << name;
    }
}

} // namespace
} // namespace tilescope::operators
