// SPDX-License-Identifier: GPL-3.0-or-later
#include "live_fixture.h"
#include "ui/live/run_form.h"
#include "ui/theme/application_font.h"

#include <QApplication>
#include <QCheckBox>
#include <QCompleter>
#include <QHeaderView>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStyle>
#include <QStyleOptionSpinBox>
#include <QTableWidget>

namespace tilescope::ui {
namespace {

/// The form with the keys at the workload, in a window in front.
class Form : public Live {
  protected:
    void SetUp() override {
        Live::SetUp();
        view_.activateWindow();
        ASSERT_TRUE(QTest::qWaitForWindowActive(&view_));
        view_.form().begin();
        workload_ = find<QLineEdit>("workload");
    }
    void TearDown() override {
        view_.process().cancel();
        EXPECT_TRUE(QTest::qWaitFor([&] { return !view_.process().running(); }, 20000));
        Live::TearDown();
    }
    QLineEdit* workload_ = nullptr;
};

TEST_F(Form, APartThatOneSampleHasStartsIt) {
    type("output", file("sample.tilescope"));
    workload_->setFocus();
    QSignalSpy started(&view_.form(), &RunForm::startRequested);
    QTest::keyClicks(workload_, QStringLiteral("tutorial_shar"));
    EXPECT_EQ(view_.form().problem(), QString());
    EXPECT_TRUE(find<QPushButton>("start")->isEnabled());
    QTest::keyClick(workload_, Qt::Key_Return, Qt::ControlModifier);
    ASSERT_EQ(started.size(), 1);
    EXPECT_TRUE(workload_->text().endsWith(QStringLiteral("samples/tutorial_sharding.json")))
        << workload_->text().toStdString();
    EXPECT_EQ(started[0][0].value<RunRequest>().workload, workload_->text());
    EXPECT_FALSE(workload_->completer()->popup()->isVisible());
}

TEST_F(Form, ReturnStartsThatToo) {
    type("output", file("sample.tilescope"));
    workload_->setFocus();
    QSignalSpy started(&view_.form(), &RunForm::startRequested);
    QTest::keyClicks(workload_, QStringLiteral("tutorial_shar"));
    QAbstractItemView* popup = workload_->completer()->popup();
    ASSERT_TRUE(QTest::qWaitFor([&] { return popup->isVisible(); }));
    QTest::keyClick(popup, Qt::Key_Return);
    EXPECT_EQ(started.size(), 1) << view_.form().problem().toStdString();
}

TEST_F(Form, TheProfileIsNamedAfterTheSampleThatIsMeant) {
    QTest::keyClicks(workload_, QStringLiteral("tutorial_shar"));
    EXPECT_TRUE(find<QLineEdit>("output")->text().endsWith(QStringLiteral("/tutorial_sharding.tilescope")))
        << find<QLineEdit>("output")->text().toStdString();
    EXPECT_TRUE(shows(view_, QStringLiteral("/tutorial_sharding.json -o ")));
}

// tutorial_basic, tutorial_sharding and tutorial_xla_compile
TEST_F(Form, APartOfSeveralOpensTheirList) {
    QSignalSpy started(&view_.form(), &RunForm::startRequested);
    QTest::keyClicks(workload_, QStringLiteral("TUTORIAL_"));
    QAbstractItemView* popup = workload_->completer()->popup();
    ASSERT_TRUE(QTest::qWaitFor([&] { return popup->isVisible(); }));
    popup->hide();
    EXPECT_TRUE(shows(view_, QStringLiteral("3 samples have that in their names: Return lists them.")));
    QTest::keyClick(workload_, Qt::Key_Return, Qt::ControlModifier);
    ASSERT_TRUE(QTest::qWaitFor([&] { return popup->isVisible(); }));
    EXPECT_EQ(popup->model()->rowCount(), 3);
    EXPECT_EQ(started.size(), 0);
    popup->hide();
}

// unet.json and unet_pod16.json
TEST_F(Form, AWholeNameIsMeantEvenWhereOthersBeginWithIt) {
    QTest::keyClicks(workload_, QStringLiteral("unet"));
    EXPECT_EQ(QFileInfo(view_.form().request().workload).fileName(), QStringLiteral("unet.json"));
}

TEST_F(Form, TheThreeNumbersHaveOneWidthThatTheirWordsFit) {
    const auto* epochs = find<QSpinBox>("epochs");
    for (const char* name : {"epochs", "batch", "seed"}) {
        auto* field = find<QSpinBox>(name);
        EXPECT_NEAR(field->width(), epochs->width(), 1) << name;
        QStyleOptionSpinBox option;
        option.initFrom(field);
        option.frame = true;
        const QRect room =
            field->style()->subControlRect(QStyle::CC_SpinBox, &option, QStyle::SC_SpinBoxEditField, field);
        EXPECT_GE(room.width(), field->fontMetrics().horizontalAdvance(QStringLiteral("as in the workload")))
            << name;
    }
}

TEST_F(Form, LargeTextLeavesFieldsAndSettingsWhole) {
    for (const int percent : {150, 200}) {
        applyFont(*qApp, {}, percent);
        view_.resize(1330, 700); // in a window of 1,440
        QTest::qWait(50);
        for (const char* name : {"epochs", "batch", "seed"}) {
            const auto* field = find<QSpinBox>(name);
            EXPECT_GE(field->width(), field->sizeHint().width()) << name << " at " << percent;
        }
        EXPECT_GE(workload_->width(), 24 * workload_->fontMetrics().averageCharWidth()) << percent;
        const auto* estimate = view_.findChild<QCheckBox*>();
        EXPECT_GE(estimate->width(), estimate->sizeHint().width()) << percent;
        const auto* table = find<QTableWidget>("overrides");
        EXPECT_GE(table->height(), table->horizontalHeader()->height() + table->rowHeight(0)) << percent;
        auto* page = view_.form().findChild<QScrollArea*>();
        EXPECT_EQ(page->horizontalScrollBar()->maximum(), 0) << percent;
    }
    applyFont(*qApp, {}, 100);
}

} // namespace
} // namespace tilescope::ui
