// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "ui/insights/insight_place.h"
#include "ui/session/format.h"

#include <QFile>
#include <gtest/gtest.h>

namespace tilescope::ui {

using analyse::InsightSubject;
using analyse::SubjectKind;

TEST(InsightPlaces, EachSubjectIsShownWhereItIs) {
    const std::vector<analyse::IpuSummary> ipus{{0, 0, 0, {}, {}}, {1, 0, 1, {}, {}}, {2, 1, 0, {}, {}}};
    Selection before;
    before.lookAt(2);
    before.layer = 7;
    before.basis = analyse::Basis::Execution;
    const auto place = [&](const InsightSubject& subject, const char* code = "") {
        analyse::Insight insight;
        insight.code = code;
        insight.subject = subject;
        return *placeOf(insight, ipus, before);
    };
    const InsightPlace tile = place({SubjectKind::Tile, {1}, 45, {}});
    EXPECT_EQ(tile.view, QStringLiteral("memory"));
    EXPECT_EQ(tile.selection.ipu, 1);
    EXPECT_EQ(tile.selection.tiles, std::vector<std::int64_t>{45});
    EXPECT_EQ(tile.selection.layer, -1);
    EXPECT_EQ(tile.selection.basis, analyse::Basis::Execution);
    const InsightPlace operation = place({SubjectKind::Operation, {1}, 12, "conv/Convolve"});
    EXPECT_EQ(operation.view, QStringLiteral("operations"));
    EXPECT_EQ(operation.order, QString()) << "its rows stand as they do";
    const InsightPlace moving =
        place({SubjectKind::Operation, {1}, 12, "conv/Convolve"}, "exchange_bound_operation");
    EXPECT_EQ(moving.view, QStringLiteral("operations"));
    EXPECT_EQ(moving.order, QStringLiteral("exchange"));
    EXPECT_EQ(place({}, "exchange_bound").view, QStringLiteral("operations"));
    EXPECT_EQ(place({}, "exchange_bound").order, QStringLiteral("exchange"));
    EXPECT_EQ(place({}, "inter_ipu_bound").view, QStringLiteral("sharding"));
    EXPECT_EQ(operation.selection.operation, 12);
    const InsightPlace idle = place({SubjectKind::Ipus, {1, 2}, -1, {}});
    EXPECT_EQ(idle.view, QStringLiteral("sharding"));
    EXPECT_EQ(idle.selection.ipu, 1);
    const InsightPlace stage = place({SubjectKind::Stage, {}, 1, "pipeline.stages"});
    EXPECT_EQ(stage.view, QStringLiteral("pipeline"));
    EXPECT_EQ(stage.selection.ipu, 1);
    EXPECT_EQ(place({}).view, QStringLiteral("trace"));
    analyse::Insight setting;
    setting.subject = {SubjectKind::Setting, {}, -1, "compile.global_step"};
    EXPECT_FALSE(placeOf(setting, ipus, before));
}

/// Every setting that a rule may name stands under a heading of the help.
TEST(InsightPlaces, SettingsAreUnderHeadingsOfTheHelp) {
    QFile page(QStringLiteral(TILESCOPE_SOURCE_DIR "/resources/docs/workloads.md"));
    ASSERT_TRUE(page.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(page.readAll());
    for (const char* setting : {"compile.steps_per_execution", "compile.global_step",
                                "ipu_config.auto_select_ipus", "pipeline.stages"}) {
        const QString heading = QStringLiteral("\n## %1\n").arg(settingHeading(setting));
        const qsizetype at = text.indexOf(heading);
        ASSERT_GE(at, 0) << setting;
        const QString section = text.mid(at, text.indexOf(QLatin1String("\n## "), at + 4) - at);
        EXPECT_TRUE(section.contains(QString::fromLatin1(setting).section(QLatin1Char('.'), 1))) << setting;
    }
}

TEST(InsightPlaces, AreToldWithHowManyAreAlikeAndWhereMostIs) {
    analyse::Insight insight;
    insight.subject = {analyse::SubjectKind::Operation, {0}, 4, "layer_*/MatMul"};
    const std::vector<analyse::IpuSummary> one{{0, 0, 0, {}, {}}},
        replicas{{0, 0, 0, {}, {}}, {1, 1, 0, {}, {}}}, stages{{0, 0, 0, {}, {}}, {1, 0, 1, {}, {}}};
    EXPECT_EQ(placeText(insight, stages), QStringLiteral("layer_*/MatMul, IPU 0"));
    EXPECT_EQ(placeText(insight, one), QStringLiteral("layer_*/MatMul"));
    EXPECT_EQ(placeText(insight, replicas), QStringLiteral("layer_*/MatMul")) << "each does the same";
    insight.figures = {{"operations", 24, analyse::FigureUnit::Count}};
    EXPECT_EQ(placeText(insight, stages), QStringLiteral("layer_*/MatMul × 24, largest on IPU 0"));
    EXPECT_EQ(placeText(insight, one), QStringLiteral("layer_*/MatMul × 24"));
    insight.figures = {{"compute_sets", 1, analyse::FigureUnit::Count}};
    EXPECT_EQ(placeText(insight, one), QStringLiteral("layer_*/MatMul"));
    EXPECT_EQ(placeAction(insight), QStringLiteral("Show the operation in Operations"));
    insight.subject = {analyse::SubjectKind::Tile, {1}, 45, {}};
    EXPECT_EQ(placeText(insight, replicas), QStringLiteral("IPU 1 tile 45"));
    insight.subject = {};
    EXPECT_EQ(placeAction(insight), QStringLiteral("Show when in Trace"));
    insight.code = "exchange_bound";
    EXPECT_EQ(placeAction(insight), QStringLiteral("Show operations by exchange"));
    insight.code = "inter_ipu_bound";
    EXPECT_EQ(placeAction(insight), QStringLiteral("Show the links in Sharding"));
}

TEST(InsightPlaces, ACostIsHeldAgainstThatOfAnotherClockAsItIsShown) {
    analyse::Insight costs;
    costs.cost.emplace();
    costs.cost->value = 1000;
    costs.cost->unit = analyse::FigureUnit::Cycles;
    const analyse::FindingPair same{costs, costs};
    EXPECT_EQ(changeText(same, 1e9, 1e9), QStringLiteral("="));
    EXPECT_EQ(changeText(same, 1e9, 5e8), QStringLiteral("−50.0 %")) << "1 µs instead of 2 µs";
    setUnits({true, false});
    EXPECT_EQ(changeText(same, 1e9, 5e8), QStringLiteral("=")) << "of cycles";
    setUnits({});
    costs.cost->unit = analyse::FigureUnit::Bytes;
    EXPECT_EQ(changeText({costs, costs}, 1e9, 5e8), QStringLiteral("="));
}

} // namespace tilescope::ui
