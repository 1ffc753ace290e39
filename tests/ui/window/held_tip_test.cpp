// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/window/frame_fixture.h"

#include <QClipboard>
#include <QTextBrowser>
#include <QToolTip>

namespace tilescope::ui {
namespace {

class HeldTips : public Frame {
  protected:
    QTextBrowser* held() const {
        for (const QWidget* each : QApplication::topLevelWidgets())
            if (auto* text = each->findChild<QTextBrowser*>(QStringLiteral("heldTip")); text != nullptr)
                return text;
        return nullptr;
    }
};

TEST_F(HeldTips, KeepWhatIsShownToBeReadAndCopied) {
    QToolTip::showText(window->mapToGlobal(QPoint(300, 300)),
                       QStringLiteral("<b>layer_3/MatMul</b><br>23,408 cycles"), window.get());
    ASSERT_TRUE(QToolTip::isVisible());
    press("Ctrl+I");
    QTextBrowser* tip = held();
    ASSERT_NE(tip, nullptr);
    EXPECT_FALSE(QToolTip::isVisible());
    EXPECT_TRUE(tip->isVisible());
    EXPECT_EQ(tip->toPlainText(), QStringLiteral("layer_3/MatMul\n23,408 cycles"));
    EXPECT_GE(tip->viewport()->height(), tip->document()->size().height()) << "nothing is cut";
    tip->copy();
    EXPECT_EQ(QApplication::clipboard()->text(), QStringLiteral("layer_3/MatMul\n23,408 cycles"));
    QTest::keyClick(tip, Qt::Key_Escape);
    EXPECT_TRUE(QTest::qWaitFor([this] { return held() == nullptr; }));
}

TEST_F(HeldTips, SayWhereNoneIsShown) {
    QToolTip::hideText();
    EXPECT_TRUE(QTest::qWaitFor([] { return !QToolTip::isVisible(); }));
    press("Ctrl+I");
    EXPECT_EQ(held(), nullptr);
    EXPECT_TRUE(said().startsWith(QStringLiteral("No tip is shown")));
}

} // namespace
} // namespace tilescope::ui
