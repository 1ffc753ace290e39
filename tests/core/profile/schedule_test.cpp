// SPDX-License-Identifier: GPL-3.0-or-later
#include "older_schema.h"
#include "profile/block_builder.h"
#include "profile/profile.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <map>
#include <random>

namespace tilescope::profile {
namespace {

using tests::TemporaryFolder;

constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();

/// A file with program steps 1 … 9, of which each has the operation of its number, and what `record` adds.
class Schedules : public testing::Test {
  protected:
    void record(const std::function<void(Recorder&)>& add) {
        auto recorder = Recorder::create(path, {});
        ASSERT_TRUE(recorder);
        (*recorder)->add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
        for (std::int64_t id = 1; id < 10; ++id) {
            (*recorder)->add(OperationRecord{id, "o" + std::to_string(id), "matmul", id % 3, Phase::Forward});
            (*recorder)->add(ProgramRecord{id, 0, id, StepKind::Execute, "s" + std::to_string(id), id});
        }
        add(**recorder);
        ASSERT_TRUE((*recorder)->finish(RunStatus::Complete));
        profile = std::move(*Profile::open(path));
    }
    static BlockBuilder builder(Recorder& recorder) {
        return BlockBuilder(
            [&recorder](std::vector<BlockPartRecord> parts) { return recorder.add_block(std::move(parts)); });
    }
    std::vector<std::vector<std::int64_t>> rows(const std::string& sql) const {
        const auto result = profile->query(sql);
        EXPECT_TRUE(result) << (result ? "" : result.error().line());
        std::vector<std::vector<std::int64_t>> numbers;
        if (result)
            for (const auto& row : result->rows)
                for (numbers.emplace_back(); const QueryCell& cell : row)
                    numbers.back().push_back(std::stoll(cell.text.value_or("-99")));
        return numbers;
    }
    std::int64_t number(const std::string& sql) const { return rows(sql).at(0).at(0); }

    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    std::unique_ptr<Profile> profile;
};

/// IPU 0: launched for 100, then two rounds of 60 cycles: three times (step 1: 2 + 3 + 5, step 2: 4), and at
/// 50 step 3 for 6. IPU 1 does the same, 1 later. The execution takes 230, so that 10 are left.
std::int64_t nested_schedule(Recorder& recorder) {
    BlockBuilder block(
        [&recorder](std::vector<BlockPartRecord> parts) { return recorder.add_block(std::move(parts)); });
    for (std::int64_t i = 0; i < 3; ++i) {
        block.begin();
        block.step(15 * i, 1, 2, 3, 5);
        block.step(15 * i + 10, 2, 0, 0, 4);
        block.end();
    }
    block.step(50, 3, 0, 6, 0);
    const std::int64_t round = block.finish().id;
    return recorder.add_schedule({{0, 0, 54, 30, 12, 0, 100, 34}, {0, 1, 54, 30, 12, 0, 100, 34}},
                                 {{0, 0, 0, 100, 2, 60, round}, {0, 1, 0, 101, 2, 60, round}});
}

/// Three of them.
void nested(Recorder& recorder) {
    const std::int64_t schedule = nested_schedule(recorder);
    for (std::int64_t id = 0; id < 3; ++id)
        recorder.add(
            ExecutionRecord{id, ExecutionKind::Train, 0, 2 * id, 2, 1000 + 230 * id, 230, 7 + id, schedule});
}

TEST_F(Schedules, ExpandAsWorkedOutByHand) {
    record(nested);
    std::vector<std::vector<std::int64_t>>
        expected; // ipu, start, execution, step, program, phases, operation
    for (std::int64_t ipu = 0; ipu < 2; ++ipu)
        for (std::int64_t execution = 0; execution < 3; ++execution)
            for (std::int64_t step = 0; step < 2; ++step) {
                const std::int64_t at = 1100 + ipu + 230 * execution + 60 * step;
                for (const std::int64_t turn : {0, 15, 30}) {
                    expected.push_back({ipu, at + turn, execution, step, 1, 2, 3, 5, 1});
                    expected.push_back({ipu, at + turn + 10, execution, step, 2, 0, 0, 4, 2});
                }
                expected.push_back({ipu, at + 50, execution, step, 3, 0, 6, 0, 3});
            }
    EXPECT_EQ(rows("SELECT * FROM trace ORDER BY ipu, start_cycle"), expected);
    EXPECT_EQ(rows("SELECT * FROM main.trace ORDER BY ipu, start_cycle"), expected) << "the view in the file";
    EXPECT_EQ(number("SELECT count(*) FROM block_part"), 4) << "two in the loop; the loop and step 3";
    EXPECT_EQ(number("SELECT count(*) FROM execution_group"), 1);
    EXPECT_EQ(rows("SELECT id, epoch, first_step, steps, start_cycle, cycles, wall_us FROM execution"),
              (std::vector<std::vector<std::int64_t>>{
                  {0, 0, 0, 2, 1000, 230, 7}, {1, 0, 2, 2, 1230, 230, 8}, {2, 0, 4, 2, 1460, 230, 9}}));
    EXPECT_EQ(rows("SELECT id, epoch, first_step, start_cycle FROM main.execution"),
              rows("SELECT id, epoch, first_step, start_cycle FROM execution"));
    EXPECT_EQ(rows("SELECT * FROM main.execution_ipu ORDER BY 1, 2"), rows("SELECT * FROM execution_ipu"));
}

// SQL and the calls for executions know of nothing that was not executed.
/// Refused as damaged, in no more time and stack than a whole file takes.
void expect_damaged(const std::string& path) {
    const auto profile = Profile::open(path);
    const auto line = profile ? (*profile)->trace(0, 0, 2, 1) : Failure(profile.error());
    ASSERT_FALSE(line);
    EXPECT_EQ(line.error().kind, ErrorKind::BadInput) << line.error().line();
}

// Blocks in blocks, by as many levels as there are rows for.
TEST_F(Schedules, BlocksThatGoTooDeepAreDamage) {
    record(nested);
    run_sql(path,
            "INSERT INTO block_part SELECT 100000 + value, 0, 0, 1, 0, 99999 + value, -1, 0, 0, 0 FROM "
            "(WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < "
            "20000) SELECT value FROM n); INSERT INTO block_part VALUES (100000, 0, 0, 1, 0, -1, 1, 2, 3, "
            "5); UPDATE schedule_round SET block_id = 120000, repeats = 1, period_cycles = 0");
    expect_damaged(path);
}

// Forty blocks of no time of which each has the one before it twice: a million millions of steps at once.
TEST_F(Schedules, BlocksThatHoldEndlesslyManyStepsAtOnceAreDamage) {
    record(nested);
    run_sql(path,
            "INSERT INTO block_part SELECT 100000 + value, position, 0, 1, 0, 99999 + value, -1, 0, 0, 0 "
            "FROM (WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < "
            "40) SELECT value FROM n), (SELECT 0 AS position UNION SELECT 1); INSERT INTO block_part "
            "VALUES (100000, 0, 0, 1, 0, -1, 1, 0, 0, 0); UPDATE schedule_round SET block_id = 100040, "
            "repeats = 1, period_cycles = 0");
    expect_damaged(path);
}

TEST_F(Schedules, ExecutionsOfWhichThereAreNoneAreDamage) {
    record(nested);
    run_sql(path,
            "UPDATE execution_group SET count = 0, period_cycles = 0, cycles = 0, schedule_id = -1; INSERT "
            "INTO schedule_ipu VALUES (-1, 0, 1, 1, 1, 1, 1, 1)");
    expect_damaged(path);
}

TEST_F(Schedules, WallTimeThatNobodyCanHaveWaitedIsDamage) {
    record(nested);
    run_sql(path, "UPDATE execution_group SET wall_us = 4611686018427387904");
    expect_damaged(path);
    run_sql(path, "UPDATE execution_group SET wall_us = -1");
    expect_damaged(path);
}

TEST_F(Schedules, WhatWasNotExecutedIsOnTheTimeLineWhereItIsSupposed) {
    record(nested_schedule);
    EXPECT_TRUE(profile->trace(0, 0, 1000, 0).value().empty());
    ExecutionGroupRecord planned;
    planned.steps = 2;
    planned.cycles = planned.period_cycles = 230;
    planned.schedule_id = 0;
    profile->suppose(planned);
    const auto line = profile->trace(1, 0, 1000, 0).value();
    ASSERT_FALSE(line.empty());
    EXPECT_EQ(line.front().start_cycle, 0);
    EXPECT_EQ(line.front().cycles.host, 100);
    EXPECT_EQ(line.back().end_cycle, 230);
    EXPECT_EQ(std::count_if(line.begin(), line.end(), [](const auto& s) { return s.program_id == 3; }), 2);
    EXPECT_TRUE(profile->execution_groups().value().empty());
    EXPECT_EQ(profile->time_range().value(), (std::pair<std::int64_t, std::int64_t>{0, 0}));
    EXPECT_EQ(number("SELECT count(*) FROM trace"), 0);
}

TEST_F(Schedules, WhatWasExecutedIsNotSupposed) {
    record(nested);
    const auto before = profile->trace(0, 0, 2000, 0).value();
    ExecutionGroupRecord planned;
    planned.cycles = planned.period_cycles = 230;
    planned.schedule_id = 0;
    profile->suppose(planned);
    const auto after = profile->trace(0, 0, 2000, 0).value();
    EXPECT_EQ(after.size(), before.size());
    EXPECT_EQ(after.front().start_cycle, 1000);
}

TEST_F(Schedules, TheTimeLineHasLaunchesAndGaps) {
    record(nested);
    const auto line = profile->trace(1, 1230, 1460, 0).value();
    std::vector<std::pair<std::int64_t, std::int64_t>> gaps; // start, length
    std::int64_t at = 1230;
    for (const TraceSlice& slice : line) {
        EXPECT_EQ(slice.start_cycle, at);
        EXPECT_EQ(slice.cycles.total(), slice.end_cycle - slice.start_cycle);
        EXPECT_EQ(slice.execution_id, 1);
        at = slice.end_cycle;
        if (slice.cycles.waiting > 0)
            gaps.emplace_back(slice.start_cycle, slice.cycles.waiting);
    }
    EXPECT_EQ(at, 1460);
    EXPECT_EQ(line.front().cycles.host, 100);
    using Gaps = std::vector<std::pair<std::int64_t, std::int64_t>>;
    EXPECT_EQ(gaps, (Gaps{{1330, 1},
                          {1345, 1},
                          {1360, 1},
                          {1375, 6},
                          {1387, 4},
                          {1405, 1},
                          {1420, 1},
                          {1435, 6},
                          {1447, 13}}));
    const auto merged = profile->trace(0, 0, forever, 500).value();
    ASSERT_EQ(merged.size(), 2U) << "two executions are shorter than 500 together";
    EXPECT_EQ(merged[0].execution_id, -1);
    EXPECT_EQ(merged[0].merged, 28);
    EXPECT_EQ(merged[0].cycles.compute, 2 * 54);
    EXPECT_EQ(merged[0].cycles.total(), 460);
    EXPECT_EQ(merged[1].execution_id, 2);
}

TEST_F(Schedules, TheRepeatsThatACycleLiesInAreKnown) {
    record(nested);
    using Repeats = std::vector<std::array<std::int64_t, 3>>;
    const auto at = [this](std::int64_t ipu, std::int64_t cycle) {
        Repeats repeats;
        const auto known = profile->trace_repeats(ipu, cycle).value();
        for (const TraceRepeats& each : known)
            repeats.push_back({each.start_cycle, each.period_cycles, each.count});
        return repeats;
    };
    const std::array<std::int64_t, 3> executions{1000, 230, 3};
    EXPECT_EQ(at(0, 1050), (Repeats{executions})) << "the host launches it";
    // Of three turns in 15 cycles each, the last has no gap of 1 behind it.
    EXPECT_EQ(at(0, 1330 + 29), (Repeats{executions, {1330, 15, 2}}));
    EXPECT_EQ(at(1, 1331 + 1), (Repeats{executions, {1331, 15, 2}}));
    EXPECT_EQ(at(0, 1330 + 52), (Repeats{executions})) << "step 3";
    EXPECT_EQ(at(0, 1690), Repeats()) << "behind them";
    EXPECT_EQ(at(0, 999), Repeats()) << "before";
}

/// A run of random nested loops on three IPUs, two of which do the same, in groups of executions.
void random_run(Recorder& recorder, unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::int64_t n) {
        return static_cast<std::int64_t>(random() % static_cast<unsigned>(n));
    };
    std::int64_t now = 0;
    std::int64_t id = 0;
    for (int program = 0; program < 3; ++program) {
        std::vector<std::int64_t> blocks;
        std::int64_t longest = 0;
        for (int ipu = 0; ipu < 2; ++ipu) {
            BlockBuilder block([&recorder](std::vector<BlockPartRecord> parts) {
                return recorder.add_block(std::move(parts));
            });
            std::int64_t at = 0;
            const std::function<void(int)> piece = [&](int depth) {
                const std::int64_t parts = 1 + below(5);
                for (std::int64_t p = 0; p < parts; ++p) {
                    const std::int64_t kind = below(4);
                    if (depth > 0 && kind == 0) {
                        const auto state = random;
                        const std::int64_t turns = 2 + below(4);
                        const auto inner = random;
                        for (std::int64_t i = 0; i < turns; ++i) {
                            random = inner; // each turn the same
                            block.begin();
                            piece(depth - 1);
                            block.end();
                        }
                        (void)state;
                    } else {
                        at += kind == 1 ? below(20) : 0;
                        const std::int64_t sync = below(5);
                        const std::int64_t exchange = below(10);
                        const std::int64_t compute = 1 + below(30);
                        block.step(at, 1 + below(9), sync, exchange, compute);
                        at += sync + exchange + compute;
                    }
                }
            };
            for (int i = 0; i < 12; ++i)
                piece(3);
            blocks.push_back(block.finish().id);
            longest = std::max(longest, at);
        }
        const std::int64_t rounds = 1 + below(4);
        const std::int64_t launch = below(50);
        const std::int64_t period = longest + below(10);
        const std::int64_t schedule = recorder.add_schedule({{0, 0, 1}, {0, 1, 1}, {0, 2, 1}},
                                                            {{0, 0, 0, launch, rounds, period, blocks[0]},
                                                             {0, 1, 0, launch + 3, rounds, period, blocks[1]},
                                                             {0, 2, 0, launch, rounds, period, blocks[0]}});
        ExecutionGroupRecord group;
        group.id = id;
        group.count = 1 + below(6);
        group.executions_per_epoch = program == 1 ? 2 : 0;
        group.steps = rounds;
        group.start_cycle = now;
        group.cycles = group.period_cycles = launch + rounds * period + 5;
        group.schedule_id = schedule;
        recorder.add(group);
        now += group.count * group.cycles;
        id += group.count;
    }
}

class RandomSchedules : public Schedules, public testing::WithParamInterface<unsigned> {
  protected:
    void SetUp() override {
        record([](Recorder& recorder) { random_run(recorder, GetParam()); });
        // Brute force: the recursive view of the file, which knows nothing of the reader.
        all = rows("SELECT ipu, start_cycle, execution_id, step, program_id, sync, exchange, compute, "
                   "operation_id FROM main.trace ORDER BY ipu, start_cycle");
        ASSERT_GT(all.size(), 500U);
    }
    std::vector<std::vector<std::int64_t>> all;
};

TEST_P(RandomSchedules, AreTheSameRowsUnderAnyConstraints) {
    EXPECT_EQ(rows("SELECT * FROM trace"), all) << "in order";
    std::mt19937 random(GetParam() + 1000);
    const std::vector<std::string> names = {"ipu",      "start_cycle", "execution_id",
                                            "step",     "program_id",  "sync",
                                            "exchange", "compute",     "operation_id"};
    const std::vector<std::string> operators = {"=", "<", "<=", ">", ">=", "<>"};
    constexpr std::size_t enough = 3'000'000; // rows, of all queries
    std::size_t read = 0;
    for (int i = 0; i < 150 && (i < 50 || read < enough); ++i) {
        struct Condition {
            std::size_t column, op;
            std::int64_t value;
        };
        std::vector<Condition> conditions;
        std::string sql;
        for (unsigned k = 1 + random() % 3; k > 0; --k) {
            const std::size_t column = random() % names.size();
            const std::size_t op = random() % operators.size();
            const std::int64_t value =
                all[random() % all.size()][column] + static_cast<std::int64_t>(random() % 2);
            sql += (sql.empty() ? "" : " AND ") + names[column] + " " + operators[op] + " " +
                   std::to_string(value);
            conditions.push_back({column, op, value});
        }
        const auto holds = [&](const std::vector<std::int64_t>& row) {
            return std::all_of(conditions.begin(), conditions.end(), [&](const Condition& c) {
                const std::int64_t x = row[c.column];
                const bool all_ways[] = {x == c.value, x<c.value, x <= c.value, x> c.value, x >= c.value,
                                         x != c.value};
                return all_ways[c.op];
            });
        };
        std::vector<std::vector<std::int64_t>> expected;
        std::copy_if(all.begin(), all.end(), std::back_inserter(expected), holds);
        read += expected.size();
        ASSERT_EQ(rows("SELECT * FROM trace WHERE " + sql), expected) << sql;
        ASSERT_EQ(number("SELECT count(*) FROM trace WHERE " + sql),
                  static_cast<std::int64_t>(expected.size()));
    }
    EXPECT_EQ(number("SELECT count(*) FROM program p JOIN trace t ON t.program_id = p.id"),
              static_cast<std::int64_t>(all.size()));
}

TEST_P(RandomSchedules, RepeatsRepeat) {
    std::mt19937 random(GetParam() + 2000);
    std::size_t checked = 0;
    for (int i = 0; i < 300; ++i) {
        const auto& row = all[random() % all.size()];
        const std::int64_t ipu = row[0], cycle = row[1];
        const auto repeats = profile->trace_repeats(ipu, cycle).value();
        for (const TraceRepeats& each : repeats) {
            ASSERT_LE(each.start_cycle, cycle);
            ASSERT_LT(cycle, each.start_cycle + each.count * each.period_cycles);
            const auto steps_from = [&](std::int64_t from) {
                std::vector<std::vector<std::int64_t>> steps; // start since then, program, phases
                for (auto step = std::lower_bound(all.begin(), all.end(), std::vector{ipu, from});
                     step != all.end() && (*step)[0] == ipu && (*step)[1] < from + each.period_cycles; ++step)
                    steps.push_back({(*step)[1] - from, (*step)[4], (*step)[5], (*step)[6], (*step)[7]});
                return steps;
            };
            const auto first = steps_from(each.start_cycle);
            for (std::int64_t turn = 1; turn < each.count; ++turn)
                ASSERT_EQ(steps_from(each.start_cycle + turn * each.period_cycles), first);
            ++checked;
        }
    }
    EXPECT_GT(checked, 300U);
}

TEST_P(RandomSchedules, SumsAreThoseOfTheRows) {
    std::mt19937 random(GetParam() + 2000);
    const auto range = *profile->time_range();
    for (int i = 0; i < 200; ++i) {
        const auto ipu = static_cast<std::int64_t>(random() % 3);
        const std::int64_t from = static_cast<std::int64_t>(random()) % (range.second + 10);
        const std::int64_t to =
            from + static_cast<std::int64_t>(random()) % (i % 2 == 0 ? 300 : range.second);
        std::map<std::int64_t, TraceTotal> expected;
        std::int64_t steps_inside = 0;
        for (const auto& row : all) {
            std::int64_t at = row[1];
            const std::int64_t end = at + row[5] + row[6] + row[7];
            if (row[0] != ipu || end <= from || at >= to)
                continue;
            TraceTotal& total = expected[row[4]];
            ++total.runs;
            total.longest = std::max(total.longest, end - at);
            const auto inside = [&](std::int64_t length) {
                const std::int64_t seen =
                    std::max<std::int64_t>(0, std::min(to, at + length) - std::max(from, at));
                at += length;
                steps_inside += seen;
                return seen;
            };
            total.cycles.sync += inside(row[5]);
            total.cycles.exchange += inside(row[6]);
            total.cycles.compute += inside(row[7]);
        }
        const auto totals = profile->trace_totals(ipu, from, to).value();
        std::int64_t covered = 0;
        std::size_t found = 0;
        for (const TraceTotal& total : totals) {
            covered += total.cycles.total();
            if (total.of != TraceTotal::Of::Step)
                continue;
            ++found;
            const TraceTotal& want = expected[total.program_id];
            ASSERT_EQ(total.runs, want.runs) << from << " to " << to << ", step " << total.program_id;
            ASSERT_EQ(total.longest, want.longest);
            ASSERT_EQ(total.cycles, want.cycles);
            ASSERT_EQ(total.operation_id, total.program_id);
        }
        ASSERT_EQ(found, expected.size());
        ASSERT_EQ(covered, std::max<std::int64_t>(0, std::min(to, range.second) - from)) << "no time is lost";
    }
}

TEST_P(RandomSchedules, FiguresAreThoseOfTheRows) {
    const auto [begin, end] = *profile->time_range();
    StepFigure figure;
    for (int program = 0; program < 10; ++program)
        figure.of_step.push_back(program == 4 ? std::nan("") : 100 * program);
    for (const auto over : {StepFigure::Over::Step, StepFigure::Over::Exchange, StepFigure::Over::Compute})
        for (const std::int64_t ipu : {0, 1, 2}) {
            figure.over = over;
            // At each cycle; NaN: not known. Amounts are nothing while the host launches and others are
            // waited for.
            const double between = over == StepFigure::Over::Step ? std::nan("") : 0;
            std::vector<double> values(static_cast<std::size_t>(end - begin), between);
            for (const auto& row : all) {
                if (row[0] != ipu)
                    continue;
                const double value = figure.of_step[static_cast<std::size_t>(row[4])];
                std::int64_t at = row[1] - begin;
                for (const std::size_t phase : {5U, 6U, 7U}) {
                    const bool own = (phase == 6 && over == StepFigure::Over::Exchange) ||
                                     (phase == 7 && over == StepFigure::Over::Compute);
                    const double rate = over == StepFigure::Over::Step || std::isnan(value) ? value
                                        : own ? value / static_cast<double>(row[phase])
                                              : 0;
                    std::fill_n(values.begin() + at, row[phase], rate);
                    at += row[phase];
                }
            }
            for (const std::int64_t width : {1, 9, 100, 700, 9000}) {
                const std::int64_t from = begin + width / 3;
                const std::size_t count =
                    std::min<std::size_t>(2000, static_cast<std::size_t>((end - from) / width) + 2);
                const auto sums = profile->trace_figure(ipu, from, width, count, figure).value();
                for (std::size_t c = 0; c < count; ++c) {
                    FigureSum wanted;
                    const std::int64_t first = from + static_cast<std::int64_t>(c) * width - begin;
                    for (std::int64_t i = first; i < std::min(first + width, end - begin); ++i)
                        if (const double value = values[static_cast<std::size_t>(i)]; !std::isnan(value))
                            wanted.add({1, value, value, value});
                    ASSERT_DOUBLE_EQ(sums[c].cycles, wanted.cycles) << c << " of " << width;
                    ASSERT_NEAR(sums[c].sum, wanted.sum, 1e-9 * std::abs(wanted.sum));
                    ASSERT_DOUBLE_EQ(sums[c].least, wanted.least);
                    ASSERT_DOUBLE_EQ(sums[c].most, wanted.most);
                }
            }
        }
}

TEST_P(RandomSchedules, PicturesAddUpAtEveryResolution) {
    for (const std::int64_t resolution : {0L, 1L, 7L, 100L, 1000L, 5000L, 100'000L}) {
        std::int64_t merged = 0;
        std::int64_t at = 0;
        const auto line = profile->trace(2, 0, forever, resolution).value();
        for (const TraceSlice& slice : line) {
            ASSERT_EQ(slice.start_cycle, at);
            ASSERT_EQ(slice.cycles.total(), slice.end_cycle - slice.start_cycle);
            ASSERT_TRUE(slice.merged < 2 || slice.end_cycle - slice.start_cycle < resolution);
            at = slice.end_cycle;
            merged += slice.merged;
        }
        EXPECT_EQ(at, profile->time_range()->second);
        EXPECT_EQ(merged, number("SELECT count(*) FROM main.trace WHERE ipu = 2")) << resolution;
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSchedules, testing::Values(1U, 2U));

TEST_F(Schedules, ABillionExecutionsTakeNoMoreRoomThanAThousand) {
    std::map<std::int64_t, std::uintmax_t> sizes;
    for (const std::int64_t count : {1000LL, 1'000'000'000LL}) {
        record([&](Recorder& recorder) {
            BlockBuilder block = builder(recorder);
            for (std::int64_t i = 0; i < 9; ++i)
                block.step(10 * i, i + 1, 1, 2, 7);
            const std::int64_t schedule = recorder.add_schedule({{0, 0, 63, 18, 9, 0, 10, 0}},
                                                                {{0, 0, 0, 10, 1, 90, block.finish().id}});
            recorder.add(
                ExecutionGroupRecord{0, count, ExecutionKind::Train, 0, 10, 0, 1, 0, 100, 100, 0, schedule});
        });
        sizes[count] = std::filesystem::file_size(path);
        EXPECT_EQ(profile->execution_totals(ExecutionKind::Train)->executions, count);
        EXPECT_EQ(profile->phase_cycles()->compute, 63 * count);
        EXPECT_EQ(
            rows("SELECT id, epoch, first_step, start_cycle FROM execution WHERE id = " +
                 std::to_string(count - 1)),
            (std::vector<std::vector<std::int64_t>>{{count - 1, (count - 1) / 10, 9, 100 * (count - 1)}}));
        EXPECT_EQ(number("SELECT count(*) FROM trace WHERE execution_id = " + std::to_string(count - 1)), 9);
        const auto line = profile->trace(0, 0, 100 * count, 100 * count / 1500).value();
        EXPECT_LE(line.size(), 3002U);
        EXPECT_GE(line.size(), 999U);
    }
    EXPECT_LE(sizes.at(1'000'000'000), sizes.at(1000));
}

TEST_F(Schedules, ExecutionsThatDifferInTheirMetricsTakeFewBytes) {
    constexpr std::int64_t count = 200'000;
    const auto size = [&](bool metrics) {
        record([&](Recorder& recorder) {
            std::mt19937 random(5);
            double loss = 0;
            for (std::int64_t id = 0; id < count; ++id) {
                recorder.add(ExecutionRecord{id, ExecutionKind::Train, 0, id, 1, 100 * id, 100,
                                             400 + static_cast<std::int64_t>(random() % 50), 0});
                loss += 1.0 / (1.0 + static_cast<double>(random() % 1000));
                if (metrics)
                    recorder.add(MetricRecord{id, "loss", loss / static_cast<double>(id + 1)});
            }
        });
        return static_cast<double>(std::filesystem::file_size(path));
    };
    EXPECT_LT(size(false) / count, 4.0) << "its wall time";
    EXPECT_LT(size(true) / count, 16.0) << "all of it";
    EXPECT_EQ(number("SELECT count(*) FROM metric"), count);
    EXPECT_EQ(number("SELECT count(*) FROM execution WHERE wall_us BETWEEN 400 AND 449"), count);
    EXPECT_EQ(profile->metrics(77, 77)->size(), 1U);
    EXPECT_EQ(profile->last_metrics()->at(0).execution_id, count - 1);
    EXPECT_LE(profile->metric_history(1000)->size(), 1002U);
}

TEST_F(Schedules, EpochsAreOneGroup) {
    record([](Recorder& recorder) {
        const std::int64_t schedule = recorder.add_schedule({{0, 0, 10}}, {});
        std::int64_t id = 0;
        for (std::int64_t epoch = 0; epoch < 4; ++epoch)
            for (std::int64_t step = 0; step < 6; step += 2, ++id)
                recorder.add(
                    ExecutionRecord{id, ExecutionKind::Train, epoch, step, 2, 10 * id, 10, 1, schedule});
        recorder.add(ExecutionRecord{id, ExecutionKind::Evaluate, 0, 0, 2, 10 * id, 10, 1, schedule});
    });
    EXPECT_EQ(rows("SELECT id, count, epoch, executions_per_epoch, wall_us FROM execution_group"),
              (std::vector<std::vector<std::int64_t>>{{0, 12, 0, 3, 12}, {12, 1, 0, 0, 1}}));
    const auto executions = profile->executions(4, 3).value();
    ASSERT_EQ(executions.size(), 3U);
    EXPECT_EQ(executions[2].epoch, 2);
    EXPECT_EQ(executions[2].first_step, 0);
    EXPECT_EQ(profile->execution_totals(ExecutionKind::Train)->steps_per_epoch, 6);
}

} // namespace
} // namespace tilescope::profile
