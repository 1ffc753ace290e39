// SPDX-License-Identifier: GPL-3.0-or-later
#include "older_schema.h"
#include "profile/profile.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

namespace tilescope::profile {
namespace {

/// A profile of schema 25, which had thousandths of a pass as the epoch and no column for the data path.
class OlderProgress : public testing::Test {
  protected:
    std::unique_ptr<Profile> of(const ProgressRecord& progress, const std::string& workload = "{}") const {
        const std::string path = folder_ / "older.tilescope";
        RunRecord run;
        run.workload = workload;
        auto recorder = std::move(*Recorder::create(path, run, Recorder::Existing::Overwrite));
        recorder->set(progress);
        recorder->set(TargetRecord{"ipu", "ipu2", 1, 16, 1000, 1e9, 6});
        EXPECT_TRUE(recorder->finish(RunStatus::Cancelled));
        recorder.reset();
        run_sql(path, "DROP VIEW main.trace; " + without_pass_share + "PRAGMA user_version = 25");
        return std::move(*Profile::open(path));
    }
    const tests::TemporaryFolder folder_;
};

TEST_F(OlderProgress, WhileCompilingTheEpochWasTheShareOfAPass) {
    const auto compiling = of({RunActivity::Compile, 250, 2, 3, 12, 1000});
    EXPECT_EQ(compiling->progress()->epoch, 0);
    EXPECT_EQ(compiling->progress()->pass_share, 0.25);
    const auto training = of({RunActivity::Train, 1, 2, 3, 12, 1000});
    EXPECT_EQ(training->progress()->epoch, 1);
    EXPECT_EQ(training->progress()->pass_share, std::nullopt);
}

TEST_F(OlderProgress, TheDataPathWasThatOfAllGenerationsUnlessTheWorkloadHadAnother) {
    EXPECT_EQ(of({})->target()->data_path_bytes, 8);
    const auto wide = of({}, R"({"ipu_config": {"ipu_model": {"data_path_bytes": 16}}})");
    EXPECT_EQ(wide->target()->data_path_bytes, 16);
}

// A profile of schema 26, which said that a step of a small graph takes one sample.
TEST(OlderBatch, ASmallGraphHasNoSamples) {
    const tests::TemporaryFolder folder;
    for (const WorkloadKind kind : {WorkloadKind::Graph, WorkloadKind::Model}) {
        const std::string path = folder / "older.tilescope";
        RunRecord run;
        run.workload_kind = kind;
        run.batch_size = 1;
        ASSERT_TRUE(
            (*Recorder::create(path, run, Recorder::Existing::Overwrite))->finish(RunStatus::Complete));
        run_sql(path, "DROP VIEW main.trace; " + without_trimmed + "PRAGMA user_version = 26");
        const auto profile = Profile::open(path);
        ASSERT_TRUE(profile) << profile.error().line();
        EXPECT_EQ((*profile)->run()->batch_size,
                  kind == WorkloadKind::Model ? std::optional<std::int64_t>(1) : std::nullopt);
    }
}

// A profile of schema 27, which did not say that it was trimmed: fewer IPUs than the run used do.
TEST(OlderTrimming, FewerIpusThanTheRunUsed) {
    const tests::TemporaryFolder folder;
    for (const std::int64_t left : {0, 1, 2}) { // none: the run ended before it had them
        const std::string path = folder / "older.tilescope";
        auto recorder = std::move(*Recorder::create(path, RunRecord(), Recorder::Existing::Overwrite));
        recorder->set(TargetRecord{"pod4", "ipu2", 2, 16, 1000, 1e9, 6});
        for (std::int64_t ipu = 0; ipu < left; ++ipu)
            recorder->add(IpuRecord{ipu, ipu, "", 0, ipu, 0});
        ASSERT_TRUE(recorder->finish(RunStatus::Complete));
        recorder.reset();
        run_sql(path, "DROP VIEW main.trace; " + without_trimmed + "PRAGMA user_version = 27");
        const auto profile = Profile::open(path);
        ASSERT_TRUE(profile) << profile.error().line();
        EXPECT_EQ((*profile)->run()->trimmed, left == 1 ? "1 of 2 IPUs" : "") << left;
    }
}

// A profile of schema 28, which told the batch in the text of a setting, or not at all where it stayed.
TEST(OlderRemedies, HaveTheBatchOfTheirSetting) {
    const tests::TemporaryFolder folder;
    const std::string path = folder / "older.tilescope";
    RunRecord run;
    run.batch_size = 32;
    auto recorder = std::move(*Recorder::create(path, run));
    recorder->add(RemedyRecord{"fit.batch_size=8", 0, 1200, false, 120});
    recorder->add(RemedyRecord{"model.shards=2", 2, 1000, true, 80});
    ASSERT_TRUE(recorder->finish(RunStatus::OutOfMemory));
    recorder.reset();
    run_sql(path, "DROP VIEW main.trace; " + without_remedy_batch + "PRAGMA user_version = 28");
    const auto profile = Profile::open(path);
    ASSERT_TRUE(profile) << profile.error().line();
    const auto remedies = (*profile)->remedies();
    ASSERT_TRUE(remedies && remedies->size() == 2);
    EXPECT_EQ(remedies->at(0).batch_size, 8);
    EXPECT_EQ(remedies->at(1).batch_size, 32);
}

// A profile of schema 29, which had how its model was cut, and what it was fed, in the JSON of its workload
// only.
TEST(OlderWorkloads, SayHowTheirModelWasCutAndWhatWasFed) {
    const tests::TemporaryFolder folder;
    const std::string path = folder / "older.tilescope";
    using Told = std::pair<std::optional<ModelCut>, std::optional<EightBitIo>>;
    for (const auto& [workload, told] :
         {std::pair(R"({"pipeline": {"stages": {"dense": 1}}, "data": {"train": {}}})",
                    Told(ModelCut::ByHand, EightBitIo::Off)),
          std::pair(R"({"model": {"shards": 2}, "data": {"eight_bit_io": {"scale": 2}}})",
                    Told(ModelCut::Automatic, EightBitIo::On)),
          std::pair(R"({"pipeline": {"stages": 4}, "data": {"eight_bit_io": true}})",
                    Told(ModelCut::Automatic, EightBitIo::On)),
          std::pair(R"({"model": {"shards": [0, 0, 1]}})", Told(ModelCut::ByHand, std::nullopt)),
          std::pair(R"({"model": {}})", Told()), std::pair("", Told())}) {
        RunRecord run;
        run.workload = workload;
        auto recorder = std::move(*Recorder::create(path, run, Recorder::Existing::Overwrite));
        ASSERT_TRUE(recorder->finish(RunStatus::Complete));
        recorder.reset();
        run_sql(path, "DROP VIEW main.trace; " + without_cut + "PRAGMA user_version = 29");
        const auto profile = Profile::open(path);
        ASSERT_TRUE(profile) << profile.error().line();
        EXPECT_EQ(Told((*profile)->run()->cut, (*profile)->run()->eight_bit_io), told) << workload;
    }
}

} // namespace
} // namespace tilescope::profile
