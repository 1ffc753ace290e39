// SPDX-License-Identifier: GPL-3.0-or-later
// A base whose IPUs have another clock.
#include "base/try.h"
#include "tests/core/profile/older_schema.h"
#include "tests/profile_fixture.h"
#include "tests/ui/told_details.h"
#include "tests/ui/view_test_support.h"
#include "ui/graph/graph_view.h"

#include <gtest/gtest.h>

namespace tilescope::ui {

TEST(GraphOfOtherClock, WhatIsHeldAgainstTheBaseStandsInCycles) {
    tests::ShownView<GraphView> shown;
    const tests::ShownView<GraphView> slow([](const std::string& path) -> Result<void> {
        TRY(tests::record_fixture(path, tests::small_fixture));
        profile::run_sql(path, "UPDATE target SET clock_hz = clock_hz / 2");
        return {};
    });
    const tests::ToldDetails told(shown.view);
    const auto base = [&](const std::shared_ptr<ProfileSource>& of) {
        shown.view.setSources({shown.source, of});
        shown.settle();
        for (const std::int64_t operation : {1, 0}) { // what was chosen is told again
            Selection next = shown.selection.current();
            next.operation = operation;
            shown.selection.set(next);
            shown.settle();
        }
        return told.value("Base");
    };
    const QString alike = base(shown.source);
    EXPECT_TRUE(alike.contains(QStringLiteral(" cycles ("))) << alike.toStdString() << ": and the time";
    const QString other = base(slow.source);
    EXPECT_TRUE(other.contains(QStringLiteral(" cycles"))) << other.toStdString();
    EXPECT_FALSE(other.contains(QLatin1Char('('))) << other.toStdString() << ": there they take twice it";
}

} // namespace tilescope::ui
