// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "ipu/target.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace tilescope::ipu {
namespace {

struct Row {
    std::string name;
    std::vector<double> values; ///< ipu1, ipu2, bow
    std::string source;
};

/// The table of figures in the documentation.
std::vector<Row> described_figures() {
    std::ifstream file(TILESCOPE_SOURCE_DIR "/resources/docs/targets.md");
    std::vector<Row> rows;
    bool inside = false;
    for (std::string line; std::getline(file, line);) {
        inside = inside ? line.starts_with("|") : line.starts_with("| figure |");
        if (!inside || !line.starts_with("| `"))
            continue;
        std::vector<std::string> cells;
        std::istringstream text(line.substr(2));
        for (std::string cell; std::getline(text, cell, '|');)
            cells.push_back(cell);
        if (cells.size() != 6)
            return {};
        rows.push_back({cells[0].substr(1, cells[0].rfind('`') - 1),
                        {std::stod(cells[1]), std::stod(cells[2]), std::stod(cells[3])},
                        cells[5]});
    }
    return rows;
}

TEST(TargetReference, HasEveryFigureOfEveryGenerationWithItsSource) {
    const std::vector<Row> rows = described_figures();
    ASSERT_EQ(rows.size(), target_figures().size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const TargetFigure& figure = target_figures()[i];
        EXPECT_EQ(rows[i].name, figure.name);
        EXPECT_GT(rows[i].source.size(), 3U) << figure.name;
        for (std::size_t g = 0; g < generations().size(); ++g) {
            const double value = figure.get(*find_target(generations()[g]));
            const double tolerance = figure.whole ? 0 : 0.0002 * value; // five digits are printed
            EXPECT_NEAR(rows[i].values[g], value, tolerance) << figure.name << " of " << generations()[g];
        }
    }
}

} // namespace
} // namespace tilescope::ipu
