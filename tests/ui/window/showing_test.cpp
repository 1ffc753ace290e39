// SPDX-License-Identifier: GPL-3.0-or-later
#include "frame_fixture.h"
#include "tests/ui/shown_text.h"

#include <QAbstractItemModel>
#include <QTableView>

namespace tilescope::ui {
namespace {

/// What is shown of two files: "first" has two layers, "second", in front, three of 16 tiles.
class ShowingOf : public Frame {
  protected:
    ShowingOf() {
        open("first.tilescope");
        open("second.tilescope");
    }
    QString shown() const {
        for (const char* name : {"New", "Base", "Both", "Difference"})
            if (auto* button =
                    window->findChild<QToolButton*>(QStringLiteral("showing") + QLatin1String(name));
                button->isVisible() && button->isChecked())
                return button->text();
        return {};
    }
    /// Rows of the table of operations.
    int operations() const {
        return window->findChild<QWidget*>(QStringLiteral("operations"))
            ->findChild<QTableView*>()
            ->model()
            ->rowCount();
    }
};

TEST_F(ShowingOf, KeyBGoesFromBothOverDifferenceAndNewToBase) {
    press("G, O");
    press("B");
    EXPECT_EQ(shown(), QString()) << "there is no base";
    window->setBase(0);
    settle();
    EXPECT_EQ(shown(), QStringLiteral("Both"));
    EXPECT_EQ(operations(), 18);
    press("B");
    settle();
    EXPECT_EQ(shown(), QStringLiteral("Difference"));
    EXPECT_TRUE(tests::shows(*window, QStringLiteral("6 added, 0 removed")));
    press("B");
    settle();
    EXPECT_EQ(shown(), QStringLiteral("New"));
    EXPECT_EQ(operations(), 18);
    press("B");
    settle();
    EXPECT_EQ(shown(), QStringLiteral("Base"));
    EXPECT_EQ(operations(), 12);
    EXPECT_TRUE(status().startsWith(QStringLiteral("first")));
    press("B");
    EXPECT_EQ(shown(), QStringLiteral("Both"));
}

TEST_F(ShowingOf, PointerAndWayBack) {
    window->setBase(0);
    settle();
    press("G, O");
    pause();
    QTest::mouseClick(window->findChild<QToolButton*>(QStringLiteral("showingBase")), Qt::LeftButton);
    settle();
    EXPECT_EQ(operations(), 12);
    pause();
    window->activateWindow();
    press("G, M");
    pause();
    press("Alt+Left");
    settle();
    EXPECT_EQ(view(), QStringLiteral("operations"));
    EXPECT_EQ(shown(), QStringLiteral("Base"));
    press("Alt+Left");
    settle();
    EXPECT_EQ(shown(), QStringLiteral("Both"));
    EXPECT_EQ(operations(), 18);
    window->setBase(-1);
    EXPECT_EQ(shown(), QString());
}

} // namespace
} // namespace tilescope::ui
