// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/entry.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/host_process.h"
#include "base/json_depth.h"
#include "base/nearest_name.h"
#include "base/random.h"
#include "base/step_time.h"
#include "base/worker_pool.h"

#include <atomic>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilescope;

TEST(HostProcess, IsNamedWhileItIsThere) {
    const auto own = host_process(getpid());
    ASSERT_TRUE(own);
    EXPECT_EQ(own->command, "test_base");
    EXPECT_FALSE(own->user.empty());
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, nullptr, 0);
    EXPECT_FALSE(host_process(child)) << "it has ended";
}

TEST(Philox, GivesThePublishedKnownAnswers) {
    // Random123's known-answer tests of philox4x32-10.
    EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
              (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
              (std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (std::array<std::uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// 200 cycles a step at 1 MHz are 200 us, whether one or three steps were run.
TEST(StepTime, IsOfEqualStepsTheSameToTheLastBit) {
    EXPECT_DOUBLE_EQ(step_us(600, 3, 1e6), 200);
    EXPECT_EQ(step_us(3 * 1'234'567, 3, 1.33e9), step_us(1'234'567, 1, 1.33e9));
}

TEST(RandomStream, HasTheMomentsOfItsDistributions) {
    const RandomStream stream(7, "weights");
    double uniform = 0;
    double normal = 0;
    double square = 0;
    constexpr int n = 20000;
    for (std::uint64_t i = 0; i < n; ++i) {
        uniform += static_cast<double>(stream.uniform(i));
        normal += stream.normal(i);
        square += stream.normal(i) * stream.normal(i);
    }
    for (const std::uint64_t i : {0U, 5U, 1'000'000U})
        for (std::uint64_t k = 0; k < 4; ++k)
            EXPECT_EQ(stream.four_uniform(i)[k], stream.uniform(4 * i + k));
    EXPECT_NEAR(uniform / n, 0.5, 0.01);
    EXPECT_NEAR(normal / n, 0.0, 0.03);
    EXPECT_NEAR(square / n, 1.0, 0.05);
}

TEST(NearestName, FindsATypoAndNothingWhenNothingIsClose) {
    EXPECT_EQ(nearest_name("epohcs", {"batch_size", "epochs", "shuffle"}), "epochs");
    EXPECT_EQ(nearest_name("zzzzzz", {"batch_size", "epochs"}), "");
}

TEST(NearestName, IsTheRemedyOrWhatStandsInForIt) {
    EXPECT_EQ(remedy_for("reprot", {"report", "check"}, "see --help"), "did you mean \"report\"?");
    EXPECT_EQ(remedy_for("zzzzzz", {"report", "check"}, "see --help"), "see --help");
}

TEST(Hash, GivesThePublishedKnownAnswers) { // draft-eastlake-fnv, appendix C
    EXPECT_EQ(fnv1a(""), 0xCBF29CE484222325U);
    EXPECT_EQ(fnv1a("a"), 0xAF63DC4C8601EC8CU);
    EXPECT_EQ(fnv1a("foobar"), 0x85944171F73967E8U);
    EXPECT_EQ(fnv1a("bar", fnv1a("foo")), fnv1a("foobar"));
}

TEST(EntryDeathTest, EndsTheProgramAtAnIdThatIsNotOfTheTable) {
    using Id = Strong<struct TestTag, std::int32_t>;
    std::vector<int> table{5, 6};
    EXPECT_EQ(entry(table, Id(1)), 6);
    EXPECT_DEATH(entry(table, Id(2)), "id 2 of a table of 2 entries");
    EXPECT_DEATH(entry(table, Id(-1)), "id -1 of a table of 2 entries");
}

TEST(Error, IsOneLineOfPlaceMessageAndRemedy) {
    const Error error{ErrorKind::BadInput, "the shape\nis wrong", "file.json: layer a", "mend it"};
    EXPECT_EQ(error.line(), "file.json: layer a: the shape is wrong; mend it");
    EXPECT_EQ(exit_code(ErrorKind::NotMet), 1);
    EXPECT_EQ(exit_code(ErrorKind::Usage), 2);
    EXPECT_EQ(exit_code(ErrorKind::BadInput), 3);
    EXPECT_EQ(exit_code(ErrorKind::NotSupported), 3);
    EXPECT_EQ(exit_code(ErrorKind::OutOfMemory), 4);
    EXPECT_EQ(exit_code(ErrorKind::System), 5);
}

TEST(WorkerPool, ThrowsWhatABodyThrowsWhenAllAreDone) {
    WorkerPool pool(4);
    for (int round = 0; round < 20; ++round) {
        std::atomic<int> ended = 0;
        const auto some_throw = [&](std::size_t begin, std::size_t) {
            ++ended;
            if (begin % 2 == 0)
                throw std::bad_alloc();
        };
        EXPECT_THROW(pool.parallel_for(1000, 250, some_throw), std::bad_alloc);
        EXPECT_EQ(ended, 4);
    }
    std::atomic<std::size_t> covered = 0; // and goes on
    pool.parallel_for(1000, 250, [&](std::size_t begin, std::size_t end) { covered += end - begin; });
    EXPECT_EQ(covered, 1000U);
}

TEST(JsonDepth, CountsBracketsOutsideOfStrings) {
    const auto nested = [](int depth) {
        return std::string(static_cast<std::size_t>(depth), '[') +
               std::string(static_cast<std::size_t>(depth), ']');
    };
    EXPECT_FALSE(nests_too_deep(nested(deepest_json)));
    EXPECT_TRUE(nests_too_deep(nested(deepest_json + 1)));
    EXPECT_TRUE(nests_too_deep(std::string(1000, '{')));
    EXPECT_FALSE(nests_too_deep("[\"" + nested(1000) + "\\\"" + nested(1000) + "\"]"));
    std::string row;
    for (int i = 0; i < 1000; ++i)
        row += "[{}],";
    EXPECT_FALSE(nests_too_deep("[" + row + "0]"));
}

TEST(WorkerPool, SharesOutWorkThatIsWorthAThread) {
    static_assert(worth_a_thread(200'000) == 1);
    static_assert(worth_a_thread(1) == 100'001);
    static_assert(worth_a_thread(0) > 1'000'000, "of an empty tensor: no quotient that overflows");
    WorkerPool pool(2);
    std::size_t calls = 0;
    pool.parallel_for(10, worth_a_thread(0), [&](std::size_t begin, std::size_t end) {
        EXPECT_EQ(begin, 0U);
        EXPECT_EQ(end, 10U);
        ++calls;
    });
    EXPECT_EQ(calls, 1U);
}

TEST(WorkerPool, CoversEveryIndexOnce) {
    for (const std::size_t threads : {1, 2, 3, 7}) {
        WorkerPool pool(threads);
        for (const std::size_t count : {0, 1, 5, 1000}) {
            std::vector<std::atomic<int>> seen(count);
            pool.parallel_for(count, 3, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i)
                    ++seen[i];
            });
            for (const auto& times : seen)
                EXPECT_EQ(times.load(), 1);
        }
    }
}
