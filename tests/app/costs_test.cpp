// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/costs.h"
#include "tests/app/command_fixture.h"

#include <map>

namespace tilescope::tests {
namespace {

using analyse::Basis;
using profile::PhaseCycles;

/// How a run uses its IPUs, and a sample that does so.
struct Way {
    const char* name;
    const char* sample;
    std::int64_t steps; ///< of the one engine run of training; 0: as the sample says
    std::int64_t ipus;
    std::int64_t replicas;
    Basis usual;
    Arguments more = {};
};

std::ostream& operator<<(std::ostream& out, const Way& way) {
    return out << way.name;
}

/// The same small network on one IPU, cut into shards, replicated, and as a pipeline.
class CostsOfRuns : public CommandTest, public testing::WithParamInterface<Way> {
  protected:
    std::unique_ptr<profile::Profile> recorded() const {
        const Way& way = GetParam();
        const std::string path = folder / "run.tilescope";
        Arguments arguments{"profile", sample(way.sample), "-o", path, "--estimate", "--progress", "none"};
        if (way.steps > 0) {
            const std::string steps = std::to_string(way.steps);
            for (const std::string& change :
                 {"data.train.samples=" + std::to_string(64 * way.steps), "fit.steps_per_epoch=" + steps,
                  "compile.steps_per_execution=" + steps, std::string("data.evaluate.samples=64")})
                arguments.insert(arguments.end(), {"--set", change});
            arguments.insert(arguments.end(), {"--epochs", "1"});
        }
        arguments.insert(arguments.end(), way.more.begin(), way.more.end());
        printed(arguments);
        return std::move(*profile::Profile::open(path));
    }
};

/// What the trace has of the first engine run on an IPU, by operation; -1: of none.
std::map<std::int64_t, PhaseCycles> traced(const profile::Profile& file, std::int64_t ipu) {
    const auto rows =
        file.query("SELECT p.operation_id, sum(t.compute), sum(t.sync), "
                   "sum(t.exchange * (p.kind <> 'stream_copy' AND coalesce(e.kind, '') <> 'inter_ipu')), "
                   "sum(t.exchange * (p.kind <> 'stream_copy' AND coalesce(e.kind, '') = 'inter_ipu')), "
                   "sum(t.exchange * (p.kind = 'stream_copy')) FROM trace t JOIN program p ON p.id = "
                   "t.program_id LEFT JOIN exchange e ON e.id = p.exchange_id WHERE t.execution_id = 0 AND "
                   "t.ipu = " +
                   std::to_string(ipu) + " GROUP BY p.operation_id")
            ->rows;
    std::map<std::int64_t, PhaseCycles> result;
    for (const auto& row : rows) {
        const auto number = [&](std::size_t column) { return std::stoll(*row[column].text); };
        result[number(0)] = {number(1), number(3), number(2), number(4), number(5), 0};
    }
    return result;
}

TEST_P(CostsOfRuns, AddUpToTheElapsedTimeOfEachIpuInEachBasis) {
    const auto file = recorded();
    const auto costs = analyse::Costs::read(*file).value();
    ASSERT_EQ(costs.ipus().size(), static_cast<std::size_t>(GetParam().ipus / GetParam().replicas));
    EXPECT_EQ(costs.loops().replicas, GetParam().replicas);
    EXPECT_EQ(costs.loops().usual(), GetParam().usual);
    const auto executions = file->executions().value();
    const auto& execution = executions.front();
    EXPECT_EQ(costs.elapsed(), execution.cycles);
    EXPECT_EQ(costs.loops().count(Basis::Step), execution.steps);
    const auto operations = file->operations().value();
    const auto ipus = file->schedule_ipus().value();
    for (const auto& measured : ipus) {
        if (measured.schedule_id != execution.schedule_id)
            continue;
        PhaseCycles sum = costs.operation(analyse::no_operation, measured.ipu).cycles;
        for (const auto& operation : operations)
            sum += costs.operation(operation.id, measured.ipu).cycles;
        EXPECT_EQ(sum.compute, measured.compute) << "IPU " << measured.ipu;
        EXPECT_EQ(sum.exchange, measured.exchange) << "IPU " << measured.ipu;
        EXPECT_EQ(sum.sync, measured.sync) << "IPU " << measured.ipu;
        EXPECT_EQ(sum.inter_ipu, measured.inter_ipu) << "IPU " << measured.ipu;
        // An engine run is launched in the same time on all IPUs: what the host takes beside the program.
        const PhaseCycles beside = costs.beside(measured.ipu);
        EXPECT_EQ(beside.host, costs.beside(0).host) << "IPU " << measured.ipu;
        EXPECT_GT(beside.host, 0);
        EXPECT_EQ(beside.waiting, measured.waiting);
        EXPECT_EQ(sum.total() + beside.total(), execution.cycles) << "IPU " << measured.ipu;
        sum += beside;
        for (const Basis basis : costs.loops().bases())
            EXPECT_NEAR(static_cast<double>(costs.in(basis, sum).total()),
                        static_cast<double>(execution.cycles) /
                            static_cast<double>(costs.loops().count(basis)),
                        3) // six phases, each rounded
                << analyse::per(basis);
    }
}

TEST_P(CostsOfRuns, AreWhatTheTraceHasOfOneExecution) {
    const auto file = recorded();
    const auto costs = analyse::Costs::read(*file).value();
    for (std::int64_t ipu = 0; ipu < GetParam().ipus; ++ipu) {
        const auto by_operation = traced(*file, ipu);
        ASSERT_FALSE(by_operation.empty());
        for (const auto& [operation, cycles] : by_operation)
            EXPECT_EQ(costs.operation(operation, ipu).cycles, cycles)
                << "operation " << operation << " on IPU " << ipu;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Ways, CostsOfRuns,
    testing::Values(Way{"Plain", "keras_mnist_faster", 20, 1, 1, Basis::Step},
                    Way{"Sharded", "tutorial_sharding", 0, 4, 1, Basis::Step},
                    Way{"Replicated", "keras_mnist_replicated", 20, 2, 2, Basis::WeightUpdate},
                    Way{"Accumulated",
                        "keras_mnist_faster",
                        16,
                        1,
                        1,
                        Basis::WeightUpdate,
                        {"--set", "compile.gradient_accumulation_steps_per_replica=8"}},
                    Way{"Pipelined", "keras_mnist_pipelined", 24, 2, 1, Basis::WeightUpdate},
                    Way{"ReplicatedPipeline", "keras_mnist_8ipu", 64, 8, 4, Basis::WeightUpdate}),
    [](const auto& way) { return std::string(way.param.name); });

} // namespace
} // namespace tilescope::tests
