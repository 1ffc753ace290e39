// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "profile/recorder.h"
#include "tests/profile_fixture.h"
#include "tests/record_rows.h"
#include "tests/temporary_folder.h"
#include "tests/ui/shown_text.h"
#include "ui/live/live_view.h"
#include "ui/live/override_table.h"
#include "ui/live/phase_chart.h"
#include "ui/live/run_form.h"
#include "ui/live/run_page.h"
#include "ui/live/workload_settings.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/ipu_gauges.h"
#include "ui/widgets/line_chart.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QCompleter>
#include <QDateTime>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

namespace tilescope::ui {
namespace {

using profile::ExecutionKind;
using tests::comes_to_show;
using tests::shows;

const QString samples = QStringLiteral(TILESCOPE_SOURCE_DIR "/samples/");
const QString program = QStringLiteral(TILESCOPE_BIN_DIR "/tilescope");

/// The view as the window keeps it: a file that it asks for is opened and shown.
class Live : public testing::Test {
  protected:
    void SetUp() override {
        view_.resize(1200, 900);
        view_.setSelection(&selection_);
        QObject::connect(&view_, &View::fileRequested, &view_, [this](const QString& path) { open(path); });
        view_.show();
    }
    void TearDown() override { view_.setSources({}); }

    QString file(const char* name) const { return QString::fromStdString(folder_ / name); }
    void open(const QString& path) {
        source_ = ProfileSource::open(path);
        view_.setSources({source_, nullptr});
    }
    /// A workload that trains for hours unless it is cancelled.
    QString endlessWorkload() const {
        QFile model(file("model.json"));
        QFile workload(file("endless.json"));
        EXPECT_TRUE(QFile::copy(samples + QStringLiteral("models/mlp_128.json"), model.fileName()));
        EXPECT_TRUE(workload.open(QIODevice::WriteOnly));
        workload.write(R"({"name": "endless", "model": {"keras": "model.json"},
            "data": {"train": {"synthetic": true, "samples": 320}},
            "compile": {"optimizer": {"name": "sgd"}, "loss": "sparse_categorical_crossentropy"},
            "fit": {"batch_size": 32, "epochs": 100000}})");
        return workload.fileName();
    }
    template<class Widget>
    Widget* find(const char* name) {
        auto* found = view_.findChild<Widget*>(QLatin1String(name));
        EXPECT_NE(found, nullptr) << name;
        return found;
    }
    void type(const char* field, const QString& text) {
        auto* edit = find<QLineEdit>(field);
        edit->selectAll();
        QTest::keyClicks(edit, text);
    }
    void click(const char* button) { QTest::mouseClick(find<QPushButton>(button), Qt::LeftButton); }
    QString cell(const QString& first_column, int row, int column) {
        for (const DataTable* table : view_.findChildren<DataTable*>())
            if (const auto* model = table->view()->model();
                model->headerData(0, Qt::Horizontal).toString() == first_column)
                return model->index(row, column).data().toString();
        ADD_FAILURE() << "there is no table " << first_column.toStdString();
        return {};
    }
    profile::RunStatus recordedStatus(const QString& path) {
        const auto profile = profile::Profile::open(path.toStdString());
        EXPECT_TRUE(profile) << profile.error().line();
        const auto run = (*profile)->run();
        EXPECT_TRUE(run);
        return run->status;
    }

    tests::TemporaryFolder folder_;
    std::shared_ptr<ProfileSource> source_;
    SelectionModel selection_;
    LiveView view_;
};

/// A run that writes its profile while the view follows it: two epochs of two executions of 10 steps.
class Growing : public Live {
  protected:
    void SetUp() override {
        Live::SetUp();
        profile::RunRecord run;
        run.name = "growing";
        run.workload = R"({"name":"growing","fit":{"batch_size":32}})";
        run.workload_path = (samples + QStringLiteral("tutorial_basic.json")).toStdString();
        run.device = profile::RunDevice::Ipu;
        run.started_unix_ms = QDateTime::currentMSecsSinceEpoch();
        run.steps_per_execution = 10;
        run.batch_size = 32;
        run.pid = getpid();
        run.estimate = estimate();
        auto recorder = profile::Recorder::create(file("run.tilescope").toStdString(), run);
        ASSERT_TRUE(recorder) << recorder.error().line();
        recorder_ = std::move(*recorder);
        recorder_->set(profile::TargetRecord{"pod4", "ipu2", 1, 1472, 638976, 1.33e9, 6});
        recorder_->add(profile::IpuRecord{0, 0, "/device:IPU:0", 0, 0, -1});
        recorder_->add(
            profile::DeviceRecord{0, false, "", "10.0.0.1", 3, "M2000", profile::DeviceState::Attached});
        recorder_->add(
            profile::DeviceRecord{1, false, "", "10.0.0.1", 2, "M2000", profile::DeviceState::Free});
        recorder_->set(profile::ProgressRecord{profile::RunActivity::Compile, 0, 2, 3, 12, 5});
        recorder_->flush();
        open(file("run.tilescope"));
    }
    virtual bool estimate() const { return false; }
    void execute(std::int64_t id, double loss) {
        tests::record_rows(
            *recorder_, {{id, ExecutionKind::Train, id / 2, id % 2 * 10, 10, id * 1330000, 1330000, 20000}},
            {{id, 0, 665000, 332500, 66500, 0, 266000, 0}});
        recorder_->add(profile::MetricRecord{id, "loss", loss});
        recorder_->add(profile::MetricRecord{id, "accuracy", 1 - loss / 2});
        recorder_->set(profile::ProgressRecord{profile::RunActivity::Train, id / 2, 2, (id % 2 + 1) * 10, 20,
                                               (id + 1) * 20 + 5});
    }

    std::unique_ptr<profile::Recorder> recorder_;
};

TEST_F(Growing, ShowsHowFarTheRunIsAndItsNewestFigures) {
    EXPECT_FALSE(view_.showsForm());
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("compilation, pass 4 of 12")));
    EXPECT_TRUE(shows(view_, QStringLiteral("● running")));
    EXPECT_TRUE(shows(view_, QStringLiteral("The curves begin with the first execution.")));

    execute(0, 0.75);
    recorder_->flush();
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("epoch 1 of 2, step 10 of 20")));
    EXPECT_TRUE(shows(view_, QStringLiteral("0.75")));
    EXPECT_TRUE(shows(view_, QStringLiteral("62.5 %")));
    EXPECT_TRUE(shows(view_, QStringLiteral("mean of epoch 1 so far")));
    EXPECT_TRUE(shows(view_, QStringLiteral("100 µs"))); // a step: 133,000 cycles at 1.33 GHz
    EXPECT_TRUE(shows(view_, QStringLiteral("simulated; 320,000 samples/s")));
    EXPECT_TRUE(shows(view_, QStringLiteral("2 ms /step")));

    execute(1, 0.5);
    execute(2, 0.25);
    recorder_->add(profile::MetricWithinRecord{3, 1, 14, "loss", 0.1875}); // of one that has not ended
    recorder_->set(profile::ProgressRecord{profile::RunActivity::Train, 1, 2, 14, 20, 90});
    recorder_->flush();
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("epoch 2 of 2, step 14 of 20")));
    EXPECT_TRUE(shows(view_, QStringLiteral("0.1875")));
    const auto charts = view_.findChildren<LineChart*>();
    ASSERT_EQ(charts.size(), 2);
    EXPECT_EQ(
        charts[0]->toText(QLatin1Char(' ')),
        QStringLiteral("curve epoch value\nloss 0.5 0.75\nloss 1 0.5\nloss 1.5 0.25\nloss 1.7 0.1875\n"));

    execute(3, 0.125);
    recorder_->add(profile::EpochMetricRecord{0, ExecutionKind::Evaluate, "accuracy", 0.875});
    recorder_->set(profile::ProgressRecord{profile::RunActivity::Done, 1, 2, 20, 20, 100});
    ASSERT_TRUE(recorder_->finish(profile::RunStatus::Complete));
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("● complete")));
    EXPECT_TRUE(shows(view_, QStringLiteral("40 steps of training")));
    EXPECT_TRUE(shows(view_, QStringLiteral("in epoch 2; on test data 87.5 %")));
    EXPECT_FALSE(find<QPushButton>("cancel")->isVisible());
}

TEST_F(Growing, ShowsUtilisationDevicesAndMessages) {
    execute(0, 0.75);
    execute(1, 0.5);
    recorder_->add(profile::LogRecord{20, profile::Severity::Info, "the first message"});
    recorder_->flush();
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("epoch 1 of 2, step 20 of 20")));
    auto* chart = view_.findChild<PhaseChart*>();
    EXPECT_EQ(chart->toText(QLatin1Char(',')).section(QLatin1Char('\n'), 1, 1),
              QStringLiteral("0,0,1330000,1,665000,332500,0,66500,266000,0"));
    const QImage image = chart->grab().toImage();
    std::map<QRgb, int> heights; // half compute, a quarter exchange
    for (int y = 0; y < image.height(); ++y)
        ++heights[image.pixel(image.width() - 40, y)];
    const Theme& theme = Theme::light();
    ASSERT_GT(heights[theme.compute.rgb()], 20);
    EXPECT_NEAR(heights[theme.compute.rgb()], 2 * heights[theme.exchange.rgb()], 3);
    EXPECT_NEAR(heights[theme.compute.rgb()], 2.5 * heights[theme.host.rgb()], 4);

    const QString devices = QStringLiteral("Device");
    EXPECT_EQ(cell(devices, 0, 4), QStringLiteral("attached"));
    EXPECT_EQ(cell(devices, 0, 5), QString::number(getpid()));
    EXPECT_EQ(cell(devices, 0, 6), QStringLiteral("1,330 MHz"));
    EXPECT_EQ(cell(devices, 0, 7), QStringLiteral("50.0 %"));
    EXPECT_EQ(cell(devices, 1, 4), QStringLiteral("free"));
    EXPECT_EQ(cell(devices, 1, 7), QStringLiteral("–"));
    EXPECT_EQ(cell(QStringLiteral("Time"), 0, 2), QStringLiteral("the first message"));
    recorder_->add(profile::LogRecord{40, profile::Severity::Warning, "the second message"});
    recorder_->flush();
    EXPECT_TRUE(QTest::qWaitFor(
        [this] { return cell(QStringLiteral("Time"), 1, 2) == QStringLiteral("the second message"); },
        30000));
}

TEST_F(Growing, TellsWhatWasAskedForAndHowToAskItAgain) {
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("growing")));
    auto* tabs = find<QTabWidget>("runTabs");
    EXPECT_EQ(tabs->tabText(1), QStringLiteral("Devices 2"));
    EXPECT_TRUE(
        find<QPlainTextEdit>("run workload")->toPlainText().contains(QStringLiteral("\"batch_size\": 32")));
    tabs->setCurrentIndex(3);
    const QString expected =
        QStringLiteral("tilescope profile %1tutorial_basic.json -o %2").arg(samples, file("run.tilescope"));
    EXPECT_EQ(find<QLabel>("run command")->text(), expected);
    EXPECT_TRUE(shows(view_, QStringLiteral("as far as its profile tells")));
    click("copy run command");
    EXPECT_EQ(QApplication::clipboard()->text(), expected);
}

TEST_F(Growing, SpaceHoldsTheDisplay) {
    execute(0, 0.75);
    recorder_->flush();
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("epoch 1 of 2, step 10 of 20")));
    QTest::keyClick(&view_.page(), Qt::Key_Space);
    EXPECT_TRUE(shows(view_, QStringLiteral("Held. Space shows what there is now.")));
    execute(1, 0.5);
    recorder_->flush();
    EXPECT_TRUE(comes_to_show(view_, QStringLiteral("Held, 10 steps behind.")));
    EXPECT_TRUE(shows(view_, QStringLiteral("epoch 1 of 2, step 10 of 20")));
    QTest::keyClick(&view_.page(), Qt::Key_Space);
    EXPECT_TRUE(shows(view_, QStringLiteral("epoch 1 of 2, step 20 of 20")));
    EXPECT_FALSE(find<QLabel>("held")->isVisible());
}

// Half of the time of each IPU is waiting.
TEST(PhaseChart, HatchesWaitingAndFitsALowWindow) {
    PhaseChart chart;
    std::vector<profile::PhaseSpan> spans(1);
    spans[0].end_cycle = 1000;
    spans[0].executions = 1;
    spans[0].cycles.compute = spans[0].cycles.waiting = 500;
    chart.setSpans(spans, 1e9);
    EXPECT_LT(chart.minimumSizeHint().height(), chart.sizeHint().height());
    chart.resize(300, chart.sizeHint().height());
    const QImage image = chart.grab().toImage();
    const Theme& theme = Theme::light();
    std::map<QRgb, int> heights;
    for (int y = 0; y < image.height(); ++y)
        ++heights[image.pixel(image.width() - 40, y)];
    EXPECT_GT(heights[ChartStyle::mixed(theme.waiting, theme.text, 0.12).rgb()], 3) << "lines of the hatch";
    EXPECT_GT(heights[theme.waiting.rgb()], 20);
    EXPECT_GT(heights[theme.compute.rgb()], 40);
}

class GrowingEstimate : public Growing {
    bool estimate() const override { return true; }
};

// It takes next to no time here, which is no speed of the run.
TEST_F(Growing, GaugesTellMemoryAndTheLastMinute) {
    const auto gauges = [this] { return view_.findChild<QWidget*>(QStringLiteral("gauges")); };
    const auto said = [&](const QString& words) {
        return QTest::qWaitFor([&] { return gauges()->accessibleName().contains(words); }, 20000);
    };
    EXPECT_TRUE(said(QStringLiteral("IPU 0: fullest tile –, computing –"))) << "it still compiles";
    const std::vector<std::int64_t> bytes{1000, 319488, 0};
    recorder_->add_tile_values("memory", 0, 0, "total", bytes);
    recorder_->add_tile_values("memory", 0, 0, "total_with_gaps", bytes);
    recorder_->add_tile_values("memory", 0, 0, "always_live", bytes);
    execute(0, 1);
    recorder_->flush();
    // 319,488 of 638,976 bytes; 665,000 of 1,330,000 cycles.
    EXPECT_TRUE(said(QStringLiteral("IPU 0: fullest tile 312 KiB, 50.0 %, computing 50.0 %")))
        << gauges()->accessibleName().toStdString();
    EXPECT_TRUE(comes_to_show(view_, QStringLiteral("of wall time (1 engine run)")));
}

TEST_F(GrowingEstimate, ShowsNoWallTimeOfItsSteps) {
    execute(0, 0.75);
    recorder_->flush();
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("simulated; 320,000 samples/s")));
    EXPECT_FALSE(shows(view_, QStringLiteral("/step")));
    EXPECT_FALSE(shows(view_, QStringLiteral("wall time")));
    EXPECT_FALSE(view_.findChild<QWidget*>(QStringLiteral("curves"))->isVisible()) << "it has no values";
    const auto* phases = view_.findChild<QWidget*>(QStringLiteral("utilisation"));
    EXPECT_TRUE(QTest::qWaitFor([&] { return phases->width() > view_.width() * 4 / 5; }, 5000))
        << phases->width() << " of " << view_.width() << ": what there is has the room";
}

TEST_F(Growing, AFinishedRunHoldsNoDevice) {
    execute(0, 0.75);
    recorder_->flush();
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("epoch 1 of 2, step 10 of 20")));
    EXPECT_EQ(cell(QStringLiteral("Device"), 0, 4), QStringLiteral("attached"));
    ASSERT_TRUE(recorder_->finish(profile::RunStatus::Complete));
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("● complete")));
    EXPECT_EQ(cell(QStringLiteral("Device"), 0, 4), QStringLiteral("free"));
    EXPECT_EQ(cell(QStringLiteral("Device"), 0, 5), QStringLiteral("–"));
}

TEST_F(Growing, ShowsWhyARunFailed) {
    execute(0, 0.75);
    ASSERT_TRUE(recorder_->finish(profile::RunStatus::Failed, "the loss is not a number"));
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("● failed")));
    EXPECT_TRUE(shows(view_, QStringLiteral("the loss is not a number")));
    EXPECT_TRUE(shows(view_, QStringLiteral("ended in: epoch 1 of 2")));
}

TEST_F(Growing, OffersTheSameWorkloadAgain) {
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("● running")));
    view_.viewActions().front()->trigger(); // New run…
    EXPECT_TRUE(view_.showsForm());
    EXPECT_EQ(find<QLineEdit>("workload")->text(), samples + QStringLiteral("tutorial_basic.json"));
    EXPECT_TRUE(find<QLineEdit>("output")->text().endsWith(QStringLiteral("tutorial_basic.tilescope")));
}

TEST_F(Live, WithoutAFileItInvitesToStartARun) {
    EXPECT_TRUE(view_.showsForm());
    EXPECT_TRUE(shows(view_, QStringLiteral("Choose a workload to begin, or drop one here.")));
    EXPECT_FALSE(find<QPushButton>("start")->isEnabled());
    EXPECT_FALSE(view_.viewActions().back()->isEnabled()); // Cancel the run
    type("workload", QStringLiteral("/nowhere/model.json"));
    EXPECT_TRUE(shows(view_, QStringLiteral("There is no such workload file.")));
    type("workload", samples + QStringLiteral("tutorial_basic.json"));
    type("output", QStringLiteral("/nowhere/run.tilescope"));
    EXPECT_TRUE(shows(view_, QStringLiteral("The profile's folder does not exist or cannot be written.")));
    EXPECT_FALSE(find<QPushButton>("start")->isEnabled());
    type("output", file("run.tilescope"));
    EXPECT_TRUE(find<QPushButton>("start")->isEnabled());
    QFile former(file("run.tilescope"));
    ASSERT_TRUE(former.open(QIODevice::WriteOnly));
    former.close();
    const QDateTime written(QDate::currentDate(), QTime(0, 5));
    ASSERT_TRUE(former.open(QIODevice::ReadWrite));
    ASSERT_TRUE(former.setFileTime(written, QFileDevice::FileModificationTime));
    former.close();
    type("output", file("run.tilescope"));
    EXPECT_TRUE(shows(view_, QStringLiteral("Replaces run.tilescope of today 00:05 once it is complete.")));
}

TEST_F(Live, APartOfASamplesNameAndCtrlReturnStartIt) {
    view_.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&view_));
    view_.form().begin();
    QSignalSpy started(&view_.form(), &RunForm::startRequested);
    auto* workload = find<QLineEdit>("workload");
    ASSERT_TRUE(workload->hasFocus());
    QTest::keyClicks(workload, QStringLiteral("mnist_tf"));
    QAbstractItemView* popup = workload->completer()->popup();
    ASSERT_TRUE(QTest::qWaitFor([&] { return popup->isVisible(); }));
    QTest::keyClick(popup, Qt::Key_Down);
    QTest::keyClick(popup, Qt::Key_Return);
    EXPECT_TRUE(workload->text().endsWith(QStringLiteral("samples/mnist_tf2.json")))
        << workload->text().toStdString();
    EXPECT_EQ(started.size(), 0) << "Enter takes what is offered";
    EXPECT_TRUE(find<QLineEdit>("output")->text().endsWith(QStringLiteral("/mnist_tf2.tilescope")));
    type("output", file("sample.tilescope"));
    QTest::keyClick(find<QLineEdit>("output"), Qt::Key_Return, Qt::ControlModifier);
    EXPECT_EQ(started.size(), 1) << view_.form().problem().toStdString();
    view_.process().cancel();
    EXPECT_TRUE(QTest::qWaitFor([&] { return !view_.process().running(); }, 20000));
}

TEST_F(Live, WhatIsOfferedGoesWhenTheRunStarts) {
    view_.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&view_));
    view_.form().begin();
    type("output", file("sample.tilescope"));
    auto* workload = find<QLineEdit>("workload");
    workload->setFocus();
    workload->selectAll();
    QTest::keyClicks(workload, samples + QStringLiteral("mnist_tf2.json"));
    type("output", file("sample.tilescope"));
    QAbstractItemView* popup = workload->completer()->popup();
    ASSERT_TRUE(QTest::qWaitFor([&] { return popup->isVisible(); }));
    QSignalSpy started(&view_.form(), &RunForm::startRequested);
    QTest::keyClick(popup, Qt::Key_Return, Qt::ControlModifier);
    EXPECT_EQ(started.size(), 1) << view_.form().problem().toStdString();
    EXPECT_FALSE(popup->isVisible());
    view_.process().cancel();
    EXPECT_TRUE(QTest::qWaitFor([&] { return !view_.process().running(); }, 20000));
}

TEST_F(Live, StartsARunAndShowsItsResult) {
    QSignalSpy messages(&view_, &View::message);
    type("workload", samples + QStringLiteral("tutorial_basic.json"));
    type("output", file("basic.tilescope"));
    click("start");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("● complete")));
    EXPECT_FALSE(view_.showsForm());
    EXPECT_TRUE(shows(view_, QStringLiteral("out = [3, 8], expected [3, 8]")))
        << tests::shown_texts(view_).join(QLatin1Char('\n')).toStdString();
    EXPECT_EQ(recordedStatus(file("basic.tilescope")), profile::RunStatus::Complete);
    EXPECT_EQ(find<QLabel>("run command")->text(), view_.form().request().commandLine());
    EXPECT_TRUE(QTest::qWaitFor([&] { return !messages.isEmpty(); }, 20000));
    EXPECT_EQ(messages.last().first().toString(), QStringLiteral("The run is complete"));
}

TEST_F(Live, CancelsTheRunThatItStarted) {
    type("workload", endlessWorkload());
    type("output", file("endless.tilescope"));
    click("start");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("of 100000, step")));
    EXPECT_TRUE(view_.viewActions().back()->isEnabled());
    click("cancel");
    EXPECT_EQ(find<QPushButton>("cancel")->text(), QStringLiteral("Stop…")) << "it is asked once";
    click("stopRun");
    EXPECT_EQ(find<QPushButton>("cancel")->text(), QStringLiteral("Cancelling…"));
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("● cancelled")));
    EXPECT_TRUE(shows(view_, QStringLiteral("ended in: epoch")));
    EXPECT_FALSE(view_.viewActions().back()->isEnabled());
    EXPECT_EQ(recordedStatus(file("endless.tilescope")), profile::RunStatus::Cancelled);
}

TEST_F(Live, AnIpuWithSeveralStagesNamesThemAll) {
    LiveState state;
    state.ipus = {profile::IpuRecord{0, 0, "", 0, 0, -1}, profile::IpuRecord{1, 0, "", 1, 1, -1}};
    state.ipus[0].stage = 0;
    state.ipus[1].stage = 1;
    state.by_ipu.resize(2);
    state.stage_ipus = {{0, 0}, {1, 1}, {2, 0}};
    RunPage page;
    page.show(state, QString(), nullptr);
    const auto& gauges = page.findChild<IpuGauges*>(QStringLiteral("gauges"))->gauges();
    ASSERT_EQ(gauges.size(), 2U);
    EXPECT_EQ(gauges[0].name, QStringLiteral("IPU 0, stages 0, 2"));
    EXPECT_EQ(gauges[1].name, QStringLiteral("IPU 1, stage 1"));
}

TEST_F(Live, DrawsManyEpochsAsOneStage) {
    LiveState state;
    state.progress = {profile::RunActivity::Train, 25, 100, 5, 10, 1000};
    const std::vector<Stage> stages = stagesOf(state);
    ASSERT_EQ(stages.size(), 2U);
    EXPECT_EQ(stages[1].name, QStringLiteral("100 epochs"));
    EXPECT_DOUBLE_EQ(stages[1].done, 0.255);
    EXPECT_EQ(stages[1].state, Stage::State::Current);
    state.progress.epochs = 40;
    EXPECT_EQ(stagesOf(state).size(), 41U);
}

TEST_F(Live, CancelsARunThatSomeoneElseStarted) {
    QProcess run;
    run.start(program, {QStringLiteral("profile"), endlessWorkload(), QStringLiteral("-o"),
                        file("other.tilescope"), QStringLiteral("--progress"), QStringLiteral("none")});
    ASSERT_TRUE(run.waitForStarted());
    ASSERT_TRUE(QTest::qWaitFor(
        [this] { return profile::Profile::open(file("other.tilescope").toStdString()).has_value(); }, 60000));
    open(file("other.tilescope"));
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("of 100000, step")));
    view_.viewActions().back()->trigger();
    click("stopRun");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("● cancelled")));
    EXPECT_TRUE(run.state() == QProcess::NotRunning || run.waitForFinished(60000));
    EXPECT_EQ(run.exitStatus(), QProcess::NormalExit);
}

TEST_F(Live, SaysThatARunWasInterrupted) {
    QProcess run;
    run.start(program, {QStringLiteral("profile"), endlessWorkload(), QStringLiteral("-o"),
                        file("killed.tilescope"), QStringLiteral("--progress"), QStringLiteral("none")});
    ASSERT_TRUE(run.waitForStarted());
    const auto pid = QString::number(run.processId());
    ASSERT_TRUE(QTest::qWaitFor(
        [this] { return profile::Profile::open(file("killed.tilescope").toStdString()).has_value(); },
        60000));
    open(file("killed.tilescope"));
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("of 100000, step")));
    run.kill();
    ASSERT_TRUE(run.state() == QProcess::NotRunning || run.waitForFinished(60000));
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("● killed")));
    EXPECT_TRUE(shows(view_, QStringLiteral("Process %1, which wrote this profile, is gone").arg(pid)));
    EXPECT_TRUE(shows(view_, QStringLiteral("ended in: epoch")));
}

TEST_F(Live, ShowsInOneLineWhyARunCouldNotStart) {
    QFile workload(file("wrong.json"));
    ASSERT_TRUE(workload.open(QIODevice::WriteOnly));
    workload.write(R"({"name": "wrong", "graph": {"nodes": [{"name": "o", "op": "ad", "inputs": []}],
        "feeds": {}, "fetches": ["o"]}})");
    workload.close();
    type("workload", workload.fileName());
    type("output", file("wrong.tilescope"));
    click("start");
    auto* error = find<QLabel>("form error");
    ASSERT_TRUE(QTest::qWaitFor([&] { return error->isVisible(); }, 60000));
    EXPECT_TRUE(error->text().contains(QStringLiteral("ad"))) << error->text().toStdString();
    EXPECT_TRUE(error->text().contains(QStringLiteral("wrong.json"))) << error->text().toStdString();
    EXPECT_FALSE(error->text().contains(QLatin1Char('\n')));
    EXPECT_TRUE(view_.showsForm());
    EXPECT_EQ(find<QPushButton>("start")->text(), QStringLiteral("Start the run")); // it can be tried again
    EXPECT_TRUE(find<QPushButton>("start")->isEnabled());
    EXPECT_FALSE(QFile::exists(file("wrong.tilescope")));
}

TEST_F(Live, ReplacesAProfileOfTheSameName) {
    ASSERT_TRUE(tests::record_fixture(file("basic.tilescope").toStdString()));
    open(file("basic.tilescope"));
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("fixture")));
    click("new run");
    type("workload", samples + QStringLiteral("tutorial_basic.json"));
    type("output", file("basic.tilescope"));
    EXPECT_TRUE(shows(view_, QStringLiteral("Replaces ")));
    click("start");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("tutorial-basic ● complete")));
}

TEST_F(Live, RemembersTheForm) {
    type("workload", samples + QStringLiteral("tutorial_basic.json"));
    type("data", QString::fromStdString(folder_.path().string()));
    type("output", file("named.tilescope"));
    const QJsonObject state = view_.saveState();
    LiveView another;
    another.restoreState(state);
    EXPECT_EQ(another.form().request(), view_.form().request());
    EXPECT_EQ(another.form().request().output, file("named.tilescope"));
    another.form().setWorkload(samples + QStringLiteral("keras_mnist.json"));
    EXPECT_EQ(another.form().request().output, file("named.tilescope")); // named by the user: kept
}

TEST_F(Live, ShowsTheSameRunAsACommandLine) {
    type("workload", QStringLiteral("my model.json"));
    type("output", QStringLiteral("run.tilescope"));
    EXPECT_TRUE(shows(view_, QStringLiteral("tilescope profile 'my model.json' -o run.tilescope")));
    QTest::mouseClick(view_.form().findChild<QToolButton*>(QStringLiteral("copy command")), Qt::LeftButton);
    EXPECT_EQ(QApplication::clipboard()->text(),
              QStringLiteral("tilescope profile 'my model.json' -o run.tilescope"));
}

TEST_F(Live, TakesSettingsOtherThanTheWorkloads) {
    type("workload", samples + QStringLiteral("keras_mnist.json"));
    type("output", file("run.tilescope"));
    auto* table = find<OverrideTable>("overrides");
    table->item(0, 0)->setText(QStringLiteral("fit.batchsize"));
    table->item(0, 1)->setText(QStringLiteral("8"));
    EXPECT_EQ(view_.form().problem(),
              QStringLiteral("“fit.batchsize” is no setting of a workload; did you mean fit.batch_size?"));
    EXPECT_FALSE(find<QPushButton>("start")->isEnabled());
    table->item(0, 0)->setText(QStringLiteral("fit.batch_size"));
    EXPECT_EQ(view_.form().problem(), QString());
    EXPECT_EQ(view_.form().request().overrides, QStringList{QStringLiteral("fit.batch_size=8")});
    EXPECT_TRUE(shows(view_, QStringLiteral("--set fit.batch_size=8")));
    EXPECT_TRUE(table->item(0, 1)->toolTip().contains(QStringLiteral("Default: 32")));
    view_.form().setOverride(QStringLiteral("seed=4"));
    view_.form().setOverride(QStringLiteral("fit.batch_size=16"));
    EXPECT_EQ(table->overrides(),
              (QStringList{QStringLiteral("seed=4"), QStringLiteral("fit.batch_size=16")}));
    table->setCurrentCell(0, 0);
    QTest::keyClick(table, Qt::Key_Delete);
    EXPECT_EQ(table->overrides(), QStringList{QStringLiteral("fit.batch_size=16")});
    LiveView another;
    another.restoreState(view_.saveState());
    EXPECT_EQ(another.form().request().overrides, table->overrides());
}

TEST_F(Live, BatchSeedAndSystemHaveFieldsAndAreSettings) {
    type("workload", samples + QStringLiteral("keras_mnist.json"));
    type("output", file("run.tilescope"));
    auto* table = find<OverrideTable>("overrides");
    auto* batch = find<QSpinBox>("batch");
    auto* seed = find<QSpinBox>("seed");
    auto* system = find<QComboBox>("system");
    EXPECT_EQ(batch->text(), QStringLiteral("as in the workload"));
    batch->setValue(16);
    seed->setValue(0);
    ASSERT_GE(system->findText(QStringLiteral("pod16")), 1);
    system->setCurrentIndex(system->findText(QStringLiteral("pod16")));
    Q_EMIT system->activated(system->currentIndex());
    EXPECT_EQ(table->overrides(), (QStringList{QStringLiteral("fit.batch_size=16"), QStringLiteral("seed=0"),
                                               QStringLiteral("system=pod16")}));
    EXPECT_EQ(view_.form().problem(), QString());
    EXPECT_TRUE(shows(view_, QStringLiteral("--set fit.batch_size=16 --set seed=0 --set system=pod16")));
    // What is typed in the table stands in the fields, and the other way round.
    table->setOverrides({QStringLiteral("fit.batch_size=8")});
    EXPECT_EQ(batch->value(), 8);
    EXPECT_EQ(seed->text(), QStringLiteral("as in the workload"));
    EXPECT_EQ(system->currentIndex(), 0);
    batch->setValue(0);
    EXPECT_TRUE(table->overrides().isEmpty());
}

TEST_F(Live, TheLastTenRunsAreSetUpAgain) {
    RunForm form; // alone: nothing is started
    QStringList started;
    QObject::connect(&form, &RunForm::startRequested, &form,
                     [&](const RunRequest& request) { started << request.overrides; });
    auto* button = form.findChild<QToolButton*>(QStringLiteral("recentRuns"));
    EXPECT_TRUE(button->isHidden()) << "there was none";
    form.setWorkload(samples + QStringLiteral("tutorial_basic.json"));
    form.findChild<QLineEdit*>(QStringLiteral("output"))->setText(file("run.tilescope"));
    for (int run = 0; run < 12; ++run) {
        form.findChild<QSpinBox*>(QStringLiteral("seed"))->setValue(run % 11);
        form.findChild<QPushButton*>(QStringLiteral("start"))->click();
    }
    EXPECT_EQ(started.size(), 12);
    const auto& recent = form.recent();
    ASSERT_EQ(recent.size(), RunForm::most_recent);
    EXPECT_EQ(recent[0].overrides, QStringList{QStringLiteral("seed=0")}) << "it was started again";
    EXPECT_EQ(recent[1].overrides, QStringList{QStringLiteral("seed=10")});
    RunForm another;
    another.restoreState(form.saveState());
    EXPECT_EQ(another.recent(), recent);
    const QMenu* menu = another.findChild<QToolButton*>(QStringLiteral("recentRuns"))->menu();
    ASSERT_EQ(menu->actions().size(), RunForm::most_recent);
    EXPECT_EQ(menu->actions()[1]->text(), QStringLiteral("tutorial_basic, seed=10"));
    menu->actions()[1]->trigger();
    EXPECT_EQ(another.request(), recent[1]);
}

TEST_F(Live, KnowsEverySettingOfTheSchema) {
    const auto& settings = workloadSettings();
    const auto named = [&](const char* key) {
        const auto found = std::find_if(settings.begin(), settings.end(),
                                        [&](const auto& s) { return s.key == QLatin1String(key); });
        EXPECT_NE(found, settings.end()) << key;
        return found == settings.end() ? WorkloadSetting{} : *found;
    };
    EXPECT_EQ(named("fit.batch_size").fallback, QStringLiteral("32"));
    EXPECT_EQ(named("device").kind, QStringLiteral("ipu or cpu"));
    EXPECT_EQ(named("seed").kind, QStringLiteral("integer"));
    EXPECT_FALSE(named("system.name").kind.isEmpty());
    for (const char* key : {"pipeline.schedule", "compile.steps_per_execution", "model.shards"})
        named(key);
}

TEST_F(Live, AcceptsDroppedWorkloadsAndProfiles) {
    const auto drop = [this](const QString& path) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&view_.form(), &enter);
        EXPECT_TRUE(enter.isAccepted());
        QDropEvent event(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&view_.form(), &event);
    };
    drop(samples + QStringLiteral("mnist_tf2.json"));
    EXPECT_EQ(find<QLineEdit>("workload")->text(), samples + QStringLiteral("mnist_tf2.json"));
    EXPECT_TRUE(find<QLineEdit>("output")->text().endsWith(QStringLiteral("mnist_tf2.tilescope")));
    ASSERT_TRUE(tests::record_fixture(file("run.tilescope").toStdString()));
    drop(file("run.tilescope"));
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("fixture ● complete")));
    EXPECT_FALSE(view_.showsForm());
}

} // namespace
} // namespace tilescope::ui
