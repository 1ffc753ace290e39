// SPDX-License-Identifier: GPL-3.0-or-later
#include "older_schema.h"
#include "profile/profile.h"
#include "profile/recorder.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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

// All of them are added up, which must stay within 64 bits.
TEST(SharedTables, VariablesOfBytesThatCannotBeAreRefused) {
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    for (const std::string bytes : {"4611686018427387904", "-1"})
        for (const std::string column : {"bytes", "streaming_bytes"}) {
            std::filesystem::remove(path);
            ASSERT_TRUE(tests::record_fixture(path));
            run_sql(path, "UPDATE stored_variable SET " + column + " = " + bytes);
            const auto profile = std::move(*Profile::open(path));
            for (const std::int64_t ipu : {0, -1}) {
                const auto variables = profile->variables(ipu);
                ASSERT_FALSE(variables) << column << ' ' << bytes;
                EXPECT_EQ(variables.error().line(), path + ": the file is damaged: a variable has " + bytes +
                                                        " bytes; record the profile again");
            }
        }
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

TEST(SharedTables, AreReadOnceForAllWhoHaveTheFileOpen) {
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    ASSERT_TRUE(tests::record_fixture(path));
    auto first = std::move(*Profile::open(path));
    const auto program = first->program().value();
    const auto of_first_ipu = first->variables(0).value();
    const auto second = std::move(*Profile::open(path));
    EXPECT_TRUE(second->program().value().shares(program));
    EXPECT_TRUE(second->variables(0).value().shares(of_first_ipu));
    const auto layers = second->layers().value();
    EXPECT_TRUE(first->layers().value().shares(layers));
    first.reset();
    EXPECT_TRUE(second->program().value().shares(program)) << "whoever has read it";
    const auto categories = second->memory_by_category(0).value();
    const auto third = std::move(*Profile::open(path));
    ASSERT_EQ(third->memory_by_category(0).value().size(), categories.size());
}

// A run that ends takes the name of the one before, which may still be open.
TEST(SharedTables, AreNotThoseOfAnotherFileOfThatName) {
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    ASSERT_TRUE(tests::record_fixture(path));
    const auto before = std::move(*Profile::open(path));
    const auto layers = before->layers().value();
    ASSERT_GT(layers.size(), 1U);
    const std::string other = folder / "b.tilescope";
    {
        auto recorder = std::move(*Recorder::create(other, RunRecord{}));
        recorder->add(LayerRecord{0, "the only one", "Dense", "", 0});
        ASSERT_TRUE(recorder->finish(RunStatus::Complete));
    }
    std::filesystem::rename(other, path);
    const auto now = std::move(*Profile::open(path));
    ASSERT_EQ(now->layers().value().size(), 1U);
    EXPECT_EQ(now->layers().value().front().name, "the only one");
    EXPECT_TRUE(before->layers().value().shares(layers));
}

TEST(SharedTables, AreReadOnAllThreadsAtOnce) {
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    ASSERT_TRUE(tests::record_fixture(path));
    constexpr std::size_t count = 8;
    std::vector<SharedRows<ProgramRecord>> programs(count);
    std::vector<SharedRows<VariableRecord>> variables(count);
    std::vector<std::size_t> ipus(count);
    std::barrier start(static_cast<std::ptrdiff_t>(count));
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < count; ++i)
            threads.emplace_back([&, i] {
                const auto profile = std::move(*Profile::open(path));
                start.arrive_and_wait();
                ipus[i] = profile->variables(0).value().size(); // which all of them takes the place of
                programs[i] = profile->program().value();
                variables[i] = profile->variables().value();
            });
    }
    for (std::size_t i = 0; i < count; ++i) {
        EXPECT_TRUE(programs[i].shares(programs.front()));
        EXPECT_TRUE(variables[i].shares(variables.front()));
        EXPECT_EQ(ipus[i], ipus.front());
        EXPECT_FALSE(variables[i].empty());
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
