// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/also_text.h"

#include <gtest/gtest.h>

namespace tilescope::ui {

TEST(AlsoText, NamesAFewOthersAndCountsMany) {
    EXPECT_EQ(alsoText({}), QString());
    EXPECT_EQ(alsoText({1}), QString());
    EXPECT_EQ(alsoText({1, 3}), QStringLiteral(" (also 3)"));
    EXPECT_EQ(alsoText({1, 5, 9, 13}), QStringLiteral(" (also 5, 9, 13)"));
    EXPECT_EQ(alsoText({0, 1, 2, 3, 4}), QStringLiteral(" (also 4 more)"));
}

} // namespace tilescope::ui
