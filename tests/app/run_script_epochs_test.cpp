// SPDX-License-Identifier: GPL-3.0-or-later
// How many epochs scripts may train or estimate, and what profiles have of them.
#include "tests/app/run_script.h"

#include <filesystem>

namespace tilescope::tests {
namespace {

namespace fs = std::filesystem;

class ManyEpochs : public RunScript {
  protected:
    std::string estimated(const std::string& epochs, const std::string& how) const {
        return output_of(own("many_epochs.py"), {"--estimate", "--overwrite"}, {epochs, how});
    }
    /// The answer of one row.
    std::string asked(const std::string& sql) const {
        const std::string printed_rows = printed({"query", "run.tilescope", sql, "--format", "csv"});
        return printed_rows.substr(printed_rows.find('\n') + 1);
    }
};

// Epochs of two engine runs, each of which is an update.
TEST_F(ManyEpochs, ThatAreEstimatedAreAlikeHoweverManyThereAre) {
    EXPECT_EQ(estimated("1000", "alone"), "100 0 2000\n");
    const std::string groups = asked("SELECT count(*) FROM execution_group");
    const auto size = fs::file_size(folder / "run.tilescope");
    EXPECT_EQ(estimated("1000000000", "alone"), "100 0 2000000000\n");
    EXPECT_EQ(asked("SELECT sum(count) FROM execution_group"), "2000000000\n");
    EXPECT_EQ(asked("SELECT count(*) FROM execution_group"), groups);
    EXPECT_LE(fs::file_size(folder / "run.tilescope"), size);
    EXPECT_EQ(asked("SELECT epoch, first_step FROM execution WHERE id = 1999999999"), "999999999,1\n");
}

// Every second epoch is followed by one.
TEST_F(ManyEpochs, ThatAreEstimatedHaveTheirValidations) {
    EXPECT_EQ(estimated("1000", "validated"), "100 0 2000\n");
    EXPECT_EQ(asked("SELECT sum(count) FROM execution_group WHERE kind = 'train'"), "2000\n");
    EXPECT_EQ(asked("SELECT sum(count) FROM execution_group WHERE kind = 'evaluate'"), "500\n");
}

// A callback may do anything after an epoch: it is told each.
TEST_F(ManyEpochs, ThatAreEstimatedAreToldToCallbacks) {
    EXPECT_EQ(estimated("250", "told"), "250 250 500\n");
    EXPECT_EQ(asked("SELECT sum(count) FROM execution_group"), "500\n");
    EXPECT_EQ(estimated("1000000000", "ends"), "3 3 6\n");
}

TEST_F(ManyEpochs, OfAnEstimateHaveNoResults) {
    for (const std::string how : {"alone", "told"}) {
        estimated("3", how);
        EXPECT_EQ(asked("SELECT (SELECT count(*) FROM metric) + (SELECT count(*) FROM epoch_metric)"), "0\n");
        EXPECT_FALSE(holds(printed({"report", "run.tilescope"}), "nan"));
    }
}

// Two steps each. Where there are callbacks, one of them may be there to end it.
TEST_F(ManyEpochs, ThatAreComputedAreAtMostABillionSteps) {
    const std::string script = own("many_epochs.py");
    const Outcome outcome = run({"run", script, "500000001", "alone"});
    expect_failure(
        outcome, 3,
        {"many_epochs.py:29: ", "model.fit(epochs=500000001): 500,000,001 epochs of 2 steps are more",
         "at most 1,000,000,000 steps", "--estimate"});
    EXPECT_EQ(output_of(script, {}, {"500000001", "ends"}), "3 3 6\n");
}

} // namespace
} // namespace tilescope::tests
