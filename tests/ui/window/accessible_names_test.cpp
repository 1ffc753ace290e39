// SPDX-License-Identifier: GPL-3.0-or-later
/// What has the keys says what it is to those who do not see it.
#include "frame_fixture.h"

#include <QAccessible>
#include <QScrollArea>
#include <QTabWidget>
#include <array>

namespace tilescope::ui {
namespace {

TEST_F(Frame, WhateverTakesTheKeysHasAName) {
    open("first.tilescope");
    constexpr std::array views{"G, S", "G, I", "G, M", "G, L", "G, G", "G, P", "G, O",
                               "G, T", "G, H", "G, X", "G, C", "G, V", "G, R", "G, Q"};
    int asked = 0;
    for (const char* keys : views) {
        press(keys);
        settle();
        for (QWidget* part : window->findChildren<QWidget*>()) {
            // Parts of Qt's own fields are named by these, and what only holds others by what it holds.
            if (!part->isVisible() || !(part->focusPolicy() & Qt::TabFocus) ||
                part->focusProxy() != nullptr || part->objectName().startsWith(QStringLiteral("qt_")) ||
                qobject_cast<QTabWidget*>(part) != nullptr || qobject_cast<QScrollArea*>(part) != nullptr)
                continue;
            const QAccessibleInterface* told = QAccessible::queryAccessibleInterface(part);
            ASSERT_NE(told, nullptr);
            ++asked;
            EXPECT_FALSE(told->text(QAccessible::Name).isEmpty())
                << keys << ": " << part->metaObject()->className() << " " << part->objectName().toStdString()
                << " in " << part->parentWidget()->metaObject()->className();
        }
    }
    EXPECT_GT(asked, 100);
}

} // namespace
} // namespace tilescope::ui
