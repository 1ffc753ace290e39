// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/recorder.h"
#include "tests/record_rows.h"
#include "tests/temporary_folder.h"
#include "ui/trace/trace_hits.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace tilescope::ui {
namespace {

/// Three IPUs whose steps, of nine programs, begin at different times; the last IPU has few.
std::vector<profile::TraceRecord> rows() {
    std::mt19937 random(3);
    std::vector<profile::TraceRecord> rows;
    for (std::int64_t ipu = 0; ipu < 3; ++ipu) {
        std::int64_t at = ipu;
        for (int i = 0; i < (ipu == 2 ? 40 : 700); ++i) {
            const auto length = static_cast<std::int64_t>(random() % 50);
            rows.push_back({0, i, static_cast<std::int64_t>(random() % 9), ipu, at, 1, 2, length});
            at += length + 3 + static_cast<std::int64_t>(random() % (ipu == 2 ? 900 : 20));
        }
    }
    return rows;
}

} // namespace

TEST(TraceHits, AreTheFirstOfAllIpusInOrderOfTime) {
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    auto recorder = profile::Recorder::create(path, {});
    ASSERT_TRUE(recorder);
    for (std::int64_t ipu = 0; ipu < 3; ++ipu)
        (*recorder)->add(profile::IpuRecord{ipu});
    tests::record_rows(**recorder, {}, {}, rows());
    ASSERT_TRUE((*recorder)->finish(profile::RunStatus::Complete));
    const auto file = profile::Profile::open(path).value();
    for (const std::vector<std::int64_t>& wanted :
         {std::vector<std::int64_t>{4}, {7, 1, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {99}, {}}) {
        std::vector<std::pair<std::int64_t, std::int64_t>> all; // start and IPU
        for (const profile::TraceRecord& row : rows())
            if (std::find(wanted.begin(), wanted.end(), row.program_id) != wanted.end())
                all.emplace_back(row.start_cycle, row.ipu);
        std::sort(all.begin(), all.end());
        for (const std::size_t most : {1U, 5U, 60U, 1000U, 5000U}) {
            std::vector<std::pair<std::int64_t, std::int64_t>> found;
            const std::vector<TraceHit> hits = find_hits(*file, file->ipus().value(), wanted, most).value();
            for (const TraceHit& hit : hits)
                found.emplace_back(hit.slice.start_cycle, hit.ipu);
            EXPECT_EQ(found, std::vector(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(
                                                                        std::min(most, all.size()))))
                << wanted.size() << " programs, the first " << most;
        }
    }
}

/// Steps that follow each other belong to one pass until another step, or another turn, comes.
TEST(TraceHits, TheFirstPassIsAllThatFollowsWithoutAGap) {
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    auto recorder = profile::Recorder::create(path, {});
    ASSERT_TRUE(recorder);
    (*recorder)->add(profile::IpuRecord{0});
    (*recorder)->add(profile::IpuRecord{1});
    // Execution, turn, program step, IPU, start, sync, exchange, compute.
    const std::vector<profile::TraceRecord> all{{0, 0, 5, 0, 0, 1, 2, 7},  {0, 0, 2, 0, 10, 1, 2, 7},
                                                {0, 0, 3, 0, 20, 1, 4, 5}, {0, 0, 5, 0, 30, 1, 2, 7},
                                                {0, 0, 2, 0, 40, 1, 2, 7}, {0, 1, 3, 0, 50, 1, 2, 7},
                                                {0, 0, 8, 1, 0, 1, 2, 7},  {0, 0, 8, 1, 12, 1, 2, 7}};
    tests::record_rows(**recorder, {}, {}, all);
    ASSERT_TRUE((*recorder)->finish(profile::RunStatus::Complete));
    const auto file = profile::Profile::open(path).value();
    const auto ipus = file->ipus().value();
    const auto pass = [&](const std::vector<std::int64_t>& wanted) {
        return first_pass(*file, ipus, wanted).value();
    };
    const auto two = pass({3, 2});
    ASSERT_TRUE(two);
    EXPECT_EQ(two->slice.start_cycle, 10);
    EXPECT_EQ(two->slice.end_cycle, 30);
    EXPECT_EQ(two->slice.merged, 2);
    EXPECT_EQ(two->slice.cycles.exchange, 6);
    const auto other = pass({8});
    ASSERT_TRUE(other);
    EXPECT_EQ(other->ipu, 1);
    EXPECT_EQ(other->slice.end_cycle, 10) << "a gap ends it";
    EXPECT_EQ(other->slice.program_id, 8);
    EXPECT_FALSE(pass({77}));
    EXPECT_FALSE(pass({}));
    EXPECT_EQ(first_pass(*file, {ipus.rbegin(), ipus.rend()}, {5, 8}).value()->ipu, 1)
        << "of the IPU that is asked for first";
}

} // namespace tilescope::ui
