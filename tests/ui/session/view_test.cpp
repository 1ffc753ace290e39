// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"
#include "ui/session/view.h"

#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QThread>
#include <atomic>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

/// Shows the name of its file's run, and counts what it is told.
class NameView : public View {
  public:
    QString id() const override { return QStringLiteral("name"); }
    QString title() const override { return QStringLiteral("Name"); }
    QString iconName() const override { return QStringLiteral("summary"); }

    bool followsUnseen() const override { return unseen; }

    bool unseen = true;
    QStringList shown;
    QList<bool> started; ///< each start with another file or not
    int refreshed = 0;
    std::vector<std::int64_t> followed; ///< operations

  protected:
    void startOver(bool another) override { started << another; }
    void refresh() override {
        ++refreshed;
        sources().current->ask<QString>(
            this, QStringLiteral("name"),
            [](const profile::Profile& file) -> Result<QString> {
                return QString::fromStdString(file.run()->name);
            },
            [this](const Result<QString>& name) { shown << (name ? *name : QStringLiteral("?")); });
    }
    void follow(const Selection& s) override { followed.push_back(s.operation); }
};

class Views : public testing::Test {
  protected:
    std::shared_ptr<ProfileSource> record(const std::string& name) {
        EXPECT_TRUE(tests::record_fixture(folder_ / name));
        return ProfileSource::open(QString::fromStdString(folder_ / name));
    }
    static bool settled(const ProfileSource& source) {
        return QTest::qWaitFor([&] { return source.pending() == 0; }, 20000);
    }

    tests::TemporaryFolder folder_;
    std::shared_ptr<ProfileSource> first_ = record("first.tilescope");
    std::shared_ptr<ProfileSource> second_ = record("second.tilescope");
};

TEST_F(Views, StartOverAndRefreshWithTheirFile) {
    NameView view;
    view.setSources({first_, nullptr});
    ASSERT_TRUE(settled(*first_));
    EXPECT_EQ(view.started, QList<bool>{true});
    EXPECT_EQ(view.refreshed, 1);
    EXPECT_EQ(view.shown.size(), 1);
}

TEST_F(Views, AreToldWhetherTheFileOrOnlyTheBaseIsAnother) {
    NameView view;
    view.setSources({first_, nullptr});
    view.setSources({first_, second_});
    view.setSources({second_, nullptr});
    EXPECT_EQ(view.started, (QList<bool>{true, false, true}));
}

TEST_F(Views, NoLongerGetAnswersOfTheFileBefore) {
    NameView view;
    view.setSources({first_, nullptr});
    view.setSources({});
    ASSERT_TRUE(settled(*first_));
    QTest::qWait(1);
    EXPECT_TRUE(view.shown.isEmpty());
    EXPECT_EQ(view.refreshed, 1);
}

TEST_F(Views, AreRefreshedWhenEitherFileGrowsAndByNoOther) {
    NameView view;
    view.setSources({first_, second_});
    Q_EMIT first_->changed();
    EXPECT_EQ(view.refreshed, 2);
    Q_EMIT second_->changed();
    EXPECT_EQ(view.refreshed, 3);
    view.setSources({second_, nullptr});
    EXPECT_EQ(view.refreshed, 4);
    Q_EMIT first_->changed();
    EXPECT_EQ(view.refreshed, 4);
    view.setSources({});
}

TEST_F(Views, AskOnceTheyAreSeenForWhatIsThereThen) {
    NameView view;
    view.unseen = false;
    view.setSources({first_, nullptr});
    Q_EMIT first_->changed();
    view.writeAnew();
    EXPECT_EQ(view.refreshed, 0);
    view.show();
    EXPECT_EQ(view.refreshed, 1);
    Q_EMIT first_->changed();
    EXPECT_EQ(view.refreshed, 2);
    view.hide();
    view.show();
    EXPECT_EQ(view.refreshed, 2) << "nothing is new";
    view.hide();
    Q_EMIT first_->changed();
    EXPECT_EQ(view.refreshed, 2);
    view.show();
    EXPECT_EQ(view.refreshed, 3);
    view.setSources({});
    view.hide();
    view.show();
    EXPECT_EQ(view.refreshed, 3) << "there is no file";
}

TEST_F(Views, WithOneFileOnBothSidesAreRefreshedOnce) {
    NameView view;
    view.setSources({first_, first_});
    Q_EMIT first_->changed();
    EXPECT_EQ(view.refreshed, 2);
    view.setSources({});
}

TEST_F(Views, FollowTheSelectionThatTheyShareAndNoOther) {
    NameView view;
    SelectionModel one;
    SelectionModel other;
    Selection s;
    s.operation = 3;
    one.set(s);
    view.setSelection(&one);
    EXPECT_EQ(view.followed, (std::vector<std::int64_t>{3})); // where it stands already
    view.setSelection(&other);
    s.operation = 7;
    one.set(s);
    EXPECT_EQ(view.followed, (std::vector<std::int64_t>{3, -1}));
    view.setSelection(nullptr);
    other.set(s);
    EXPECT_EQ(view.followed.size(), 2U);
}

TEST_F(Views, SayOnlyWhatHasChangedInASelection) {
    SelectionModel selection;
    QSignalSpy changes(&selection, &SelectionModel::changed);
    Selection s;
    selection.set(s);
    EXPECT_EQ(changes.count(), 0);
    s.tiles = {4};
    selection.set(s);
    selection.set(s);
    EXPECT_EQ(changes.count(), 1);
}

/// A question asked again under the same topic supersedes the one before; under another it does not.
TEST_F(Views, OfAQuestionAskedTwiceOnlyTheLastIsAnswered) {
    QObject receiver;
    QStringList answers;
    const auto ask = [&](const QString& topic, const QString& text) {
        first_->ask<QString>(
            &receiver, topic, [text](const profile::Profile&) -> Result<QString> { return text; },
            [&answers](const Result<QString>& answer) { answers << *answer; });
    };
    ask(QStringLiteral("a"), QStringLiteral("old"));
    ask(QStringLiteral("b"), QStringLiteral("other"));
    ask(QStringLiteral("a"), QStringLiteral("new"));
    ASSERT_TRUE(settled(*first_));
    QTest::qWait(1);
    answers.sort();
    EXPECT_EQ(answers, (QStringList{QStringLiteral("new"), QStringLiteral("other")}));
}

TEST_F(Views, AReceiverThatIsGoneGetsNoAnswer) {
    int answers = 0;
    {
        QObject receiver;
        first_->ask<int>(
            &receiver, QStringLiteral("a"), [](const profile::Profile&) -> Result<int> { return 1; },
            [&answers](const Result<int>&) { ++answers; });
    }
    ASSERT_TRUE(settled(*first_));
    QTest::qWait(1);
    EXPECT_EQ(answers, 0);
}

TEST_F(Views, AFileThatIsNotThereIsOneClearError) {
    const auto source = ProfileSource::open(QString::fromStdString(folder_ / "none.tilescope"));
    std::string line;
    QObject::connect(source.get(), &ProfileSource::failed, [&](const Error& error) { line = error.line(); });
    EXPECT_EQ(source->pending(), 1) << "its thread opens it";
    NameView view;
    view.setSources({source, nullptr});
    ASSERT_TRUE(settled(*source));
    EXPECT_NE(line.find("none.tilescope"), std::string::npos);
    view.writeAnew(); // asks again
    EXPECT_EQ(source->pending(), 0);
    EXPECT_TRUE(view.shown.isEmpty());
    view.setSources({});
}

TEST_F(Views, WhatIsAskedWhileAFileIsOpenedIsAnsweredOnceItIs) {
    const auto source = ProfileSource::open(first_->path());
    NameView view;
    view.setSources({source, nullptr});
    EXPECT_EQ(source->pending(), 2);
    EXPECT_TRUE(view.shown.isEmpty());
    ASSERT_TRUE(settled(*source));
    EXPECT_EQ(view.shown.size(), 1);
    view.setSources({});
}

TEST_F(Views, AFileIsClosedWithoutWaitingForItsQuery) {
    struct Flags {
        std::atomic<bool> begun = false;
        std::atomic<bool> go_on = false;
    };
    const auto flags = std::make_shared<Flags>(); // the query may end after the test
    auto source = ProfileSource::open(first_->path());
    QObject receiver;
    bool answered = false;
    source->ask<int>(
        &receiver, QStringLiteral("slow"),
        [flags](const profile::Profile&) -> Result<int> {
            flags->begun = true;
            while (!flags->go_on)
                QThread::msleep(1);
            return 1;
        },
        [&](const Result<int>&) { answered = true; });
    ASSERT_TRUE(QTest::qWaitFor([&] { return flags->begun.load(); }, 20000));
    source.reset(); // would never return, did it wait
    flags->go_on = true;
    QTest::qWait(20);
    EXPECT_FALSE(answered);
}

// However early it comes: here before the other has reached SQLite, which forgets an interrupt then.
TEST_F(Views, ANewerQuestionStopsTheOneThatIsUnderWay) {
    ASSERT_TRUE(settled(*first_));
    QObject asker;
    std::atomic<bool> begun = false;
    std::atomic<bool> superseded = false;
    int answered = 0;
    first_->ask<int>(
        &asker, QStringLiteral("a"),
        [&](const profile::Profile& file) -> Result<int> {
            begun = true;
            while (!superseded)
                QThread::msleep(1);
            TRY(const auto rows, file.query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                                            "SELECT count(*) FROM n"));
            return static_cast<int>(rows.rows.size());
        },
        [](const Result<int>&) { FAIL() << "nobody waits for it any more"; });
    ASSERT_TRUE(QTest::qWaitFor([&] { return begun.load(); }, 20000));
    first_->ask<int>(
        &asker, QStringLiteral("a"), [](const profile::Profile&) -> Result<int> { return 7; },
        [&](const Result<int>& answer) { answered = answer.value_or(-1); });
    superseded = true;
    ASSERT_TRUE(settled(*first_));
    EXPECT_EQ(answered, 7);
}

/// Asks a question that takes for ever the first time, and one after it, for a widget that is hidden.
class Behind : public Views {
  protected:
    void SetUp() override {
        ASSERT_TRUE(settled(*first_));
        ask(hidden_, QStringLiteral("long"), [this](const profile::Profile& file) -> Result<int> {
            if (++begun_ == 1) {
                while (!superseded_)
                    QThread::msleep(1);
                TRY(file.query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                               "SELECT count(*) FROM n"));
            }
            return 1;
        });
        ASSERT_TRUE(QTest::qWaitFor([&] { return begun_ == 1; }, 20000));
        ask(hidden_, QStringLiteral("later"), [](const profile::Profile&) -> Result<int> { return 1; });
    }
    void ask(QWidget& receiver, const QString& what,
             const std::function<Result<int>(const profile::Profile&)>& query) {
        first_->ask<int>(&receiver, what, query, [this, what](const Result<int>& answer) {
            answered_ << (answer ? what : QStringLiteral("no ") + what);
        });
    }
    void askForShown() {
        ask(shown_, QStringLiteral("shown"), [](const profile::Profile&) -> Result<int> { return 1; });
    }
    QWidget hidden_;
    QWidget shown_;
    QStringList answered_;
    std::atomic<int> begun_ = 0;
    std::atomic<bool> superseded_ = false;
};

TEST_F(Behind, WhatIsHiddenIsPutOffForWhatIsShownAndAnsweredAfterIt) {
    shown_.show();
    askForShown();
    superseded_ = true;
    ASSERT_TRUE(settled(*first_));
    EXPECT_EQ(answered_,
              (QStringList{QStringLiteral("shown"), QStringLiteral("long"), QStringLiteral("later")}));
    EXPECT_EQ(begun_, 2);
}

TEST_F(Behind, WhatIsShownLaterComesBeforeWhatStaysHidden) {
    askForShown();
    first_->putInFront(shown_);
    superseded_ = true;
    ASSERT_TRUE(settled(*first_));
    EXPECT_EQ(answered_,
              (QStringList{QStringLiteral("shown"), QStringLiteral("long"), QStringLiteral("later")}));
}

TEST_F(Behind, WhatWasPutOffAndIsAskedAnewIsAnsweredOnce) {
    shown_.show();
    askForShown();
    ask(hidden_, QStringLiteral("long"), [](const profile::Profile&) -> Result<int> { return 2; });
    superseded_ = true;
    ASSERT_TRUE(settled(*first_));
    EXPECT_EQ(answered_,
              (QStringList{QStringLiteral("shown"), QStringLiteral("later"), QStringLiteral("long")}));
    EXPECT_EQ(begun_, 1);
}

/// With a field that tells the view when it is left.
class FieldView : public NameView {
  public:
    FieldView(bool& ended, int& called) : ended_(ended) {
        field_ = new QLineEdit(this);
        connect(field_, &QLineEdit::editingFinished, this, [&ended, &called] {
            EXPECT_FALSE(ended);
            ++called;
        });
    }
    ~FieldView() override { ended_ = true; }
    QLineEdit* field() { return field_; }

  private:
    QLineEdit* field_;
    bool& ended_;
};

} // namespace
TEST(View, AFieldThatEndsWithTheViewCallsItNoMore) {
    bool ended = false;
    int called = 0;
    {
        FieldView view(ended, called);
        view.show();
        view.activateWindow();
        ASSERT_TRUE(QTest::qWaitForWindowActive(&view));
        view.field()->setFocus();
        ASSERT_TRUE(view.field()->hasFocus());
        QTest::keyClicks(view.field(), QStringLiteral("7"));
        view.setFocus();
        view.field()->clearFocus();
        EXPECT_EQ(called, 1) << "while the view is there";
        view.field()->setFocus();
    }
    EXPECT_EQ(called, 1);
}

} // namespace tilescope::ui
