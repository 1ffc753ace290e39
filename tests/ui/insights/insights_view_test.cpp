// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/insight_rules.h"
#include "analyse/summary.h"
#include "build_paths.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"
#include "tests/ui/shown_text.h"
#include "tests/ui/view_test_support.h"
#include "ui/insights/insight_place.h"
#include "ui/insights/insights_view.h"
#include "ui/session/format.h"
#include "ui/theme/application_font.h"
#include "ui/widgets/data_table.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

/// One IPU of two tiles of 1,024 bytes, of which the second holds `bytes`.
Result<void> record_bytes(const std::string& path, std::int64_t bytes, const std::string& workload = "{}") {
    profile::RunRecord run;
    run.name = "full";
    run.workload = workload;
    run.batch_size = 32;
    auto recorder = *profile::Recorder::create(path, run);
    recorder->set(profile::TargetRecord{"ipu", "ipu2", 1, 2, 1024, 1e9, 6});
    recorder->add(profile::IpuRecord{0, 0, "/device:IPU:0", 0, 0, -1});
    for (const char* metric : {"total", "total_with_gaps", "always_live"})
        recorder->add_tile_values("memory", 0, 0, metric, std::vector<std::int64_t>{100, bytes});
    return recorder->finish(profile::RunStatus::Complete);
}
Result<void> record(const std::string& path) {
    return record_bytes(path, 1000);
}

class Insights : public testing::Test {
  protected:
    DataTable& table(const char* name) { return *shown.view.findChild<DataTable*>(QLatin1String(name)); }
    QString cell(const char* name, int row, int column) {
        return table(name).view()->model()->index(row, column).data().toString();
    }
    /// The base is asked, then the run, then the base again.
    void settle() {
        for (int round = 0; round < 3; ++round) {
            shown.settle();
            base->settle();
        }
    }
    /// Of the first finding, against a run whose tile holds so much.
    QStringList against(std::int64_t bytes) {
        base = std::make_unique<tests::ShownView<InsightsView>>(
            [bytes](const std::string& path) { return record_bytes(path, bytes); });
        shown.view.setSources({shown.source, base->source, true});
        settle();
        QStringList row;
        for (int c = 0; c < table("findings").view()->model()->columnCount(); ++c)
            row << cell("findings", 0, c);
        return row;
    }
    tests::ShownView<InsightsView> shown{record};
    std::unique_ptr<tests::ShownView<InsightsView>> base;
};

TEST_F(Insights, StandWithTheirCostTheirPlaceAndTheRuleBehindThem) {
    ASSERT_EQ(table("findings").view()->model()->rowCount(), 1);
    EXPECT_EQ(cell("findings", 0, 0), QStringLiteral("A tile is nearly full"));
    EXPECT_EQ(cell("findings", 0, 1),
              QStringLiteral("78 B more than 90.0 % of the tile")); // of 1,024, which holds 1,000
    EXPECT_EQ(cell("findings", 0, 3), QStringLiteral("tile 1"));
    EXPECT_EQ(cell("findings", 0, 4), QStringLiteral("not compiled"));
    EXPECT_EQ(cell("findings", 0, 5), QStringLiteral("warning"));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("1 finding.")));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("Tile 1 needs 97.7 % of its memory")));
    EXPECT_EQ(cell("insightRule", 0, 0), QStringLiteral("on the tile, of its memory"));
    EXPECT_EQ(cell("insightRule", 0, 1), QStringLiteral("above 90.0 %"));
    EXPECT_EQ(cell("insightRule", 0, 2), QStringLiteral("a slightly larger batch or layer no longer fits"));
}

TEST_F(Insights, StandBesideThoseOfTheBase) {
    // 78.4 bytes above 90 % of a tile, 38.4 of the base's 960.
    EXPECT_EQ(against(960),
              (QStringList{QStringLiteral("A tile is nearly full"),
                           QStringLiteral("78 B more than 90.0 % of the tile"),
                           QStringLiteral("38 B more than 90.0 % of the tile"), QStringLiteral("+104.2 %"),
                           QStringLiteral("–"), QStringLiteral("tile 1"), QStringLiteral("not compiled")}));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("none gone, none new")));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("A tile is nearly full · warning")));
    EXPECT_EQ(against(500).mid(1, 3), (QStringList{QStringLiteral("78 B more than 90.0 % of the tile"),
                                                   QStringLiteral("–"), QStringLiteral("new")}));
    const QPushButton& place = *shown.view.findChild<QPushButton*>(QStringLiteral("insightPlace"));
    EXPECT_TRUE(place.isEnabled());

    // The other way around the finding is the base's alone.
    shown.view.setSources({base->source, shown.source, true});
    settle();
    EXPECT_TRUE(tests::comes_to_show(shown.view, QStringLiteral("1 gone, none new")));
    EXPECT_EQ(cell("findings", 0, 3), QStringLiteral("gone"));
    EXPECT_FALSE(place.isEnabled()) << "it has no place in this run";
    shown.view.setSources({});
}

TEST(InsightFigures, AreTheWordsOfWhatTheyAre) {
    EXPECT_EQ(figureText({"needed_ipus", 1, analyse::FigureUnit::Count}),
              QStringLiteral("IPUs that are needed: 1"));
    EXPECT_EQ(figureText({"times_the_mean", 1.34, analyse::FigureUnit::Times}),
              QStringLiteral("against the mean: 1.34 times"));
    EXPECT_EQ(figureText({"inter_ipu_share", 0.566, analyse::FigureUnit::Share}),
              QStringLiteral("exchange between IPUs: 56.6 %"));
    for (const analyse::Rule& rule : analyse::insight_rules())
        for (const analyse::Threshold& threshold : rule.thresholds) {
            const QString key = QString::fromLatin1(threshold.name);
            EXPECT_TRUE(figureName(threshold.name) != QString(key).replace(u'_', u' ') ||
                        key == QStringLiteral("balance"))
                << threshold.name;
        }
}

TEST(InsightsOfNothing, SayWhatTakesMostOfTheTime) {
    analyse::Summary summary;
    summary.run.status = profile::RunStatus::Running;
    EXPECT_EQ(nothingFoundText(summary), QStringLiteral("Nothing stands out so far."));
    summary.run.status = profile::RunStatus::Complete;
    summary.by_phase = profile::PhaseCycles{610, 200, 90, 0, 100, 0};
    EXPECT_EQ(nothingFoundText(summary),
              QStringLiteral("Nothing stands out. The largest part is compute with 61.0 % of the time."));
    summary.peak_share = 0.276;
    EXPECT_EQ(
        nothingFoundText(summary),
        QStringLiteral("Nothing stands out. The largest part is compute with 61.0 % of the time; the IPUs "
                       "do 27.6 % of what they could at their peak."));
}

TEST(InsightCosts, OfAProgramThatNeverRanAreSaidToBePlanned) {
    analyse::Insight insight;
    insight.cost = analyse::InsightCost{500, analyse::FigureUnit::Cycles, "step", true};
    EXPECT_EQ(costText(insight, 1e9), QStringLiteral("500 ns per step, planned"));
    insight.cost->planned = false;
    EXPECT_EQ(costText(insight, 1e9), QStringLiteral("500 ns per step"));
}

TEST_F(Insights, ARuleIsHiddenForItsFileAndShownAgain) {
    std::function<void()> redo, undo;
    QString what;
    QObject::connect(&shown.view, &View::made, &shown.view,
                     [&](const QString& name, const auto& again, const auto& back) {
                         what = name;
                         redo = again;
                         undo = back;
                     });
    QTableView* list = table("findings").view();
    const auto* show = shown.view.findChild<QAction*>(QStringLiteral("showHidden"));
    ASSERT_NE(show, nullptr);
    EXPECT_FALSE(show->isVisible()) << "nothing is hidden";
    list->setFocus();
    list->setCurrentIndex(list->model()->index(0, 0));
    QTest::keyClick(list, Qt::Key_H);
    EXPECT_TRUE(show->isVisible());
    EXPECT_EQ(list->model()->rowCount(), 0);
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("1 hidden (Shift+H shows them)")));
    EXPECT_EQ(what, QStringLiteral("hiding “A tile is nearly full”"));
    const QJsonObject kept = shown.view.saveState();
    undo();
    EXPECT_FALSE(show->isVisible());
    EXPECT_EQ(list->model()->rowCount(), 1);
    EXPECT_FALSE(tests::shows(shown.view, QStringLiteral("hidden")));
    redo();
    EXPECT_EQ(list->model()->rowCount(), 0);
    QTest::keyClick(list, Qt::Key_H, Qt::ShiftModifier);
    EXPECT_EQ(list->model()->rowCount(), 1);
    EXPECT_EQ(what, QStringLiteral("showing all findings"));
    EXPECT_NE(shown.view.saveState(), kept);
    shown.view.restoreState(kept);
    shown.view.setSources({});
    shown.view.setSources({shown.source, nullptr});
    shown.settle();
    EXPECT_EQ(list->model()->rowCount(), 0) << "as it was left";
}

TEST_F(Insights, EnterAndTheButtonsLeadToThePlaceAndTheHelp) {
    QSignalSpy view(&shown.view, &View::viewRequested);
    QSignalSpy help(&shown.view, &View::helpRequested);
    QTableView* list = table("findings").view();
    list->setFocus();
    list->setCurrentIndex(list->model()->index(0, 0));
    QTest::keyClick(list, Qt::Key_Return);
    ASSERT_EQ(view.size(), 1);
    EXPECT_EQ(view.first().first().toString(), QStringLiteral("memory"));
    EXPECT_EQ(shown.selection.current().tiles, std::vector<std::int64_t>{1});
    auto* place = shown.view.findChild<QPushButton*>(QStringLiteral("insightPlace"));
    EXPECT_EQ(place->text(), QStringLiteral("Show the tile in Memory"));
    QTest::mouseClick(place, Qt::LeftButton);
    EXPECT_EQ(view.size(), 2);
    QTest::mouseClick(shown.view.findChild<QPushButton*>(QStringLiteral("insightHelp")), Qt::LeftButton);
    ASSERT_EQ(help.size(), 1);
    EXPECT_EQ(help.first().at(1).toString(), QStringLiteral("A tile is nearly full"));
}

/// What a window of 1000x700 leaves the view.
TEST_F(Insights, EvidenceHasRowsInASmallWindowWithLargeText) {
    applyFont(*qApp, {}, 150);
    shown.view.resize(934, 530);
    shown.settle();
    QTest::qWait(1);
    for (const char* name : {"insightFigures", "insightRule"}) {
        const QTableView& rows = *table(name).view();
        ASSERT_GT(rows.model()->rowCount(), 0) << name;
        EXPECT_GE(rows.viewport()->height(), rows.rowHeight(0)) << name;
    }
    const auto* scrolls = shown.view.findChild<QScrollArea*>();
    ASSERT_NE(scrolls, nullptr);
    EXPECT_GT(scrolls->verticalScrollBar()->maximum(), 0) << "what there is no height for is scrolled to";
    applyFont(*qApp, {}, 100);
}

TEST(InsightChanges, ThatWereCompiledWhenItDidNotFitStandWithTheFiguresOfTheFile) {
    tests::ShownView<InsightsView> shown([](const std::string& path) -> Result<void> {
        profile::RunRecord run;
        run.name = "large";
        run.workload = "{}";
        run.batch_size = 32;
        auto recorder = *profile::Recorder::create(path, run);
        recorder->set(profile::TargetRecord{"ipu", "ipu2", 1, 2, 1000, 1e9, 6});
        recorder->add(profile::IpuRecord{0, 0, "/device:IPU:0", 0, 0, -1});
        for (const char* metric : {"total", "total_with_gaps", "always_live"})
            recorder->add_tile_values("memory", 0, 0, metric, std::vector<std::int64_t>{100, 1500});
        recorder->add(profile::RemedyRecord{"fit.batch_size=16", 0, 1200, false, 100, 16});
        recorder->add(profile::RemedyRecord{"model.shards=2", 2, 900, true, 60, 32});
        recorder->add(profile::RemedyRecord{"fit.batch_size=4", 0, 800, true, 20, 4});
        return recorder->finish(profile::RunStatus::OutOfMemory, "tile 1 is too full");
    });
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("model.shards=2 on 2 IPUs was compiled, and fits")));
    auto* changes = shown.view.findChild<DataTable*>(QStringLiteral("changes"))->view();
    EXPECT_EQ(tests::shown_rows(*changes, u'|').toStdString(),
              "Change|Verdict|Step|Samples/s|Fullest tile\n"
              "model.shards=2 on 2 IPUs|fits|60 \u00b5s|533,333|90.0 %\n"
              "fit.batch_size=4|fits|20 \u00b5s|200,000|80.0 %\n"
              "fit.batch_size=16|does not fit: 120.0 % of a tile|100 \u00b5s|160,000|120.0 %\n");
    EXPECT_EQ(shown.view.findChild<DataTable*>(QStringLiteral("findings"))
                  ->view()
                  ->model()
                  ->index(0, 4)
                  .data()
                  .toString(),
              QStringLiteral("model.shards=2 on 2 IPUs: 60 µs, 90.0 % of a tile, fits"))
        << "32 samples in 60 µs are more than 4 in 20";
    EXPECT_TRUE(shown.view.findChild<QPushButton*>(QStringLiteral("tryChanges"))->isHidden())
        << "half the batch was compiled already";
    auto* run = shown.view.findChild<QPushButton*>(QStringLiteral("runWithChange"));
    QSignalSpy wanted(&shown.view, &View::runAgainRequested);
    auto* copy = shown.view.findChild<QPushButton*>(QStringLiteral("copySetting"));
    changes->setCurrentIndex(changes->model()->index(2, 0));
    EXPECT_FALSE(run->isEnabled());
    QTest::mouseClick(copy, Qt::LeftButton); // whether it fits or not
    EXPECT_EQ(QApplication::clipboard()->text(), QStringLiteral("--set 'fit.batch_size=16'"));
    changes->setCurrentIndex(changes->model()->index(0, 0));
    EXPECT_TRUE(run->isEnabled());
    QTest::mouseClick(copy, Qt::LeftButton);
    EXPECT_EQ(QApplication::clipboard()->text(),
              QStringLiteral("--set 'model.shards=2' --set 'ipu_config.auto_select_ipus=2'"));
    QTest::mouseClick(run, Qt::LeftButton);
    ASSERT_TRUE(QTest::qWaitFor([&] { return wanted.size() == 1; }, 20000));
    EXPECT_EQ(
        wanted.first().at(0).toStringList(),
        (QStringList{QStringLiteral("model.shards=2"), QStringLiteral("ipu_config.auto_select_ipus=2")}));
}

/// The MNIST sample in two stages, as the program estimates it.
void estimate(const std::string& path, const QStringList& changes = {}) {
    QStringList arguments{QStringLiteral("profile"),
                          QStringLiteral(TILESCOPE_SOURCE_DIR "/samples/keras_mnist_pipelined.json"),
                          QStringLiteral("--estimate"),
                          QStringLiteral("--progress"),
                          QStringLiteral("none"),
                          QStringLiteral("-o"),
                          text(path)};
    for (const QString& change : changes)
        arguments << QStringLiteral("--set") << change;
    EXPECT_EQ(QProcess::execute(QStringLiteral(TILESCOPE_BIN_DIR "/tilescope"), arguments), 0);
}

TEST(InsightChanges, ThatCannotBeCompiledSayWhyBesideTheTable) {
    tests::ShownView<InsightsView> shown([](const std::string& path) {
        return record_bytes(path, 1000, R"({"model": {"keras": "absent.json"}, "fit": {"batch_size": 32}})");
    });
    auto* findings = shown.view.findChild<DataTable*>(QStringLiteral("findings"))->view();
    for (int row = 0; row < findings->model()->rowCount(); ++row)
        if (findings->model()->index(row, 0).data().toString() == QStringLiteral("A tile is nearly full"))
            findings->setCurrentIndex(findings->model()->index(row, 0));
    QTest::mouseClick(shown.view.findChild<QPushButton*>(QStringLiteral("tryChanges")), Qt::LeftButton);
    const auto verdict = [&] {
        const auto* changes = shown.view.findChild<DataTable*>(QStringLiteral("changes"))->view()->model();
        return changes->index(0, 1).data().toString();
    };
    ASSERT_TRUE(QTest::qWaitFor([&] { return verdict() == QStringLiteral("not possible"); }, 60000))
        << verdict().toStdString();
    QString said;
    for (const QLabel* label : shown.view.findChildren<QLabel*>())
        said += label->text() + u'\n';
    EXPECT_TRUE(said.contains(QStringLiteral("absent.json: there is no such file"))) << said.toStdString();
}

TEST(InsightChanges, AreAdviceOnlyOnceTheyWereCompiled) {
    const tests::TemporaryFolder folder;
    tests::ShownView<InsightsView> shown([](const std::string& path) -> Result<void> {
        estimate(path, {QStringLiteral("seed=7")});
        return {};
    });
    const auto cell = [&](const char* name, int row, int column) {
        return shown.view.findChild<DataTable*>(QLatin1String(name))
            ->view()
            ->model()
            ->index(row, column)
            .data()
            .toString();
    };
    auto* findings = shown.view.findChild<DataTable*>(QStringLiteral("findings"))->view();
    for (int row = 0; row < findings->model()->rowCount(); ++row)
        if (cell("findings", row, 0).startsWith(QStringLiteral("The stages of the pipeline")))
            findings->setCurrentIndex(findings->model()->index(row, 0));
    auto* run = shown.view.findChild<QPushButton*>(QStringLiteral("runWithChange"));
    EXPECT_EQ(cell("changes", 0, 0), QStringLiteral("pipeline.stages=2, cut anew")); // it has others
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("“Cut anew”: of a number of stages or shards")));
    EXPECT_EQ(cell("changes", 0, 1), QStringLiteral("not tried"));
    EXPECT_EQ(cell("changes", 0, 2), QStringLiteral("–"));
    EXPECT_FALSE(run->isEnabled());

    QTest::mouseClick(shown.view.findChild<QPushButton*>(QStringLiteral("tryChanges")), Qt::LeftButton);
    EXPECT_TRUE(cell("changes", 0, 1).startsWith(QStringLiteral("compiling")));
    ASSERT_TRUE(QTest::qWaitFor([&] { return cell("changes", 0, 1) == QStringLiteral("fits"); }, 120000))
        << cell("changes", 0, 1).toStdString();
    const std::string path = folder / "cut.tilescope";
    estimate(path, {QStringLiteral("pipeline.stages=2")});
    const auto cut = analyse::summarise(**profile::Profile::open(path));
    ASSERT_TRUE(cut);
    EXPECT_EQ(cell("changes", 0, 2), formatSeconds(*cut->step_us * 1e-6));
    EXPECT_EQ(cell("changes", 0, 5), formatPercent(static_cast<double>(cut->memory->fullest_with_gaps.bytes) /
                                                   static_cast<double>(cut->target.bytes_per_tile)));

    const QModelIndex finding = findings->currentIndex();
    EXPECT_EQ(finding.siblingAtColumn(4).data().toString(),
              QStringLiteral("pipeline.stages=2, cut anew: %1, %2 of a tile, fits")
                  .arg(cell("changes", 0, 2), cell("changes", 0, 5)))
        << "of the finding that is still the chosen one";

    auto* changes = shown.view.findChild<DataTable*>(QStringLiteral("changes"))->view();
    changes->setCurrentIndex(changes->model()->index(0, 0));
    EXPECT_TRUE(run->isEnabled());
    QSignalSpy wanted(&shown.view, &View::runAgainRequested);
    QTest::mouseClick(run, Qt::LeftButton);
    ASSERT_TRUE(QTest::qWaitFor([&] { return wanted.size() == 1; }, 20000));
    EXPECT_EQ(wanted.first().at(0).toStringList(), QStringList{QStringLiteral("pipeline.stages=2")});
}

} // namespace
} // namespace tilescope::ui
