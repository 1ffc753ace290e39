// SPDX-License-Identifier: GPL-3.0-or-later
/// What is said of files that are bad, gone or replaced, and of runs that end.
#include "build_paths.h"
#include "frame_fixture.h"
#include "profile/recorder.h"
#include "tests/ui/shown_text.h"
#include "ui/live/live_view.h"
#include "ui/query/query_view.h"

#include <QAbstractButton>
#include <QElapsedTimer>
#include <QFile>
#include <QMessageBox>
#include <QPushButton>
#include <QTableView>
#include <QTimer>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace tilescope::ui {
namespace {

class Files : public Frame {
  protected:
    QWidget& banner() const { return *window->findChild<QWidget*>(QStringLiteral("banner")); }
    QString line() const {
        return banner().isVisible() ? banner().findChild<QLabel*>(QStringLiteral("bannerText"))->text()
                                    : QString();
    }
    QString missing() const {
        const auto* page = window->findChild<QWidget*>(QStringLiteral("missing"));
        return page != nullptr && page->isVisible()
                   ? page->findChild<QLabel*>(QStringLiteral("missingReason"))->text()
                   : QString();
    }
    void replace(const char* name, const tests::FixtureSize& size) const {
        ASSERT_TRUE(tests::record_fixture(folder / "other", size));
        ASSERT_EQ(std::rename((folder / "other").c_str(), (folder / name).c_str()), 0);
    }
    /// A run that is just being made: until it is there, it cannot be opened.
    void openOnce(const char* name) {
        for (int tries = 0; tries < 100 && !window->openPaths().contains(path(name)); ++tries) {
            window->openFile(path(name));
            settle();
            QTest::qWait(20);
        }
        ASSERT_TRUE(window->openPaths().contains(path(name)));
    }
    /// Chooses an answer to the question that closing asks.
    void close(const char* answer) {
        QTimer when;
        QObject::connect(&when, &QTimer::timeout, [&] {
            if (auto* box = window->findChild<QMessageBox*>(QStringLiteral("closing")))
                for (QAbstractButton* button : box->buttons())
                    if (button->text() == QLatin1String(answer))
                        button->click();
        });
        when.start(5);
        window->close();
    }
};

TEST_F(Files, OfAFolderAllRunsAreShown) {
    window->openFile(QString::fromStdString(folder.path().string()));
    EXPECT_EQ(view(), QStringLiteral("runs"));
    EXPECT_TRUE(tests::comes_to_show(*window, QStringLiteral("2 runs")));
    EXPECT_TRUE(window->openPaths().isEmpty()) << "none of them was chosen yet";
}

TEST_F(Files, AMissingFileKeepsItsTabUntilItIsThereAgain) {
    open("first.tilescope");
    open("second.tilescope");
    window->close();
    ASSERT_TRUE(QFile::rename(path("second.tilescope"), path("moved.tilescope")));
    start();
    window->reopenLastFiles();
    settle();
    EXPECT_EQ(tabs().count(), 2);
    EXPECT_EQ(tabs().currentIndex(), 1) << "it was in front";
    EXPECT_EQ(missing(), QStringLiteral("Gone: ") + path("second.tilescope"));
    EXPECT_EQ(view(), QString());
    press("Ctrl+Tab");
    EXPECT_EQ(missing(), QString());
    EXPECT_FALSE(view().isEmpty());
    press("Ctrl+Tab");
    ASSERT_TRUE(QFile::rename(path("moved.tilescope"), path("second.tilescope")));
    press("F5");
    settle();
    EXPECT_EQ(missing(), QString());
    EXPECT_TRUE(window->windowTitle().startsWith(QStringLiteral("second")));
    EXPECT_EQ(tabs().accessibleTabName(1), QStringLiteral("second, complete"));
    EXPECT_EQ(tabs().count(), 2);
}

TEST_F(Files, ReloadingAFileKeepsTheOthers) {
    open("first.tilescope");
    open("second.tilescope");
    for (const char* file : {"first.tilescope", "second.tilescope"}) {
        window->openFile(path(file));
        press("F5");
        settle();
        EXPECT_EQ(window->openPaths().size(), 2) << file;
        EXPECT_TRUE(window->windowTitle().startsWith(QLatin1String(file).chopped(10))) << file;
    }
}

TEST_F(Files, AMissingFileCanBeClosed) {
    open("first.tilescope");
    window->close();
    ASSERT_TRUE(QFile::remove(path("first.tilescope")));
    start();
    window->reopenLastFiles();
    settle();
    EXPECT_FALSE(missing().isEmpty());
    press("Ctrl+W");
    EXPECT_TRUE(window->openPaths().isEmpty());
    EXPECT_EQ(missing(), QString());
}

TEST_F(Files, ABadFileIsSaidAboveTheViewUntilTheLineIsClosed) {
    open("first.tilescope");
    QFile bad(path("bad.tilescope"));
    ASSERT_TRUE(bad.open(QIODevice::WriteOnly));
    bad.write("no profile");
    bad.close();
    window->showView(QStringLiteral("memory"));
    window->openFile(path("bad.tilescope"));
    EXPECT_EQ(tabs().currentIndex(), 1) << "it is being opened";
    ASSERT_TRUE(QTest::qWaitFor([&] { return tabs().count() == 1; }, 10000));
    EXPECT_EQ(window->openPaths(), QStringList{path("first.tilescope")});
    EXPECT_EQ(view(), QStringLiteral("memory")) << "as it was before";
    EXPECT_TRUE(line().contains(QStringLiteral("bad.tilescope"))) << line().toStdString();
    EXPECT_EQ(tabs().count(), 1);
    QTest::mouseClick(banner().findChild<QToolButton*>(), Qt::LeftButton);
    EXPECT_EQ(line(), QString());
}

TEST_F(Files, OfSeveralThatAreBadTheLineSaysHowMany) {
    open("first.tilescope");
    for (const char* name : {"a.tilescope", "b.tilescope", "c.tilescope"}) {
        QFile bad(path(name));
        ASSERT_TRUE(bad.open(QIODevice::WriteOnly));
        bad.write("no profile");
    }
    for (const char* name : {"a.tilescope", "b.tilescope", "c.tilescope"})
        window->openFile(path(name));
    ASSERT_TRUE(QTest::qWaitFor([&] { return tabs().count() == 1; }, 10000));
    EXPECT_TRUE(line().endsWith(QStringLiteral("; and 2 more"))) << line().toStdString();
    auto* all = banner().findChild<QPushButton*>();
    EXPECT_EQ(all->text(), QStringLiteral("Show all"));
    all->click();
    const auto* log = window->findChild<QWidget*>(QStringLiteral("messages"));
    ASSERT_NE(log, nullptr);
    EXPECT_TRUE(log->isVisible());
    for (const char* name : {"a.tilescope", "b.tilescope", "c.tilescope"})
        EXPECT_TRUE(tests::shown_rows(*log->findChild<QTableView*>(), u'|').contains(QLatin1String(name)))
            << name;
    window->openFile(path("b.tilescope"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return tabs().count() == 1 && !line().isEmpty(); }, 10000));
    EXPECT_FALSE(line().contains(QStringLiteral("more"))) << "one, later: " << line().toStdString();
}

TEST_F(Files, WhatIsSlowToOpenHoldsNothingUp) {
    const std::string run = folder / "run.tilescope";
    auto recorder = profile::Recorder::create(run, {});
    ASSERT_TRUE(recorder);
    openOnce("run.tilescope");
    press("Ctrl+W");
    const int file = ::open(run.c_str(), O_RDWR);
    ASSERT_GE(file, 0);
    struct flock lock {};
    lock.l_type = F_WRLCK; // who opens a file that is being written waits for this byte
    lock.l_whence = SEEK_SET;
    lock.l_start = 0x40000000;
    lock.l_len = 1;
    ASSERT_EQ(::fcntl(file, F_OFD_SETLK, &lock), 0);
    window->openFile(path("run.tilescope"));
    EXPECT_EQ(tabs().tabText(0), QStringLiteral("run"));
    press("G, M");
    EXPECT_EQ(view(), QStringLiteral("memory")) << "the window works";
    EXPECT_GT(window->pendingQueries(), 0);
    EXPECT_FALSE(tabs().accessibleTabName(0).contains(QStringLiteral("running")));
    ::close(file);
    settle();
    EXPECT_EQ(line(), QString());
    EXPECT_TRUE(tabs().accessibleTabName(0).contains(QStringLiteral("running")))
        << tabs().accessibleTabName(0).toStdString();
}

TEST_F(Files, AnotherFileOfTheNameIsOfferedOnce) {
    open("first.tilescope");
    replace("first.tilescope", {16, 5, 1, 1, 1});
    ASSERT_TRUE(QTest::qWaitFor([&] { return line().contains(QStringLiteral("first.tilescope")); }, 10000));
    open("second.tilescope");
    EXPECT_EQ(line(), QString()) << "it is the other file's";
    press("Ctrl+Tab");
    EXPECT_FALSE(line().isEmpty());
    QTest::mouseClick(banner().findChild<QPushButton*>(), Qt::LeftButton);
    settle();
    EXPECT_EQ(line(), QString());
    EXPECT_EQ(window->openPaths().size(), 2);
    QTest::qWait(800);
    EXPECT_EQ(line(), QString());
}

// As `cp` does: the file stays, what is in it does not.
TEST_F(Files, AFileThatIsWrittenIntoIsSaidToo) {
    open("first.tilescope");
    QTest::qWait(100); // what was opened is known
    ASSERT_TRUE(tests::record_fixture(folder / "other", {16, 5, 1, 1, 1}));
    QFile other(path("other")), first(path("first.tilescope"));
    ASSERT_TRUE(other.open(QIODevice::ReadOnly) && first.open(QIODevice::WriteOnly | QIODevice::Truncate));
    first.write(other.readAll());
    first.close();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !line().isEmpty(); }, 10000));
    EXPECT_TRUE(line().contains(QStringLiteral("first.tilescope was written anew"))) << line().toStdString();
    QTest::mouseClick(banner().findChild<QPushButton*>(), Qt::LeftButton);
    settle();
    press("G, S");
    settle();
    EXPECT_TRUE(tests::comes_to_show(*window, QStringLiteral(" 16 tiles of ")));
    QTest::qWait(800);
    EXPECT_EQ(line(), QString());
}

TEST_F(Files, ARunThatGrowsIsNoOtherFile) {
    auto recorder = profile::Recorder::create(folder / "run.tilescope", {});
    ASSERT_TRUE(recorder);
    openOnce("run.tilescope");
    (*recorder)->set(profile::ProgressRecord{profile::RunActivity::Train, 0, 1, 512, 936, 1000});
    QTest::qWait(800);
    EXPECT_EQ(line(), QString());
    ASSERT_TRUE((*recorder)->finish(profile::RunStatus::Complete));
    QTest::qWait(800);
    EXPECT_FALSE(line().contains(QStringLiteral("written anew"))) << line().toStdString();
}

TEST_F(Files, TheFileInFrontIsReadAnewWhereTheSettingsSaySo) {
    QSettings().setValue(QStringLiteral("window/reload"), true);
    open("first.tilescope");
    press("G, S");
    settle();
    const auto says = [&](const QString& wanted) {
        for (const QLabel* label : window->findChildren<QLabel*>())
            if (label->isVisible() && tests::as_read(label->text()).contains(wanted))
                return true;
        return false;
    };
    EXPECT_TRUE(says(QStringLiteral(" 64 tiles of ")));
    replace("first.tilescope", {16, 5, 1, 1, 1});
    EXPECT_TRUE(QTest::qWaitFor([&] { return says(QStringLiteral(" 16 tiles of ")); }, 10000));
    EXPECT_EQ(line(), QString());
}

TEST_F(Files, HowARunEndedIsSaidOnce) {
    auto recorder = profile::Recorder::create(folder / "run.tilescope", {});
    ASSERT_TRUE(recorder);
    (*recorder)->set(profile::ProgressRecord{profile::RunActivity::Train, 0, 1, 512, 936, 1000});
    openOnce("run.tilescope");
    EXPECT_EQ(line(), QString());
    ASSERT_TRUE((*recorder)->finish(profile::RunStatus::Cancelled));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !line().isEmpty(); }, 10000));
    EXPECT_EQ(line(), QStringLiteral("Cancelled at step 512 of 936. Figures are of what was recorded."));
    open("first.tilescope");
    EXPECT_EQ(line(), QString());
}

TEST_F(Files, ARunOfSeveralEpochsSaysInWhichItWasCancelled) {
    auto recorder = profile::Recorder::create(folder / "run.tilescope", {});
    ASSERT_TRUE(recorder);
    (*recorder)->set(profile::ProgressRecord{profile::RunActivity::Train, 1, 3, 248, 936, 1000});
    openOnce("run.tilescope");
    ASSERT_TRUE((*recorder)->finish(profile::RunStatus::Cancelled));
    EXPECT_TRUE(QTest::qWaitFor(
        [&] {
            return line() == QStringLiteral("Cancelled in epoch 2 of 3, at step 248 of 936. Figures are of "
                                            "what was recorded.");
        },
        10000))
        << line().toStdString();
}

/// Ends the window at once, whatever it is at, and says how long that took.
double seconds_to_end(std::unique_ptr<MainWindow>& window) {
    QElapsedTimer since;
    since.start();
    window->close();
    window.reset();
    QCoreApplication::processEvents(); // what its threads have left behind is for nobody
    return static_cast<double>(since.elapsed()) / 1000;
}

// In whichever view, and however far the answers have come.
TEST_F(Files, ClosingWhileAFileIsReadNeitherHangsNorCrashes) {
    ASSERT_TRUE(tests::record_fixture(folder / "large.tilescope", tests::large_fixture));
    const QStringList views = window->viewIds();
    constexpr std::array wait_ms{0, 5, 60};
    std::size_t round = 0;
    bool read_still = false;
    for (const QString& id : views) {
        window.reset();
        start();
        window->openFile(path("large.tilescope"));
        window->showView(id);
        QTest::qWait(wait_ms[round++ % wait_ms.size()]);
        read_still = read_still || window->pendingQueries() > 0;
        EXPECT_LT(seconds_to_end(window), 10) << id.toStdString();
    }
    EXPECT_TRUE(read_still) << "else this tests nothing";
}

TEST_F(Files, ClosingWhileAFileIsOpenedAnewOrComparedNeitherHangsNorCrashes) {
    ASSERT_TRUE(tests::record_fixture(folder / "large.tilescope", tests::large_fixture));
    for (const bool compared : {false, true}) {
        window.reset();
        start();
        open("first.tilescope");
        if (compared)
            window->compare({path("first.tilescope"), path("large.tilescope")});
        else
            window->openFile(path("large.tilescope"));
        window->showView(QStringLiteral("trace"));
        EXPECT_GT(window->pendingQueries(), 0);
        EXPECT_LT(seconds_to_end(window), 10);
    }
}

TEST_F(Files, ClosingDuringAQueryEndsIt) {
    open("first.tilescope");
    press("G, Q");
    settle();
    window->findChild<QueryView*>()->run(QStringLiteral(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"));
    QTest::qWait(200);
    ASSERT_GT(window->pendingQueries(), 0) << "it never ends by itself";
    EXPECT_LT(seconds_to_end(window), 10);
}

TEST_F(Files, ClosingAsksBeforeItEndsARun) {
    auto* live = window->findChild<LiveView*>();
    live->process().start({QStringLiteral(TILESCOPE_SOURCE_DIR "/samples/keras_mnist.json"),
                           {},
                           path("own.tilescope"),
                           1000,
                           false,
                           {}});
    ASSERT_TRUE(QTest::qWaitFor([&] { return window->openPaths().contains(path("own.tilescope")); }, 60000));
    close("Stay");
    EXPECT_TRUE(window->isVisible());
    EXPECT_TRUE(live->process().running());
    const auto opened = profile::Profile::follow((folder / "own.tilescope"));
    ASSERT_TRUE(opened);
    const auto pid = (*opened)->run()->pid;
    close("Leave it running");
    EXPECT_FALSE(window->isVisible());
    window.reset();
    EXPECT_EQ(::kill(static_cast<pid_t>(pid), 0), 0) << "it goes on";
    QTest::qWait(500);
    EXPECT_EQ((*opened)->run()->status, profile::RunStatus::Running);
    ::kill(static_cast<pid_t>(pid), SIGINT);
    EXPECT_TRUE(
        QTest::qWaitFor([&] { return (*opened)->run()->status == profile::RunStatus::Cancelled; }, 30000));
    start();
    live = window->findChild<LiveView*>();
    live->process().start({QStringLiteral(TILESCOPE_SOURCE_DIR "/samples/keras_mnist.json"),
                           {},
                           path("next.tilescope"),
                           1000,
                           false,
                           {}});
    ASSERT_TRUE(QTest::qWaitFor([&] { return window->openPaths().contains(path("next.tilescope")); }, 60000));
    close("Stop it and close");
    EXPECT_FALSE(window->isVisible());
    window.reset();
    const auto stopped = profile::Profile::follow((folder / "next.tilescope"));
    ASSERT_TRUE(stopped);
    EXPECT_EQ((*stopped)->run()->status, profile::RunStatus::Cancelled);
}

TEST_F(Files, ARunIsStoppedFromAnyViewOfAnyFile) {
    open("first.tilescope");
    auto* live = window->findChild<LiveView*>();
    EXPECT_FALSE(live->stopAction()->isEnabled());
    live->process().start({QStringLiteral(TILESCOPE_SOURCE_DIR "/samples/keras_mnist.json"),
                           {},
                           path("own.tilescope"),
                           1000,
                           false,
                           {}});
    ASSERT_TRUE(QTest::qWaitFor([&] { return window->openPaths().contains(path("own.tilescope")); }, 60000));
    window->openFile(path("first.tilescope"));
    press("G, M");
    ASSERT_EQ(view(), QStringLiteral("memory"));
    press("Ctrl+.");
    auto* question = live->findChild<QMessageBox*>();
    ASSERT_NE(question, nullptr);
    EXPECT_TRUE(question->isVisible());
    EXPECT_TRUE(question->text().contains(QStringLiteral("own.tilescope"))) << question->text().toStdString();
    QTest::mouseClick(question->findChild<QPushButton*>(QStringLiteral("stopRun")), Qt::LeftButton);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !live->process().running(); }, 30000));
    EXPECT_EQ((*profile::Profile::open(folder / "own.tilescope"))->run()->status,
              profile::RunStatus::Cancelled);
    EXPECT_EQ(view(), QStringLiteral("memory"));
    EXPECT_FALSE(live->stopAction()->isEnabled());
}

} // namespace
} // namespace tilescope::ui
