// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/temporary_folder.h"
#include "ui/theme/theme.h"
#include "ui/window/help_window.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPointer>
#include <QTest>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextTable>
#include <QThreadPool>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

const QString docs = QStringLiteral(TILESCOPE_SOURCE_DIR "/resources/docs");

class Help : public testing::Test {
  protected:
    Help() : window(nullptr, docs) {
        window.show();
        window.activateWindow();
        EXPECT_TRUE(QTest::qWaitForWindowActive(&window));
        settle();
    }
    /// The page is set on another thread.
    void settle() const {
        EXPECT_TRUE(QTest::qWaitFor([&] { return window.atRest(); }, 20'000));
    }
    QStringList contents() const {
        QStringList lines;
        for (int row = 0; row < list->count(); ++row)
            lines << list->item(row)->text();
        return lines;
    }
    void search(const QString& text) {
        QTest::keyClick(browser, Qt::Key_Slash);
        EXPECT_TRUE(field->hasFocus());
        QTest::keyClicks(field, text);
    }
    HelpWindow window;
    QListWidget* list = window.findChild<QListWidget*>();
    QLineEdit* field = window.findChild<QLineEdit*>();
    QTextBrowser* browser = window.findChild<QTextBrowser*>();
};

TEST_F(Help, ListsEveryPageOnceTheIndexFirst) {
    EXPECT_EQ(contents().front(), QStringLiteral("Tilescope"));
    for (const QString& title : {QStringLiteral("First profile"), QStringLiteral("The profile file")})
        EXPECT_EQ(contents().count(title), 1) << title.toStdString();
    const auto pages = readHelp(docs);
    EXPECT_EQ(pages.size(), QDir(docs).entryList({QStringLiteral("*.md")}).size());
    for (const HelpPage& page : pages) {
        EXPECT_NE(page.title, page.name) << "has no title: " << page.name.toStdString();
        EXPECT_NE(page.chapter, QStringLiteral("More"))
            << "the index does not name " << page.name.toStdString();
    }
}

TEST_F(Help, AClickOnATitleShowsItsPage) {
    const auto items = list->findItems(QStringLiteral("Budgets"), Qt::MatchExactly);
    ASSERT_EQ(items.size(), 1);
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(items[0]).center());
    EXPECT_EQ(window.page(), QStringLiteral("budgets"));
    settle();
    EXPECT_TRUE(browser->toPlainText().startsWith(QStringLiteral("Budgets\n")));
    EXPECT_TRUE(window.windowTitle().startsWith(QStringLiteral("Budgets")));
}

TEST_F(Help, SearchKeepsThePagesThatHaveTheWordsAndStepsThroughThem) {
    search(QStringLiteral("max_increase_percent"));
    ASSERT_EQ(list->count(), 1);
    EXPECT_TRUE(contents().front().startsWith(QStringLiteral("Budgets")));
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(window.page(), QStringLiteral("budgets"));
    settle();
    ASSERT_GE(browser->extraSelections().size(), 2);
    EXPECT_EQ(browser->extraSelections()[0].cursor.selectedText(), QStringLiteral("max_increase_percent"));
    const QBrush first = browser->extraSelections()[0].format.background();
    EXPECT_NE(first, browser->extraSelections()[1].format.background()) << "the current hit stands out";
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(browser->extraSelections()[1].format.background(), first);
    field->clear();
    EXPECT_GT(list->count(), 10);
    EXPECT_TRUE(browser->extraSelections().isEmpty());
}

// Back at once: the page is set anew, though it is the one that is seen.
TEST_F(Help, IsAtRestOnceThePageThatWasAskedForLastIsSet) {
    ASSERT_TRUE(window.atRest());
    window.showPage(QStringLiteral("budgets"));
    window.showPage(QStringLiteral("index"));
    EXPECT_EQ(window.page(), QStringLiteral("index"));
    EXPECT_FALSE(window.atRest());
    settle();
    EXPECT_TRUE(browser->toPlainText().startsWith(QStringLiteral("Tilescope\n")));
    window.showPage(QStringLiteral("index"));
    EXPECT_TRUE(window.atRest()) << "it is there";
}

TEST_F(Help, ASearchWithoutHitsSaysSo) {
    search(QStringLiteral("quux"));
    EXPECT_EQ(list->count(), 0);
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(window.page(), QStringLiteral("index"));
}

TEST_F(Help, LinksLeadToPagesAndBackAgain) {
    Q_EMIT browser->anchorClicked(QUrl(QStringLiteral("cost-model.md")));
    EXPECT_EQ(window.page(), QStringLiteral("cost-model"));
    QTest::keyClick(&window, Qt::Key_Left, Qt::AltModifier);
    EXPECT_EQ(window.page(), QStringLiteral("index"));
    QTest::keyClick(&window, Qt::Key_Right, Qt::AltModifier);
    EXPECT_EQ(window.page(), QStringLiteral("cost-model"));
}

TEST_F(Help, APageCanBeShownFromAHeadingOn) {
    window.showPage(QStringLiteral("views"), QStringLiteral("Trace"));
    EXPECT_EQ(window.page(), QStringLiteral("views"));
    settle();
    EXPECT_EQ(browser->textCursor().block().text(), QStringLiteral("Trace"));
}

TEST_F(Help, OfPagesThatAreAskedForAtOnceTheLastIsShown) {
    window.showPage(QStringLiteral("operators")); // which takes longer than the next
    window.showPage(QStringLiteral("budgets"));
    settle();
    QThreadPool::globalInstance()->waitForDone();
    QTest::qWait(1);
    EXPECT_TRUE(browser->toPlainText().startsWith(QStringLiteral("Budgets\n")));
    window.showPage(QStringLiteral("views")); // and back before it is there
    window.showPage(QStringLiteral("budgets"), QStringLiteral("Budgets"));
    settle();
    EXPECT_TRUE(browser->toPlainText().startsWith(QStringLiteral("Budgets\n")));
}

TEST_F(Help, APageIsCompleteBeforeItIsShown) {
    // A document that is shown is laid out anew with every change: a long page then takes seconds.
    const QPointer<QTextDocument> index = browser->document();
    int changes = 0;
    QObject::connect(index, &QTextDocument::contentsChange, &window, [&] { ++changes; });
    window.showPage(QStringLiteral("operators"));
    EXPECT_EQ(browser->document(), index) << "the page before stays till the new one is set";
    settle();
    EXPECT_EQ(changes, 0);
    EXPECT_NE(browser->document(), index);
    EXPECT_TRUE(index.isNull()) << "the page before is let go of";
    EXPECT_EQ(browser->document()->documentMargin(), 32);
}

TEST(HelpPages, SetCodeAndTablesInTheColoursOfTheTheme) {
    const auto set = typeset(
        QStringLiteral("# Title\n\ntext\n\n```sh\none\ntwo\n```\n\n| head | b |\n| --- | --- |\n| 1 | 2 |\n"),
        PageStyle::now(Theme::night(), QApplication::font()));
    const QTextDocument& document = *set;
    EXPECT_EQ(document.begin().text(), QStringLiteral("Title"));
    int tables = 0;
    int boxes = 0;
    for (QTextFrame* frame : document.rootFrame()->childFrames()) {
        if (const auto* table = qobject_cast<QTextTable*>(frame)) {
            ++tables;
            EXPECT_EQ(table->rows(), 2);
            EXPECT_EQ(table->cellAt(0, 0).firstCursorPosition().block().text(), QStringLiteral("head"));
            EXPECT_EQ(table->cellAt(1, 1).format().toTableCellFormat().bottomBorderBrush().color(),
                      Theme::night().border);
        } else {
            ++boxes;
            EXPECT_EQ(frame->frameFormat().background().color(), Theme::night().window);
            EXPECT_EQ(frame->firstCursorPosition().block().text(), QStringLiteral("one"));
            EXPECT_EQ(frame->lastCursorPosition().block().text(), QStringLiteral("two"));
        }
    }
    EXPECT_EQ(tables, 1);
    EXPECT_EQ(boxes, 1);
}

TEST(HelpPages, AreInTheProgram) {
    const auto built_in = readHelp(QStringLiteral(":/docs"));
    const auto on_disk = readHelp(docs);
    ASSERT_EQ(built_in.size(), on_disk.size());
    for (qsizetype i = 0; i < built_in.size(); ++i)
        EXPECT_EQ(built_in[i].markdown, on_disk[i].markdown) << on_disk[i].name.toStdString();
}

TEST(HelpKey, OpensTheHelpOnce) {
    MainWindow window;
    window.show();
    window.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, Qt::Key_F1);
    ASSERT_EQ(window.findChildren<HelpWindow*>().size(), 1);
    EXPECT_TRUE(window.findChild<HelpWindow*>()->isVisible());
    EXPECT_EQ(window.findChild<HelpWindow*>()->page(), QStringLiteral("index"));
    window.activateWindow();
    QTest::keyClick(&window, Qt::Key_F1);
    EXPECT_EQ(window.findChildren<HelpWindow*>().size(), 1);
}

/// A page with a picture, 1,200 pixels wide, which is blue in light and red in dark.
TEST(HelpPictures, AreThoseOfTheThemeAndNoWiderThanTheText) {
    const tests::TemporaryFolder folder;
    const QDir root(QString::fromStdString(folder / ""));
    for (const char* theme : {"light", "dark"}) {
        ASSERT_TRUE(root.mkpath(QStringLiteral("pictures/%1").arg(QLatin1String(theme))));
        QImage picture(1200, 600, QImage::Format_RGB32);
        picture.fill(QByteArray(theme) == "light" ? Qt::blue : Qt::red);
        ASSERT_TRUE(
            picture.save(root.filePath(QStringLiteral("pictures/%1/view.png").arg(QLatin1String(theme)))));
    }
    ASSERT_TRUE(root.mkpath(QStringLiteral("docs")));
    QFile page(root.filePath(QStringLiteral("docs/index.md")));
    ASSERT_TRUE(page.open(QIODevice::WriteOnly));
    page.write("# Index\n\n![A view](../pictures/light/view.png)\n\nText below it.\n");
    page.close();
    HelpWindow window(nullptr, root.filePath(QStringLiteral("docs")));
    window.show();
    auto* browser = window.findChild<QTextBrowser*>();
    const QUrl name(QStringLiteral("../pictures/light/view.png"));
    const auto shown = [&] {
        return browser->document()->resource(QTextDocument::ImageResource, name).value<QImage>();
    };
    const auto comes = [&](Qt::GlobalColor color) {
        return QTest::qWaitFor([&] { return shown().pixelColor(10, 10) == QColor(color); }, 10'000);
    };
    EXPECT_TRUE(comes(Qt::blue));
    EXPECT_GT(shown().width(), 600);
    EXPECT_LE(shown().width(), browser->viewport()->width());
    EXPECT_EQ(shown().height(), shown().width() / 2);
    window.resize(800, 600);
    EXPECT_TRUE(QTest::qWaitFor([&] { return shown().width() <= browser->viewport()->width(); }, 10'000))
        << shown().width() << " in " << browser->viewport()->width();
    EXPECT_TRUE(comes(Qt::blue));
    applyTheme(*qApp, ThemeMode::Dark);
    EXPECT_TRUE(comes(Qt::red));
    applyTheme(*qApp, ThemeMode::Light);
    Q_EMIT browser->anchorClicked(name);
    const auto* whole = window.findChild<QDialog*>(QStringLiteral("picture"));
    ASSERT_NE(whole, nullptr);
    EXPECT_EQ(whole->findChild<QLabel*>()->pixmap().size(), QSize(1200, 600)) << "as large as it was taken";
}

} // namespace
} // namespace tilescope::ui
