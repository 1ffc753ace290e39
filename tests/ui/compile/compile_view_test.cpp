// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/recorder.h"
#include "tests/ui/shown_text.h"
#include "tests/ui/told_details.h"
#include "tests/ui/view_test_support.h"
#include "ui/compile/compile_view.h"
#include "ui/widgets/data_table.h"

#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

/// 800 us, of which 160 verify and 200 lower.
Result<void> record_short(const std::string& path) {
    profile::RunRecord run;
    run.name = "base";
    run.workload = "{}";
    auto recorder = *profile::Recorder::create(path, run);
    recorder->set(profile::TargetRecord{"ipu", "ipu2", 1, 2, 1024, 1e9, 6});
    recorder->add(profile::CompileEventRecord{0, -1, "compile fixture", 0, 800, ""});
    recorder->add(profile::CompileEventRecord{1, 0, "verify", 0, 160, ""});
    recorder->add(profile::CompileEventRecord{2, 0, "lower", 160, 200, ""});
    return recorder->finish(profile::RunStatus::Complete);
}

class CompileViewTest : public testing::Test {
  protected:
    CompileViewTest()
        : chart(*shown.view.findChild<FlameChart*>()),
          time(*analyse::read_compile_time(**profile::Profile::open(shown.source->path().toStdString()))) {}
    QTableView* table(const char* name) const {
        return shown.view.findChild<DataTable*>(QLatin1String(name))->view();
    }
    const analyse::CompilePart& pass(const char* name) const {
        return *std::find_if(time.parts.begin(), time.parts.end(),
                             [&](const auto& part) { return part.event.name == name; });
    }

    tests::ShownView<CompileView> shown;
    FlameChart& chart;
    analyse::CompileTime time;
};

} // namespace

TEST_F(CompileViewTest, SaysWhatCompilingTookAndWhereItWent) {
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("Compiled in 1 ms")));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("20.0 % of it in “verify”"))); // all five are alike
    EXPECT_EQ(table("passes")->model()->rowCount(), 6);
}

TEST_F(CompileViewTest, TheStripAboveHasAllOfItAndMovesWhatIsSeen) {
    const auto [from, to] = chart.view().limits();
    EXPECT_EQ(chart.view().span(), static_cast<double>(to - from));
    QTest::mouseClick(&chart, Qt::LeftButton, {}, {chart.width() - 40, 20});
    EXPECT_EQ(chart.chosen(), -1) << "it chooses nothing";
    for (int i = 0; i < 6; ++i)
        chart.zoomBy(2);
    const double span = chart.view().span();
    ASSERT_LT(span, static_cast<double>(to - from) / 8);
    QTest::mouseClick(&chart, Qt::LeftButton, {}, {chart.width() / 4, 20});
    EXPECT_DOUBLE_EQ(chart.view().span(), span);
    EXPECT_NEAR((chart.view().from() + chart.view().to()) / 2 / static_cast<double>(to - from), 0.25, 0.02);
    const QRectF first = chart.box(time.parts.front());
    EXPECT_GT(first.top(), 44) << "parts stand below it";
    const QImage picture = chart.grab().toImage();
    EXPECT_NE(picture.pixelColor(chart.width() / 4, 44), picture.pixelColor(2, 20));
}

TEST_F(CompileViewTest, OnlyPlansArePredicted) {
    EXPECT_TRUE(shown.view.predicts().empty()) << "what a pass took was measured";
    auto* plans = shown.view.findChild<DataTable*>(QStringLiteral("plans"));
    ASSERT_GT(plans->view()->model()->rowCount(), 0);
    shown.view.findChild<QTabWidget*>()->setCurrentIndex(1);
    plans->view()->setCurrentIndex(plans->view()->model()->index(0, 0));
    EXPECT_EQ(shown.view.predicts(), analyse::FigureKinds{FigureKind::Compute});
}

TEST(CompilePasses, OneThatTookLessThanTheClockTellsTookSome) {
    const tests::ShownView<CompileView> shown([](const std::string& path) {
        auto recorder = *profile::Recorder::create(path, profile::RunRecord{});
        recorder->set(profile::TargetRecord{"ipu", "ipu2", 1, 2, 1024, 1e9, 6});
        recorder->add(profile::CompileEventRecord{0, -1, "compile fixture", 0, 800, ""});
        recorder->add(profile::CompileEventRecord{1, 0, "recompute", 0, 0, "not asked for"});
        recorder->add(profile::CompileEventRecord{2, 0, "lower", 0, 790, ""});
        return recorder->finish(profile::RunStatus::Complete);
    });
    const auto* passes = shown.view.findChild<DataTable*>(QStringLiteral("passes"));
    EXPECT_EQ(passes->view()->model()->index(1, 1).data().toString(), QStringLiteral("<1 µs"));
    EXPECT_EQ(passes->view()->model()->index(1, 2).data().toString(), QStringLiteral("<0.2 %"))
        << "1 of 800 µs are 0.125 %";
    EXPECT_TRUE(passes->toText(u'\t').startsWith(QStringLiteral("Pass\tWall time (s)\t")));
    EXPECT_TRUE(passes->toText(u'\t').contains(QStringLiteral("lower\t0.00079\t")));
}

TEST_F(CompileViewTest, TheExecutableIsListedWithTheCacheThatHadIt) {
    const auto* table = shown.view.findChild<DataTable*>(QStringLiteral("executable"));
    const QStringList lines = table->toText(u'\t').split(u'\n', Qt::SkipEmptyParts);
    ASSERT_GT(lines.size(), 1);
    EXPECT_FALSE(lines.filter(QStringLiteral("\tcode\t")).isEmpty());
    EXPECT_FALSE(lines.filter(QStringLiteral("\tdata\t")).isEmpty());
    shown.view.findChild<QTabWidget*>()->setCurrentIndex(3);
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("Whether a cache was used is not recorded.")));
    const tests::ShownView<CompileView> cached([](const std::string& path) {
        auto recorder = *profile::Recorder::create(path, profile::RunRecord{});
        recorder->set(profile::TargetRecord{"ipu", "ipu2", 1, 2, 1024, 1e9, 6});
        recorder->add(profile::CompileEventRecord{0, -1, "compile fixture", 0, 800, ""});
        recorder->add(
            profile::DeviceProgramRecord{0, "training", 0, true, 0, profile::CacheUse::Taken, "00ff"});
        return recorder->finish(profile::RunStatus::Complete);
    });
    EXPECT_TRUE(tests::shows(cached.view, QStringLiteral("taken from the cache, key 00ff")));
}

TEST(CompileChanged, OperationsThatWereFusedOrRemovedAreNamed) {
    tests::ShownView<CompileView> changed([](const std::string& path) {
        auto recorder = *profile::Recorder::create(path, profile::RunRecord{});
        recorder->set(profile::TargetRecord{"ipu", "ipu2", 1, 2, 1024, 1e9, 6});
        recorder->add(profile::CompileEventRecord{0, -1, "compile fixture", 0, 800, ""});
        recorder->add(profile::CompileEventRecord{1, 0, "remove dead code", 0, 400, "4 -> 3 operations"});
        recorder->add(profile::LayerRecord{3, "dense", "Dense", "", 0});
        const auto add = [&](std::int64_t id, const char* name, const char* kind,
                             const std::vector<std::string>& parts) {
            profile::OperationRecord operation;
            operation.id = id;
            operation.name = name;
            operation.kind = kind;
            operation.layer_id = 3;
            operation.phase = profile::Phase::Backward;
            operation.parts = parts;
            recorder->add(operation);
        };
        add(0, "dense/matmul", "matmul", {});
        add(1, "dense/relu", "fused_elementwise", {"add", "relu"});
        add(2, "dense/update", "fused_elementwise", {"multiply", "add", "subtract"});
        recorder->add(profile::RemovedOperationRecord{1, 0, "dense/unused", "matmul", 3});
        return recorder->finish(profile::RunStatus::Complete);
    });
    EXPECT_EQ(changed.view.findChild<QTabWidget*>()->tabText(2), QStringLiteral("What changed 3"));
    auto* table = changed.view.findChild<DataTable*>(QStringLiteral("changed"));
    EXPECT_EQ(tests::shown_rows(*table->view(), QLatin1Char('|')).split(u'\n').mid(1, 3),
              (QStringList{QStringLiteral("dense/update|fused|3|multiply, add, subtract|dense|backward|0"),
                           QStringLiteral("dense/relu|fused|2|add, relu|dense|backward|0"),
                           QStringLiteral("dense/unused|removed by “remove dead code”|–|matmul|dense|–|–")}));
    QSignalSpy asked(&changed.view, &View::viewRequested);
    table->keyActivated(1);
    ASSERT_EQ(asked.size(), 1);
    EXPECT_EQ(asked[0][0].toString(), QStringLiteral("graph"));
    EXPECT_EQ(changed.selection.current().operation, 1);
    table->keyActivated(-2);
    ASSERT_EQ(asked.size(), 2);
    EXPECT_EQ(changed.selection.current().layer, 3) << "where it was";
}

TEST_F(CompileViewTest, PassesStandBesideThoseOfTheBase) {
    EXPECT_TRUE(table("passes")->isColumnHidden(4)) << "there is no base";
    const tests::ShownView<CompileView> base(&record_short);
    shown.view.setSources({shown.source, base.source, true});
    shown.settle();
    const auto row = [this](const QString& name) {
        const QAbstractItemModel& model = *table("passes")->model();
        QStringList cells;
        for (int r = 0; r < model.rowCount(); ++r)
            if (model.index(r, 0).data().toString().trimmed() == name)
                cells = {model.index(r, 3).data().toString(), model.index(r, 4).data().toString(),
                         model.index(r, 5).data().toString()};
        return cells;
    };
    EXPECT_FALSE(table("passes")->isColumnHidden(4));
    EXPECT_EQ(row(QStringLiteral("verify")),
              (QStringList{QStringLiteral("160 \u00b5s"), QStringLiteral("+40 \u00b5s"),
                           QStringLiteral("+25.0 %")}));
    EXPECT_EQ(row(QStringLiteral("lower")),
              (QStringList{QStringLiteral("200 \u00b5s"), QStringLiteral("="), QStringLiteral("=")}));
    EXPECT_EQ(row(QStringLiteral("differentiate")),
              (QStringList{QStringLiteral("–"), QStringLiteral("–"), QStringLiteral("–")}));
    shown.view.setSources({});
}

TEST_F(CompileViewTest, DetailsOfAPassSayWhatItIsAPartOfAndStandAgainstTheBase) {
    const tests::ToldDetails told(shown.view);
    chart.setFocus();
    chart.choose(time.parts.front().event.id);
    QTest::keyClick(&chart, Qt::Key_Down);
    EXPECT_EQ(told.title(), QStringLiteral("verify"));
    QTest::keyClick(&chart, Qt::Key_Right);
    EXPECT_EQ(told.title(), QStringLiteral("differentiate"));
    EXPECT_EQ(told.value("Wall time"), QStringLiteral("200 µs"));
    EXPECT_EQ(told.value("Share"), QStringLiteral("20.0 % of the compilation"));
    EXPECT_EQ(told.value("Begins"), QStringLiteral("after 200 µs"));
    EXPECT_EQ(told.value("Changed"), QStringLiteral("12 operations"));
    EXPECT_EQ(told.value("Base"), QString());
    QTest::keyClick(&chart, Qt::Key_Up);
    EXPECT_EQ(told.title(), QStringLiteral("compile fixture"));
    EXPECT_TRUE(told.value("Its parts").startsWith(QStringLiteral("verify, 200 µs\n")));
    EXPECT_EQ(told.value("Its parts").count(u'\n'), 4);
    const tests::ShownView<CompileView> base(&record_short);
    shown.view.setSources({shown.source, base.source});
    shown.settle();
    EXPECT_EQ(told.value("Base"), QStringLiteral("800 µs, +25.0 %")) << "the one whole against the other";
    const auto click = [&](const char* name) {
        QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.box(pass(name)).center().toPoint());
    };
    click("verify");
    EXPECT_EQ(told.value("Base"), QStringLiteral("160 µs, +25.0 %"));
    click("differentiate");
    EXPECT_EQ(told.value("Base"), QStringLiteral("does not have it"));
    shown.view.setSources({});
}

TEST_F(CompileViewTest, DetailsOfAPlanHaveItsItemsAndWhatItIsFor) {
    const tests::ToldDetails told(shown.view);
    auto* plans = shown.view.findChild<DataTable*>(QStringLiteral("plans"));
    Q_EMIT plans->keyChosen(0); // the dearest: dense_1/WeightGrad, 200 + 10 x 20 cycles
    EXPECT_EQ(told.title(), QStringLiteral("AMP on 64 tiles"));
    EXPECT_EQ(told.value("Products"), QStringLiteral("1"));
    EXPECT_EQ(told.value("Costs"), QStringLiteral("compute: 400 cycles"));
    EXPECT_EQ(told.value("One run"), QStringLiteral("400 cycles"));
    EXPECT_EQ(told.value("Temporary"), QStringLiteral("4 KiB on the fullest tile"));
    EXPECT_EQ(told.value("Runner-up"), QStringLiteral("AMP on 64 tiles"));
    EXPECT_TRUE(told.html().contains(QStringLiteral("href='operation:10:-1'>dense_1/WeightGrad</a>")))
        << told.html().toStdString();
    Q_EMIT shown.view.findChild<DataTable*>(QStringLiteral("passes"))->keyChosen(pass("lower").event.id);
    EXPECT_EQ(told.title(), QStringLiteral("lower")) << "what was chosen last";
}

TEST_F(CompileViewTest, BoxesAreAsWideAsTheirShares) {
    const double whole = chart.box(time.parts.front()).width();
    for (const char* name : {"verify", "differentiate", "lay out memory"})
        EXPECT_NEAR(chart.box(pass(name)).width() / whole, 0.2, 1e-9) << name;
    EXPECT_DOUBLE_EQ(chart.box(pass("verify")).right(), chart.box(pass("differentiate")).left());
    EXPECT_GT(chart.box(pass("verify")).top(), chart.box(time.parts.front()).top());
}

TEST_F(CompileViewTest, AClickAndKeysChooseAPass) {
    QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.box(pass("differentiate")).center().toPoint());
    EXPECT_EQ(chart.chosen(), pass("differentiate").event.id);
    EXPECT_EQ(table("passes")->currentIndex().siblingAtColumn(0).data().toString().trimmed(),
              QStringLiteral("differentiate"));
    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Right);
    EXPECT_EQ(chart.chosen(), pass("map to tiles").event.id);
    QTest::keyClick(&chart, Qt::Key_Up);
    EXPECT_EQ(chart.chosen(), time.parts.front().event.id);
    QTest::keyClick(&chart, Qt::Key_Down);
    EXPECT_EQ(chart.chosen(), pass("verify").event.id);
}

TEST_F(CompileViewTest, EnterFillsTheChartWithAPassThatHasNoLayer) {
    chart.setFocus();
    chart.choose(pass("lower").event.id);
    const double before = chart.box(pass("lower")).width();
    QTest::keyClick(&chart, Qt::Key_Return);
    EXPECT_GT(chart.box(pass("lower")).width(), 3 * before);
    QTest::keyClick(&chart, Qt::Key_0);
    EXPECT_NEAR(chart.box(pass("lower")).width(), before, 1e-6);
}

TEST_F(CompileViewTest, APlanLeadsToItsOperation) {
    QSignalSpy asked(&shown.view, &View::viewRequested);
    auto* plans = shown.view.findChild<DataTable*>(QStringLiteral("plans"));
    ASSERT_GT(plans->view()->model()->rowCount(), 0);
    plans->keyActivated(0);
    ASSERT_EQ(asked.size(), 1);
    EXPECT_EQ(asked[0][0].toString(), QStringLiteral("operations"));
    EXPECT_GE(shown.selection.current().operation, 0);
}

TEST_F(CompileViewTest, TheChartIsCopiedAsATable) {
    EXPECT_TRUE(
        chart.toText(QLatin1Char(';')).startsWith(QStringLiteral("depth;name;start_us;duration_us;detail")));
    EXPECT_TRUE(chart.toText(QLatin1Char(';')).contains(QStringLiteral("\n1;differentiate;200;200;")));
}

} // namespace tilescope::ui
