// SPDX-License-Identifier: GPL-3.0-or-later
/// What program steps and variables are there for: as the compiler says it, and as it is read out of names of
/// files that are older than the columns.
#include "profile/profile.h"
#include "tests/app/command_fixture.h"
#include "tests/core/profile/older_schema.h"

#include <algorithm>
#include <map>
#include <set>

namespace tilescope::tests {
namespace {

class StepWorks : public CommandTest, public testing::WithParamInterface<const char*> {
  protected:
    void SetUp() override {
        CommandTest::SetUp();
        path = folder / "run.tilescope";
        printed({"profile", sample(GetParam()), "-o", path, "--estimate", "--progress", "none"});
    }
    std::string path;
};

TEST_P(StepWorks, AreTheNamesOfLeavesBehindTheirOperations) {
    const auto file = std::move(*profile::Profile::open(path));
    const auto operations = file->operations().value();
    std::map<std::int64_t, std::string> names;
    for (const auto& operation : operations)
        names[operation.id] = operation.name + "/";
    std::set<StepRole> roles;
    const auto steps = file->program().value();
    for (const auto& step : steps) {
        roles.insert(step.role);
        const bool inner = step.kind == StepKind::Sequence || step.kind == StepKind::Repeat;
        EXPECT_EQ(step.role == StepRole::Structure, inner) << step.name;
        if (!inner) {
            EXPECT_EQ(step.operation_id < 0 ? step.work().text()
                                            : names.at(step.operation_id) + step.work().text(),
                      step.name);
        }
    }
    for (const StepRole role : {StepRole::Compute, StepRole::Bring, StepRole::Exchange, StepRole::Host})
        EXPECT_TRUE(roles.contains(role)) << to_string(role);
    const auto ipus = file->ipus().value();
    EXPECT_EQ(roles.contains(StepRole::Copy),
              std::any_of(ipus.begin(), ipus.end(), [](const auto& ipu) { return ipu.shard > 0; }));
    EXPECT_EQ(roles.contains(StepRole::Pop), !file->pipeline_slots()->empty());
}

TEST_P(StepWorks, AreReadOutOfNamesOfOlderFiles) {
    const auto rows = [&](const char* sql) {
        const auto file = std::move(*profile::Profile::open(path));
        const auto result = file->query(sql).value();
        std::vector<std::string> texts;
        for (const auto& row : result.rows) {
            texts.emplace_back();
            for (const auto& cell : row)
                texts.back() += cell.text.value_or("NULL") + "|";
        }
        return texts;
    };
    const char* const program = "SELECT id, name, role, verb, argument FROM program ORDER BY id";
    // What is popped has had memory of its own only since there are such columns.
    const char* const variables =
        "SELECT id, name, role FROM variable WHERE (role IN ('push', 'pop') AND name "
        "NOT LIKE '%/of the stash') OR name LIKE '%/on IPU %' ORDER BY id";
    const auto steps = rows(program);
    const auto kept = rows(variables);
    profile::run_sql(path,
                     "DROP VIEW IF EXISTS main.trace; " + profile::without_work + "PRAGMA user_version = 16");
    EXPECT_EQ(rows(program), steps);
    EXPECT_EQ(rows(variables), kept);
    EXPECT_EQ(rows("SELECT training FROM device_program ORDER BY id").front(), "1|");
}

INSTANTIATE_TEST_SUITE_P(Sample, StepWorks,
                         testing::Values("keras_mnist_pipelined", "keras_mnist_replicated", "text_lstm",
                                         "fashion_mnist_cnn"));

} // namespace
} // namespace tilescope::tests
