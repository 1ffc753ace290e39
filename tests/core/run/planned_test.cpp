// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/costs.h"
#include "analyse/program_time.h"
#include "build_paths.h"
#include "prepare/job.h"
#include "profile/profile.h"
#include "tests/core/operators/graph_runner.h"
#include "tests/core/profile/older_schema.h"
#include "tests/core/run/run_into.h"
#include "tests/temporary_folder.h"
#include "workload/workload.h"

#include <gtest/gtest.h>

using namespace tilescope;

namespace {

/// A sample, estimated.
run::Job estimated(const std::string& sample) {
    const auto workload =
        workload::read_workload(TILESCOPE_SOURCE_DIR "/samples/" + sample, {"fit.epochs=1"});
    EXPECT_TRUE(workload) << workload.error().line();
    prepare::JobOptions how;
    how.estimate = true;
    auto prepared = prepare::prepare_job(*workload, test::registry(), how, CancelToken());
    EXPECT_TRUE(prepared) << prepared.error().line();
    return std::move(prepared->job);
}

Result<void> run_it(run::Job job, const std::string& path) {
    run::Observer observer;
    return test::run_into(path, std::move(job), observer, CancelToken(), profile::RunStatus::OutOfMemory);
}

} // namespace

// What is planned of a file from which the executions were taken is what they were.
TEST(Planned, AnExecutionIsAsThoseThatFollow) {
    for (const char* sample : {"keras_mnist_faster.json", "keras_mnist_pipelined.json"}) {
        SCOPED_TRACE(sample);
        const tests::TemporaryFolder folder;
        const std::string path = folder / "a.tilescope";
        ASSERT_TRUE(run_it(estimated(sample), path));
        profile::ExecutionGroupRecord first;
        analyse::Costs measured;
        {
            const auto file = *profile::Profile::open(path);
            first = file->execution_groups()->front();
            EXPECT_EQ(analyse::planned_execution(*file).value(), std::nullopt);
            measured = *analyse::Costs::read(*file);
            ASSERT_GT(measured.elapsed(), 0);
        }
        profile::run_sql(path, "DELETE FROM execution_group");
        const auto file = *profile::Profile::open(path);
        const auto planned = analyse::planned_execution(*file).value();
        ASSERT_TRUE(planned);
        EXPECT_EQ(planned->kind, profile::ExecutionKind::Train);
        EXPECT_EQ(planned->count, 1);
        EXPECT_EQ(planned->steps, first.steps);
        EXPECT_EQ(planned->cycles, first.cycles);
        EXPECT_EQ(planned->schedule_id, first.schedule_id);
        const auto costs = *analyse::Costs::read(*file);
        EXPECT_EQ(costs.planned(), measured.elapsed());
        for (const std::int64_t ipu : measured.ipus())
            EXPECT_EQ(costs.planned_phases(ipu), measured.with_beside(ipu)) << "IPU " << ipu;
        const auto operations = *file->operations();
        for (const auto& operation : operations)
            EXPECT_EQ(costs.share_or_planned(costs.operation(operation.id)),
                      measured.share(measured.operation(operation.id)))
                << operation.name;
    }
}

TEST(Planned, IsNotWorkedOutOfADamagedFile) {
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    ASSERT_TRUE(run_it(estimated("keras_mnist_faster.json"), path));
    profile::run_sql(path,
                     "DELETE FROM execution_group; UPDATE schedule_ipu SET compute = 9223372036854775807");
    const auto planned = analyse::planned_execution(**profile::Profile::open(path));
    ASSERT_FALSE(planned);
    EXPECT_EQ(planned.error().kind, ErrorKind::BadInput);
}

TEST(Planned, IsInTheFileOfAProgramThatDoesNotFit) {
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    run::Job job = estimated("keras_mnist_pipelined.json");
    job.target.bytes_per_tile = 8192;
    const auto result = run_it(std::move(job), path);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::OutOfMemory) << result.error().line();
    const auto file = *profile::Profile::open(path);
    EXPECT_TRUE(file->execution_groups()->empty());
    EXPECT_FALSE(file->pipeline_slots()->empty());
    const auto planned = analyse::planned_execution(*file).value();
    ASSERT_TRUE(planned);
    file->suppose(*planned);
    for (const std::int64_t ipu : {0, 1}) {
        const auto line = file->trace(ipu, 0, planned->cycles, 0).value();
        ASSERT_FALSE(line.empty());
        EXPECT_EQ(line.back().end_cycle, planned->cycles) << "all of the execution is on the time line";
    }
}
