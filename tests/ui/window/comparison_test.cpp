// SPDX-License-Identifier: GPL-3.0-or-later
/// Comparing several files, and keeping that: from choosing them to opening the saved comparison again.
#include "frame_fixture.h"
#include "tests/ui/shown_text.h"
#include "ui/trace/trace_view.h"

#include <QAbstractItemModel>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMenu>
#include <QSignalSpy>
#include <QTableView>
#include <QTreeWidget>

namespace tilescope::ui {
namespace {

using tests::words;

class Comparing : public Frame {
  protected:
    Comparing() { EXPECT_TRUE(tests::record_fixture(folder / "third.tilescope", {16, 4, 1, 1, 1})); }
    QStringList heads() const {
        QStringList texts;
        for (const QToolButton* head : window->findChildren<QToolButton*>(QStringLiteral("compareHead")))
            if (head->isVisible())
                texts << head->text();
        return texts;
    }
    QToolButton& head(int which) const {
        return *window->findChildren<QToolButton*>(QStringLiteral("compareHead"))[which];
    }
    TraceView& trace() const { return *window->findChild<TraceView*>(); }
    QString line() const {
        const auto* banner = window->findChild<QWidget*>(QStringLiteral("banner"));
        return banner->isVisible() ? banner->findChild<QLabel*>(QStringLiteral("bannerText"))->text()
                                   : QString();
    }
    QStringList comparisons() const {
        QStringList rows;
        const auto* list = window->findChild<QTreeWidget*>(QStringLiteral("Recent comparisons"));
        for (int row = 0; row < list->topLevelItemCount(); ++row)
            rows << list->topLevelItem(row)->text(0) + QStringLiteral(" ") + list->topLevelItem(row)->text(1);
        return rows;
    }
    void settleAll() {
        for (int round = 0; round < 4; ++round) {
            QTest::qWait(20);
            settle();
        }
    }
    void write(const char* name, const QByteArray& document) {
        QFile file(path(name));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(document);
    }
};

} // namespace

TEST_F(Comparing, IsSavedWithItsBaseColumnsAndAlignmentAndOpenedAgain) {
    window->compare({path("first.tilescope"), path("second.tilescope"), path("third.tilescope")});
    settleAll();
    EXPECT_EQ(view(), QStringLiteral("compare"));
    EXPECT_EQ(heads(), words({"first (base)", "second (new)", "third"}));
    head(2).click(); // the third becomes the base
    settleAll();
    EXPECT_EQ(heads(), words({"third (base)", "second (new)", "first"}));
    Alignment by_hand;
    by_hand.on = Alignment::On::Offset;
    by_hand.offset = 1234;
    trace().align(by_hand);
    ASSERT_TRUE(QDir(QString::fromStdString(folder / "")).mkpath(QStringLiteral("kept")));
    const QString saved = path("kept/nightly.tilescope-compare");
    ASSERT_TRUE(window->saveComparison(saved));

    QFile file(saved);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QByteArray written = file.readAll();
    EXPECT_EQ(QJsonDocument::fromJson(written)[QStringLiteral("base")].toString(),
              QStringLiteral("../third.tilescope"))
        << "paths are relative to the file";

    // Moved together, in another window.
    window->close();
    QSettings().clear();
    ASSERT_TRUE(QDir().mkpath(path("elsewhere/kept")));
    for (const char* name : {"first.tilescope", "second.tilescope", "third.tilescope"})
        ASSERT_TRUE(QFile::rename(path(name), path("elsewhere/") + QLatin1String(name)));
    const QString moved = path("elsewhere/kept/nightly.tilescope-compare");
    ASSERT_TRUE(QFile::rename(saved, moved));
    start();
    window->openFile(moved);
    settleAll();
    EXPECT_EQ(heads(), words({"third (base)", "second (new)", "first"}));
    EXPECT_EQ(trace().alignment(), by_hand);
    press("Alt+Home");
    EXPECT_EQ(comparisons(), words({"nightly saved"}));

    // From the list of recent comparisons.
    window->close();
    start();
    auto* list = window->findChild<QTreeWidget*>(QStringLiteral("Recent comparisons"));
    ASSERT_EQ(list->topLevelItemCount(), 1);
    Q_EMIT list->itemActivated(list->topLevelItem(0), 0);
    settleAll();
    EXPECT_EQ(heads(), words({"third (base)", "second (new)", "first"}));
}

TEST_F(Comparing, AFileIsAddedAndAnotherInFrontKeepsTheColumns) {
    window->compare({path("first.tilescope"), path("second.tilescope")});
    settleAll();
    EXPECT_EQ(heads(), words({"first (base)", "second (new)"}));
    open("third.tilescope");
    window->setBase(0);
    settleAll();
    window->showView(QStringLiteral("compare"));
    EXPECT_EQ(heads(), words({"first (base)", "third (new)"})) << "it was not to be compared";
    window->findChild<QToolButton*>(QStringLiteral("compareAdd"))->click();
    auto* menu = window->findChild<QMenu*>(QStringLiteral("addCompared"));
    ASSERT_NE(menu, nullptr);
    EXPECT_EQ(menu->actions().front()->text(), QStringLiteral("second"));
    menu->actions().front()->trigger();
    settleAll();
    EXPECT_EQ(heads(), words({"first (base)", "third (new)", "second"}));
    tabs().setCurrentIndex(1);
    settleAll();
    EXPECT_EQ(heads(), words({"first (base)", "third", "second (new)"}));
    window->findChild<QToolButton*>(QStringLiteral("compareSwap"))->click();
    settleAll();
    EXPECT_EQ(heads(), words({"second (base)", "third", "first (new)"}));
}

TEST_F(Comparing, AWrongFileIsOneLineAndLosesNothing) {
    window->compare({path("first.tilescope"), path("second.tilescope")});
    settleAll();
    const QStringList before = heads();
    const auto refused = [&](const QByteArray& document, const char* place, const char* remedy) {
        write("bad.tilescope-compare", document);
        QSignalSpy failed(window.get(), &MainWindow::fileFailed);
        window->openFile(path("bad.tilescope-compare"));
        settleAll();
        EXPECT_EQ(failed.size(), 1);
        EXPECT_TRUE(line().contains(path("bad.tilescope-compare"))) << line().toStdString();
        EXPECT_TRUE(line().contains(QLatin1String(place))) << line().toStdString();
        EXPECT_TRUE(line().contains(QLatin1String(remedy))) << line().toStdString();
        EXPECT_FALSE(line().contains(QLatin1Char('\n')));
        EXPECT_EQ(heads(), before) << document.toStdString();
    };
    refused("{\n  \"tilescope-compare\": 1,\n  \"base\"", "line 3", "mend the syntax");
    refused("[1, 2]", "no comparison", "save");
    refused("{}", "no version", "File > Save comparison");
    refused(R"({"tilescope-compare": 2})", "version is 2", "use the one that saved it");
    refused(R"({"tilescope-compare": 1, "base": 7})", "\"base\"", "relative to this file");
    refused(R"({"tilescope-compare": 1, "base": "first.tilescope", "runs": []})", "\"runs\"", "name the");
    refused(R"({"tilescope-compare": 1, "base": "first.tilescope", "runs": [{"file": "./first.tilescope"}]})",
            "runs[0].file", "once");
    refused(R"({"tilescope-compare": 1, "base": "first.tilescope", "runs": [{"file": "second.tilescope",
                "views": {"trace": {"align": {"on": "luck"}}}}]})",
            "align", "use \"beginning\"");

    // One of whose profiles is gone: the others are there.
    write("gone.tilescope-compare",
          R"({"tilescope-compare": 1, "base": "first.tilescope",
              "runs": [{"file": "gone.tilescope"}, {"file": "third.tilescope"}], "front": "third.tilescope"})");
    window->openFile(path("gone.tilescope-compare"));
    settleAll();
    EXPECT_TRUE(line().contains(QStringLiteral("gone.tilescope"))) << line().toStdString();
    EXPECT_EQ(heads(), words({"first (base)", "third (new)"}));
}

TEST_F(Comparing, OnlyWhatCanBeReadIsRemembered) {
    window->compare({path("nothing.tilescope"), path("second.tilescope")});
    settleAll();
    press("Alt+Home");
    EXPECT_EQ(comparisons(), QStringList());
    window->compare({path("first.tilescope"), path("second.tilescope"), path("third.tilescope")});
    settleAll();
    press("Alt+Home");
    EXPECT_EQ(comparisons(), words({"second, third against first"}));
}

} // namespace tilescope::ui
