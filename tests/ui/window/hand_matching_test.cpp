// SPDX-License-Identifier: GPL-3.0-or-later
/// What was matched by hand is not lost: neither without a file nor beside one.
#include "comparing_fixture.h"
#include "tests/ui/shown_text.h"

#include <QDir>
#include <QMessageBox>
#include <QPushButton>
#include <QTimer>

namespace tilescope::ui {
namespace {

class MatchingByHand : public Comparing {
  protected:
    MatchingByHand() {
        window->compare({path("first.tilescope"), path("second.tilescope")});
        settleAll();
        showMatches();
    }
    void haveNone(const char* name) {
        QTest::keyClick(choose(QLatin1String(name)), Qt::Key_Delete);
        settleAll();
    }
    QStringList said() const { return matched().filter(QStringLiteral("|by hand")); }
    QString named() const { return window->windowTitle(); }
    QByteArray textOf(const char* name) const {
        QFile file(path(name));
        EXPECT_TRUE(file.open(QIODevice::ReadOnly));
        return file.readAll();
    }
    /// The questions that closing asks; each is answered with this button.
    QStringList close(QMessageBox::StandardButton answer) {
        QStringList asked;
        QTimer when;
        QObject::connect(&when, &QTimer::timeout, [&] {
            if (auto* box = window->findChild<QMessageBox*>(QStringLiteral("unsavedMatches"))) {
                asked << box->text();
                box->button(answer)->click();
            }
        });
        when.start(5);
        window->close();
        return asked;
    }
    void openSaved(const char* name) {
        window->openFile(path(name));
        settleAll();
        showMatches();
    }
    static constexpr const char* nightly = "nightly.tilescope-compare";
};

} // namespace

TEST_F(MatchingByHand, IsKeptWithTheTwoFilesWithoutAQuestion) {
    EXPECT_EQ(said(), QStringList());
    haveNone("dense");
    const QStringList now = said();
    EXPECT_EQ(now,
              tests::words({"no counterpart|dense|layer|by hand", "dense|no counterpart|layer|by hand"}));
    EXPECT_FALSE(window->isWindowModified()) << "there is no file of which it could be a change";
    press("Ctrl+W");
    settleAll();
    EXPECT_EQ(close(QMessageBox::Cancel), QStringList());
    EXPECT_FALSE(window->isVisible());

    // The next time, and the other way round.
    start();
    window->compare({path("first.tilescope"), path("second.tilescope")});
    settleAll();
    EXPECT_EQ(said(), now);
    window->compare({path("first.tilescope"), path("third.tilescope")});
    settleAll();
    EXPECT_EQ(said(), QStringList()) << "it was said of another file";
    window->setBase(0);
    window->compare({path("second.tilescope"), path("first.tilescope")});
    settleAll();
    EXPECT_EQ(said().size(), 2);

    // Taken back, it is not there the next time.
    QTest::keyClick(choose(QStringLiteral("dense")), Qt::Key_Backspace);
    settleAll();
    QTest::keyClick(choose(QStringLiteral("dense")), Qt::Key_Backspace);
    settleAll();
    EXPECT_EQ(said(), QStringList());
    window->close();
    start();
    window->compare({path("first.tilescope"), path("second.tilescope")});
    settleAll();
    EXPECT_EQ(said(), QStringList());
}

TEST_F(MatchingByHand, WhatIsComparedIsThereAgainAtTheStart) {
    haveNone("dense");
    window->close();
    start();
    window->reopenLastFiles();
    settleAll();
    EXPECT_EQ(heads(), tests::words({"first (base)", "second (new)"}));
    EXPECT_EQ(said().size(), 2);
    EXPECT_FALSE(window->isWindowModified());
}

TEST_F(MatchingByHand, AFileThatHasOtherMatchesIsMarkedAndAskedAboutAtClosing) {
    ASSERT_TRUE(window->saveComparison(path(nightly)));
    EXPECT_TRUE(named().contains(QStringLiteral("nightly"))) << named().toStdString();
    EXPECT_FALSE(window->isWindowModified());
    const QByteArray before = textOf(nightly);
    haveNone("dense");
    EXPECT_TRUE(window->isWindowModified());
    QTest::keyClick(choose(QStringLiteral("dense")), Qt::Key_Z, Qt::ControlModifier);
    settleAll();
    EXPECT_FALSE(window->isWindowModified()) << "as it was saved";
    haveNone("dense");

    QStringList asked = close(QMessageBox::Cancel);
    ASSERT_EQ(asked.size(), 1);
    EXPECT_TRUE(asked.front().contains(QStringLiteral("nightly.tilescope-compare")));
    EXPECT_TRUE(window->isVisible());
    EXPECT_EQ(textOf(nightly), before);

    EXPECT_EQ(close(QMessageBox::Save).size(), 1);
    EXPECT_FALSE(window->isVisible());
    EXPECT_TRUE(textOf(nightly).contains(R"("base": "dense")"));
    const QByteArray saved = textOf(nightly);

    // Opened again it is as saved; another change is thrown away.
    start();
    openSaved(nightly);
    EXPECT_EQ(said().size(), 2);
    EXPECT_FALSE(window->isWindowModified());
    haveNone("dense_1");
    EXPECT_EQ(said().size(), 4);
    EXPECT_EQ(close(QMessageBox::Discard).size(), 1);
    EXPECT_FALSE(window->isVisible());
    EXPECT_EQ(textOf(nightly), saved);
    start();
    window->reopenLastFiles();
    settleAll();
    EXPECT_EQ(said().size(), 2) << "as the file has it";
    EXPECT_TRUE(named().contains(QStringLiteral("nightly"))) << "it is still that comparison";
    EXPECT_FALSE(window->isWindowModified());
    EXPECT_EQ(close(QMessageBox::Cancel), QStringList());
}

TEST_F(MatchingByHand, OfAComparisonThatIsNotInFrontAnyMoreNoneIsLost) {
    ASSERT_TRUE(window->saveComparison(path(nightly)));
    haveNone("dense");
    window->compare({path("first.tilescope"), path("third.tilescope")});
    settleAll();
    EXPECT_FALSE(window->isWindowModified()) << "it is another comparison";
    press("Ctrl+W");
    settleAll();
    EXPECT_EQ(close(QMessageBox::Save).size(), 1);
    EXPECT_TRUE(textOf(nightly).contains(R"("base": "dense")"));
    EXPECT_TRUE(textOf(nightly).contains("second.tilescope"));
    EXPECT_FALSE(textOf(nightly).contains("third.tilescope"));
}

TEST_F(MatchingByHand, WhereItCannotBeSavedTheWindowStays) {
    ASSERT_TRUE(QDir().mkpath(path("gone")));
    ASSERT_TRUE(window->saveComparison(path("gone/nightly.tilescope-compare")));
    haveNone("dense");
    ASSERT_TRUE(QDir(path("gone")).removeRecursively());
    EXPECT_EQ(close(QMessageBox::Save).size(), 1);
    EXPECT_TRUE(window->isVisible());
    EXPECT_TRUE(line().contains(QStringLiteral("cannot be saved"))) << line().toStdString();
    EXPECT_EQ(said().size(), 2);
    EXPECT_EQ(close(QMessageBox::Discard).size(), 1);
}

TEST_F(MatchingByHand, AFileThatSaysOtherwiseCanBeOverruled) {
    haveNone("dense");
    ASSERT_TRUE(window->saveComparison(path(nightly)));
    const QStringList of_file = said();
    window->close();
    start();
    window->compare({path("first.tilescope"), path("second.tilescope")});
    settleAll();
    showMatches();
    QTest::keyClick(choose(QStringLiteral("dense")), Qt::Key_Backspace);
    settleAll();
    haveNone("dense_1");
    const QStringList mine = said();
    EXPECT_NE(mine, of_file);
    openSaved(nightly);
    EXPECT_EQ(said(), of_file);
    EXPECT_TRUE(line().contains(QStringLiteral("matched by hand"))) << line().toStdString();
    auto* button = window->findChild<QWidget*>(QStringLiteral("banner"))->findChild<QPushButton*>();
    QTest::mouseClick(button, Qt::LeftButton);
    settleAll();
    EXPECT_EQ(said(), mine);
    EXPECT_TRUE(window->isWindowModified()) << "the file has others";
    EXPECT_EQ(line(), QString());

    // Saved with a key, without being asked where.
    press("Ctrl+S");
    settleAll();
    EXPECT_FALSE(window->isWindowModified());
    EXPECT_TRUE(textOf(nightly).contains(R"("base": "dense_1")"));
    openSaved(nightly);
    EXPECT_EQ(line(), QString()) << "it says the same now";
    EXPECT_EQ(said(), mine);
}

} // namespace tilescope::ui
