// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/profile.h"
#include "profile/recorder.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

namespace tilescope::profile {
namespace {

TEST(SharedTables, AreReadOnceForAllWhoAsk) {
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    ASSERT_TRUE(tests::record_fixture(path));
    const auto profile = std::move(*Profile::open(path));
    const auto program = profile->program().value();
    ASSERT_FALSE(program.empty());
    EXPECT_TRUE(profile->program().value().shares(program));
    EXPECT_TRUE(profile->operations().value().shares(profile->operations().value()));
    EXPECT_TRUE(profile->variables().value().shares(profile->variables().value()));
    EXPECT_TRUE(profile->layers().value().shares(profile->layers().value()));
    EXPECT_TRUE(profile->tensors().value().shares(profile->tensors().value()));
    EXPECT_TRUE(profile->compute_sets().value().shares(profile->compute_sets().value()));
    EXPECT_TRUE(profile->vertices().value().shares(profile->vertices().value()));
    EXPECT_TRUE(profile->exchanges().value().shares(profile->exchanges().value()));
    EXPECT_TRUE(profile->exchange_variables().value().shares(profile->exchange_variables().value()));
}

TEST(SharedTables, ThoseOfAnIpuAreTheRowsThatItHasInTheSameOrder) {
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    ASSERT_TRUE(tests::record_fixture(path));
    const auto profile = std::move(*Profile::open(path));
    const auto alone = profile->variables(0).value(); // for which those of the others are not read
    EXPECT_TRUE(profile->variables(0).value().shares(alone));
    const auto all = profile->variables().value();
    const auto expected = all.those([](const VariableRecord& variable) { return variable.ipu == 0; });
    ASSERT_FALSE(expected.empty());
    for (const auto& of_first : {alone, profile->variables(0).value()}) {
        ASSERT_EQ(of_first.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_EQ(of_first[i].id, expected[i].id);
            EXPECT_EQ(of_first[i].ipu, 0);
            EXPECT_EQ(of_first[i].name, expected[i].name);
        }
    }
}

/// A file that is being written: what is added is seen, and what stays the same is not read again.
class GrowingTables : public testing::Test {
  protected:
    void SetUp() override {
        RunRecord run;
        run.name = "growing";
        auto made = Recorder::create(path, run);
        ASSERT_TRUE(made) << made.error().line();
        recorder = std::move(*made);
        recorder->add(LayerRecord{0, "dense", "Dense", "", 0});
        recorder->flush();
        profile = std::move(*Profile::follow(path));
        ASSERT_EQ(profile->layers().value().size(), 1U);
    }
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    std::unique_ptr<Recorder> recorder;
    std::unique_ptr<Profile> profile;
};

TEST_F(GrowingTables, ShowWhatIsAddedAndKeepWhatWasHandedOut) {
    const auto before = profile->layers().value();
    recorder->add(LayerRecord{1, "softmax", "Softmax", "", 0});
    recorder->flush();
    ASSERT_EQ(profile->layers().value().size(), 2U);
    EXPECT_EQ(profile->layers().value().back().name, "softmax");
    EXPECT_EQ(before.size(), 1U);
    EXPECT_EQ(before.front().name, "dense");
}

TEST_F(GrowingTables, AreNotReadAgainForWhatIsAddedElsewhere) {
    const auto before = profile->layers().value();
    const std::int64_t version = profile->data_version();
    recorder->add(LogRecord{});
    recorder->flush();
    ASSERT_NE(profile->data_version(), version);
    EXPECT_TRUE(profile->layers().value().shares(before));
}

} // namespace
} // namespace tilescope::profile
