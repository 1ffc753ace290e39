// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "compile/build_id.h"
#include "compile/executable_cache.h"
#include "graph/builder.h"
#include "graph/graph_text.h"
#include "operators/operators.h"
#include "tests/temporary_folder.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

using namespace tilescope;

namespace {

class ExecutableCache : public testing::Test {
  protected:
    compile::Executable compiled(std::int64_t width = 64, const std::string& directory = {}) {
        graph::Graph graph;
        graph::Builder build(graph, registry_);
        const auto x = build.feed("x", {graph::DType::Float32, {16, width}}).value();
        const auto w = build.variable("w", graph::HostTensor({graph::DType::Float32, {width, 8}})).value();
        build.fetch("y", build.emit("relu", {build.emit("matmul", {x, w})}).value());
        return compiled(std::move(graph), directory);
    }
    compile::Executable compiled(graph::Graph graph, const std::string& directory = {}) {
        compile::Options options;
        ipu::TargetOverrides overrides;
        overrides.figures["tiles_per_ipu"] = 32;
        options.target = *ipu::find_target("ipu2", overrides);
        options.planning.rules = rules_;
        options.cache_directory = directory.empty() ? folder_ / "cache" : directory;
        auto executable = compile::compile(std::move(graph), registry_, options);
        EXPECT_TRUE(executable) << executable.error().line();
        return std::move(*executable);
    }
    static bool hit(const compile::Executable& e) { return e.cache_use == profile::CacheUse::Taken; }
    std::string entry() const {
        return std::filesystem::directory_iterator(folder_ / "cache")->path().string();
    }

    const graph::OperatorRegistry registry_ = operators::standard_operators();
    tests::TemporaryFolder folder_;
    std::vector<ipu::PlanningRule> rules_;
};

} // namespace

TEST_F(ExecutableCache, OtherRulesForProductsAreAnotherProgram) {
    compiled();
    rules_ = {{.part = {.stages = {0}}, .available_memory_proportion = 0.1}};
    EXPECT_FALSE(hit(compiled()));
    EXPECT_TRUE(hit(compiled()));
    rules_.front().part.stages = {1};
    EXPECT_FALSE(hit(compiled()));
}

TEST_F(ExecutableCache, TheSecondCompilationIsSkippedAndGivesTheSameProgram) {
    const auto first = compiled();
    const auto second = compiled();
    EXPECT_FALSE(hit(first));
    EXPECT_TRUE(hit(second)) << second.cache_note;
    EXPECT_EQ(first.program.print(), second.program.print());
    EXPECT_EQ(first.memory.addresses, second.memory.addresses);
    EXPECT_EQ(first.memory.ipus[0].peak, second.memory.ipus[0].peak);
    ASSERT_EQ(first.plans.size(), second.plans.size());
    EXPECT_EQ(ipu::describe(first.plans[0].plans[0]), ipu::describe(second.plans[0].plans[0]));
    for (std::size_t i = 0; i < first.program.variables.size(); ++i)
        EXPECT_EQ(first.program.variables[i].tile_bytes, second.program.variables[i].tile_bytes);
}

// The three products of a layer have one plan here, which has more to say.
TEST_F(ExecutableCache, PlansAreThoseThatWereMade) {
    const auto layer = [&] {
        return compiled(*graph::parse(R"(graph "layer" {
  layer @dense : "Dense" [16, 256]
  feed %x : float32 [16, 512]
  variable %w : float32 [512, 256] = 1.0
  %y = matmul(%x, %w) @dense
  %loss = reduce_sum(%y)
  fetch "loss" = %loss loss
  train %loss "sgd" {}
})",
                                      registry_));
    };
    const auto first = layer();
    const auto second = layer();
    EXPECT_TRUE(hit(second)) << second.cache_note;
    ASSERT_EQ(first.plans.size(), second.plans.size());
    bool joint = false;
    for (std::size_t i = 0; i < first.plans.size(); ++i) {
        ASSERT_EQ(first.plans[i].plans.size(), second.plans[i].plans.size());
        for (std::size_t rank = 0; rank < first.plans[i].plans.size(); ++rank) {
            const ipu::ConvPlan& made = first.plans[i].plans[rank];
            const ipu::ConvPlan& read = second.plans[i].plans[rank];
            EXPECT_EQ(ipu::describe(made), ipu::describe(read));
            EXPECT_TRUE(made.transform == read.transform);
            EXPECT_TRUE(made.splits == read.splits);
            joint = joint || made.transform.joint;
        }
    }
    EXPECT_TRUE(joint);
}

TEST_F(ExecutableCache, AnotherGraphHasAnEntryOfItsOwn) {
    compiled();
    EXPECT_FALSE(hit(compiled(128)));
    EXPECT_TRUE(hit(compiled(128)));
    EXPECT_TRUE(hit(compiled(64)));
}

// Another build may have other formulas: its programs are not this one's.
TEST_F(ExecutableCache, AnEntryIsOfTheBuildThatMadeIt) {
    const compile::Executable executable = compiled();
    compile::Options options;
    options.target = executable.target;
    EXPECT_NE(compile::cache_key(executable, options, "1"), compile::cache_key(executable, options, "2"));
    std::ifstream file(entry(), std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    EXPECT_NE(whole.find(compile::build_id()), std::string::npos);
}

TEST_F(ExecutableCache, ABuildIsToldByItsSources) {
    const std::string sources = folder_ / "sources";
    std::filesystem::create_directory(sources);
    const auto id_with = [&](const std::string& name, const std::string& text) {
        std::ofstream(std::filesystem::path(sources) / name) << text;
        const std::string command = "cmake -D SOURCES=" + sources + " -D OUTPUT=" + (folder_ / "id.cpp") +
                                    " -P " TILESCOPE_SOURCE_DIR "/cmake/build_id.cmake";
        EXPECT_EQ(std::system(command.c_str()), 0);
        std::ifstream made(folder_ / "id.cpp");
        return std::string((std::istreambuf_iterator<char>(made)), std::istreambuf_iterator<char>());
    };
    const std::string first = id_with("cycles.cpp", "return 3;");
    EXPECT_EQ(id_with("cycles.cpp", "return 3;"), first);
    EXPECT_EQ(id_with("notes.md", "not a source"), first);
    const std::string second = id_with("cycles.cpp", "return 4;");
    EXPECT_NE(second, first);
    EXPECT_NE(id_with("more.h", ""), second);
}

// Which IPUs a program has decides its routes, the schedule its stashes. A single IPU may be any.
TEST_F(ExecutableCache, TheKeyNamesTheIpusOfSeveralAndTheSchedule) {
    const compile::Executable executable = compiled();
    compile::Options options;
    options.target = executable.target;
    const auto key = [&] { return compile::cache_key(executable, options, "1"); };
    std::set<std::string> keys{key()};
    options.attachment.ipus = {3};
    keys.insert(key());
    EXPECT_EQ(keys.size(), 1U);
    options.schedule.ipus_per_replica = 2;
    for (const ipu::IpuIds& ipus : {ipu::IpuIds{0, 1}, ipu::IpuIds{0, 2}}) {
        options.attachment.ipus = ipus;
        keys.insert(key());
    }
    for (const auto schedule : {PipelineSchedule::Grouped, PipelineSchedule::Interleaved}) {
        options.schedule.pipeline = schedule;
        keys.insert(key());
    }
    EXPECT_EQ(keys.size(), 5U);
}

TEST_F(ExecutableCache, ADamagedEntryIsIgnoredWithAWarningAndMadeAgain) {
    compiled();
    std::ifstream file(entry(), std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::string flipped = whole;
    flipped[flipped.size() / 2] ^= 0x10;
    for (const std::string& text : {whole.substr(0, 20), whole.substr(0, whole.size() - 1), flipped,
                                    whole + "x", std::string("something else"), std::string()}) {
        std::ofstream(entry(), std::ios::binary) << text;
        const auto again = compiled();
        EXPECT_FALSE(hit(again));
        EXPECT_TRUE(again.cache_warning) << again.cache_note;
        EXPECT_TRUE(hit(compiled()));
    }
}

// One that is whole, but whose plans no planner makes: cycles that do not add up to a number, more parts than
// tiles.
TEST_F(ExecutableCache, AnEntryWithPlansThatCannotBeIsDamaged) {
    const std::string folder = folder_ / "plans";
    const auto outcome = [&](void (*spoil)(ipu::ConvPlan&)) {
        compile::Executable executable = compiled();
        spoil(executable.plans[0].plans[0]);
        EXPECT_TRUE(compile::store_cached(folder, "key", executable));
        return compile::load_cached(folder, "key", executable);
    };
    using compile::CacheOutcome;
    EXPECT_EQ(outcome([](ipu::ConvPlan&) {}), CacheOutcome::Hit);
    EXPECT_EQ(outcome([](ipu::ConvPlan& p) { p.cost.partials = p.cost.reduce = std::int64_t{1} << 62; }),
              CacheOutcome::Damaged);
    EXPECT_EQ(outcome([](ipu::ConvPlan& p) { p.cost.rearrange = -1; }), CacheOutcome::Damaged);
    EXPECT_EQ(outcome([](ipu::ConvPlan& p) { p.splits.batch = std::int64_t{1} << 40; }),
              CacheOutcome::Damaged);
    EXPECT_EQ(outcome([](ipu::ConvPlan& p) { p.splits.serial_in = 0; }), CacheOutcome::Damaged);
}

TEST_F(ExecutableCache, AnEntryWithAKindThatIsNoneIsDamaged) {
    const std::string folder = folder_ / "kinds";
    compile::Executable executable = compiled();
    executable.program.variables[0].role = static_cast<StepRole>(200);
    EXPECT_TRUE(compile::store_cached(folder, "key", executable));
    EXPECT_EQ(compile::load_cached(folder, "key", executable), compile::CacheOutcome::Damaged);
}

TEST_F(ExecutableCache, AFolderThatCannotBeWrittenIsAWarning) {
    const auto executable = compiled(64, "/proc/no-such-folder");
    EXPECT_TRUE(executable.cache_warning);
    EXPECT_NE(executable.cache_note.find("/proc/no-such-folder"), std::string::npos);
    EXPECT_GT(executable.program.cycles(), 0);
}
