// SPDX-License-Identifier: GPL-3.0-or-later
/// What the window says and offers beside its views: messages, hints to keys, the list of files.
#include "frame_fixture.h"
#include "ui/widgets/data_table.h"

#include <QAction>
#include <QFrame>
#include <QMenu>
#include <QStatusTipEvent>

namespace tilescope::ui {
namespace {

class Beside : public Frame {
  protected:
    QFrame& hints() const { return *window->findChild<QFrame*>(QStringLiteral("goHints")); }
    bool hinted() const {
        return QTest::qWaitFor([this] { return hints().isVisible(); }, 2000);
    }
};

TEST_F(Beside, HintsTellWhatFollowsG) {
    open("first.tilescope");
    press("Ctrl+3");
    press("G");
    EXPECT_FALSE(hints().isVisible()) << "who knows the letter does not see them";
    ASSERT_TRUE(hinted());
    QStringList said;
    for (const QLabel* label : hints().findChildren<QLabel*>())
        said << QTextDocumentFragment::fromHtml(label->text()).toPlainText();
    EXPECT_TRUE(said.contains(QStringLiteral("T  Trace"))) << said.join(QLatin1Char('|')).toStdString();
    press("T");
    EXPECT_EQ(view(), QStringLiteral("trace"));
    EXPECT_FALSE(hints().isVisible());
    press("G");
    ASSERT_TRUE(hinted());
    press("Esc");
    EXPECT_FALSE(hints().isVisible());
    EXPECT_EQ(view(), QStringLiteral("trace"));
    press("G, M");
    QTest::qWait(600);
    EXPECT_FALSE(hints().isVisible());
}

TEST_F(Beside, MessagesAreKept) {
    auto* messages = window->findChild<DataTable*>(QStringLiteral("messages"));
    ASSERT_NE(messages, nullptr);
    window->openFile(path("none.tilescope"));
    settle();
    window->openFile(path("none.tilescope"));
    settle();
    EXPECT_FALSE(messages->toText(QLatin1Char('\t')).contains(QStringLiteral("error\t"))) << "not seen yet";
    messages->window()->show();
    const QString said = messages->toText(QLatin1Char('\t'));
    EXPECT_TRUE(said.contains(QStringLiteral("error\t"))) << said.toStdString();
    EXPECT_TRUE(said.contains(QStringLiteral("none.tilescope")));
    EXPECT_TRUE(said.contains(QStringLiteral("(2 times)")));
}

TEST_F(Beside, AMessageLeavesTheStateInSight) {
    open("first.tilescope");
    const QLabel& file = *window->findChild<QLabel*>(QStringLiteral("statusFile"));
    const auto state_is_seen = [&] {
        return file.isVisible() && file.width() >= file.sizeHint().width() && chip("chipUnit").isVisible() &&
               status().contains(QStringLiteral("complete"));
    };
    ASSERT_TRUE(state_is_seen());
    press("Ctrl+Z");
    EXPECT_EQ(passing().text(), QStringLiteral("Nothing is left to undo."));
    EXPECT_TRUE(passing().toolTip().isEmpty()) << "all of it is there";
    EXPECT_TRUE(state_is_seen());
    const QString tip = QStringLiteral("word ").repeated(99) + QStringLiteral("last");
    QStatusTipEvent pointed(tip);
    QApplication::sendEvent(window.get(), &pointed);
    EXPECT_TRUE(passing().text().startsWith(QStringLiteral("word word")) && passing().text().endsWith(u'…'))
        << passing().text().toStdString();
    EXPECT_TRUE(passing().toolTip().contains(tip));
    EXPECT_EQ(said(), tip);
    EXPECT_TRUE(state_is_seen());
    QStatusTipEvent left((QString()));
    QApplication::sendEvent(window.get(), &left);
    EXPECT_EQ(said(), QStringLiteral("Nothing is left to undo.")) << "it has not passed yet";
    auto* messages = window->findChild<DataTable*>(QStringLiteral("messages"));
    messages->window()->show();
    EXPECT_TRUE(messages->toText(QLatin1Char('\t')).contains(said()));
    EXPECT_FALSE(messages->toText(QLatin1Char('\t')).contains(tip));
}

TEST_F(Beside, ManyFilesHaveAList) {
    for (int i = 0; i < 7; ++i) {
        const std::string name = "file" + std::to_string(i) + ".tilescope";
        ASSERT_TRUE(tests::record_fixture(folder / name));
        open(name.c_str());
        auto* list = window->findChild<QToolButton*>(QStringLiteral("fileList"));
        ASSERT_NE(list, nullptr);
        EXPECT_EQ(list->isVisible(), i >= 6) << i;
    }
    auto* menu = window->findChild<QToolButton*>(QStringLiteral("fileList"))->menu();
    Q_EMIT menu->aboutToShow();
    ASSERT_EQ(menu->actions().size(), 7);
    EXPECT_EQ(menu->actions()[2]->text(), QStringLiteral("file2"));
    menu->actions()[2]->trigger();
    EXPECT_EQ(tabs().currentIndex(), 2);
}

} // namespace
} // namespace tilescope::ui
