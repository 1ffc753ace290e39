// SPDX-License-Identifier: GPL-3.0-or-later
#include "live_fixture.h"
#include "tests/never_run.h"
#include "tests/profile_fixture.h"
#include "tests/ui/told_details.h"
#include "ui/session/format.h"

#include <QHeaderView>
#include <QLabel>
#include <QSignalSpy>

namespace tilescope::ui {
namespace {

using tests::ToldDetails;

TEST_F(Live, WhatDidNotFitIsSaidInAFewWordsThatLeadToTheTile) {
    ASSERT_TRUE(tests::never_run(profile::RunStatus::OutOfMemory)(file("oom.tilescope").toStdString()));
    open(file("oom.tilescope"));
    ASSERT_TRUE(comes_to_show(
        view_, QStringLiteral("This program was never run: IPU 0 tile 8 needs 4 KiB of 2 KiB at step ")));
    QSignalSpy led(&view_, &View::viewRequested);
    for (QLabel* label : view_.findChildren<QLabel*>())
        if (const QString link = QStringLiteral("What would make it fit"); label->text().contains(link))
            Q_EMIT label->linkActivated(
                label->text().section(QStringLiteral("href='"), 2).section(QLatin1Char('\''), 0, 0));
    ASSERT_EQ(led.size(), 1);
    EXPECT_EQ(led.front().front().toString(), QStringLiteral("summary"));
}

// Two epochs of two engine runs of three steps, then an evaluation of one; the loss of training is 2 / n
// after the n-th engine run, the accuracy 1 less 0.4 of it.
TEST_F(Live, DetailsAreOfTheRunThatIsShown) {
    const ToldDetails told(view_);
    ASSERT_TRUE(tests::record_fixture(file("run.tilescope").toStdString()));
    open(file("run.tilescope"));
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("fixture")));
    EXPECT_EQ(told.title(), QStringLiteral("fixture"));
    EXPECT_EQ(told.value("Status"), QStringLiteral("complete"));
    EXPECT_TRUE(told.value("Device").endsWith(QStringLiteral("of 64 tiles, 1 GHz")))
        << told.value("Device").toStdString();
    const std::int64_t cycles =
        3 * tests::fixture_step_cycles(tests::small_fixture) + tests::fixture_host_cycles;
    const QStringList training = told.value("Training").split(QLatin1Char('\n'));
    EXPECT_EQ(training.value(0), QStringLiteral("4 engine runs, 12 steps"));
    EXPECT_EQ(training.value(1), formatCyclesAndTime(4 * cycles, 1e9) + QStringLiteral(" simulated"));
    EXPECT_TRUE(training.value(2).startsWith(formatSeconds(static_cast<double>(cycles) / 3 * 1e-9) +
                                             QStringLiteral(" per step, simulated, ")))
        << training.value(2).toStdString();
    EXPECT_TRUE(told.value("Evaluation").startsWith(QStringLiteral("1 engine run, 3 steps\n")));
    EXPECT_EQ(told.value("Prediction"), QString()) << "there was none";
    EXPECT_EQ(told.value("Epoch 2"), QStringLiteral("loss 0.5\naccuracy 80.0 %"));
    EXPECT_EQ(told.value("On test data"), QStringLiteral("loss 0.5\naccuracy 75.0 %"));
    EXPECT_EQ(told.value("Epochs"),
              QStringLiteral("2: loss 0.5, accuracy 80.0 %\n1: loss 1, accuracy 60.0 %"));
    EXPECT_EQ(told.value("Message"), QString()) << "no line is chosen";
}

TEST_F(Live, DetailsHaveTheChosenMessageInWhole) {
    const ToldDetails told(view_);
    ASSERT_TRUE(tests::record_fixture(file("run.tilescope").toStdString()));
    open(file("run.tilescope"));
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("fixture")));
    for (const DataTable* table : view_.findChildren<DataTable*>())
        if (table->view()->model()->headerData(2, Qt::Horizontal).toString() == QStringLiteral("Message")) {
            table->view()->setFocus();
            table->view()->setCurrentIndex(table->view()->model()->index(0, 0));
            QTest::keyClick(table->view(), Qt::Key_Down);
        }
    EXPECT_TRUE(told.value("Message").endsWith(
        QStringLiteral(", warning: a made-up run: the figures follow a formula")))
        << told.value("Message").toStdString();
}

TEST_F(Live, TheFormHasNoDetails) {
    const ToldDetails told(view_);
    ASSERT_TRUE(tests::record_fixture(file("run.tilescope").toStdString()));
    open(file("run.tilescope"));
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("fixture")));
    ASSERT_NE(told.html(), QString());
    click("new run");
    EXPECT_EQ(told.html(), QString());
}

} // namespace
} // namespace tilescope::ui
