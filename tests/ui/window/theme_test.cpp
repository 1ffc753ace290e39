// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"
#include "ui/program/program_view.h"
#include "ui/theme/theme.h"
#include "ui/theme/themed_label.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QApplication>
#include <QScrollArea>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

/// Whether most of what is not transparent in `icon` has a colour.
bool drawn_in(const QIcon& icon, const QColor& color, QIcon::State state = QIcon::Off) {
    const QImage image = icon.pixmap({32, 32}, QIcon::Normal, state).toImage();
    int right = 0;
    int wrong = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (image.pixelColor(x, y).alpha() == 255)
                ++(image.pixelColor(x, y) == color ? right : wrong);
    return right > wrong;
}

class ThemeSwitch : public testing::Test {
  protected:
    ThemeSwitch() {
        EXPECT_TRUE(tests::record_fixture(folder / "run.tilescope", {16, 40, 1, 1, 1}));
        window.resize(1200, 800);
        window.show();
        window.openFile(QString::fromStdString(folder / "run.tilescope"));
        EXPECT_TRUE(QTest::qWaitFor([&] { return window.atRest(); }));
    }
    void TearDown() override { applyTheme(*qApp, ThemeMode::Light); }
    void choose(const QString& theme) {
        for (QAction* action : window.findChildren<QAction*>())
            if (action->text() == theme)
                return action->trigger();
        ADD_FAILURE() << "no action " << theme.toStdString();
    }

    tests::TemporaryFolder folder;
    MainWindow window;
};

TEST_F(ThemeSwitch, IconsBordersAndTextTakeTheNewColours) {
    window.showView(QStringLiteral("program"));
    auto* rail = window.findChild<QScrollArea*>(QStringLiteral("rail"));
    const auto* button = rail->findChildren<QToolButton*>().last();
    const QIcon find = window.findChild<ProgramView*>()->actions().first()->icon();
    const auto border = [&] {
        return rail->grab().toImage().pixelColor(rail->width() - 1, rail->height() / 2);
    };
    EXPECT_TRUE(drawn_in(find, Theme::light().text));
    EXPECT_TRUE(drawn_in(button->icon(), Theme::light().muted));
    EXPECT_EQ(border(), Theme::light().border);
    choose(QStringLiteral("Dark"));
    EXPECT_TRUE(drawn_in(find, Theme::night().text));
    EXPECT_TRUE(drawn_in(button->icon(), Theme::night().muted));
    EXPECT_TRUE(drawn_in(button->icon(), Theme::night().accent, QIcon::On));
    EXPECT_EQ(border(), Theme::night().border);
    choose(QStringLiteral("Light"));
    EXPECT_TRUE(drawn_in(find, Theme::light().text));
    EXPECT_EQ(border(), Theme::light().border);
}

TEST_F(ThemeSwitch, NothingIsAskedAgainAndWhatIsUnfoldedStaysSo) {
    window.showView(QStringLiteral("program"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.atRest(); }));
    auto& tree = window.findChild<ProgramView*>()->tree();
    const QModelIndex operation =
        tree.model()->index(5, 0, tree.model()->index(0, 0, tree.model()->index(0, 0)));
    tree.expand(operation);
    tree.setCurrentIndex(operation);
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.atRest(); }));
    choose(QStringLiteral("Dark"));
    EXPECT_EQ(window.pendingQueries(), 0);
    EXPECT_TRUE(tree.isExpanded(operation));
    EXPECT_EQ(tree.currentIndex(), operation);
}

TEST(ThemedLabel, TakesItsColoursFromTheThemeOfTheTime) {
    ThemedLabel label;
    label.setHtml(QStringLiteral("<span style='color:@muted'>quiet</span>"));
    EXPECT_TRUE(label.text().contains(Theme::light().muted.name()));
    const auto turns = [&](const Theme& theme) { // soon: it is not in sight
        return QTest::qWaitFor([&] { return label.text().contains(theme.muted.name()); });
    };
    applyTheme(*qApp, ThemeMode::Dark);
    EXPECT_TRUE(turns(Theme::night()));
    applyTheme(*qApp, ThemeMode::Light);
    EXPECT_TRUE(turns(Theme::light()));
}

} // namespace
} // namespace tilescope::ui
