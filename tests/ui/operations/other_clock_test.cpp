// SPDX-License-Identifier: GPL-3.0-or-later
// A base whose IPUs have another clock.
#include "base/try.h"
#include "tests/core/profile/older_schema.h"
#include "tests/profile_fixture.h"
#include "tests/ui/view_test_support.h"
#include "ui/operations/operations_view.h"
#include "ui/widgets/data_table.h"

#include <QTableView>
#include <gtest/gtest.h>

namespace tilescope::ui {

TEST(OperationsOfOtherClock, WhatIsHeldAgainstTheBaseStandsInCycles) {
    tests::ShownView<OperationsView> shown;
    const tests::ShownView<OperationsView> slow([](const std::string& path) -> Result<void> {
        TRY(tests::record_fixture(path, tests::small_fixture));
        profile::run_sql(path, "UPDATE target SET clock_hz = clock_hz / 2");
        return {};
    });
    const auto cell = [&](const QString& head) {
        const auto* rows = shown.view.findChild<DataTable*>(QStringLiteral("operations"))->view()->model();
        for (int c = 0; c < rows->columnCount(); ++c)
            if (rows->headerData(c, Qt::Horizontal).toString() == head)
                return rows->index(0, c).data().toString();
        return QString();
    };
    shown.view.setSources({shown.source, shown.source});
    shown.settle();
    EXPECT_TRUE(cell(QStringLiteral("Base")).endsWith(QStringLiteral("s"))) << "as long";
    EXPECT_EQ(cell(QStringLiteral("Base")), cell(QStringLiteral("Time")));
    shown.view.setSources({shown.source, slow.source});
    shown.settle();
    EXPECT_TRUE(cell(QStringLiteral("Base")).endsWith(QStringLiteral(" cycles")))
        << cell(QStringLiteral("Base")).toStdString() << ": there they take twice the time";
    EXPECT_FALSE(cell(QStringLiteral("Time")).contains(QStringLiteral("cycles")));
}

} // namespace tilescope::ui
