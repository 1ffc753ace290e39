// SPDX-License-Identifier: GPL-3.0-or-later
#include "live_fixture.h"
#include "tests/profile_fixture.h"
#include "tests/runs_scripts.h"
#include "tests/ui/cut_text.h"
#include "ui/live/override_table.h"
#include "ui/live/phase_chart.h"
#include "ui/live/run_form.h"
#include "ui/live/run_page.h"
#include "ui/live/workload_settings.h"
#include "ui/widgets/ipu_gauges.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QCompleter>
#include <QDateTime>
#include <QDropEvent>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QProcess>
#include <QSignalSpy>
#include <QSpinBox>
#include <QToolButton>
#include <csignal>
#include <fstream>
#include <unistd.h>

namespace tilescope::ui {
namespace {

TEST_F(Live, WithoutAFileItInvitesToStartARun) {
    EXPECT_TRUE(view_.showsForm());
    EXPECT_TRUE(shows(view_, QStringLiteral("Choose a workload to begin, or drop one here.")));
    EXPECT_FALSE(find<QPushButton>("start")->isEnabled());
    EXPECT_FALSE(view_.viewActions().back()->isEnabled()); // Cancel the run
    type("workload", QStringLiteral("/nowhere/model.json"));
    EXPECT_TRUE(shows(view_, QStringLiteral("There is no such workload file.")));
    type("workload", live_samples + QStringLiteral("tutorial_basic.json"));
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
    QTest::keyClicks(workload, live_samples + QStringLiteral("mnist_tf2.json"));
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
    type("workload", live_samples + QStringLiteral("tutorial_basic.json"));
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
    EXPECT_TRUE(QTest::qWaitFor([&] { return !view_.viewActions().back()->isEnabled(); }, 20000))
        << "once its process has ended";
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

TEST_F(Live, ANarrowPageIsOneColumnAndInAWideOneTheTabsStandBeside) {
    LiveState state;
    state.run.status = profile::RunStatus::Complete;
    state.ipus = {profile::IpuRecord{0, 0, "", 0, 0, -1}};
    state.by_ipu.resize(1);
    state.target.bytes_per_tile = 1000;
    state.fullest = {{0, 3, 960}};
    RunPage page;
    const auto part = [&](const char* name) {
        const auto* widget = page.findChild<QWidget*>(QLatin1String(name));
        return QRect(widget->mapTo(&page, QPoint()), widget->size());
    };
    const auto place = [&](int letters) {
        page.resize(letters * page.fontMetrics().averageCharWidth(), 900);
        page.show(state, QString(), nullptr);
        static_cast<QWidget&>(page).show();
        QTest::qWait(1);
    };
    auto* gauges = page.findChild<IpuGauges*>(QStringLiteral("gauges"));
    for (const int round : {0, 1}) {
        place(130);
        EXPECT_GE(part("utilisation").top(), part("curves").bottom()) << round;
        EXPECT_GE(part("runTabsCard").top(), part("utilisation").bottom());
        EXPECT_FALSE(gauges->numbersAlone()) << "one column has room for bars";
        place(170);
        EXPECT_GE(part("utilisation").left(), part("curves").right()) << round;
        EXPECT_GE(part("runTabsCard").top(), part("utilisation").bottom());
        EXPECT_FALSE(gauges->numbersAlone());
        place(230);
        EXPECT_GE(part("runTabsCard").left(), part("utilisation").right()) << round;
        EXPECT_EQ(part("runTabsCard").top(), part("utilisation").top());
        place(80);
        EXPECT_TRUE(gauges->numbersAlone());
    }
}

TEST_F(Live, ReplicasThatDoTheSameAreOneLaneAndOneGauge) {
    LiveState state;
    state.target.clock_hz = 1e9;
    for (std::int64_t ipu = 0; ipu < 4; ++ipu) { // two replicas of two shards
        state.ipus.push_back(profile::IpuRecord{ipu, ipu, "", ipu / 2, ipu % 2});
        state.by_ipu.push_back({});
        state.by_ipu.back().compute = 10 * (ipu + 1);
        state.by_ipu.back().exchange = 100 - 10 * (ipu + 1);
        profile::PhaseSpan span;
        span.ipu = ipu;
        span.end_cycle = 100;
        span.executions = 1;
        span.cycles = state.by_ipu.back();
        state.phases.push_back(span);
    }
    RunPage page;
    page.show(state, QString(), nullptr);
    const auto& gauges = page.findChild<IpuGauges*>(QStringLiteral("gauges"))->gauges();
    ASSERT_EQ(gauges.size(), 2U);
    EXPECT_EQ(gauges[0].name, QStringLiteral("IPU 0 (also 2)"));
    EXPECT_EQ(gauges[1].name, QStringLiteral("IPU 1 (also 3)"));
    EXPECT_EQ(gauges[1].busy, 0.2) << "its own, not that of a neighbour";
    auto* lanes = page.findChild<PhaseChart*>();
    EXPECT_EQ(lanes->toText(u',').count(u'\n'), 3) << lanes->toText(u',').toStdString();
    lanes->resize(400, 200);
    QStringList drawn;
    for (const tests::DrawnText& each : tests::drawn_texts(*lanes))
        drawn << each.text;
    EXPECT_TRUE(drawn.contains(QStringLiteral("IPU 0 (also 2)"))) << drawn.join(u'|').toStdString();
    EXPECT_TRUE(drawn.contains(QStringLiteral("IPU 1 (also 3)")));
    EXPECT_EQ(tests::cut_in(*lanes).filter(QStringLiteral("IPU")), QStringList());
}

// The page scrolls with its axis; a lane whose lower part is hidden would look as if it had none.
TEST_F(Live, TheAxisOfPhasesStandsBelowTheLanesWhateverOfThePageIsSeen) {
    QWidget page; // shows the upper half of what is on it
    page.resize(400, 60);
    auto* viewport = new QWidget(&page);
    viewport->resize(400, 120);
    auto* chart = new PhaseChart(viewport);
    chart->resize(400, 120);
    profile::PhaseSpan span;
    span.end_cycle = 100;
    span.cycles.compute = 100;
    chart->setSpans({span}, 1e9, {});
    page.show();
    double lowest = 0;
    for (const tests::DrawnText& each : tests::drawn_texts(*chart))
        lowest = std::max(lowest, each.place.bottom());
    EXPECT_GT(lowest, 105);
    viewport->resize(400, 80); // the lanes scroll in it
    lowest = 0;
    for (const tests::DrawnText& each : tests::drawn_texts(*chart))
        if (each.text.endsWith(QStringLiteral("ns")))
            lowest = std::max(lowest, each.place.bottom());
    EXPECT_GT(lowest, 65);
    EXPECT_LE(lowest, 80);
}

TEST_F(Live, AMeanThatWasCutOffIsNotThatOfItsEpoch) {
    LiveState state;
    state.run.status = profile::RunStatus::Cancelled;
    state.progress = {profile::RunActivity::Train, 1, 5, 30, 100, 1000};
    state.course.points = {{"loss", 0, 100, 0.5}, {"loss", 1, 30, 0.25}};
    RunPage page;
    page.show(state, QStringLiteral("run.tilescope"), nullptr);
    page.setVisible(true);
    EXPECT_TRUE(shows(page, QStringLiteral("mean of epoch 2 until it was cut off")));
    state.progress.step = 100;
    page.show(state, QStringLiteral("run.tilescope"), nullptr);
    EXPECT_TRUE(tests::shown_texts(page).contains(QStringLiteral("mean of epoch 2")));
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
    run.start(live_program, {QStringLiteral("profile"), endlessWorkload(), QStringLiteral("-o"),
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
    run.start(live_program, {QStringLiteral("profile"), endlessWorkload(), QStringLiteral("-o"),
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
    type("workload", live_samples + QStringLiteral("tutorial_basic.json"));
    type("output", file("basic.tilescope"));
    EXPECT_TRUE(shows(view_, QStringLiteral("Replaces ")));
    click("start");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("tutorial-basic ● complete")));
}

TEST_F(Live, RemembersTheForm) {
    type("workload", live_samples + QStringLiteral("tutorial_basic.json"));
    type("data", QString::fromStdString(folder_.path().string()));
    type("output", file("named.tilescope"));
    const QJsonObject state = view_.saveState();
    LiveView another;
    another.restoreState(state);
    EXPECT_EQ(another.form().request(), view_.form().request());
    EXPECT_EQ(another.form().request().output, file("named.tilescope"));
    another.form().setWorkload(live_samples + QStringLiteral("keras_mnist.json"));
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

TEST_F(Live, RunsAScript) {
    if (!tests::runs_scripts())
        GTEST_SKIP() << "this build has no Python";
    const std::string script = folder_ / "train.py";
    std::ofstream(script) << "import numpy as np\n"
                             "import tensorflow as tf\n"
                             "from tensorflow.python import ipu\n"
                             "config = ipu.config.IPUConfig()\n"
                             "config.auto_select_ipus = 1\n"
                             "config.configure_ipu_system()\n"
                             "with ipu.ipu_strategy.IPUStrategy().scope():\n"
                             "    model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(4,))])\n"
                             "    model.compile('sgd', 'mse')\n"
                             "    data = np.zeros((8, 4), 'f'), np.zeros((8, 2), 'f')\n"
                             "    model.fit(*data, batch_size=4, epochs=3)\n"
                             "    model.evaluate(*data, batch_size=4)\n";
    type("workload", QString::fromStdString(script));
    type("output", file("train.tilescope"));
    view_.form().setOverride(QStringLiteral("system=pod4"));
    view_.form().setOverride(QStringLiteral("seed=3"));
    EXPECT_EQ(view_.form().request().arguments(),
              (QStringList{QStringLiteral("run"), QStringLiteral("--system"), QStringLiteral("pod4"),
                           QStringLiteral("--set"), QStringLiteral("seed=3"), QStringLiteral("-o"),
                           file("train.tilescope"), QString::fromStdString(script)}));
    EXPECT_FALSE(find<QSpinBox>("epochs")->isEnabled()) << "which the script says";
    click("start");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("● complete")))
        << find<QLabel>("form error")->text().toStdString();
    const auto profile = profile::Profile::open(file("train.tilescope").toStdString());
    ASSERT_TRUE(profile);
    EXPECT_EQ((*profile)->progress()->epochs, 3) << "an evaluation is no epoch";
}

TEST_F(Live, TakesSettingsOtherThanTheWorkloads) {
    type("workload", live_samples + QStringLiteral("keras_mnist.json"));
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
    view_.form().setOverride(QStringLiteral("estimate=true")); // which is no setting
    EXPECT_TRUE(view_.form().request().estimate);
    view_.form().setOverride(QStringLiteral("estimate=false"));
    EXPECT_FALSE(view_.form().request().estimate);
    EXPECT_EQ(table->overrides(),
              (QStringList{QStringLiteral("seed=4"), QStringLiteral("fit.batch_size=16")}));
    table->setCurrentCell(0, 0);
    QTest::keyClick(table, Qt::Key_Delete);
    EXPECT_EQ(table->overrides(), QStringList{QStringLiteral("fit.batch_size=16")});
    LiveView another;
    another.restoreState(view_.saveState());
    EXPECT_EQ(another.form().request().overrides, table->overrides());
}

TEST_F(Live, SettingsAreCheckedAsTheyAreTyped) {
    type("workload", live_samples + QStringLiteral("keras_mnist.json"));
    type("output", file("run.tilescope"));
    auto* table = find<OverrideTable>("overrides");
    const auto problem = [&](const char* key, const char* value) {
        table->setOverrides({QLatin1String(key) + QLatin1Char('=') + QLatin1String(value)});
        const bool marked = table->item(0, 1)->foreground() == QBrush(Theme::of(table).bad);
        EXPECT_EQ(marked, !view_.form().problem().isEmpty()) << key << "=" << value;
        return view_.form().problem().toStdString();
    };
    EXPECT_EQ(problem("fit.batch_size", "eight"), "fit.batch_size takes a whole number of at least 1.");
    EXPECT_EQ(problem("fit.batch_size", "1.5"), "fit.batch_size takes a whole number of at least 1.");
    EXPECT_EQ(problem("fit.batch_size", "0"), "fit.batch_size takes a whole number of at least 1.");
    EXPECT_EQ(problem("device", "gpu"), "device takes ipu or cpu.");
    EXPECT_EQ(problem("compile.loss_scale", "0"), "compile.loss_scale takes a number above 0.");
    EXPECT_EQ(problem("compile.from_logits", "1"), "compile.from_logits takes true or false.");
    for (const auto& [key, value] : {std::pair("fit.batch_size", "8"),
                                     {"device", "cpu"},
                                     {"compile.loss_scale", "1e-3"},
                                     {"compile.from_logits", "true"},
                                     {"model.shards", "2"},
                                     {"model.shards", R"({"conv2d_1": 1})"},
                                     {"system", "pod16"},
                                     {"model.weights", "false"},
                                     {"model.weights", "a.h5"},
                                     {"compile.optimizer", "Adam"}})
        EXPECT_EQ(problem(key, value), "");
}

TEST_F(Live, BatchSeedAndSystemHaveFieldsAndAreSettings) {
    type("workload", live_samples + QStringLiteral("keras_mnist.json"));
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
    form.setWorkload(live_samples + QStringLiteral("tutorial_basic.json"));
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

// Of a file that names its optimiser and its system by a text alone, and of a bare model, which leaves all
// open.
TEST_F(Live, KnowsWhichSettingsARunHadOtherThanItsFile) {
    const QByteArray asked = R"({"name": "n", "model": {"keras": "/a/m.json"}, "seed": 3,
        "system": {"name": "pod4", "busy": []}, "fit": {"batch_size": 8, "epochs": 1, "shuffle": false},
        "compile": {"optimizer": {"name": "adam"}, "loss": "mse", "metrics": []},
        "pipeline": {"stages": {"b": 1}},
        "ipu_config": {"ipu_model": {"version": "ipu2", "clock_hz": 1.33e9}, "auto_select_ipus": 2}})";
    const QByteArray file = R"({"model": {"keras": "m.json"}, "system": "pod4", "fit": {"batch_size": 8},
        "compile": {"optimizer": "adam", "loss": "mse"}, "pipeline": {"stages": {"a": 1}},
        "ipu_config": {"auto_select_ipus": 2}})";
    QStringList changed = changedSettings(file, asked);
    changed.sort();
    EXPECT_EQ(changed, (QStringList{QStringLiteral("fit.shuffle=false"),
                                    QStringLiteral("pipeline.stages={\"b\":1}"), QStringLiteral("seed=3")}));
    EXPECT_EQ(changedSettings(asked, asked), QStringList());
    const QStringList of_model = changedSettings(R"({"class_name": "Sequential"})", asked);
    for (const char* one : {"system.name=pod4", "fit.batch_size=8", "compile.optimizer.name=adam",
                            "compile.loss=mse", "ipu_config.auto_select_ipus=2"})
        EXPECT_TRUE(of_model.contains(QLatin1String(one))) << one;
    EXPECT_EQ(of_model.filter(QStringLiteral("clock_hz")), QStringList()) << "it is that of its generation";
}

TEST_F(Live, ARunThatIsSetUpHasNoSettingsOfTheOneBefore) {
    view_.form().setRun(QStringLiteral("/a/first.json"),
                        {QStringLiteral("seed=4"), QStringLiteral("estimate=true")});
    view_.form().setRun(QStringLiteral("/a/second.json"), {QStringLiteral("fit.batch_size=8")});
    const RunRequest request = view_.form().request();
    EXPECT_EQ(request.workload, QStringLiteral("/a/second.json"));
    EXPECT_EQ(request.overrides, QStringList{QStringLiteral("fit.batch_size=8")});
    EXPECT_FALSE(request.estimate);
    EXPECT_TRUE(request.output.endsWith(QStringLiteral("second.tilescope")));
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
    drop(live_samples + QStringLiteral("mnist_tf2.json"));
    EXPECT_EQ(find<QLineEdit>("workload")->text(), live_samples + QStringLiteral("mnist_tf2.json"));
    EXPECT_TRUE(find<QLineEdit>("output")->text().endsWith(QStringLiteral("mnist_tf2.tilescope")));
    ASSERT_TRUE(tests::record_fixture(file("run.tilescope").toStdString()));
    drop(file("run.tilescope"));
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("fixture ● complete")));
    EXPECT_FALSE(view_.showsForm());
}

} // namespace
} // namespace tilescope::ui
