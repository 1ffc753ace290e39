// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/compile_time.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

using namespace profile;

class CompileTimeTest : public testing::Test {
  protected:
    std::unique_ptr<Profile> recorded(const std::function<void(Recorder&)>& rows) {
        const std::string path = folder / ("run" + std::to_string(files++) + ".tilescope");
        auto recorder = Recorder::create(path, {});
        EXPECT_TRUE(recorder);
        rows(**recorder);
        EXPECT_TRUE((*recorder)->finish(RunStatus::Complete));
        auto opened = Profile::open(path);
        EXPECT_TRUE(opened);
        return std::move(*opened);
    }
    tests::TemporaryFolder folder;
    int files = 0;
};

const CompilePart& named(const CompileTime& time, const std::string& name) {
    return *std::find_if(time.parts.begin(), time.parts.end(),
                         [&](const CompilePart& part) { return part.event.name == name; });
}

TEST_F(CompileTimeTest, PassesStandWhereTheyWereAndTheirPartsSideBySide) {
    const auto profile = recorded([](Recorder& r) {
        r.add(LayerRecord{4, "dense", "Dense", "[8]", 8});
        r.add(CompileEventRecord{0, -1, "compile", 0, 1000, ""});
        r.add(CompileEventRecord{1, 0, "verify", 10, 90, ""});
        r.add(CompileEventRecord{2, 0, "plan", 200, 600, "30 steps"});
        r.add(CompileEventRecord{3, 2, "layer dense", 200, 200, ""});
        r.add(CompileEventRecord{4, 2, "layer loss", 210, 100, ""});
    });
    const auto time = read_compile_time(*profile);
    ASSERT_TRUE(time);
    EXPECT_EQ(time->total_us, 1000);
    EXPECT_EQ(time->depth, 2);
    ASSERT_EQ(time->parts.size(), 5U);
    EXPECT_EQ(named(*time, "verify").from, 10);
    EXPECT_EQ(named(*time, "verify").to, 100);
    EXPECT_EQ(named(*time, "layer dense").from, 200);
    EXPECT_EQ(named(*time, "layer dense").to, 400);
    EXPECT_EQ(named(*time, "layer loss").from, 400); // after its neighbour, though it began before that ended
    EXPECT_EQ(named(*time, "layer loss").to, 500);
    EXPECT_EQ(named(*time, "layer dense").layer_id, 4);
    EXPECT_EQ(named(*time, "layer loss").layer_id, -1);
    ASSERT_NE(time->longest_pass(), nullptr);
    EXPECT_EQ(time->longest_pass()->event.name, "plan");
    EXPECT_DOUBLE_EQ(time->share(*time->longest_pass()).value_or(-1), 0.6);
}

TEST_F(CompileTimeTest, APartKnowsWhatItIsAPartOfAndItsOwnParts) {
    const auto profile = recorded([](Recorder& r) {
        r.add(CompileEventRecord{0, -1, "compile", 0, 1000, ""});
        r.add(CompileEventRecord{1, 0, "verify", 10, 90, ""});
        r.add(CompileEventRecord{2, 0, "plan", 200, 600, ""});
        r.add(CompileEventRecord{3, 2, "layer loss", 200, 100, ""});
        r.add(CompileEventRecord{4, 2, "layer dense", 300, 200, ""});
    });
    const auto time = read_compile_time(*profile);
    ASSERT_TRUE(time);
    const CompilePart* plan = time->part_named("plan");
    ASSERT_NE(plan, nullptr);
    EXPECT_EQ(time->whole_of(*plan), &time->parts.front());
    EXPECT_EQ(time->whole_of(time->parts.front()), nullptr);
    const auto own = time->parts_of(*plan);
    ASSERT_EQ(own.size(), 2U);
    EXPECT_EQ(own[0]->event.name, "layer dense") << "the longest first";
    EXPECT_EQ(own[1]->event.name, "layer loss");
    EXPECT_EQ(time->parts_of(time->parts.front()).size(), 2U) << "not the parts of its parts";
    EXPECT_EQ(time->part_named("lower"), nullptr);
}

TEST_F(CompileTimeTest, PartsThatThreadsWorkedOnTogetherStayWithinTheirPass) {
    const auto profile = recorded([](Recorder& r) {
        r.add(CompileEventRecord{0, -1, "compile", 0, 100, ""});
        r.add(CompileEventRecord{1, 0, "plan", 0, 100, ""});
        r.add(CompileEventRecord{2, 1, "a", 0, 90, ""});
        r.add(CompileEventRecord{3, 1, "b", 0, 60, ""});
    });
    const auto time = read_compile_time(*profile);
    ASSERT_TRUE(time);
    EXPECT_DOUBLE_EQ(named(*time, "a").to, 60); // 90 of 150
    EXPECT_DOUBLE_EQ(named(*time, "b").to, 100);
}

TEST_F(CompileTimeTest, NothingCompiledIsEmptyAndABrokenTreeIsRefused) {
    const auto empty = recorded([](Recorder&) {});
    const auto none = read_compile_time(*empty);
    ASSERT_TRUE(none);
    EXPECT_TRUE(none->parts.empty());
    EXPECT_EQ(none->longest_pass(), nullptr);
    const auto broken = recorded([](Recorder& r) { r.add(CompileEventRecord{5, 7, "lost", 0, 1, ""}); });
    const auto refused = read_compile_time(*broken);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::BadInput);
}

TEST_F(CompileTimeTest, APlanStandsOnceForAllProductsThatHaveIt) {
    const std::string amp = R"({"vertex":"AMP","tiles":64})";
    const std::string slic = R"({"vertex":"SLIC","tiles":64})";
    const auto placed = [](std::int64_t op) { // where the operands lie is of each product
        return std::vector<PlanItem>{{"partials", CostKind::Compute, 200 + op}};
    };
    const auto profile = recorded([&](Recorder& r) {
        for (std::int64_t op = 0; op < 4; ++op)
            r.add(OperationRecord{.id = op, .name = "op" + std::to_string(op)});
        r.add(PlanRecord{0, "op0", 0, slic, 250, 64, {{"partials", CostKind::Compute, 250}}, {}});
        for (std::int64_t op = 1; op < 4; ++op) {
            r.add(PlanRecord{op,
                             "op" + std::to_string(op),
                             0,
                             amp,
                             100,
                             32,
                             {{"partials", CostKind::Compute, 100}},
                             placed(op)});
            r.add(PlanRecord{
                op, "op" + std::to_string(op), 1, slic, 120, 32, {{"partials", CostKind::Compute, 120}}, {}});
        }
    });
    const auto plans = chosen_plans(*profile);
    ASSERT_TRUE(plans);
    ASSERT_EQ(plans->size(), 2U);
    EXPECT_EQ((*plans)[0].record.product, "op1"); // 3 x 100 cycles before 1 x 250
    EXPECT_EQ((*plans)[0].operations, (std::vector<std::int64_t>{1, 2, 3}));
    ASSERT_TRUE((*plans)[0].other);
    EXPECT_EQ((*plans)[0].other->cycles, 120);
    EXPECT_FALSE((*plans)[1].other);
    EXPECT_EQ(products_of(*plans), 4) << "three have the one, one the other";
}

} // namespace
} // namespace tilescope::analyse
