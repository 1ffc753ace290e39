// SPDX-License-Identifier: GPL-3.0-or-later
#include "live_fixture.h"
#include "profile/recorder.h"
#include "tests/record_rows.h"
#include "ui/live/phase_chart.h"
#include "ui/live/run_page.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/line_chart.h"

#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTabWidget>
#include <pwd.h>
#include <unistd.h>

namespace tilescope::ui {
namespace {

using profile::ExecutionKind;

/// A run that writes its profile while the view follows it: two epochs of two executions of 10 steps.
class Growing : public Live {
  protected:
    void SetUp() override {
        Live::SetUp();
        profile::RunRecord run;
        run.name = "growing";
        run.workload = R"({"name":"growing","fit":{"batch_size":32}})";
        run.workload_path = (live_samples + QStringLiteral("tutorial_basic.json")).toStdString();
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
        recorder_->add(profile::DeviceRecord{0, false, "", "10.0.0.1", 3, "M2000",
                                             profile::DeviceState::Attached, "DNC"});
        recorder_->add(
            profile::DeviceRecord{1, false, "", "10.0.0.1", 2, "M2000", profile::DeviceState::Free, "DNC"});
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
        recorder_->add(profile::MetricRecord{id, "precision", 0.5});
        recorder_->set(profile::ProgressRecord{profile::RunActivity::Train, id / 2, 2, (id % 2 + 1) * 10, 20,
                                               (id + 1) * 20 + 5});
    }

    std::unique_ptr<profile::Recorder> recorder_;
};

TEST_F(Growing, ShowsHowFarTheRunIsAndItsNewestFigures) {
    EXPECT_FALSE(view_.showsForm());
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("compilation, pass 4 of 12")));
    EXPECT_TRUE(shows(view_, QStringLiteral("● running")));
    EXPECT_FALSE(shows(view_, QStringLiteral("left")));
    const auto pass = [this](double share, std::int64_t ms) {
        recorder_->set(profile::ProgressRecord{profile::RunActivity::Compile, 0, 2, 3, 12, ms, share});
        recorder_->flush();
    };
    pass(0.25, 1005);
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("pass 4 of 12, 25.0 % of its work")));
    pass(0.5, 2005); // half of it in two seconds
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("pass 4 of 12, 50.0 % of its work")));
    EXPECT_TRUE(shows(view_, QStringLiteral("about 2 s of it left (estimate: as fast as so far)")));
    EXPECT_TRUE(shows(view_, QStringLiteral("The curves begin with the first execution.")));

    execute(0, 0.75);
    recorder_->flush();
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("epoch 1 of 2, step 10 of 20")));
    EXPECT_TRUE(shows(view_, QStringLiteral("0.75")));
    EXPECT_TRUE(shows(view_, QStringLiteral("62.5 %")));
    EXPECT_TRUE(shows(view_, QStringLiteral("mean of epoch 1 so far")));
    EXPECT_TRUE(shows(view_, QStringLiteral("100 µs"))); // a step: 133,000 cycles at 1.33 GHz
    EXPECT_TRUE(shows(view_, QStringLiteral("simulated; 320,000 samples/s")));
    EXPECT_TRUE(shows(view_, QStringLiteral("2 ms")));
    EXPECT_TRUE(shows(view_, QStringLiteral("wall time per step")));

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
    EXPECT_EQ(charts[1]->toText(QLatin1Char(' ')),
              QStringLiteral("curve epoch value\naccuracy 0.5 0.625\naccuracy 1 0.75\naccuracy 1.5 0.875\n"
                             "accuracy 2 0.9375\naccuracy, evaluation 2 0.875\nprecision 0.5 0.5\n"
                             "precision 1 0.5\nprecision 1.5 0.5\nprecision 2 0.5\n"));
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
    EXPECT_EQ(cell(devices, 0, 4), QStringLiteral("DNC"));
    EXPECT_EQ(cell(devices, 0, 5), QStringLiteral("attached"));
    EXPECT_EQ(cell(devices, 0, 6), QString::number(getpid()));
    EXPECT_EQ(cell(devices, 0, 7), QStringLiteral("test_ui_live"));
    EXPECT_EQ(cell(devices, 0, 8), QString::fromLocal8Bit(getpwuid(geteuid())->pw_name));
    EXPECT_EQ(cell(devices, 0, 9), QStringLiteral("45 ms"));
    EXPECT_EQ(cell(devices, 0, 10), QStringLiteral("1.33 GHz"));
    EXPECT_EQ(cell(devices, 0, 11), QStringLiteral("50.0 %"));
    EXPECT_EQ(cell(devices, 1, 5), QStringLiteral("free"));
    EXPECT_EQ(cell(devices, 1, 7), QStringLiteral("–"));
    EXPECT_EQ(cell(devices, 1, 11), QStringLiteral("–"));
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
    EXPECT_EQ(tabs->tabText(1), QStringLiteral("Devices of pod4: 2"));
    EXPECT_TRUE(
        find<QPlainTextEdit>("run workload")->toPlainText().contains(QStringLiteral("\"batch_size\": 32")));
    tabs->setCurrentIndex(3);
    const QString expected = QStringLiteral("tilescope profile %1tutorial_basic.json -o %2")
                                 .arg(live_samples, file("run.tilescope"));
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

// The model has two outputs, each with a loss of its own.
TEST_F(Growing, TheCardOfTheMetricNamesTheOneThatItShows) {
    tests::record_rows(*recorder_, {{0, ExecutionKind::Train, 0, 0, 10, 0, 1330000, 20000}},
                       {{0, 0, 665000, 332500, 66500, 0, 266000, 0}});
    recorder_->add(profile::MetricRecord{0, "loss", 1.5});
    recorder_->add(profile::MetricRecord{0, "kind_loss", 1.25});
    recorder_->add(profile::MetricRecord{0, "kind_sparse_categorical_accuracy", 0.625});
    recorder_->set(profile::ProgressRecord{profile::RunActivity::Train, 0, 2, 10, 20, 25});
    recorder_->flush();
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("62.5 %")));
    EXPECT_TRUE(shows(view_, QStringLiteral("Kind sparse categorical accuracy")));
    EXPECT_FALSE(shows(view_, QStringLiteral("Accuracy")));
    QStringList names;
    for (const FigureCard* card : view_.page().findChildren<FigureCard*>())
        if (card->isVisible())
            names << card->name();
    EXPECT_EQ(names.mid(0, 2),
              (QStringList{QStringLiteral("Loss"), QStringLiteral("Kind sparse categorical accuracy")}));
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

// A thousandth of the time is compute: so is a thousandth of the lane's pixels.
TEST(PhaseChart, AreaIsTime) {
    PhaseChart chart;
    std::vector<profile::PhaseSpan> spans(1);
    spans[0].end_cycle = 100'000;
    spans[0].executions = 1;
    spans[0].cycles.compute = 100;
    spans[0].cycles.sync = 99'900;
    chart.setSpans(spans, 1e9);
    chart.resize(700, 120);
    const QImage image = chart.grab().toImage();
    const Theme& theme = Theme::light();
    std::map<QRgb, double> pixels;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            ++pixels[image.pixel(x, y)];
    const double lane = pixels[theme.compute.rgb()] + pixels[theme.sync.rgb()];
    EXPECT_GT(lane, 400 * 50);
    EXPECT_NEAR(pixels[theme.compute.rgb()], lane / 1000, 1);
}

TEST(PhaseChart, ArrowsGoOverTimesAndIpusAndTellWhatIsThere) {
    PhaseChart chart;
    std::vector<profile::PhaseSpan> spans;
    for (const std::int64_t ipu : {0, 1})
        for (std::int64_t i = 0; i < 3; ++i) {
            profile::PhaseSpan& span = spans.emplace_back();
            span.ipu = ipu;
            span.start_cycle = 1000 * i;
            span.end_cycle = 1000 * (i + 1);
            span.executions = 1;
            span.cycles.compute = 100 * (i + 1) * (ipu + 1);
            span.cycles.sync = 1000 - span.cycles.compute;
        }
    chart.setSpans(spans, 1e9);
    chart.resize(400, 200);
    chart.show();
    chart.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&chart));
    EXPECT_FALSE(chart.accessibleName().isEmpty());
    EXPECT_NE(chart.focusPolicy(), Qt::NoFocus);
    chart.setFocus();
    const auto press = [&](Qt::Key key) {
        QTest::keyClick(&chart, key);
        return chart.accessibleDescription();
    };
    EXPECT_TRUE(press(Qt::Key_Right).contains(QStringLiteral("compute 10.0 %")));
    EXPECT_TRUE(press(Qt::Key_Right).contains(QStringLiteral("compute 20.0 %")));
    EXPECT_TRUE(press(Qt::Key_Down).startsWith(QStringLiteral("IPU 1, 1 µs to 2 µs")))
        << chart.accessibleDescription().toStdString();
    EXPECT_TRUE(chart.accessibleDescription().contains(QStringLiteral("compute 40.0 %")));
    EXPECT_TRUE(press(Qt::Key_End).contains(QStringLiteral("compute 60.0 %")));
    EXPECT_TRUE(press(Qt::Key_Right).contains(QStringLiteral("compute 60.0 %"))) << "the last";
    EXPECT_TRUE(press(Qt::Key_Home).contains(QStringLiteral("compute 20.0 %")));
    EXPECT_TRUE(press(Qt::Key_Up).startsWith(QStringLiteral("IPU 0")));
}

/// On each of two IPUs, one after another.
std::vector<profile::PhaseSpan> spans_of(std::int64_t count, std::int64_t cycles) {
    std::vector<profile::PhaseSpan> spans;
    for (const std::int64_t ipu : {0, 1})
        for (std::int64_t i = 0; i < count; ++i) {
            profile::PhaseSpan& span = spans.emplace_back();
            span.ipu = ipu;
            span.start_cycle = cycles * i;
            span.end_cycle = cycles * (i + 1);
            span.executions = 1;
            span.cycles.compute = cycles;
        }
    return spans;
}

TEST(PhaseChart, ThePlaceOfTheKeysStaysWhileTheRunGrows) {
    PhaseChart chart;
    chart.setSpans(spans_of(3, 1000), 1e9);
    chart.resize(400, 200);
    chart.show();
    chart.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&chart));
    chart.setFocus();
    const auto at = [&] { return chart.accessibleDescription().section(QStringLiteral(", 1 exec"), 0, 0); };
    for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Right, Qt::Key_Down})
        QTest::keyClick(&chart, key);
    ASSERT_EQ(at().toStdString(), "IPU 1, 1 µs to 2 µs");
    chart.setSpans(spans_of(5, 1000), 1e9);
    EXPECT_EQ(at().toStdString(), "IPU 1, 1 µs to 2 µs");
    QTest::keyClick(&chart, Qt::Key_Right);
    EXPECT_EQ(at().toStdString(), "IPU 1, 2 µs to 3 µs") << "on from there";
    chart.setSpans(spans_of(4, 2000), 1e9); // two at a time
    EXPECT_EQ(at().toStdString(), "IPU 1, 2 µs to 4 µs");
    chart.setSpans(spans_of(1, 1000), 1e9); // another run
    EXPECT_EQ(at().toStdString(), "") << "there is no such time";
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
    EXPECT_EQ(cell(QStringLiteral("Device"), 0, 5), QStringLiteral("attached"));
    ASSERT_TRUE(recorder_->finish(profile::RunStatus::Complete));
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("● complete")));
    EXPECT_EQ(cell(QStringLiteral("Device"), 0, 5), QStringLiteral("free"));
    EXPECT_EQ(cell(QStringLiteral("Device"), 0, 6), QStringLiteral("–"));
    for (const DataTable* table : view_.findChildren<DataTable*>()) {
        const auto* model = table->view()->model();
        if (model->headerData(0, Qt::Horizontal).toString() != QStringLiteral("Device"))
            continue;
        for (const int column : {6, 10}) // of numbers, also where there are none
            EXPECT_NE(model->index(0, column).data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight, 0)
                << column;
    }
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
    EXPECT_EQ(find<QLineEdit>("workload")->text(), live_samples + QStringLiteral("tutorial_basic.json"));
    EXPECT_TRUE(find<QLineEdit>("output")->text().endsWith(QStringLiteral("tutorial_basic.tilescope")));
}

} // namespace
} // namespace tilescope::ui
