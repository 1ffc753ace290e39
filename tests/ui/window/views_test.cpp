// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "profile/recorder.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"
#include "ui/live/live_view.h"
#include "ui/live/run_form.h"
#include "ui/session/view.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QTest>
#include <QTextBrowser>
#include <QTextDocumentFragment>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

class Views : public testing::Test {
  protected:
    Views() {
        EXPECT_TRUE(tests::record_fixture(folder / "run.tilescope"));
        window.resize(1200, 800);
        window.show();
        window.openFile(QString::fromStdString(folder / "run.tilescope"));
        window.activateWindow();
        EXPECT_TRUE(QTest::qWaitForWindowActive(&window));
        settle();
    }
    void settle() {
        ASSERT_TRUE(QTest::qWaitFor([&] { return window.atRest(); }));
    }
    void press(const char* keys) {
        QTest::keySequence(QApplication::focusWidget(), QKeySequence(QLatin1String(keys)));
    }
    QString shown() const {
        for (const View* view : window.findChildren<View*>())
            if (view->isVisible())
                return view->id();
        return {};
    }
    QString details() const {
        return window.findChild<QDockWidget*>(QStringLiteral("details"))
            ->findChild<QTextBrowser*>(QStringLiteral("detailsText"))
            ->toPlainText();
    }
    View* view(const QString& id) {
        for (View* view : window.findChildren<View*>())
            if (view->id() == id)
                return view;
        return nullptr;
    }

    tests::TemporaryFolder folder;
    MainWindow window;
};

TEST_F(Views, TheMenuReportsAndRunsAgainWhateverIsInFront) {
    profile::RunRecord run;
    run.workload_path = TILESCOPE_SOURCE_DIR "/samples/tutorial_basic.json";
    run.workload = R"({"seed": 7})";
    auto recorder = profile::Recorder::create(folder / "basic.tilescope", run);
    ASSERT_TRUE(recorder);
    ASSERT_TRUE((*recorder)->finish(profile::RunStatus::Complete));
    window.openFile(QString::fromStdString(folder / "basic.tilescope"));
    window.showView(QStringLiteral("trace"));
    settle();
    const QMenu* menu = window.menuBar()->actions().first()->menu();
    for (const char* name : {"saveReport", "copyReport", "runAgain"}) {
        auto* action = window.findChild<QAction*>(QLatin1String(name));
        ASSERT_NE(action, nullptr) << name;
        EXPECT_TRUE(menu->actions().contains(action)) << name;
        EXPECT_TRUE(action->isEnabled()) << name;
    }
    window.findChild<QAction*>(QStringLiteral("runAgain"))->trigger();
    ASSERT_TRUE(QTest::qWaitFor([&] { return shown() == QLatin1String("live"); }, 20000));
    auto* live = qobject_cast<LiveView*>(view(QStringLiteral("live")));
    ASSERT_TRUE(live->showsForm());
    const RunRequest request = live->form().request();
    EXPECT_TRUE(request.workload.endsWith(QStringLiteral("samples/tutorial_basic.json")));
    EXPECT_EQ(request.overrides, QStringList{QStringLiteral("seed=7")});
}

TEST_F(Views, EachHasAKeyOfItsOwn) {
    const std::pair<const char*, const char*> letters[] = {
        {"I", "insights"}, {"M", "memory"},     {"L", "liveness"}, {"G", "graph"},
        {"P", "program"},  {"O", "operations"}, {"T", "trace"},    {"K", "pipeline"},
        {"H", "sharding"}, {"X", "exchange"},   {"C", "compile"},  {"Q", "query"},
        {"V", "live"},     {"D", "compare"},    {"R", "runs"},     {"S", "summary"}};
    for (const auto& [letter, id] : letters) {
        // In the field of the query view a letter is a letter.
        if (shown() == QLatin1String("query") || shown() == QLatin1String("live"))
            window.showView(QStringLiteral("summary"));
        press((std::string("G, ") + letter).c_str());
        EXPECT_EQ(shown(), QLatin1String(id));
    }
}

// The fixture knows how far off whole steps (1.25) and bytes (1.125) are, and nothing of cycles.
TEST_F(Views, SayHowFarOffWhatTheyPredictIs) {
    const auto note = [this](const char* id) {
        window.showView(QLatin1String(id));
        settle();
        const auto* below = window.findChild<QLabel*>(QStringLiteral("accuracy"));
        EXPECT_EQ(below->isHidden(), below->text().isEmpty());
        return below->text();
    };
    const auto tip = [this] {
        return QTextDocumentFragment::fromHtml(
                   window.findChild<QLabel*>(QStringLiteral("viewTitle"))->toolTip())
            .toPlainText();
    };
    EXPECT_EQ(note("memory"), QStringLiteral("predicted; typical error ×1.12"));
    EXPECT_EQ(tip(), QStringLiteral("Figures of this kind (bytes) were predicted at 0.875 to 1.25 of what is "
                                    "published, on average a factor of 1.12 off, over 2 rows: five, six"));
    EXPECT_EQ(note("operations"), QStringLiteral("predicted; typical error of bytes ×1.12"));
    EXPECT_EQ(note("compare"),
              QStringLiteral("predicted; typical error of whole steps ×1.25, of bytes ×1.12"));
    EXPECT_EQ(note("exchange"), QString()) << "of cycles alone";
    EXPECT_EQ(tip(), QString());
    note("live"); // which has no panel
    EXPECT_TRUE(tip().endsWith(QStringLiteral("over 4 rows: one, two, three, four"))) << tip().toStdString();
    EXPECT_EQ(note("query"), QString());
}

TEST_F(Views, DetailsAreThoseOfTheViewInFront) {
    window.showView(QStringLiteral("graph"));
    settle();
    EXPECT_TRUE(details().startsWith(QStringLiteral("Graph"))) << details().toStdString();
    window.showView(QStringLiteral("trace"));
    settle();
    ASSERT_TRUE(QTest::qWaitFor([&] { return details().startsWith(QStringLiteral("In view of IPU 0")); }))
        << details().toStdString();
    Q_EMIT view(QStringLiteral("sharding"))->detailsChanged(QStringLiteral("<p>late</p>")); // not in front
    EXPECT_TRUE(details().startsWith(QStringLiteral("In view of IPU 0"))) << details().toStdString();
    Q_EMIT view(QStringLiteral("trace"))->detailsChanged(QStringLiteral("<p>of a slice</p>"));
    EXPECT_EQ(details(), QStringLiteral("of a slice"));
    window.showView(QStringLiteral("graph"));
    EXPECT_TRUE(details().startsWith(QStringLiteral("Graph")));
    window.showView(QStringLiteral("trace"));
    EXPECT_EQ(details(), QStringLiteral("of a slice"));
}

} // namespace
} // namespace tilescope::ui
