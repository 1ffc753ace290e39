// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/figures.h"
#include "ui/compare/compare_tables.h"

#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

int judgedOf(const std::string& name, analyse::FigureUnit unit, double base, double now) {
    analyse::Comparison comparison;
    comparison.headline.push_back({name, unit, base, now});
    return figureRows({comparison}).at(0).cells.at(3).judged;
}

TEST(CompareTables, WhetherAFigureIsBetterIsSaidByItsDefinition) {
    int judged = 0;
    for (const analyse::Figure& figure : analyse::figures()) {
        const int wanted = figure.sense == analyse::Sense::MoreIsBetter   ? 1
                           : figure.sense == analyse::Sense::LessIsBetter ? -1
                                                                          : 0;
        EXPECT_EQ(judgedOf(figure.name, figure.unit, 100, 200), wanted) << figure.name;
        EXPECT_EQ(judgedOf(figure.name, figure.unit, 200, 100), -wanted) << figure.name;
        judged += wanted == 0 ? 0 : 1;
    }
    EXPECT_GT(judged, 5);
    EXPECT_EQ(judgedOf("last epoch accuracy", analyse::FigureUnit::None, 0.5, 0.75), 1)
        << "as all metrics of that name";
    EXPECT_EQ(judgedOf("throughput", analyse::FigureUnit::SamplesPerS, 100, 100), 0) << "the same";
}

} // namespace
} // namespace tilescope::ui
