// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tiles/tile_field.h"

#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <gtest/gtest.h>
#include <memory>

namespace tilescope::ui {
namespace {

TEST(TileField, TellsWhatIsTypedButNothingAsItGoes) {
    QStringList told;
    auto field = std::make_unique<TileField>(QStringLiteral("tiles"));
    QObject::connect(field.get(), &TileField::typed, field.get(), [&](const QString& text) { told << text; });
    field->show();
    field->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(field.get()));
    field->setFocus();
    auto* line = field->findChild<QLineEdit*>(QStringLiteral("tiles"));
    QTest::keyClicks(line, QStringLiteral("0-63"));
    QTest::keyClick(line, Qt::Key_Return);
    EXPECT_EQ(told, QStringList{QStringLiteral("0-63")});
    QTest::keyClicks(line, QStringLiteral(", 7"));
    ASSERT_TRUE(line->hasFocus());
    field.reset(); // gives up the focus
    EXPECT_EQ(told, QStringList{QStringLiteral("0-63")});
}

TEST(TileField, EscLeavesItAndForgetsWhatWasTyped) {
    TileField field(QStringLiteral("tiles"));
    auto& line = *field.findChild<QLineEdit*>(QStringLiteral("tiles"));
    QSignalSpy typed(&field, &TileField::typed);
    QSignalSpy left(&field, &TileField::left);
    field.setText(QStringLiteral("0-63"));
    line.selectAll();
    QTest::keyClicks(&line, QStringLiteral("70"));
    QTest::keyClick(&line, Qt::Key_Escape);
    EXPECT_EQ(left.size(), 1);
    EXPECT_TRUE(typed.isEmpty()) << "nothing was chosen";
    EXPECT_EQ(line.text(), QStringLiteral("0-63"));
    field.setText({});
    QTest::keyClicks(&line, QStringLiteral("70"));
    QTest::keyClick(&line, Qt::Key_Escape);
    EXPECT_EQ(line.text(), QString());
    QTest::keyClicks(&line, QStringLiteral("70"));
    QTest::keyClick(&line, Qt::Key_Return);
    ASSERT_EQ(typed.size(), 1);
    EXPECT_EQ(typed.front().front().toString(), QStringLiteral("70"));
}

} // namespace
} // namespace tilescope::ui
