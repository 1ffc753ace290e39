// SPDX-License-Identifier: GPL-3.0-or-later
#include "frame_fixture.h"
#include "ui/theme/application_font.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QClipboard>
#include <QDockWidget>
#include <QPushButton>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextBrowser>
#include <QUrl>
#include <cmath>
#include <functional>

namespace tilescope::ui {
namespace {

/// Contrast as WCAG 2.1 defines it.
double contrast(const QColor& a, const QColor& b) {
    const auto luminance = [](const QColor& color) {
        const auto linear = [](double part) {
            return part <= 0.03928 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
        };
        return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
               0.0722 * linear(color.blueF());
    };
    const double one = luminance(a), other = luminance(b);
    return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

class Details : public Frame {
  public:
    ~Details() override {
        applyTheme(*qApp, ThemeMode::Light);
        applyFont(*qApp, {}, 100);
    }

  protected:
    QDockWidget& dock() { return *window->findChild<QDockWidget*>(QStringLiteral("details")); }
    QTextBrowser& text(const char* name) { return *window->findChild<QTextBrowser*>(QLatin1String(name)); }
    QString now() { return text("detailsText").toPlainText(); }
    QString pinned() { return text("pinnedText").isVisible() ? text("pinnedText").toPlainText() : QString(); }
    void show(const char* keys) {
        press(keys);
        settle();
    }
};

TEST_F(Details, ArePinnedWhileOthersAreLookedAt) {
    open("first.tilescope");
    show("G, P");
    const QString program = now();
    ASSERT_FALSE(program.isEmpty());
    press("Ctrl+Shift+D");
    EXPECT_EQ(pinned(), program);
    show("G, G");
    EXPECT_NE(now(), program);
    EXPECT_EQ(pinned(), program) << "beside the details of Graph";
    show("G, I");
    EXPECT_TRUE(dock().isVisible()) << "also where a view has none of its own";
    EXPECT_EQ(pinned(), program);
    open("second.tilescope");
    EXPECT_EQ(pinned(), QString()) << "they were of another file";
    tabs().setCurrentIndex(0);
    settle();
    EXPECT_EQ(pinned(), program);
    press("Ctrl+Shift+D");
    EXPECT_FALSE(dock().isVisible());
}

TEST_F(Details, NamesInThemLeadToWhatTheyName) {
    open("first.tilescope");
    show("G, G");
    const QString whole = now();
    const auto link =
        QRegularExpression(QStringLiteral("href=\"(operation:[^\"]*)\"[^>]*>(?:<span[^>]*>)?([^<]*)<"))
            .match(text("detailsText").toHtml());
    ASSERT_TRUE(link.hasMatch()) << whole.toStdString();
    pause();
    Q_EMIT text("detailsText").anchorClicked(QUrl(link.captured(1)));
    settle();
    EXPECT_TRUE(now().startsWith(link.captured(2))) << now().toStdString();
    pause();
    press("Alt+Left");
    settle();
    EXPECT_EQ(now(), whole);
}

TEST_F(Details, NamesBreakBetweenTheirPartsAndAreCopiedWithoutBreaks) {
    open("first.tilescope");
    show("G, G");
    const QString shown = now();
    EXPECT_TRUE(shown.contains(QRegularExpression(QStringLiteral("[a-z0-9][/_]\u200b[a-z0-9]"))))
        << shown.toStdString();
    EXPECT_FALSE(shown.contains(QRegularExpression(QStringLiteral("[0-9]\\.\u200b"))))
        << "numbers do not: " << shown.toStdString();
    const QString laid_out = text("detailsText").document()->toRawText();
    EXPECT_TRUE(laid_out.contains(QRegularExpression(QStringLiteral("[0-9]\u00a0(B|KiB|cycles)"))));
    EXPECT_FALSE(laid_out.contains(QRegularExpression(QStringLiteral("[0-9] (B|KiB|cycles)\\b"))))
        << "nor from their units: " << laid_out.toStdString();
    text("detailsText").selectAll();
    text("detailsText").copy();
    const QString copied = QApplication::clipboard()->text();
    EXPECT_FALSE(copied.contains(QChar(0x200b)));
    EXPECT_FALSE(copied.contains(QChar(QChar::Nbsp)));
    EXPECT_EQ(copied, QString(shown).remove(QChar(0x200b)));
}

TEST_F(Details, AreCopiedWithALineOfEachRow) {
    open("first.tilescope");
    show("G, M");
    const auto copied_by = [&](const std::function<void()>& copy) {
        QApplication::clipboard()->clear();
        copy();
        return QApplication::clipboard()->text();
    };
    auto* button = dock().findChild<QToolButton*>(QStringLiteral("copyDetails"));
    const QString copied = copied_by([&] { QTest::mouseClick(button, Qt::LeftButton); });
    const QStringList lines = copied.split(u'\n', Qt::SkipEmptyParts);
    ASSERT_GT(lines.size(), 2) << copied.toStdString();
    EXPECT_EQ(lines.front(), now().section(u'\n', 0, 0).remove(QChar(0x200b))) << "what it is of";
    for (const QString& line : lines.mid(1))
        EXPECT_EQ(line.count(u'\t'), 1) << line.toStdString();
    EXPECT_FALSE(copied.contains(QChar(0x200b)) || copied.contains(QChar(QChar::Nbsp)));
    EXPECT_EQ(said(), QStringLiteral("The details are copied."));

    text("detailsText").setFocus();
    EXPECT_EQ(copied_by([&] { press("Ctrl+C"); }), copied);
    EXPECT_EQ(copied_by([&] {
                  for (QAction* action : window->actions())
                      if (action->text() == QStringLiteral("Copy details"))
                          action->trigger();
              }),
              copied);
    QTextCursor word = text("detailsText").textCursor();
    word.movePosition(QTextCursor::NextWord, QTextCursor::KeepAnchor);
    text("detailsText").setTextCursor(word);
    EXPECT_EQ(copied_by([&] { press("Ctrl+C"); }).trimmed(), lines.front().section(u' ', 0, 0))
        << "what is selected alone";
    press("Ctrl+Shift+D");
    show("G, Q"); // nothing of its own
    EXPECT_EQ(copied_by([&] { QTest::mouseClick(button, Qt::LeftButton); }), copied) << "what is pinned";
    press("Ctrl+Shift+D");
    EXPECT_FALSE(button->isEnabled());
}

TEST_F(Details, NamesLeadToTheViewThatShowsThemWhereTheOneInFrontDoesNot) {
    open("first.tilescope");
    show("G, P");
    auto follow = [&](const char* link) {
        Q_EMIT text("detailsText").anchorClicked(QUrl(QLatin1String(link)));
        settle();
        return view();
    };
    EXPECT_EQ(follow("layer:0:-1"), QStringLiteral("program")) << "which shows layers itself";
    EXPECT_EQ(follow("tile:3:0"), QStringLiteral("memory"));
    show("G, P");
    EXPECT_EQ(follow("variable:0:0"), QStringLiteral("memory"));
    show("G, T");
    EXPECT_EQ(follow("step:1:-1"), QStringLiteral("trace"));
    show("G, G");
    EXPECT_EQ(follow("step:1:-1"), QStringLiteral("program"));
    show("G, T");
    EXPECT_EQ(follow("micro-batch:0:0"), QStringLiteral("pipeline"));
}

TEST_F(Details, AreHiddenInTheViewsWhereTheyAreNotWanted) {
    open("first.tilescope");
    show("G, P");
    ASSERT_TRUE(dock().isVisible());
    QTest::mouseClick(dock().findChild<QToolButton*>(QStringLiteral("closeDetails")), Qt::LeftButton);
    EXPECT_FALSE(dock().isVisible());
    show("G, G");
    EXPECT_TRUE(dock().isVisible());
    window->close();
    start();
    open("first.tilescope");
    show("G, P");
    EXPECT_FALSE(dock().isVisible()) << "it is remembered";
    press("Ctrl+D");
    EXPECT_TRUE(dock().isVisible());
}

TEST_F(Details, FloatAndAreWhereTheyWereTheNextTime) {
    open("first.tilescope");
    show("G, P");
    QTest::mouseClick(dock().findChild<QToolButton*>(QStringLiteral("floatDetails")), Qt::LeftButton);
    EXPECT_TRUE(dock().isFloating());
    window->close();
    start();
    open("first.tilescope");
    show("G, P");
    EXPECT_TRUE(dock().isFloating());
    QTest::mouseClick(dock().findChild<QToolButton*>(QStringLiteral("floatDetails")), Qt::LeftButton);
    EXPECT_FALSE(dock().isFloating());
}

TEST_F(Details, NothingSelectedIsSaidInTextThatCanBeRead) {
    open("first.tilescope");
    show("G, Q");
    for (const bool dark : {false, true}) {
        applyTheme(*qApp, dark ? ThemeMode::Dark : ThemeMode::Light, ThemeColours::HighContrast);
        QTest::qWait(1);
        ASSERT_TRUE(now().contains(QStringLiteral("a row of the answer"))) << now().toStdString();
        const QTextBlock block = text("detailsText").document()->firstBlock();
        const QColor color = block.begin().fragment().charFormat().foreground().color();
        EXPECT_GE(contrast(color, text("detailsText").palette().color(QPalette::Base)), 7);
    }
}

TEST_F(Details, EdgesAreTwiceAsWideInHighContrast) {
    QPushButton button(QStringLiteral("Run"), window->centralWidget());
    button.setGeometry(40, 40, 120, 40);
    button.show();
    const auto edge = [&] { // pixels of one colour from the left, at half height
        const QImage image = button.grab().toImage();
        int wide = 1;
        while (image.pixel(wide, image.height() / 2) == image.pixel(0, image.height() / 2))
            ++wide;
        return wide;
    };
    EXPECT_EQ(edge(), 1);
    applyTheme(*qApp, ThemeMode::Light, ThemeColours::HighContrast);
    EXPECT_EQ(edge(), 2);
    applyTheme(*qApp, ThemeMode::Light);
    EXPECT_EQ(edge(), 1);
}

TEST_F(Details, HaveMoreRoomInAWideWindowUnlessTheyWereDragged) {
    open("first.tilescope");
    show("G, G");
    const int usual = dock().width();
    window->resize(1920, 1000);
    EXPECT_TRUE(QTest::qWaitFor([&] { return dock().width() > 1.2 * usual; })) << dock().width();
    window->resize(1280, 900);
    EXPECT_TRUE(QTest::qWaitFor([&] { return dock().width() <= usual + 2; })) << dock().width();
    window->resizeDocks({&dock()}, {usual + 60}, Qt::Horizontal);
    window->resize(1920, 1000);
    QTest::qWait(50);
    EXPECT_NEAR(dock().width(), usual + 60, 2) << "as it was dragged";
}

/// What is chosen and what is said of it: "something" and "details" would say neither.
TEST_F(Details, SayWhatToChooseWhereNothingIsSelected) {
    open("first.tilescope");
    show("G, Q");
    EXPECT_TRUE(now().contains(QStringLiteral("column by column"))) << now().toStdString();
    EXPECT_FALSE(dock().findChild<QToolButton*>(QStringLiteral("pinDetails"))->isEnabled());
    EXPECT_FALSE(dock().findChild<QToolButton*>(QStringLiteral("copyDetails"))->isEnabled());
    press("Esc"); // leaves the field of the question
    show("G, R");
    EXPECT_TRUE(now().contains(QStringLiteral("Choose a run"))) << now().toStdString();
    show("G, P");
    EXPECT_FALSE(now().contains(QStringLiteral("Choose"))) << now().toStdString();
}

TEST_F(Details, OfRunsNeedNoOpenFile) {
    show("G, R");
    ASSERT_EQ(view(), QStringLiteral("runs"));
    EXPECT_TRUE(dock().isVisible());
    EXPECT_TRUE(now().contains(QStringLiteral("Choose a run"))) << now().toStdString();
    show("G, V");
    ASSERT_EQ(view(), QStringLiteral("live"));
    EXPECT_FALSE(dock().isVisible()) << "its form has no details";
}

TEST_F(Details, AreADrawerOnceTextIsTooLargeForBoth) {
    open("first.tilescope");
    show("G, G");
    const int usual = dock().width();
    applyFont(*qApp, {}, 200);
    QTest::qWait(1);
    EXPECT_FALSE(dock().isVisible());
    EXPECT_GT(shownView()->width(), window->width() * 3 / 4) << "the view has the room";
    applyFont(*qApp, {}, 100);
    QTest::qWait(1);
    EXPECT_TRUE(dock().isVisible());
    EXPECT_NEAR(dock().width(), usual, 2);
}

TEST_F(Details, HaveAsManyLettersWithLargerTextWhereThereIsRoom) {
    window->resize(3000, 1200);
    open("first.tilescope");
    show("G, G");
    const auto letters = [&] { return dock().width() / window->fontMetrics().averageCharWidth(); };
    const int plenty = letters();
    applyFont(*qApp, {}, 200);
    QTest::qWait(1);
    EXPECT_TRUE(dock().isVisible());
    EXPECT_LT(letters(), plenty) << "there is not plenty of room any more";
    EXPECT_GE(letters(), 40);
    applyFont(*qApp, {}, 100);
    QTest::qWait(1);
    EXPECT_EQ(letters(), plenty);
}

TEST_F(Details, AreADrawerOverTheViewWhereTheWindowIsNarrow) {
    open("first.tilescope");
    show("G, G");
    EXPECT_TRUE(dock().isVisible());
    QWidget* view = nullptr;
    for (View* each : window->findChildren<View*>())
        if (each->isVisible())
            view = each;
    window->resize(900, 700);
    QTest::qWait(1);
    EXPECT_FALSE(dock().isVisible());
    const int whole = view->width();
    press("Ctrl+D");
    EXPECT_TRUE(dock().isVisible());
    EXPECT_EQ(view->width(), whole) << "the view keeps its room";
    EXPECT_FALSE(now().isEmpty());
    const QRect over(dock().mapToGlobal(QPoint()), dock().size());
    const QRect of_view(view->mapToGlobal(QPoint()), view->size());
    EXPECT_TRUE(of_view.contains(over));
    EXPECT_EQ(over.right(), of_view.right());
    EXPECT_EQ(window->childAt(window->mapFromGlobal(over.center())), text("detailsText").viewport());
    press("Esc");
    EXPECT_FALSE(dock().isVisible());
    EXPECT_TRUE(view == QApplication::focusWidget() || view->isAncestorOf(QApplication::focusWidget()));
    show("G, P");
    EXPECT_FALSE(dock().isVisible());
    press("Ctrl+D");
    show("G, G");
    EXPECT_TRUE(dock().isVisible()) << "it stays open from view to view";
    EXPECT_EQ(window->childAt(window->mapFromGlobal(over.center())), text("detailsText").viewport());
    window->resize(1280, 900);
    QTest::qWait(1);
    EXPECT_TRUE(dock().isVisible());
    EXPECT_LT(view->width(), window->width() - dock().width());
    EXPECT_EQ(window->dockWidgetArea(&dock()), Qt::RightDockWidgetArea);
}

} // namespace
} // namespace tilescope::ui
