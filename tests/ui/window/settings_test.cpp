// SPDX-License-Identifier: GPL-3.0-or-later
#include "frame_fixture.h"
#include "ui/live/profile_process.h"
#include "ui/liveness/liveness_curve.h"
#include "ui/session/folders.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTimer>
#include <QTreeWidget>

namespace tilescope::ui {
namespace {

class Settings : public Frame {
  protected:
    ~Settings() override { // the application outlives the window
        EXPECT_NEAR(QApplication::font().pointSizeF(), plain, 0.1) << "a test left the text larger";
    }
    /// Shows the settings while `look` looks at them.
    void settings(const std::function<void(QDialog&)>& look) {
        bool looked = false;
        QTimer when; // the dialog runs a loop of its own
        QObject::connect(&when, &QTimer::timeout, [&] {
            auto* dialog = window->findChild<QDialog*>(QStringLiteral("settings"));
            if (dialog == nullptr || looked)
                return;
            looked = true;
            look(*dialog);
            dialog->close();
        });
        when.start(5);
        press("Ctrl+,");
        EXPECT_TRUE(looked);
    }
    template<class T>
    static T& field(const QDialog& dialog, const char* name) {
        return *dialog.findChild<T*>(QLatin1String(name));
    }
    static QTreeWidgetItem& row(const QDialog& dialog, const char* command) {
        return *field<QTreeWidget>(dialog, "settingKeys")
                    .findItems(QLatin1String(command), Qt::MatchExactly)
                    .front();
    }
    /// Presses keys in the field that Enter opens in the row of a command.
    static void give(const QDialog& dialog, const char* command, Qt::Key key) {
        auto& table = field<QTreeWidget>(dialog, "settingKeys");
        table.setCurrentItem(&row(dialog, command));
        table.setFocus();
        QTest::keyClick(&table, Qt::Key_Return);
        auto* edit = table.findChild<QKeySequenceEdit*>();
        ASSERT_NE(edit, nullptr);
        QTest::keyClick(edit, key, Qt::ControlModifier | Qt::AltModifier);
        ASSERT_TRUE(QTest::qWaitFor([&] { return table.findChild<QKeySequenceEdit*>() == nullptr; }, 5000));
    }

    const double plain = QApplication::font().pointSizeF();
};

TEST_F(Settings, HoldAtOnceAndAreRemembered) {
    open("first.tilescope");
    settings([&](QDialog& dialog) {
        const auto* details = window->findChild<QWidget*>(QStringLiteral("detailsText"));
        const int narrow = details->minimumSizeHint().width();
        field<QSpinBox>(dialog, "settingFont").setValue(150);
        EXPECT_GT(details->minimumSizeHint().width(), 1.3 * narrow) << "words fit there as before";
        EXPECT_NEAR(QApplication::font().pointSizeF(), plain * 1.5, 0.1);
        EXPECT_NEAR(tabs().font().pointSizeF(), plain * 1.5, 0.1);
        field<QComboBox>(dialog, "settingBytes").setCurrentIndex(1);
        EXPECT_EQ(formatBytes(2048), QStringLiteral("2,048 B"));
        field<QComboBox>(dialog, "settingBasis").setCurrentIndex(4);
        EXPECT_EQ(window->findChild<QComboBox*>(QStringLiteral("basis"))->currentText(),
                  QStringLiteral("per execution"));
        field<QComboBox>(dialog, "settingTiles").setCurrentIndex(1);
        EXPECT_EQ(window->findChild<QComboBox*>(QStringLiteral("memoryOrder"))->currentIndex(), 1);
        const auto* gaps = window->findChild<QCheckBox*>(QStringLiteral("memoryGaps"));
        EXPECT_TRUE(gaps->isChecked());
        field<QCheckBox>(dialog, "settingGaps").setChecked(false);
        EXPECT_FALSE(gaps->isChecked());
        QTest::mouseClick(&field<QPushButton>(dialog, "reset Look"), Qt::LeftButton);
        EXPECT_NEAR(QApplication::font().pointSizeF(), plain, 0.1);
        EXPECT_EQ(formatBytes(2048), QStringLiteral("2,048 B")) << "each group has a reset of its own";
        field<QCheckBox>(dialog, "settingReopen").setChecked(false);
    });
    window->close();
    start();
    window->reopenLastFiles();
    EXPECT_TRUE(window->openPaths().isEmpty());
    settings([&](QDialog& dialog) {
        EXPECT_EQ(field<QComboBox>(dialog, "settingBytes").currentIndex(), 1);
        EXPECT_EQ(field<QComboBox>(dialog, "settingBasis").currentIndex(), 4);
        EXPECT_EQ(field<QComboBox>(dialog, "settingTiles").currentIndex(), 1);
        EXPECT_FALSE(field<QCheckBox>(dialog, "settingGaps").isChecked());
        EXPECT_FALSE(window->findChild<QCheckBox*>(QStringLiteral("memoryGaps"))->isChecked());
        QTest::mouseClick(&field<QPushButton>(dialog, "reset Figures"), Qt::LeftButton);
        EXPECT_EQ(formatBytes(2048), QStringLiteral("2 KiB"));
        EXPECT_EQ(field<QComboBox>(dialog, "settingTiles").currentIndex(), 0);
    });
}

TEST_F(Settings, OfFoldersAreTakenWhereThereIsSuchAFolder) {
    const QString data = path("data"), kept = path("kept"), other = path("kept/other.txt");
    QDir().mkpath(data);
    QDir().mkpath(kept);
    const auto write = [](const QString& name, qsizetype bytes) {
        QFile file(name);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(bytes, 'x'));
    };
    write(kept + QStringLiteral("/0123456789abcdef0123456789abcdef.executable"), 2048);
    write(kept + QStringLiteral("/fedcba9876543210fedcba9876543210.executable"), 1024);
    write(other, 7);
    const auto type = [](QLineEdit& line, const QString& text) {
        line.setFocus();
        line.setText(text);
        QTest::keyClick(&line, Qt::Key_Tab); // what is typed is taken as the field is left
        Q_EMIT line.editingFinished();
    };
    settings([&](QDialog& dialog) {
        auto& kept_there = field<QLabel>(dialog, "keptExecutables");
        auto& empty = field<QPushButton>(dialog, "emptyExecutables");
        EXPECT_TRUE(QTest::qWaitFor([&] { return kept_there.text() == QStringLiteral("none"); }, 5000));
        EXPECT_FALSE(empty.isEnabled());
        auto& line = field<QLineEdit>(dialog, "settingData");
        type(line, path("nowhere"));
        EXPECT_EQ(field<QLabel>(dialog, "foldersNote").text(),
                  QStringLiteral("There is no folder %1.").arg(path("nowhere")));
        EXPECT_EQ(dataFolder(), QString());
        type(line, data);
        EXPECT_FALSE(field<QLabel>(dialog, "foldersNote").isVisible());
        EXPECT_EQ(dataFolder(), data);
        type(field<QLineEdit>(dialog, "settingExecutables"), kept);
        EXPECT_TRUE(QTest::qWaitFor(
            [&] { return kept_there.text() == QStringLiteral("2 executables, 3 KiB"); }, 5000))
            << kept_there.text().toStdString();
        QTest::mouseClick(&empty, Qt::LeftButton);
        EXPECT_TRUE(QTest::qWaitFor([&] { return kept_there.text() == QStringLiteral("none"); }, 5000));
        EXPECT_EQ(QDir(kept).entryList(QDir::Files), QStringList{QStringLiteral("other.txt")})
            << "what is no executable stays";
        field<QComboBox>(dialog, "settingNotes").setCurrentIndex(1);
        EXPECT_FALSE(notesBeside());
    });
    const RunRequest asked{.workload = QStringLiteral("w.json"), .output = QStringLiteral("o.tilescope")};
    EXPECT_EQ(asked.inFolders().commandLine(),
              QStringLiteral("tilescope profile w.json --data %1 --cache %2 -o o.tilescope").arg(data, kept));
    settings([&](QDialog& dialog) {
        EXPECT_EQ(field<QLineEdit>(dialog, "settingExecutables").text(), kept);
        QTest::mouseClick(&field<QPushButton>(dialog, "reset Folders"), Qt::LeftButton);
    });
    EXPECT_EQ(asked.inFolders(), asked);
    EXPECT_TRUE(notesBeside());
}

TEST_F(Settings, AreFoundByTheirNames) {
    settings([&](QDialog& dialog) {
        QTest::keyClicks(&field<QLineEdit>(dialog, "settingSearch"), QStringLiteral("memory"));
        EXPECT_TRUE(field<QComboBox>(dialog, "settingBytes").isVisible());
        EXPECT_FALSE(field<QComboBox>(dialog, "settingTheme").isVisible());
        EXPECT_FALSE(field<QCheckBox>(dialog, "settingReopen").isVisible());
        EXPECT_FALSE(row(dialog, "Memory").isHidden());
        EXPECT_TRUE(row(dialog, "Trace").isHidden());
        field<QLineEdit>(dialog, "settingSearch").setText(QStringLiteral("folders"));
        EXPECT_TRUE(field<QLineEdit>(dialog, "settingData").isVisible()) << "all of a group of that title";
        EXPECT_FALSE(field<QComboBox>(dialog, "settingBytes").isVisible());
    });
}

TEST_F(Settings, GiveACommandOtherKeysAndSayWhatElseTheyDo) {
    open("first.tilescope");
    settings([&](QDialog& dialog) {
        EXPECT_EQ(row(dialog, "Query").text(1), QStringLiteral("G, Q"));
        give(dialog, "Query", Qt::Key_J);
        EXPECT_EQ(row(dialog, "Query").text(1), QStringLiteral("Ctrl+Alt+J"));
        EXPECT_EQ(row(dialog, "Query").text(2), QString());
        give(dialog, "Insights", Qt::Key_J);
        EXPECT_TRUE(row(dialog, "Insights").text(2).contains(QStringLiteral("Query")));
        EXPECT_TRUE(row(dialog, "Query").text(2).contains(QStringLiteral("Insights")));
        auto& table = field<QTreeWidget>(dialog, "settingKeys");
        QTest::keyClick(&table, Qt::Key_Delete);
        EXPECT_EQ(row(dialog, "Insights").text(1), QString());
        EXPECT_EQ(row(dialog, "Query").text(2), QString());
    });
    press("Ctrl+Alt+J");
    EXPECT_EQ(view(), QStringLiteral("query"));
    window->close();
    start();
    open("first.tilescope");
    press("G, S");
    press("Ctrl+Alt+J");
    EXPECT_EQ(view(), QStringLiteral("query")) << "it is remembered";
    settings([&](QDialog& dialog) {
        QTest::mouseClick(&field<QPushButton>(dialog, "reset Keys"), Qt::LeftButton);
        EXPECT_EQ(row(dialog, "Query").text(1), QStringLiteral("G, Q"));
    });
    press("Ctrl+2"); // a letter is a letter in the field of Query
    EXPECT_EQ(view(), QStringLiteral("insights"));
}

TEST_F(Settings, GivesPartsOfViewsOtherKeys) {
    open("first.tilescope");
    settings([&](QDialog& dialog) {
        EXPECT_EQ(row(dialog, "Liveness: First step").text(1), QStringLiteral("Home"));
        const auto& table = field<QTreeWidget>(dialog, "settingKeys");
        for (int i = 0; i < table.topLevelItemCount(); ++i) // those of one part are no others of another
            EXPECT_EQ(table.topLevelItem(i)->text(2), QString())
                << table.topLevelItem(i)->text(0).toStdString();
        give(dialog, "Liveness: First step", Qt::Key_J);
        EXPECT_EQ(row(dialog, "Liveness: First step").text(1), QStringLiteral("Ctrl+Alt+J"));
        give(dialog, "Liveness: Last step", Qt::Key_J);
        EXPECT_TRUE(row(dialog, "Liveness: First step").text(2).contains(QStringLiteral("Last step")));
        QTest::keyClick(&field<QTreeWidget>(dialog, "settingKeys"), Qt::Key_Delete);
    });
    press("G, L");
    settle();
    press("P");
    settle();
    const auto step = [&] { return window->findChild<LivenessCurve*>()->step(); };
    ASSERT_GT(step(), 0);
    press("Home");
    settle();
    EXPECT_GT(step(), 0) << "its keys are others";
    press("Ctrl+Alt+J");
    settle();
    EXPECT_EQ(step(), 0);
}

// The view's shortcut is taken before the table looks at its keys.
TEST_F(Settings, TellWhenAViewHasTheKeyOfItsTablesFilter) {
    open("first.tilescope");
    settings([&](QDialog& dialog) {
        EXPECT_EQ(row(dialog, "Liveness: Live: Filter").text(1), QStringLiteral("/"));
        give(dialog, "Liveness: Live: Filter", Qt::Key_J);
        EXPECT_EQ(row(dialog, "Liveness: Live: Filter").text(2), QString());
        give(dialog, "Liveness: Peak step", Qt::Key_J);
        EXPECT_TRUE(row(dialog, "Liveness: Live: Filter").text(2).contains(QStringLiteral("Peak step")));
        EXPECT_TRUE(row(dialog, "Liveness: Peak step").text(2).contains(QStringLiteral("Filter")));
    });
}

TEST_F(Settings, KeysAreExportedAndImported) {
    open("first.tilescope");
    const QString file = path("keys.json");
    const auto answer = [](const QString& name) {
        QTimer::singleShot(0, [name] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            ASSERT_NE(dialog, nullptr);
            dialog->findChild<QLineEdit*>()->setText(name);
            QMetaObject::invokeMethod(dialog, "accept");
        });
    };
    const auto put = [&](const char* text) {
        QFile written(file);
        ASSERT_TRUE(written.open(QIODevice::WriteOnly));
        written.write(text);
    };
    settings([&](QDialog& dialog) {
        const auto click = [&](const char* name) {
            answer(file);
            QTest::mouseClick(&field<QPushButton>(dialog, name), Qt::LeftButton);
            return field<QLabel>(dialog, "keysNote").text();
        };
        give(dialog, "Query", Qt::Key_J);
        auto& table = field<QTreeWidget>(dialog, "settingKeys");
        table.setCurrentItem(&row(dialog, "Insights"));
        QTest::keyClick(&table, Qt::Key_Delete);
        EXPECT_EQ(click("exportKeys"), QStringLiteral("Saved as %1.").arg(file));
        QTest::mouseClick(&field<QPushButton>(dialog, "reset Keys"), Qt::LeftButton);
        give(dialog, "Trace", Qt::Key_L);
        EXPECT_EQ(click("importKeys"), QStringLiteral("Taken from %1.").arg(file));
        EXPECT_EQ(row(dialog, "Query").text(1), QStringLiteral("Ctrl+Alt+J"));
        EXPECT_EQ(row(dialog, "Insights").text(1), QString());
        EXPECT_NE(row(dialog, "Trace").text(1), QStringLiteral("Ctrl+Alt+L"))
            << "in place of what was given before";
        put(R"({"tilescope_keys": {"Query": "Ctrl+Alt+K", "Unheard of": "Ctrl+U"}})");
        EXPECT_TRUE(click("importKeys").endsWith(QStringLiteral("not known here: Unheard of.")));
        EXPECT_EQ(row(dialog, "Query").text(1), QStringLiteral("Ctrl+Alt+K"));
        for (const char* bad : {"", "[]", "{", R"({"tilescope_keys": {"Query": 5}})",
                                R"({"tilescope_keys": {"Query": "Hyper+Nothing"}})"}) {
            put(bad);
            EXPECT_TRUE(click("importKeys").contains(QStringLiteral("choose a file that was exported")))
                << bad;
            EXPECT_EQ(row(dialog, "Query").text(1), QStringLiteral("Ctrl+Alt+K")) << bad;
        }
    });
    press("Ctrl+Alt+K");
    EXPECT_EQ(view(), QStringLiteral("query"));
}

} // namespace
} // namespace tilescope::ui
