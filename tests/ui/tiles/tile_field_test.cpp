// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tiles/tile_field.h"

#include <QLineEdit>
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

} // namespace
} // namespace tilescope::ui
