// SPDX-License-Identifier: GPL-3.0-or-later
/// What has the keys says what it is to those who do not see it, and so does what is painted within it.
#include "comparing_fixture.h"
#include "tests/system_fixture.h"
#include "ui/widgets/painted_parts.h"

#include <QAccessible>
#include <QScrollArea>
#include <QTabWidget>
#include <array>

namespace tilescope::ui {
namespace {

class Names : public Comparing {
  protected:
    int asked_ = 0;   ///< widgets
    int painted_ = 0; ///< parts of them

    static std::string placeOf(const QWidget& part) {
        return std::string(part.metaObject()->className()) + " " + part.objectName().toStdString() + " in " +
               part.parentWidget()->metaObject()->className();
    }
    void askPainted(const QWidget& part, QAccessibleInterface& whole, const char* keys) {
        const auto* painted = dynamic_cast<const PaintedParts*>(&part);
        if (painted == nullptr)
            return;
        EXPECT_EQ(whole.childCount(), painted->partCount()) << keys << ": " << placeOf(part);
        for (int i = 0; i < whole.childCount(); ++i) {
            const QAccessibleInterface* child = whole.child(i);
            ASSERT_NE(child, nullptr) << keys << ": " << i << " of " << placeOf(part);
            ++painted_;
            EXPECT_FALSE(child->text(QAccessible::Name).isEmpty())
                << keys << ": " << i << " of " << placeOf(part);
            EXPECT_NE(child->role(), QAccessible::NoRole) << keys << ": " << i << " of " << placeOf(part);
        }
    }
    void askAll(const char* keys) {
        for (QWidget* part : window->findChildren<QWidget*>()) {
            // Parts of Qt's own fields are named by these, and what only holds others by what it holds.
            if (!part->isVisible() || !(part->focusPolicy() & Qt::TabFocus) ||
                part->focusProxy() != nullptr || part->objectName().startsWith(QStringLiteral("qt_")) ||
                qobject_cast<QTabWidget*>(part) != nullptr || qobject_cast<QScrollArea*>(part) != nullptr)
                continue;
            QAccessibleInterface* told = QAccessible::queryAccessibleInterface(part);
            ASSERT_NE(told, nullptr);
            ++asked_;
            EXPECT_FALSE(told->text(QAccessible::Name).isEmpty()) << keys << ": " << placeOf(*part);
            askPainted(*part, *told, keys);
        }
    }
    void goAndAsk(const char* keys, const QString& id) {
        press(keys);
        settle();
        ASSERT_EQ(view(), id);
        askAll(keys);
    }
};

constexpr std::array every_view{
    std::pair("G, S", "summary"),    std::pair("G, I", "insights"), std::pair("G, M", "memory"),
    std::pair("G, L", "liveness"),   std::pair("G, G", "graph"),    std::pair("G, P", "program"),
    std::pair("G, O", "operations"), std::pair("G, T", "trace"),    std::pair("G, K", "pipeline"),
    std::pair("G, H", "sharding"),   std::pair("G, X", "exchange"), std::pair("G, C", "compile"),
    std::pair("G, V", "live"),       std::pair("G, D", "compare"),  std::pair("G, R", "runs"),
    std::pair("G, Q", "query")};

TEST_F(Names, WhateverTakesTheKeysHasAName) {
    EXPECT_EQ(std::ssize(every_view), window->viewIds().size());
    open("first.tilescope");
    for (const auto& [keys, id] : every_view)
        goAndAsk(keys, QLatin1String(id));
    EXPECT_GT(asked_, 120);
    EXPECT_GT(painted_, 300);
}

TEST_F(Names, SoItHasOfAPipelineAndOfTwoRuns) {
    ASSERT_TRUE(tests::record_system(folder / "pipeline.tilescope", {2, 2, true}));
    ASSERT_TRUE(tests::record_system(folder / "slower.tilescope", {2, 2, true, 4}));
    window->compare({path("pipeline.tilescope"), path("slower.tilescope")});
    settleAll();
    for (const auto& [keys, id] : every_view)
        goAndAsk(keys, QLatin1String(id));
    EXPECT_GT(asked_, 120);
    EXPECT_GT(painted_, 100);
}

} // namespace
} // namespace tilescope::ui
