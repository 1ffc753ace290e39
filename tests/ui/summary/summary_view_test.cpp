// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/summary.h"
#include "base/text.h"
#include "build_paths.h"
#include "export/run_report.h"
#include "profile/profile.h"
#include "profile/recorder.h"
#include "tests/profile_fixture.h"
#include "tests/system_fixture.h"
#include "tests/temporary_folder.h"
#include "tests/ui/shown_text.h"
#include "ui/summary/insight_list.h"
#include "ui/summary/summary_view.h"
#include "ui/widgets/card.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/ipu_gauges.h"
#include "ui/widgets/line_chart.h"
#include "ui/widgets/share_bar.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <gtest/gtest.h>
#include <tuple>

namespace tilescope::ui {
namespace {

using tests::comes_to_show;
using tests::shows;

class Summary : public testing::Test {
  protected:
    void SetUp() override {
        view_.resize(1200, 900);
        view_.setSelection(&selection_);
        view_.setVisible(true);
    }
    void TearDown() override { view_.setSources({}); }
    void open(const std::string& name) {
        source_ = ProfileSource::open(QString::fromStdString(folder_ / name));
        view_.setSources({source_, nullptr});
    }

    static void writeFile(const QString& path, const QByteArray& bytes) {
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        ASSERT_EQ(file.write(bytes), bytes.size());
    }
    void record(const char* name, const profile::RunRecord& run) {
        auto recorder = profile::Recorder::create(folder_ / name, run);
        ASSERT_TRUE(recorder);
        ASSERT_TRUE((*recorder)->finish(profile::RunStatus::Complete));
        open(name);
    }

    tests::TemporaryFolder folder_;
    std::shared_ptr<ProfileSource> source_;
    SelectionModel selection_;
    SummaryView view_;
};

// Two engine runs in each of two epochs; what is chosen is remembered.
TEST_F(Summary, CurvesArePerEpochOrPerExecution) {
    ASSERT_TRUE(tests::record_fixture(folder_ / "complete.tilescope"));
    open("complete.tilescope");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("Loss and metrics")));
    auto* per = view_.findChild<QComboBox*>(QStringLiteral("curvesPer"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return per->isVisible(); }));
    const auto points = [&] { // of the loss of training: its place and its value
        QStringList all;
        for (const auto* chart : view_.findChildren<LineChart*>())
            for (const QString& line : chart->toText(u'\t').split(u'\n'))
                if (line.startsWith(QStringLiteral("loss\t")))
                    all << line.mid(5);
        return all;
    };
    const QStringList of_epochs = points();
    const auto epochs = analyse::summarise(**profile::Profile::open(folder_ / "complete.tilescope"))->epochs;
    ASSERT_EQ(of_epochs.size(), std::ssize(epochs));
    per->setCurrentIndex(1);
    const QStringList of_executions = points();
    const auto records = *(*profile::Profile::open(folder_ / "complete.tilescope"))->metric_history(1000);
    EXPECT_EQ(of_executions.size(), std::count_if(records.begin(), records.end(),
                                                  [](const auto& each) { return each.name == "loss"; }));
    EXPECT_GT(of_executions.size(), of_epochs.size());
    for (const QString& end : of_epochs)
        EXPECT_TRUE(of_executions.contains(end)) << "epochs end where they did: " << end.toStdString();
    const auto title = [&](const QString& text) { return tests::shown_texts(view_).contains(text); };
    EXPECT_TRUE(title(QStringLiteral("Loss and metrics, means of each epoch so far")));
    per->setCurrentIndex(0);
    EXPECT_TRUE(title(QStringLiteral("Loss and metrics"))) << "the box beside it says: per epoch";
    per->setCurrentIndex(1);
    SummaryView next;
    next.restoreState(view_.saveState());
    EXPECT_EQ(next.findChild<QComboBox*>(QStringLiteral("curvesPer"))->currentIndex(), 1);

    record("none.tilescope", {});
    EXPECT_TRUE(QTest::qWaitFor([&] { return per->isHidden(); })) << "nothing to choose from";
}

// Its card sets up the same run with values.
TEST_F(Summary, AnEstimateHasNoResultButLeadsToOne) {
    const QString workload = QString::fromStdString(folder_ / "cnn.json");
    writeFile(workload, "{}");
    profile::RunRecord run;
    run.workload_path = workload.toStdString();
    run.estimate = true;
    auto recorder = profile::Recorder::create(folder_ / "estimate.tilescope", run);
    ASSERT_TRUE(recorder);
    ASSERT_TRUE((*recorder)->finish(profile::RunStatus::Complete));
    open("estimate.tilescope");
    ASSERT_TRUE(
        comes_to_show(view_, QStringLiteral("Not computed: this is an estimate. Run it to get values.")));
    QSignalSpy asked(&view_, &View::runAgainRequested);
    auto* card = view_.findChild<QWidget*>(QStringLiteral("card result"));
    ASSERT_NE(card, nullptr);
    QTest::keyClick(card, Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return asked.size() == 1; }, 20000));
    EXPECT_EQ(asked[0][0].toStringList(), QStringList{QStringLiteral("estimate=false")});
    ASSERT_TRUE(tests::record_fixture(folder_ / "complete.tilescope"));
    open("complete.tilescope");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("simulated, 12 steps")));
    QTest::keyClick(card, Qt::Key_Return);
    EXPECT_EQ(asked.size(), 1) << "it has one";
}

// The file says batch 8 and leaves open what the run had as the schema has it; the epochs were given beside.
TEST_F(Summary, RunsAgainWithTheSettingsThatTheRunHad) {
    const QString workload = QString::fromStdString(folder_ / "cnn.json");
    writeFile(workload, R"({"model": {"keras": "m.json"}, "system": "pod4", "fit": {"batch_size": 8}})");
    profile::RunRecord run;
    run.workload_path = workload.toStdString();
    run.workload = R"({"name": "cnn", "model": {"keras": "/models/m.json"}, "device": "ipu", "seed": 1,
        "system": {"name": "pod4", "busy": []}, "compile": {"loss": ""},
        "fit": {"batch_size": 8, "epochs": 5, "shuffle": true}})";
    record("cnn.tilescope", run);
    auto* button = view_.findChild<QPushButton*>(QStringLiteral("runAgainButton"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return button->toolTip().startsWith(QStringLiteral("Set up")); }));
    QSignalSpy asked(&view_, &View::runAgainRequested);
    view_.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&view_));
    for (int press = 0; press < 2; ++press) {
        button->setFocus();
        press == 0 ? QTest::keyClick(button, Qt::Key_Space)
                   : QTest::keyClick(button, Qt::Key_R, Qt::ControlModifier | Qt::ShiftModifier);
        ASSERT_TRUE(QTest::qWaitFor([&] { return asked.size() == press + 1; }, 20000));
        EXPECT_EQ(asked[press][0].toStringList(), QStringList());
    }
    EXPECT_EQ(runAgain(run).workload, workload);
    EXPECT_EQ(runAgain(run).changes, QStringList{QStringLiteral("fit.epochs=5")});
}

TEST_F(Summary, SaysWhyARunCannotBeRunAgain) {
    auto* button = view_.findChild<QPushButton*>(QStringLiteral("runAgainButton"));
    auto* report = view_.findChild<QPushButton*>(QStringLiteral("reportButton"));
    EXPECT_FALSE(button->isEnabled());
    EXPECT_FALSE(report->isEnabled()) << "nothing is open";
    const auto says = [&](const QString& why) {
        return QTest::qWaitFor([&] { return !button->isEnabled() && button->toolTip() == why; }, 20000);
    };
    record("unnamed.tilescope", {});
    EXPECT_TRUE(says(QStringLiteral("This profile does not say which file was run.")));
    EXPECT_TRUE(report->isEnabled());
    profile::RunRecord run;
    run.workload_path = "/nowhere/cnn.json";
    record("gone.tilescope", run);
    EXPECT_TRUE(says(QStringLiteral("/nowhere/cnn.json, which was run, is gone.")));
}

TEST_F(Summary, ItsReportIsThatOfTheCommandLine) {
    ASSERT_TRUE(tests::record_fixture(folder_ / "complete.tilescope"));
    open("complete.tilescope");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("simulated, 12 steps")));
    const auto file = *profile::Profile::open(folder_ / "complete.tilescope");
    QSignalSpy messages(&view_, &View::message);
    const auto told = [&](const QString& text) {
        return QTest::qWaitFor(
            [&] { return !messages.isEmpty() && messages.last().first().toString() == text; }, 20000);
    };
    for (const auto& [name, format] : {std::pair("run.html", exports::ReportFormat::Html),
                                       {"run.md", exports::ReportFormat::Markdown},
                                       {"run.txt", exports::ReportFormat::Text},
                                       {"run.json", exports::ReportFormat::Json}}) {
        const QString path = QString::fromStdString(folder_ / name);
        view_.saveReport(path);
        ASSERT_TRUE(told(path + QStringLiteral(" is written."))) << name;
        QFile written(path);
        ASSERT_TRUE(written.open(QIODevice::ReadOnly));
        EXPECT_EQ(written.readAll().toStdString(), *exports::report(*file, format)) << name;
    }
    view_.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&view_));
    view_.setFocus();
    QTest::keyClick(&view_, Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    ASSERT_TRUE(told(QStringLiteral("The report is copied.")));
    EXPECT_EQ(QApplication::clipboard()->text().toStdString(),
              *exports::report(*file, exports::ReportFormat::Markdown));
    view_.saveReport(QStringLiteral("/nowhere/run.md"));
    EXPECT_TRUE(QTest::qWaitFor(
        [&] { return messages.last().first().toString().startsWith(QStringLiteral("/nowhere")); }, 20000))
        << messages.last().first().toString().toStdString();
}

// Whatever it is called; where there is none, the loss is what came of the run.
TEST_F(Summary, TheResultIsTheFirstMetric) {
    const auto record = [&](const char* file, const char* metric) {
        auto recorder = profile::Recorder::create(folder_ / file, profile::RunRecord{});
        ASSERT_TRUE(recorder);
        const auto add = [&](profile::ExecutionKind kind, const char* name, double value) {
            (*recorder)->add(profile::EpochMetricRecord{0, kind, name, value});
        };
        add(profile::ExecutionKind::Train, "loss", 0.5);
        add(profile::ExecutionKind::Train, metric, 0.25);
        add(profile::ExecutionKind::Evaluate, "loss", 0.625);
        add(profile::ExecutionKind::Evaluate, metric, 0.125);
        ASSERT_TRUE((*recorder)->finish(profile::RunStatus::Complete));
    };
    record("share.tilescope", "binary_accuracy");
    open("share.tilescope");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("binary accuracy on test data; training 25.0 %")));
    EXPECT_TRUE(shows(view_, QStringLiteral("12.5 %")));
    record("error.tilescope", "mae");
    open("error.tilescope");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("mae on test data; training 0.25")));
    record("loss.tilescope", "kind_loss");
    open("loss.tilescope");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("loss on test data; training 0.5")));
    EXPECT_TRUE(shows(view_, QStringLiteral("0.625")));
}

TEST_F(Summary, ShowsWhatWasMeasured) {
    ASSERT_TRUE(tests::record_fixture(folder_ / "complete.tilescope"));
    open("complete.tilescope");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("simulated, 12 steps")));
    EXPECT_TRUE(shows(view_, QStringLiteral("with gaps; sum of tile peaks")));
    // The fixture says of whole steps and of memory how far predictions were from what is published.
    EXPECT_TRUE(shows(view_, QStringLiteral("simulated, 12 steps; typical error ×1.25")));
    EXPECT_TRUE(shows(view_, QStringLiteral("typical error ×1.12")));
}

TEST_F(Summary, TheAnswerStandsFirstAndEachCardLeadsToItsPlace) {
    ASSERT_TRUE(tests::record_fixture(folder_ / "complete.tilescope"));
    open("complete.tilescope");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("Fits, with ")));
    EXPECT_TRUE(shows(view_, QStringLiteral("free on the fullest tile, tile ")));
    EXPECT_TRUE(shows(view_, QStringLiteral("Limited by ")));
    // In each layer three products of 2·32·128·128 FLOP and three operations of 32·128: 6,316,032 FLOP in
    // two. A step takes 6,580 cycles of a nanosecond, and a third of the 1,000 of the host.
    ASSERT_EQ(tests::fixture_step_cycles(tests::small_fixture), 6580);
    EXPECT_TRUE(shows(view_, QStringLiteral("914 GFLOP/s")));
    QSignalSpy view(&view_, &View::viewRequested);
    for (const char* place : {"trace", "live", "operations", "memory"}) {
        auto* card = view_.findChild<QWidget*>(QStringLiteral("card ") + QLatin1String(place));
        ASSERT_NE(card, nullptr) << place;
        QTest::mouseClick(card, Qt::LeftButton);
        card->setFocus();
        QTest::keyClick(card, Qt::Key_Return);
        ASSERT_EQ(view.size(), 2) << place;
        EXPECT_EQ(view.takeFirst().first().toString(), QLatin1String(place));
        EXPECT_EQ(view.takeFirst().first().toString(), QLatin1String(place));
    }
    EXPECT_EQ(selection_.current().tiles.size(), 1U); // the fullest one
    ASSERT_TRUE(selection_.current().range) << "of one step";
    EXPECT_EQ(selection_.current().range->second - selection_.current().range->first,
              tests::fixture_step_cycles(tests::small_fixture));
}

// A third layer: what it takes is new, of the others nothing differs. The other way round it is gone.
TEST_F(Summary, WhereItIsNarrowThreeCardsStandAboveTwo) {
    ASSERT_TRUE(tests::record_fixture(folder_ / "complete.tilescope"));
    open("complete.tilescope");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("Fits, with ")));
    const auto rows = [this] { // how many cards are in each, from the top
        std::map<int, int> of;
        for (const FigureCard* card : view_.findChildren<FigureCard*>())
            ++of[card->y()];
        std::vector<int> counts(of.size());
        std::transform(of.begin(), of.end(), counts.begin(), [](const auto& row) { return row.second; });
        return counts;
    };
    EXPECT_TRUE(QTest::qWaitFor([&] { return rows() == std::vector{5}; }));
    view_.resize(900, 700);
    EXPECT_TRUE(QTest::qWaitFor([&] { return rows() == std::vector{3, 2}; }));
    view_.resize(1200, 900);
    EXPECT_TRUE(QTest::qWaitFor([&] { return rows() == std::vector{5}; }));
}

TEST_F(Summary, InTheDifferenceLayersAndSharesStandBesideThoseOfTheBase) {
    ASSERT_TRUE(tests::record_fixture(folder_ / "two.tilescope"));
    tests::FixtureSize larger;
    larger.layers = 3;
    ASSERT_TRUE(tests::record_fixture(folder_ / "three.tilescope", larger));
    open("three.tilescope");
    const auto base = ProfileSource::open(QString::fromStdString(folder_ / "two.tilescope"));
    view_.setSources({source_, base, true});
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("compared with two")));
    const auto* layers = view_.findChild<DataTable*>(QStringLiteral("summaryLayers"));
    ASSERT_NE(layers, nullptr);
    const QStringList lines = tests::shown_rows(*layers->view(), QLatin1Char('|')).split(QLatin1Char('\n'));
    const auto cells = [](const QString& line) { return line.split(QLatin1Char('|')); };
    ASSERT_GE(lines.size(), 4);
    EXPECT_EQ(cells(lines[0]).mid(3, 3),
              QStringList({QStringLiteral("Cycles"), QStringLiteral("Base"), QStringLiteral("Change")}));
    const auto row = [&](const char* change) {
        const auto found = std::find_if(lines.begin() + 1, lines.end(), [&](const QString& line) {
            return cells(line).value(5) == QLatin1String(change);
        });
        return found == lines.end() ? QStringList() : cells(*found);
    };
    EXPECT_EQ(row("=").value(3), row("=").value(4));
    EXPECT_EQ(row("new").value(4), QStringLiteral("–"));

    // The host takes 1,000 cycles of an execution of three steps, whichever they are.
    const auto share = [](const tests::FixtureSize& size) {
        const double host = tests::fixture_host_cycles + 3.0 * tests::fixture_infeed_cycles;
        return host /
               (tests::fixture_host_cycles + 3.0 * static_cast<double>(tests::fixture_step_cycles(size)));
    };
    const auto* bar = view_.findChild<ShareBar*>();
    ASSERT_NE(bar, nullptr);
    const auto host = std::find_if(bar->parts().begin(), bar->parts().end(), [](const ShareBar::Part& part) {
        return part.name == QLatin1String("host");
    });
    ASSERT_NE(host, bar->parts().end());
    EXPECT_NEAR(host->value, share(larger), 1e-9);
    EXPECT_NEAR(host->base, share(tests::small_fixture), 1e-9);
    EXPECT_TRUE(host->text.contains(QStringLiteral("points)"))) << host->text.toStdString();

    view_.setSources({base, source_, true});
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("compared with three")));
    EXPECT_TRUE(tests::shown_rows(*layers->view(), QLatin1Char('|')).contains(QStringLiteral("|gone|")));
    view_.setSources({source_, nullptr});
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("three")));
}

// Two tiles, the second too full; nothing was executed.
/// A run on the host of one layer.
void record_cpu(const std::string& path) {
    profile::RunRecord run;
    run.name = "cpu";
    run.device = profile::RunDevice::Cpu;
    auto recorder = *profile::Recorder::create(path, run);
    recorder->add(profile::LayerRecord{0, "dense", "Dense"});
    ASSERT_TRUE(recorder->finish(profile::RunStatus::Complete));
}

TEST_F(Summary, OfARunOnTheCpuWhatWasNotMeasuredIsAbsent) {
    record_cpu(folder_ / "cpu.tilescope");
    open("cpu.tilescope");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("computed on the host: no tiles and no cycles")));
    auto* layers = view_.findChild<DataTable*>(QStringLiteral("summaryLayers"));
    ASSERT_EQ(layers->view()->model()->rowCount(), 1);
    const QStringList lines = tests::shown_rows(*layers->view(), QLatin1Char('\t')).split(QLatin1Char('\n'));
    const QStringList heads = lines[0].split(QLatin1Char('\t')), cells = lines[1].split(QLatin1Char('\t'));
    for (const char* head : {"Cycles", "Share", "FLOP", "Lost cycles", "Always live", "Live at peak step"})
        EXPECT_EQ(cells.value(heads.indexOf(QLatin1String(head))), QStringLiteral("–")) << head;
    EXPECT_TRUE(
        tests::shows(*view_.findChild<QWidget*>(QStringLiteral("card operations")), QStringLiteral("–")));
    EXPECT_FALSE(tests::shows(*view_.findChild<QWidget*>(QStringLiteral("card operations")),
                              QStringLiteral("FLOP/s")));
}

TEST_F(Summary, OfAnotherBatchThanTheBaseItSaysBothFirst) {
    for (const auto& [name, batch] : {std::pair("now", 64), std::pair("base", 32)}) {
        profile::RunRecord run;
        run.batch_size = batch;
        auto recorder = *profile::Recorder::create(folder_ / (name + std::string(".tilescope")), run);
        ASSERT_TRUE(recorder->finish(profile::RunStatus::Complete));
    }
    const auto base = ProfileSource::open(QString::fromStdString(folder_ / "base.tilescope"));
    source_ = ProfileSource::open(QString::fromStdString(folder_ / "now.tilescope"));
    view_.setSources({source_, base});
    EXPECT_TRUE(
        comes_to_show(view_, QStringLiteral("Batch 64 against batch 32 of base: a step is not the same")));
}

TEST_F(Summary, ACardTellsItsExactValueHowItComesAboutAndHowFarOffItIs) {
    ASSERT_TRUE(tests::record_fixture(folder_ / "complete.tilescope"));
    open("complete.tilescope");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("simulated, 12 steps")));
    const auto file = *profile::Profile::open(folder_ / "complete.tilescope");
    const auto summary = *analyse::summarise(*file);
    const auto tip = [this](const char* card) {
        return view_.findChild<QWidget*>(QStringLiteral("card ") + QLatin1String(card))->toolTip();
    };
    EXPECT_TRUE(tip("memory").contains(
        QString::fromStdString(count_text(summary.memory->fullest_with_gaps.bytes)) + QStringLiteral(" of ")))
        << tip("memory").toStdString();
    EXPECT_TRUE(tip("memory").contains(QStringLiteral("these bytes must fit")));
    EXPECT_TRUE(tip("memory").contains(QStringLiteral("were predicted at")));
    EXPECT_TRUE(tip("memory").contains(QStringLiteral("Show the fullest tile in Memory")));
    EXPECT_TRUE(tip("trace").contains(QString::number(*summary.step_us, 'f', 3) + QStringLiteral(" µs")))
        << tip("trace").toStdString();
}

TEST_F(Summary, LayersThatLoseMostStandFirst) {
    ASSERT_TRUE(tests::record_fixture(folder_ / "complete.tilescope"));
    open("complete.tilescope");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("simulated, 12 steps")));
    const auto* model = view_.findChild<DataTable*>(QStringLiteral("summaryLayers"))->view()->model();
    std::vector<double> lost;
    for (int column = 0; column < model->columnCount(); ++column)
        if (model->headerData(column, Qt::Horizontal).toString() == QStringLiteral("Lost cycles"))
            for (int row = 0; row < model->rowCount(); ++row)
                lost.push_back(model->index(row, column).data(DataTableModel::SortRole).toDouble());
    ASSERT_GE(lost.size(), 2U);
    EXPECT_GT(lost.front(), 0);
    EXPECT_TRUE(std::is_sorted(lost.rbegin(), lost.rend()));
}

TEST_F(Summary, ARunThatDoesNotFitHasNoTimes) {
    profile::RunRecord run;
    run.name = "large";
    run.device = profile::RunDevice::Ipu;
    run.workload = std::string("{}");
    run.workload_path = folder_ / "large.json";
    writeFile(QString::fromStdString(run.workload_path), "{}");
    run.batch_size = 32;
    auto recorder = profile::Recorder::create(folder_ / "oom.tilescope", run);
    ASSERT_TRUE(recorder) << recorder.error().line();
    (*recorder)->set(profile::TargetRecord{"ipu", "ipu2", 1, 2, 1024, 1e9, 6});
    (*recorder)->add(profile::IpuRecord{0, 0, "/device:IPU:0", 0, 0, -1});
    for (const auto& [metric, bytes] : {std::pair("total", std::vector<std::int64_t>{512, 1000}),
                                        std::pair("total_with_gaps", std::vector<std::int64_t>{600, 1536}),
                                        std::pair("always_live", std::vector<std::int64_t>{100, 100})})
        (*recorder)->add_tile_values("memory", 0, 0, metric, bytes);
    for (const auto& [id, name, bytes, from] :
         {std::tuple(0, "weights", 700, 0), std::tuple(1, "partials", 300, 1)}) {
        profile::VariableRecord held;
        held.id = id;
        held.name = name;
        held.bytes = bytes;
        held.live_from = from;
        held.live_to = 1;
        (*recorder)->add(held);
        (*recorder)->add_tile_values("variable", id, 0, "bytes", std::vector<std::int64_t>{0, bytes});
    }
    for (const auto& [step, bytes] : {std::pair(0, 700), std::pair(1, 1000)}) {
        (*recorder)->add(
            profile::ProgramRecord{step, -1, step, profile::StepKind::Execute, "step", -1, -1, -1, 1, step});
        (*recorder)->add(profile::LivenessSpanRecord{0, step, 1, 0, bytes, bytes});
    }
    (*recorder)->add(profile::RemedyRecord{"fit.batch_size=16", 0, 1200, false, 100});
    (*recorder)->add(profile::RemedyRecord{"model.shards=2", 2, 900, true, 60});
    (*recorder)->add(profile::RemedyRecord{"ipu_config.convolution_options.available_memory_proportion=0.1",
                                           0, 1056, false, 100});
    ASSERT_TRUE((*recorder)->finish(profile::RunStatus::OutOfMemory, "tile 1 is too full"));
    open("oom.tilescope");
    ASSERT_TRUE(
        comes_to_show(view_, QStringLiteral("Does not fit: tile 1 needs 1.50 KiB of 1 KiB (150.0 %).")));
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("Tile 1 is too full by 512 B: 1.50 KiB of 1 KiB")));
    EXPECT_TRUE(shows(view_, QStringLiteral("It is the only one.")));
    EXPECT_EQ(view_.findChild<QWidget*>(QStringLiteral("filledTile"))->accessibleDescription(),
              QStringLiteral("weights 700 B, partials 300 B, gaps 536 B; limit 1 KiB"));
    auto* filling = view_.findChild<LineChart*>(QStringLiteral("tileFilling"));
    EXPECT_EQ(filling->toText(u'\t').split(u'\n').value(2).section(u'\t', 1), QStringLiteral("1\t0.9765625"))
        << "1,000 B at the second step";
    QTableView* tried = view_.findChild<DataTable*>(QStringLiteral("diagnosisTried"))->view();
    const auto cell = [&](int row, int column, int role = Qt::DisplayRole) {
        return tried->model()->index(row, column).data(role).toString();
    };
    EXPECT_EQ(cell(0, 0), QStringLiteral("shards=2 on 2 IPUs")) << "what fits comes first";
    EXPECT_EQ(cell(0, 1), QStringLiteral("fits"));
    EXPECT_EQ(cell(1, 0), QStringLiteral("batch_size=16"));
    EXPECT_EQ(cell(1, 1), QStringLiteral("117.2 %")) << "1,200 of 1,024 bytes";
    EXPECT_EQ(cell(2, 0), QStringLiteral("available_memory_proportion=0.1"));
    EXPECT_EQ(cell(2, 0, Qt::ToolTipRole),
              QStringLiteral("ipu_config.convolution_options.available_memory_proportion=0.1"));
    const QTableView* fills = view_.findChild<DataTable*>(QStringLiteral("diagnosisFills"))->view();
    view_.setVisible(true);
    for (const int width : {900, 1100}) { // in windows of 1,000 and 1,440
        view_.resize(width, 800);
        QTest::qWait(1);
        for (int row = 0; row < 3; ++row)
            for (const int column : {0, 1}) {
                const QRect place = tried->visualRect(tried->model()->index(row, column));
                EXPECT_LE(place.right(), tried->viewport()->width()) << width << ": " << column;
                EXPECT_GE(place.width(), tried->fontMetrics().horizontalAdvance(cell(row, column)) + 10)
                    << width << ": " << cell(row, column).toStdString();
            }
        constexpr int bytes = 2; // column
        const QRect place = fills->visualRect(fills->model()->index(0, bytes));
        EXPECT_LE(place.right(), fills->viewport()->width()) << width;
    }
    view_.resize(1000, 800);
    EXPECT_TRUE(QTest::qWaitFor([&] { return view_.findChild<InsightList*>()->width() > 800; }, 5000))
        << "nothing stands beside the findings, which have " << view_.findChild<InsightList*>()->width();
    QSignalSpy view(&view_, &View::viewRequested);
    for (QPushButton* button :
         view_.findChild<QWidget*>(QStringLiteral("diagnosis"))->findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Show the tile"))
            QTest::mouseClick(button, Qt::LeftButton);
    QSignalSpy asked(&view_, &View::runAgainRequested);
    auto* run_with = view_.findChild<QPushButton*>(QStringLiteral("runWithThis"));
    tried->setCurrentIndex(tried->model()->index(1, 0));
    EXPECT_FALSE(run_with->isEnabled()) << "it was tried and does not fit";
    tried->setCurrentIndex(tried->model()->index(0, 0));
    run_with->click();
    ASSERT_TRUE(QTest::qWaitFor([&] { return asked.size() == 1; }, 20000));
    EXPECT_EQ(
        asked.first().at(0).toStringList(),
        (QStringList{QStringLiteral("model.shards=2"), QStringLiteral("ipu_config.auto_select_ipus=2")}))
        << "the first that fits";
    ASSERT_EQ(view.size(), 1);
    EXPECT_EQ(view.first().first().toString(), QStringLiteral("memory"));
    EXPECT_EQ(selection_.current().tiles, std::vector<std::int64_t>{1});
    EXPECT_TRUE(shows(view_, QStringLiteral("out of memory before the first execution")));
    EXPECT_FALSE(shows(view_, QStringLiteral("Where the time goes, all IPU time of the run")))
        << "there is none";
    EXPECT_FALSE(shows(view_, QStringLiteral("0 /s")));
    EXPECT_FALSE(shows(view_, QStringLiteral("0 ns")));
    EXPECT_FALSE(shows(view_, QStringLiteral("0 s")));
}

TEST_F(Summary, AnInsightLeadsToItsPlaceAndItsHelp) {
    profile::RunRecord run;
    run.name = "large";
    run.device = profile::RunDevice::Ipu;
    run.workload = std::string("{}");
    auto recorder = profile::Recorder::create(folder_ / "full.tilescope", run);
    (*recorder)->set(profile::TargetRecord{"ipu", "ipu2", 1, 2, 1024, 1e9, 6});
    (*recorder)->add(profile::IpuRecord{0, 0, "/device:IPU:0", 0, 0, -1});
    for (const char* metric : {"total", "total_with_gaps", "always_live"})
        (*recorder)->add_tile_values("memory", 0, 0, metric, std::vector<std::int64_t>{100, 1000});
    ASSERT_TRUE((*recorder)->finish(profile::RunStatus::Complete));
    open("full.tilescope");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("A tile is nearly full")));
    EXPECT_TRUE(shows(view_, QStringLiteral("on the tile: 1,000 B"))) << "what the rule saw";
    QLabel* shown = nullptr;
    for (QLabel* label : view_.findChildren<QLabel*>())
        if (label->text().contains(QLatin1String("A tile is nearly full")))
            shown = label;
    ASSERT_NE(shown, nullptr);
    QSignalSpy view(&view_, &View::viewRequested);
    QSignalSpy help(&view_, &View::helpRequested);
    Q_EMIT shown->linkActivated(QStringLiteral("place:0"));
    ASSERT_EQ(view.size(), 1);
    EXPECT_EQ(view.first().first().toString(), QStringLiteral("memory"));
    EXPECT_EQ(selection_.current().tiles, std::vector<std::int64_t>{1});
    Q_EMIT shown->linkActivated(QStringLiteral("finding:0"));
    EXPECT_EQ(view.last().first().toString(), QStringLiteral("insights"));
    const auto file = *profile::Profile::open(folder_ / "full.tilescope");
    EXPECT_EQ(selection_.current().finding, analyse::identity(analyse::summarise(*file)->insights.front()));
    Q_EMIT shown->linkActivated(QStringLiteral("help:0"));
    ASSERT_EQ(help.size(), 1);
    EXPECT_EQ(help.first().at(0).toString(), QStringLiteral("insights"));
    EXPECT_EQ(help.first().at(1).toString(), QStringLiteral("A tile is nearly full"));
}

TEST_F(Summary, OfSeveralIpusEachKindHasItsFullestTileAndLeadsToSharding) {
    ASSERT_TRUE(tests::record_fixture(folder_ / "one.tilescope"));
    open("one.tilescope");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("simulated, 12 steps")));
    auto* gauges = view_.findChild<IpuGauges*>(QStringLiteral("summaryIpus"));
    ASSERT_NE(gauges, nullptr);
    EXPECT_FALSE(gauges->isVisible()) << "there is one IPU";

    ASSERT_TRUE(tests::record_system(folder_ / "system.tilescope", {2, 2, false}));
    open("system.tilescope");
    ASSERT_TRUE(QTest::qWaitFor([&] { return gauges->isVisible() && gauges->gauges().size() == 2; }, 20000));
    EXPECT_EQ(gauges->gauges()[1].name, QStringLiteral("IPU 1 (also 3)"));
    const auto bytes = tests::system_first_tile_bytes(1) + tests::system_tiles - 1;
    EXPECT_EQ(gauges->gauges()[1].full,
              static_cast<double>(bytes) / static_cast<double>(tests::system_bytes_per_tile));
    QSignalSpy wanted(&view_, &View::viewRequested);
    gauges->setFocus();
    QTest::keyClick(gauges, Qt::Key_Down);
    QTest::keyClick(gauges, Qt::Key_Return);
    ASSERT_EQ(wanted.size(), 1);
    EXPECT_EQ(wanted[0][0].toString(), QStringLiteral("sharding"));
    EXPECT_EQ(selection_.current().ipu, 1);
    QTest::mouseClick(gauges, Qt::LeftButton, {}, gauges->part(0).rect.center());
    EXPECT_EQ(selection_.current().ipu, 0);
}

TEST_F(Summary, APartOfTheTimeLeadsToTheOperationsThatTakeIt) {
    ASSERT_TRUE(tests::record_fixture(folder_ / "complete.tilescope"));
    open("complete.tilescope");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("simulated, 12 steps")));
    auto* bar = view_.findChild<ShareBar*>(QStringLiteral("summaryPhases"));
    ASSERT_NE(bar, nullptr);
    QSignalSpy ordered(&view_, &View::orderRequested);
    ASSERT_EQ(bar->part(1).name, QStringLiteral("exchange"));
    QTest::mouseClick(bar, Qt::LeftButton, {}, bar->part(1).rect.center());
    ASSERT_EQ(ordered.size(), 1);
    EXPECT_EQ(ordered[0][0].toString(), QStringLiteral("operations"));
    EXPECT_EQ(ordered[0][1].toString(), QStringLiteral("exchange"));
}

} // namespace
} // namespace tilescope::ui
