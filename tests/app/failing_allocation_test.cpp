// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/app/stand_in.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace tilescope::tests {
namespace {

/// One allocation of the program fails, at whatever place: a library that is loaded before the program makes
/// it (failing_allocation.cpp).
class FailingAllocation : public CommandTest {
  protected:
    void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        GTEST_SKIP() << "sanitizers have an operator new of their own";
#endif
    }
    Outcome failing_at(std::int64_t number, const Arguments& arguments) const {
        Surroundings in{folder.path().string(), {}, {}, {}};
        in.environment = {{"LD_PRELOAD", TILESCOPE_BIN_DIR "/tilescope_failing_allocation.so"},
                          {number == 0 ? "TILESCOPE_COUNTED_NEW" : "TILESCOPE_FAILING_NEW",
                           number == 0 ? folder / "count" : std::to_string(number)}};
        return tilescope(arguments, in);
    }
    /// How many allocations it makes where none fails (0: the number of none).
    std::int64_t allocations(const Arguments& arguments) const {
        const Outcome outcome = failing_at(0, arguments);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        const std::int64_t count = std::stoll(read_file(folder / "count"));
        std::filesystem::remove(folder / "count");
        return count;
    }
    /// The first ones, and others spread over the whole run.
    static std::vector<std::int64_t> moments(std::int64_t all, int spread) {
        std::vector<std::int64_t> chosen{1, 2, 3, 5, 10, 30, 100, 300, 1000, 3000};
        std::mt19937_64 random(1);
        for (int i = 0; i < spread; ++i)
            chosen.push_back(1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(all)));
        std::erase_if(chosen, [&](std::int64_t number) { return number > all * 9 / 10; }); // threads: not all
        return chosen;                                                                     // are in each run
    }
    /// The profile beside it is removed; whether there was one. Where an allocation fails while another
    /// failure is on its way (a JSON value allocates when it is destroyed), the program ends as if it were
    /// killed.
    bool ended_beside() const {
        const std::string partial = folder / "run.tilescope.partial";
        if (std::filesystem::remove(folder / "run.tilescope.lock"))
            for (const char* ending : {"-wal", "-shm"})
                std::filesystem::remove(partial + ending);
        return std::filesystem::remove(partial);
    }
    static constexpr const char* line = "the memory of this computer does not suffice";
};

TEST_F(FailingAllocation, OfAProfileIsOneLineAndTheEarlierProfileStaysWhole) {
    const Arguments training = training_command("run.tilescope", 1);
    const std::int64_t all = allocations(training);
    ASSERT_GT(all, 10'000);
    const std::string earlier = read_file(folder / "run.tilescope");
    int with_partial = 0;
    for (const std::int64_t number : moments(all, 30)) {
        SCOPED_TRACE(number);
        const Outcome outcome = failing_at(number, training);
        expect_failure(outcome, 5, {line}, digits_stand_in(outcome));
        EXPECT_EQ(read_file(folder / "run.tilescope"), earlier);
        if (ended_beside())
            ++with_partial;
        EXPECT_EQ(files(), std::set<std::string>{"run.tilescope"});
    }
    EXPECT_GT(with_partial, 0);
}

// A profile that is just being made has a name of its own for about 50 allocations.
TEST_F(FailingAllocation, NoBeginningOfAProfileIsLeftBehind) {
    const Arguments small{"profile", sample("tutorial_basic"), "-o", "run.tilescope", "--progress", "none"};
    const std::int64_t all = allocations(small);
    const std::string earlier = read_file(folder / "run.tilescope");
    constexpr std::int64_t apart = 40;
    for (std::int64_t number = 1; number < all * 9 / 10; number += apart) {
        SCOPED_TRACE(number);
        failing_at(number, small);
        EXPECT_EQ(read_file(folder / "run.tilescope"), earlier);
        ended_beside();
        ASSERT_EQ(files(), std::set<std::string>{"run.tilescope"});
    }
}

TEST_F(FailingAllocation, OfAnAnalysisIsOneLine) {
    std::filesystem::rename(record_training("training"), folder / "run.tilescope");
    const std::string earlier = read_file(folder / "run.tilescope");
    for (const Arguments& analysis : {Arguments{"report", "run.tilescope", "--format", "json"},
                                      Arguments{"compare", "run.tilescope", "run.tilescope"}}) {
        const std::int64_t all = allocations(analysis);
        ASSERT_GT(all, 1000);
        for (const std::int64_t number : moments(all, 25)) {
            SCOPED_TRACE(analysis.front() + ", allocation " + std::to_string(number));
            expect_failure(failing_at(number, analysis), 5, {line});
        }
        EXPECT_EQ(read_file(folder / "run.tilescope"), earlier);
        EXPECT_EQ(files(), std::set<std::string>{"run.tilescope"});
    }
}

} // namespace
} // namespace tilescope::tests
