// SPDX-License-Identifier: GPL-3.0-or-later
#include "frame_fixture.h"
#include "ui/session/selection.h"
#include "ui/widgets/chart_actions.h"

#include <QApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QImage>
#include <QLineEdit>
#include <QMenu>
#include <QSplitter>
#include <QTabWidget>
#include <QTest>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>
#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <stdexcept>

namespace tilescope::ui {
namespace {

TEST(Focus, GoesToTheViewThatIsShownSoThatItsKeysWork) {
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(tests::record_fixture(folder / "run.tilescope"));
    MainWindow window;
    window.resize(1200, 800);
    window.show();
    window.openFile(QString::fromStdString(folder / "run.tilescope"));
    window.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.atRest(); }));
    for (const QString& id : window.viewIds()) {
        window.showView(id);
        const QWidget* focus = QApplication::focusWidget();
        ASSERT_NE(focus, nullptr) << id.toStdString();
        EXPECT_EQ(qobject_cast<const QLineEdit*>(focus), nullptr) << id.toStdString();
        bool within = false;
        for (const View* view : window.findChildren<View*>())
            within = within || (view->id() == id && (view == focus || view->isAncestorOf(focus)));
        EXPECT_TRUE(within) << id.toStdString();
    }
}

TEST_F(Frame, KeysReachWhatIsInTheTabThatCtrlAndPageDownLeadTo) {
    open("first.tilescope");
    int tabs_seen = 0;
    for (const QString& id : window->viewIds()) {
        if (id == QLatin1String("query"))
            continue; // there is nothing in its tabs before the first answer
        window->showView(id);
        settle();
        for (QTabWidget* tabs : shownView()->findChildren<QTabWidget*>()) {
            if (!tabs->isVisible() || !tabs->documentMode())
                continue;
            tabs->currentWidget()->setFocus();
            for (int tab = 0; tab < tabs->count(); ++tab) {
                const int before = tabs->currentIndex();
                QTest::keyClick(QApplication::focusWidget(), Qt::Key_PageDown, Qt::ControlModifier);
                settle();
                if (tabs->currentIndex() == before)
                    break; // of two rows of tabs the keys show those of the other
                const std::string which =
                    (id + QStringLiteral(", ") + tabs->tabText(tabs->currentIndex())).toStdString();
                const QWidget* focus = QApplication::focusWidget();
                ASSERT_NE(focus, nullptr) << which;
                const QWidget* page = tabs->currentWidget();
                EXPECT_TRUE(page == focus || page->isAncestorOf(focus)) << which;
                EXPECT_NE(focus->focusPolicy(), Qt::NoFocus) << which << ": it takes no keys";
                ++tabs_seen;
            }
        }
    }
    EXPECT_GT(tabs_seen, 20);
}

TEST_F(Frame, TheBarHasWordsAndWhatHasNoRoomIsInAMenuWithThem) {
    open("first.tilescope");
    auto* bar = window->findChild<QToolBar*>(QStringLiteral("tools"));
    auto* more = bar->findChild<QToolButton*>(QStringLiteral("qt_toolbar_ext_button"));
    for (const int width : {1440, 1000, 800}) {
        window->resize(width, 700);
        for (const char* keys : {"G, T", "G, G", "G, K"}) {
            press(keys);
            settle();
            QStringList hidden;
            for (QAction* action : bar->actions()) {
                auto* button = qobject_cast<QToolButton*>(bar->widgetForAction(action));
                if (button == nullptr || action->text().isEmpty() || !action->isVisible())
                    continue;
                if (!button->isVisible()) {
                    hidden << action->text();
                } else if (button->toolButtonStyle() != Qt::ToolButtonIconOnly) {
                    EXPECT_GE(button->width(), button->fontMetrics().horizontalAdvance(button->text()))
                        << button->text().toStdString();
                }
            }
            EXPECT_EQ(more->isVisible(), !hidden.isEmpty()) << keys << width;
            if (hidden.isEmpty())
                continue;
            QTest::mouseClick(more, Qt::LeftButton);
            auto* menu = window->findChild<QMenu*>(QStringLiteral("restOfBar"));
            ASSERT_NE(menu, nullptr);
            QStringList offered;
            for (const QAction* action : menu->actions())
                offered << action->text();
            EXPECT_EQ(offered, hidden) << keys << width;
            delete menu;
        }
    }
}

class Ahead : public Frame {
  protected:
    /// A file is opened, Memory asked for, and keys are pressed before any answer can have come.
    void pressAtOnce(const QList<const char*>& keys) {
        window->openFile(path("first.tilescope"));
        window->showView(QStringLiteral("memory"));
        for (const char* key : keys)
            press(key);
    }
    const Selection& selection() const { return window->findChild<SelectionModel*>()->current(); }
};

TEST_F(Ahead, KeysOfAViewWaitForWhatItReads) {
    ASSERT_NO_FATAL_FAILURE(pressAtOnce({"X"}));
    EXPECT_TRUE(selection().tiles.empty());
    settle();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !selection().tiles.empty(); }, 2000));
    const std::vector<std::int64_t> fullest = selection().tiles;
    press("Esc");
    EXPECT_TRUE(selection().tiles.empty());
    press("X");
    EXPECT_EQ(selection().tiles, fullest);
}

TEST_F(Ahead, KeysOfCanvasesToo) {
    ASSERT_NO_FATAL_FAILURE(pressAtOnce({"X", "Right"}));
    settle();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !selection().tiles.empty(); }, 2000));
    const std::vector<std::int64_t> beside = selection().tiles;
    press("X");
    EXPECT_NE(selection().tiles, beside);
    press("Right");
    EXPECT_EQ(selection().tiles, beside);
}

TEST_F(Ahead, EscapeAndAnotherViewLetGoOfThem) {
    ASSERT_NO_FATAL_FAILURE(pressAtOnce({"X", "Esc"}));
    settle();
    QTest::qWait(100);
    EXPECT_TRUE(selection().tiles.empty());
    window->openFile(path("second.tilescope"));
    press("X");
    press("Ctrl+1");
    settle();
    QTest::qWait(100);
    EXPECT_EQ(view(), QStringLiteral("summary"));
    EXPECT_TRUE(selection().tiles.empty());
}

TEST_F(Ahead, KeysOfTheWindowWaitForNothing) {
    ASSERT_FALSE(units().cycles);
    ASSERT_NO_FATAL_FAILURE(pressAtOnce({"T"}));
    EXPECT_TRUE(units().cycles);
    press("G");
    press("L");
    EXPECT_EQ(view(), QStringLiteral("liveness"));
    settle();
}

class Edges : public Frame {
  protected:
    QWidget& mover() const { return *window->findChild<QWidget*>(QStringLiteral("edgeMover")); }
    QSplitter& pictures() const {
        for (QSplitter* each : window->findChildren<QSplitter*>())
            if (each->isVisible() && each->orientation() == Qt::Horizontal && each->count() == 2)
                return *each;
        throw std::logic_error("there is none");
    }
};

TEST_F(Edges, AreMovedByArrowsFromOneToTheNext) {
    window->resize(1440, 900); // chart and floor plan have room beside each other
    ASSERT_NO_FATAL_FAILURE(open("first.tilescope"));
    window->showView(QStringLiteral("memory"));
    settle();
    QWidget* before = QApplication::focusWidget();
    press("F8");
    ASSERT_TRUE(mover().hasFocus());
    std::set<QString> names;
    for (int edge = 0; edge < 10 && !names.contains(mover().accessibleName()); ++edge) {
        names.insert(mover().accessibleName());
        press("F8");
    }
    EXPECT_EQ(names.size(), 3U) << "chart and plan, pictures and tables, details";
    for (int edge = 0; edge < 3; ++edge, press("F8")) {
        const bool upright = mover().height() > mover().width();
        const auto place = [&] {
            return upright ? mover().geometry().center().x() : mover().geometry().center().y();
        };
        const int at = place();
        press(upright ? "Left" : "Up");
        QTest::qWait(20);
        EXPECT_NEAR(place(), at - 8, 2) << edge;
        press(upright ? "Shift+Right" : "Shift+Down");
        QTest::qWait(20);
        EXPECT_NEAR(place(), at + 72, 2) << edge;
        press(upright ? "Shift+Left" : "Shift+Up");
        QTest::qWait(20);
    }
    const QList<int> sizes = pictures().sizes();
    EXPECT_TRUE(std::all_of(sizes.begin(), sizes.end(), [](int size) { return size > 0; }));
    press("Esc");
    EXPECT_FALSE(mover().isVisible());
    EXPECT_EQ(QApplication::focusWidget(), before);
}

TEST_F(Edges, AreNotPushedOverAPart) {
    window->resize(1440, 900);
    ASSERT_NO_FATAL_FAILURE(open("first.tilescope"));
    window->showView(QStringLiteral("memory"));
    settle();
    press("F8");
    for (int i = 0; i < 15; ++i)
        press("Shift+Left"), press("Shift+Up");
    QTest::qWait(20);
    EXPECT_GT(pictures().sizes().front(), 0);
    press("Return");
    EXPECT_FALSE(mover().isVisible());
}

TEST_F(Frame, AKeySavesAPictureOfTheChartInFocusOrElseOfTheView) {
    window->resize(900, 700);
    open("first.tilescope");
    QString asked;
    QStringList saved;
    QTimer when; // the question runs a loop of its own
    QObject::connect(&when, &QTimer::timeout, [&] {
        if (auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget())) {
            asked = QFileInfo(dialog->selectedFiles().value(0)).fileName();
            dialog->selectFile(path("saved.png"));
            static_cast<QDialog&>(*dialog).accept();
        }
    });
    when.start(5);
    const auto save = [&](QWidget& shown, const QString& title) {
        asked.clear();
        QFile::remove(path("saved.png"));
        press("Ctrl+E");
        EXPECT_EQ(asked, title + QStringLiteral(".png"));
        EXPECT_EQ(QImage(path("saved.png")).width(), 2 * shown.width()) << asked.toStdString();
    };
    for (const char* id : {"insights", "memory", "liveness", "operations", "pipeline", "sharding", "exchange",
                           "compile", "query", "live", "compare", "runs"}) {
        ASSERT_TRUE(window->showView(QLatin1String(id)));
        settle();
        View& view = *shownView();
        window->setFocus();
        view.setFocusProxy(nullptr); // which hands it on to a chart
        view.setFocusPolicy(Qt::StrongFocus);
        view.setFocus();
        save(view, view.title());
        for (QWidget* part : view.findChildren<QWidget*>())
            if (part->isVisible() && part->focusPolicy() == Qt::StrongFocus && !titleOf(*part).isEmpty()) {
                part->setFocus();
                save(*part, titleOf(*part));
                saved << titleOf(*part);
            }
    }
    for (const char* chart : {"Memory per tile", "Live bytes", "System"})
        EXPECT_TRUE(saved.contains(QLatin1String(chart))) << saved.join(u'\n').toStdString();
}

/// Summary has a report of its own under that key, Memory a picture; the keys are in the rail or in Details.
TEST_F(Frame, TheSameKeySavesFromTheRailAndFromDetails) {
    window->resize(1440, 900);
    open("first.tilescope");
    QStringList asked;
    QTimer when;
    QObject::connect(&when, &QTimer::timeout, [&] {
        if (auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget())) {
            asked << QFileInfo(dialog->selectedFiles().value(0)).fileName();
            dialog->reject();
        }
    });
    when.start(5);
    for (const auto& [id, part] : {std::pair("memory", "rail"), // Insights has no Details beside it at first
                                   {"memory", "details"},
                                   {"insights", "rail"},
                                   {"summary", "rail"},
                                   {"summary", "details"}}) {
        ASSERT_TRUE(window->showView(QLatin1String(id)));
        settle();
        window->activateWindow(); // which a dialog was over
        ASSERT_TRUE(QTest::qWaitForWindowActive(window.get()));
        const auto* all = window->findChild<QWidget*>(QLatin1String(part));
        QWidget* taker = nullptr;
        for (QWidget* each : all->findChildren<QWidget*>())
            if (taker == nullptr && each->isVisible() && each->isEnabled() &&
                (each->focusPolicy() & Qt::TabFocus) != 0)
                taker = each;
        ASSERT_NE(taker, nullptr) << id << " from " << part;
        taker->setFocus();
        ASSERT_TRUE(taker->hasFocus()) << id << " from " << part;
        const qsizetype before = asked.size();
        press("Ctrl+E");
        EXPECT_EQ(asked.size(), before + 1) << id << " from " << part;
    }
    EXPECT_EQ(asked.value(0), QStringLiteral("Memory.png"));
}

} // namespace
} // namespace tilescope::ui
