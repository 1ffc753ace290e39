// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/themed_label.h"
#include "ui/theme/whole_figures.h"

#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

TEST(WholeFigures, NoLineEndsBetweenANumberAndItsUnitOrWithinARange) {
    EXPECT_EQ(keepFiguresWhole(QStringLiteral("on test data 42.7 %; 6,437 samples/s of 3 x 4")),
              QString::fromUtf8("on test data 42.7\u00a0%; 6,437\u00a0samples/\u2060s of 3\u00a0x 4"));
    EXPECT_EQ(keepFiguresWhole(QString::fromUtf8("steps 1–256, 8 – 9")),
              QString::fromUtf8("steps 1–\u2060256, 8 – 9"));
    EXPECT_EQ(keepFiguresWhole(QStringLiteral("the time of IPU 0, of an IPU and of 2 IPUs")),
              QString::fromUtf8("the time of IPU\u00a00, of an IPU and of 2\u00a0IPUs"));
}

TEST(WholeFigures, WhereALinkLeadsToIsWhatItIs) {
    EXPECT_EQ(keepFiguresWholeInHtml(QString::fromUtf8("1 s <a href='5 ms 1–2'>5 ms</a>, 1–2")),
              QString::fromUtf8("1\u00a0s <a href='5 ms 1–2'>5\u00a0ms</a>, 1–\u20602"));
    EXPECT_EQ(keepFiguresWholeInHtml(QStringLiteral("a <b")), QStringLiteral("a <b"));
    const ThemedLabel label(QStringLiteral("<b>41.2 %</b> faster"));
    EXPECT_EQ(label.text(), QString::fromUtf8("<b>41.2\u00a0%</b> faster"));
}

} // namespace
} // namespace tilescope::ui
