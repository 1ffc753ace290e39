// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/axis_numbers.h"

#include <gtest/gtest.h>

namespace tilescope::mapping {
namespace {

using Numbers = std::vector<std::int64_t>;

TEST(AxisNumbers, OfAnAxisAreItsOwnAgain) {
    EXPECT_EQ(numbers_of({60, 4, 2, 8, 1, 0}), (Numbers{60, 4, 2, 8, 1, 0}));
    const Numbers cut{60, 4, 2, 8, 2, 1, 3};
    EXPECT_EQ(numbers_of({60, 4, 2, 8, 2, 1, 3}), cut);
    const auto axis = axis_of(cut);
    ASSERT_TRUE(axis);
    EXPECT_EQ(axis->skipped, 3);
    EXPECT_EQ(numbers_of(*axis), cut);
    EXPECT_EQ(axis_of({60, 4, 2, 8, 1, 0})->skipped, 0);
}

TEST(AxisNumbers, OfNoAxisAreRefused) {
    for (const Numbers& numbers :
         {Numbers{}, Numbers{60, 4, 2, 8, 1}, Numbers{60, 4, 2, 8, 1, 0, 1, 1}, Numbers{0, 4, 2, 8, 1, 0},
          Numbers{60, 0, 2, 8, 1, 0}, Numbers{60, 4, -1, 8, 1, 0}, Numbers{60, 4, 2, 0, 1, 0},
          Numbers{60, 4, 2, 8, 0, 0}, Numbers{60, 4, 2, 8, 1, 0, 4},
          Numbers{std::int64_t{1} << 40, 4, 2, 8, 1, 0}})
        EXPECT_FALSE(axis_of(numbers)) << numbers.size();
}

} // namespace
} // namespace tilescope::mapping
