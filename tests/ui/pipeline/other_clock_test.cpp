// SPDX-License-Identifier: GPL-3.0-or-later
// A base whose IPUs have another clock.
#include "base/try.h"
#include "tests/core/profile/older_schema.h"
#include "tests/system_fixture.h"
#include "tests/ui/shown_text.h"
#include "tests/ui/view_test_support.h"
#include "ui/pipeline/pipeline_view.h"
#include "ui/session/format.h"
#include "ui/widgets/figure_strip.h"

#include <QLabel>
#include <gtest/gtest.h>

namespace tilescope::ui {

TEST(PipelineOfOtherClock, ATimeIsHeldAgainstATimeAndCyclesAgainstCycles) {
    const auto record = [](const std::string& path) { return tests::record_system(path, {2, 2, true}); };
    tests::ShownView<PipelineView> shown(record);
    const tests::ShownView<PipelineView> slow([&](const std::string& path) -> Result<void> {
        TRY(record(path));
        profile::run_sql(path, "UPDATE target SET clock_hz = clock_hz / 2");
        return {};
    });
    const auto says = [&](const QString& wanted) {
        for (const QLabel* label : shown.view.findChild<FigureStrip*>()->findChildren<QLabel*>())
            if (tests::as_read(label->text()).contains(wanted))
                return true;
        return false;
    };
    shown.view.setSources({shown.source, slow.source});
    shown.settle();
    EXPECT_TRUE(says(QStringLiteral("−50.0 % better"))) << "as many cycles of half the length";
    setUnits({true, false});
    shown.view.setSources({shown.source, slow.source});
    shown.settle();
    EXPECT_FALSE(says(QStringLiteral("−50.0 %")));
    setUnits({});
}

} // namespace tilescope::ui
