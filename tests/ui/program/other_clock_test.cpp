// SPDX-License-Identifier: GPL-3.0-or-later
// A base whose IPUs have another clock.
#include "base/try.h"
#include "tests/core/profile/older_schema.h"
#include "tests/profile_fixture.h"
#include "tests/ui/view_test_support.h"
#include "ui/program/program_model.h"
#include "ui/program/program_view.h"

#include <QTreeView>
#include <gtest/gtest.h>

namespace tilescope::ui {

TEST(ProgramOfOtherClock, WhatIsHeldAgainstTheBaseStandsInCycles) {
    tests::ShownView<ProgramView> shown;
    const tests::ShownView<ProgramView> slow([](const std::string& path) -> Result<void> {
        TRY(tests::record_fixture(path, tests::small_fixture));
        profile::run_sql(path, "UPDATE target SET clock_hz = clock_hz / 2");
        return {};
    });
    const auto cell = [&](int column) {
        const auto* rows = shown.view.findChild<QTreeView*>()->model();
        return rows->index(0, column).data().toString();
    };
    shown.view.setSources({shown.source, shown.source});
    shown.settle();
    EXPECT_EQ(cell(ProgramModel::Base), cell(ProgramModel::InAll)) << "as long";
    shown.view.setSources({shown.source, slow.source});
    shown.settle();
    EXPECT_TRUE(cell(ProgramModel::Base).endsWith(QStringLiteral(" cycles")))
        << cell(ProgramModel::Base).toStdString() << ": there they take twice the time";
    EXPECT_FALSE(cell(ProgramModel::InAll).contains(QStringLiteral("cycles")));
    EXPECT_EQ(cell(ProgramModel::Difference), QStringLiteral("="));
}

} // namespace tilescope::ui
