// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "compile/passes.h"
#include "operators/operators.h"
#include "prepare/job.h"
#include "tests/planned_costs.h"

#include <filesystem>

namespace tilescope::prepare {
namespace {

std::vector<std::string> samples() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(TILESCOPE_SOURCE_DIR "/samples"))
        if (entry.path().extension() == ".json")
            names.push_back(entry.path().stem());
    std::sort(names.begin(), names.end());
    return names;
}

class PlannedSamples : public testing::TestWithParam<std::string> {};

/// Runs the passes up to the one that plans and lowers.
void lower(compile::Executable& executable, const graph::OperatorRegistry& registry,
           const compile::Options& options) {
    compile::Compilation compilation{executable, registry, options, {}};
    for (const compile::Pass& pass : compile::passes()) {
        const auto said = pass.run(compilation);
        ASSERT_TRUE(said) << pass.name << ": " << said.error().line();
        if (pass.run == compile::lower)
            return;
    }
}

} // namespace

TEST_P(PlannedSamples, HaveTheCostsOfTheProgram) {
    const graph::OperatorRegistry registry = operators::standard_operators();
    const auto workload = workload::read_workload(TILESCOPE_SOURCE_DIR "/samples/" + GetParam() + ".json");
    ASSERT_TRUE(workload) << workload.error().line();
    auto prepared = prepare_job(*workload, registry, {.estimate = true}, CancelToken());
    ASSERT_TRUE(prepared) << prepared.error().line();
    run::Job& job = prepared->job;
    if (!job.on_ipu)
        GTEST_SKIP() << "computed on the host";
    auto& graph = job.train ? job.train : job.once ? job.once : job.evaluate;
    const compile::Options options = job.train ? run::training_options(job) : run::evaluation_options(job);
    compile::Executable executable;
    executable.graph = std::move(*graph);
    executable.target = options.target;
    executable.schedule = options.schedule;
    executable.attachment = options.attachment;
    lower(executable, registry, options);
    const tests::Compared compared =
        tests::expect_planned_costs(executable.program, options.target, executable.plans);
    if (job.train) {
        EXPECT_GT(compared.products, 0U);
        EXPECT_GT(compared.laid_out, 0U);
    }
    // A field of 32 rows in three parts: of 11 rows a position of a kernel with a stride of 2 reaches 6, a
    // whole one for each worker, of 10 it reaches 5, of which most workers have parts of two.
    std::vector<std::string> uneven;
    if (GetParam() == "unet_pod16")
        uneven = {"mask/Conv2D/gradient/conv2d_filter_gradient"};
    EXPECT_EQ(compared.uneven, uneven);
}

INSTANTIATE_TEST_SUITE_P(Samples, PlannedSamples, testing::ValuesIn(samples()),
                         [](const auto& sample) { return sample.param; });

} // namespace tilescope::prepare
