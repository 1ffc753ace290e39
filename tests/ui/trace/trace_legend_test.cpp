// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/system_fixture.h"
#include "tests/ui/trace/shown_trace.h"
#include "ui/widgets/legend.h"

namespace tilescope::ui {
namespace {

QStringList legendOf(const ShownTrace& shown) {
    QStringList names;
    const auto* legend = shown.view.findChild<Legend*>();
    for (int i = 0; i < legend->partCount(); ++i)
        names << legend->part(i).name;
    return names;
}

} // namespace

TEST(TraceLegend, HasWhatTheFileCanHave) {
    const QStringList of_several{QStringLiteral("inter-IPU"), QStringLiteral("waiting"),
                                 QStringLiteral("copy")};
    const ShownTrace one(tests::small_fixture);
    EXPECT_TRUE(legendOf(one).contains(QStringLiteral("compute")));
    for (const QString& name : of_several)
        EXPECT_FALSE(legendOf(one).contains(name)) << name.toStdString() << ": there is one IPU";
    const ShownTrace several(ShownTrace::Record([](const std::string& path) {
        return tests::record_system(path, {2, 2, true});
    }));
    for (const QString& name : of_several)
        EXPECT_TRUE(legendOf(several).contains(name)) << name.toStdString();
}

} // namespace tilescope::ui
