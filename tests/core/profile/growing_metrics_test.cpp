// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/profile.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <sqlite3.h>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::profile {
namespace {

/// A run that is followed: each of its executions is a step, 5,000 of which are an epoch.
class GrowingMetrics : public testing::Test {
  protected:
    static constexpr std::int64_t per_epoch = 5000;
    void SetUp() override {
        auto made = Recorder::create(path, RunRecord{});
        ASSERT_TRUE(made) << made.error().line();
        recorder = std::move(*made);
        schedule = recorder->add_schedule({{0, 0, 10}}, {});
    }
    void execute(std::int64_t until) {
        for (; next < until; ++next) {
            recorder->add(ExecutionRecord{next, ExecutionKind::Train, next / per_epoch, next % per_epoch, 1,
                                          10 * next, 10, 1, schedule});
            recorder->add(MetricRecord{next, "loss", 1.0 / static_cast<double>(next + 1)});
        }
        recorder->flush();
    }
    /// What the file has no more is seen only by who has read it before.
    int take_away(const std::string& sql) {
        sqlite3* db = nullptr;
        EXPECT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
        sqlite3_busy_timeout(db, 5000);
        EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
        const int changed = sqlite3_changes(db);
        sqlite3_close(db);
        return changed;
    }
    /// Those of each n-th execution, and of the last one of each epoch.
    static void expect(const std::vector<MetricPoint>& points, std::int64_t count, std::int64_t every) {
        std::set<std::int64_t> shown;
        for (std::int64_t id = 0; id < count; id += every)
            shown.insert(id);
        for (std::int64_t end = per_epoch; end <= count; end += per_epoch)
            shown.insert(end - 1);
        shown.insert(count - 1);
        ASSERT_EQ(points.size(), shown.size());
        auto point = points.begin();
        for (const std::int64_t id : shown) {
            EXPECT_EQ(point->epoch, id / per_epoch);
            EXPECT_EQ(point->steps, id % per_epoch + 1);
            EXPECT_EQ(point->value, 1.0 / static_cast<double>(id + 1));
            ++point;
        }
    }
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    std::unique_ptr<Recorder> recorder;
    std::int64_t schedule = 0;
    std::int64_t next = 0;
};

// 4,096 values are a row: of three, the last one alone is looked at again.
TEST_F(GrowingMetrics, ThoseOfExecutionsAreReadOnce) {
    execute(12'000);
    const auto profile = std::move(*Profile::follow(path));
    expect(profile->metric_history(100).value(), 12'000, 128);
    ASSERT_EQ(
        take_away("UPDATE execution_values SET data = x'00' WHERE series = 'metric:loss' AND count = 4096"),
        2);
    execute(12'007);
    expect(profile->metric_history(100).value(), 12'007, 128);
    execute(20'001); // the first epochs end where they did, and half as many of the others are shown
    expect(profile->metric_history(100).value(), 20'001, 256);
    EXPECT_FALSE((*Profile::follow(path))->metric_history(100)) << "who reads all of it sees the damage";
    EXPECT_FALSE(profile->metric_history(200)) << "what was not shown has to be read";
}

TEST_F(GrowingMetrics, ThoseWithinAnExecutionAreReadOnce) {
    const auto within = [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t step = from; step < to; ++step)
            for (const char* name : {"loss", "accuracy"}) // in the order in which they come
                recorder->add(MetricWithinRecord{0, 0, step + 1, name, static_cast<double>(step)});
        recorder->flush();
    };
    const auto expect_each = [](const std::vector<MetricPoint>& points, std::int64_t count,
                                std::int64_t every) {
        ASSERT_EQ(points.size(), static_cast<std::size_t>(2 * ((count + every - 1) / every)));
        for (std::size_t i = 0; i < points.size(); ++i) {
            EXPECT_EQ(points[i].name, i % 2 == 0 ? "loss" : "accuracy");
            EXPECT_EQ(points[i].value, static_cast<double>(static_cast<std::int64_t>(i / 2) * every));
        }
    };
    within(0, 150);
    const auto profile = std::move(*Profile::follow(path));
    expect_each(profile->metric_history(100).value(), 150, 2);
    ASSERT_EQ(take_away("DELETE FROM metric_within WHERE rowid <= 200"), 200);
    within(150, 201);
    expect_each(profile->metric_history(100).value(), 201, 4);
}

TEST_F(GrowingMetrics, ThoseOfEpochsAreReadOnce) {
    const auto end_epoch = [&](std::int64_t epoch) {
        recorder->add(EpochMetricRecord{epoch, ExecutionKind::Train, "loss", static_cast<double>(epoch) / 2});
        recorder->flush();
    };
    end_epoch(0);
    end_epoch(1);
    const auto profile = std::move(*Profile::follow(path));
    ASSERT_EQ(profile->epoch_metrics().value().size(), 2U);
    ASSERT_EQ(take_away("DELETE FROM epoch_metric WHERE epoch = 0"), 1);
    end_epoch(2);
    const auto all = profile->epoch_metrics().value();
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all.front().epoch, 0);
    EXPECT_EQ(all.back().value, 1.0);
}

} // namespace
} // namespace tilescope::profile
