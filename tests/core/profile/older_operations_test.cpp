// SPDX-License-Identifier: GPL-3.0-or-later
#include "older_schema.h"
#include "profile/profile.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace tilescope::profile {
namespace {

using Kinds = std::vector<std::string>;

OperationRecord operation(std::int64_t id, const char* kind, const char* attributes) {
    OperationRecord made;
    made.id = id;
    made.name = made.kind = kind;
    made.attributes = attributes;
    return made;
}

/// A profile of schema 21, which said in JSON only what was fused and what was asked for.
class OlderOperations : public testing::Test {
  protected:
    std::unique_ptr<Profile> read(const std::string& workload, const std::vector<OperationRecord>& operations,
                                  bool old) {
        const std::string path = folder_ / "operations.tilescope";
        RunRecord run;
        run.workload = workload;
        run.epochs = 7;
        run.available_memory_proportion = 0.25;
        run.recomputation = Recomputation::Parts;
        auto recorder = std::move(*Recorder::create(path, run, Recorder::Existing::Overwrite));
        for (const OperationRecord& each : operations)
            recorder->add(each);
        EXPECT_TRUE(recorder->finish(RunStatus::Complete));
        recorder.reset();
        if (old)
            run_sql(path, "DROP VIEW main.trace; " + without_parts + "PRAGMA user_version = 21");
        return std::move(*Profile::open(path));
    }

    const tests::TemporaryFolder folder_;
};

TEST_F(OlderOperations, ThoseOfTodaySayItInColumns) {
    OperationRecord fused = operation(0, "fused_elementwise", "{}");
    fused.parts = {"add", "relu", "add"};
    OperationRecord mean = operation(1, "group_mean", "{}");
    mean.group_replicas = 4;
    const auto profile = read("{}", {fused, mean}, false);
    const auto operations = profile->operations().value();
    ASSERT_EQ(operations.size(), 2U);
    EXPECT_EQ(operations[0].parts, fused.parts);
    EXPECT_EQ(operations[0].group_replicas, 0);
    EXPECT_EQ(operations[1].parts, Kinds());
    EXPECT_EQ(operations[1].group_replicas, 4);
    const RunRecord run = profile->run().value();
    EXPECT_EQ(run.epochs, 7);
    EXPECT_EQ(run.available_memory_proportion, 0.25);
    EXPECT_EQ(run.recomputation, Recomputation::Parts);
    EXPECT_EQ(profile->query("SELECT group_concat(kind, ' ') FROM operation_part")->rows[0][0].text,
              "add relu add");
}

TEST_F(OlderOperations, DidNotSayHowMuchCodeStepsAdd) {
    const std::string path = folder_ / "steps.tilescope";
    auto recorder = std::move(*Recorder::create(path, RunRecord{}));
    ProgramRecord step{0, -1, 0, StepKind::Exchange, "inputs"};
    step.code_bytes = 52;
    recorder->add(step);
    step.id = 1;
    step.code_bytes.reset();
    recorder->add(step);
    EXPECT_TRUE(recorder->finish(RunStatus::Complete));
    recorder.reset();
    const auto code_bytes = [&](std::size_t of) {
        return (*(*Profile::open(path))->program())[of].code_bytes;
    };
    EXPECT_EQ(code_bytes(0), 52);
    EXPECT_EQ(code_bytes(1), std::nullopt);
    run_sql(path, "DROP VIEW main.trace; " + without_step_code + "PRAGMA user_version = 23");
    EXPECT_EQ(code_bytes(0), std::nullopt);
}

TEST_F(OlderOperations, SaidInAttributesWhatWasFusedAndOverWhichGroups) {
    const auto profile =
        read("{}",
             {operation(0, "fused_elementwise", R"({"kinds":["add","relu","add"]})"),
              operation(1, "group_moments", R"({"axes":[0],"group":2})"),
              operation(2, "conv2d", R"({"group":3,"kinds":["add"]})"),
              operation(3, "fused_elementwise", R"({"kinds":"add"})"), operation(4, "fused_elementwise", "{"),
              operation(5, "group_gather", R"({"group":"two"})"),
              operation(6, "fused_elementwise", R"({"kinds":["tanh",3]})"),
              operation(7, "group_gather", R"({"group":4})")},
             true);
    const auto operations = profile->operations().value();
    ASSERT_EQ(operations.size(), 8U);
    const std::vector<Kinds> parts = {{"add", "relu", "add"}, {}, {}, {}, {}, {}, {"tanh"}, {}};
    const std::vector<std::int64_t> groups = {0, 2, 0, 0, 0, 0, 0, 4};
    for (std::size_t i = 0; i < operations.size(); ++i) {
        EXPECT_EQ(operations[i].parts, parts[i]) << i;
        EXPECT_EQ(operations[i].group_replicas, groups[i]) << i;
    }
}

TEST_F(OlderOperations, TheirWorkloadSaysWhatWasAskedFor) {
    const auto asked = [&](const std::string& workload) {
        const RunRecord run = read(workload, {}, true)->run().value();
        return std::tuple(run.epochs, run.available_memory_proportion, run.recomputation);
    };
    const auto text = [](const std::string& recompute) {
        return R"({"fit":{"epochs":3},"ipu_config":{"allow_recompute":)" + recompute +
               R"(,"available_memory_proportion":0.6}})";
    };
    EXPECT_EQ(asked(text("true")), std::tuple(3, 0.6, Recomputation::On));
    EXPECT_EQ(asked(text("false")), std::tuple(3, 0.6, Recomputation::Off));
    EXPECT_EQ(asked(text(R"({"layer_1":true})")), std::tuple(3, 0.6, Recomputation::Parts));
    EXPECT_EQ(asked(text("7")), std::tuple(3, 0.6, std::nullopt));
    for (const char* nothing : {"{}", "no JSON", "[1]",
                                R"({"fit":{"epochs":"3"},"ipu_config":{"available_memory_proportion":"x"}})"})
        EXPECT_EQ(asked(nothing), std::tuple(1, std::nullopt, std::nullopt)) << nothing;
}

} // namespace
} // namespace tilescope::profile
