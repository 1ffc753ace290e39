// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "ipu/error_bands.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace tilescope::ipu {

// Worked by hand: 2 and 1/2 are each a factor of two off; a rate of 1.25 is a time of 0.8.
TEST(ErrorBands, AreOfTimesAndBytesByKind) {
    const auto bands =
        error_bands({{"a", "cycles", 2}, {"b", "TFLOP/s", 2}, {"c", "bytes", 1}, {"d", "TFLOP/s", 1.25}});
    ASSERT_EQ(bands.size(), 2U) << "no row is of whole steps";
    EXPECT_EQ(bands[0].kind, FigureKind::Compute);
    EXPECT_EQ(bands[0].rows, 3);
    EXPECT_NEAR(bands[0].typical, std::cbrt(2 * 2 * 1.25), 1e-12);
    EXPECT_DOUBLE_EQ(bands[0].lowest, 0.5);
    EXPECT_DOUBLE_EQ(bands[0].highest, 2);
    EXPECT_EQ(bands[0].source, "a, b, d");
    EXPECT_EQ(bands[1].kind, FigureKind::Memory);
    EXPECT_DOUBLE_EQ(bands[1].typical, 1);
}

// The page's table, read in another way than the build does.
TEST(ErrorBands, RestOnEveryRowOfThePage) {
    std::ifstream page(std::string(TILESCOPE_SOURCE_DIR) + "/bench/fidelity/README.md");
    std::vector<FidelityRow> expected;
    bool in_table = false;
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("| row |"))
            in_table = true;
        else if (in_table && !line.starts_with("|"))
            break;
        else if (in_table && !line.starts_with("| ---")) {
            std::istringstream words(line);
            std::string bar, name, number, unit, predicted, predicted_unit;
            double ratio = 0;
            words >> bar >> name >> bar >> number >> unit >> bar >> predicted >> predicted_unit >> bar >>
                ratio;
            expected.push_back({name, unit, ratio});
        }
    }
    ASSERT_GT(expected.size(), 20U);
    ASSERT_EQ(fidelity_rows().size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(fidelity_rows()[i].name, expected[i].name);
        EXPECT_EQ(fidelity_rows()[i].unit, expected[i].unit);
        EXPECT_DOUBLE_EQ(fidelity_rows()[i].ratio, expected[i].ratio);
        EXPECT_TRUE(kind_of_unit(expected[i].unit)) << expected[i].unit << " is of no kind";
    }
    EXPECT_EQ(error_bands(fidelity_rows()).size(), 3U);
}

} // namespace tilescope::ipu
