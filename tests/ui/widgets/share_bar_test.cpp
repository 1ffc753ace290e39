// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/cut_text.h"
#include "ui/widgets/share_bar.h"

#include <gtest/gtest.h>

namespace tilescope::ui {

TEST(ShareBar, NamesOfTwoBarsStandInFull) {
    const QStringList names{QStringLiteral("a/new"), QStringLiteral("b/new"), QStringLiteral("c/new"),
                            QStringLiteral("n96"),   QStringLiteral("wide"),  QStringLiteral("mill"),
                            QStringLiteral("run 7"), QStringLiteral("keras")};
    for (const QString& now : names)
        for (const QString& base : names) {
            ShareBar bar;
            bar.setParts({{QStringLiteral("compute"), &Theme::compute, 3, QStringLiteral("3"), 2}}, now,
                         base);
            bar.resize(400, bar.sizeHint().height());
            QStringList drawn;
            for (const tests::DrawnText& text : tests::drawn_texts(bar))
                drawn << text.text;
            EXPECT_TRUE(drawn.contains(now) && drawn.contains(base))
                << now.toStdString() << " and " << base.toStdString() << " are "
                << drawn.join(QStringLiteral(", ")).toStdString();
        }
}

} // namespace tilescope::ui
