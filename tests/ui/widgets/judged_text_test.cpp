// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme.h"
#include "ui/widgets/judged_text.h"

#include <gtest/gtest.h>

using namespace tilescope::ui;

namespace {

TEST(JudgedText, SaysDirectionAndSenseInSignsAndWords) {
    EXPECT_EQ(judgedText(QStringLiteral("+9.9 %"), -1), QStringLiteral("▲ +9.9 % worse"));
    EXPECT_EQ(judgedText(QStringLiteral("−9.0 %"), -1), QStringLiteral("▼ −9.0 % worse"));
    EXPECT_EQ(judgedText(QStringLiteral("−9.4 %"), 1), QStringLiteral("▼ −9.4 % better"));
    EXPECT_EQ(judgedText(QStringLiteral("14.7 times"), 1), QStringLiteral("▲ 14.7 times better"));
    EXPECT_EQ(judgedText(QStringLiteral("="), 0), QStringLiteral("="));
}

TEST(JudgedText, HasTheColoursOfDifferencesInEachTheme) {
    for (const Theme* theme : {&Theme::light(), &Theme::night()}) {
        EXPECT_TRUE(theme->filled(judgedHtml(QStringLiteral("−1 %"), 1)).contains(theme->less().name()));
        EXPECT_TRUE(theme->filled(judgedHtml(QStringLiteral("+1 %"), -1)).contains(theme->more().name()));
        EXPECT_TRUE(theme->filled(judgedHtml(QStringLiteral("="), 0)).contains(theme->muted.name()));
        EXPECT_FALSE(theme->filled(judgedHtml(QStringLiteral("+1 %"), -1)).contains(QLatin1Char('@')));
    }
}

} // namespace
