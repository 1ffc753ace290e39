// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/stand_in.h"

#include <filesystem>

namespace tilescope::tests {
namespace {

/// The computer's own memory runs out, as `ulimit -v` lets it.
class HostMemory : public CommandTest {
  protected:
    void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        GTEST_SKIP() << "sanitizers take addresses for themselves";
#endif
    }
    Outcome within(std::size_t mebibytes, const Arguments& arguments) const {
        Surroundings in{folder.path().string(), {}, {}, {}};
        in.most_memory = mebibytes << 20;
        return tilescope(arguments, in);
    }
};

TEST_F(HostMemory, DataThatDoNotFitAreOneLine) {
    const Outcome outcome = within(1024, {"profile", sample("mnist_tf2"), "-o", "run.tilescope", "--progress",
                                          "none", "--set", "data.train.samples=2000000"});
    expect_failure(outcome, 5, {"the memory of this computer does not suffice", "; "});
    EXPECT_EQ(files(), std::set<std::string>{});
}

// From what hardly starts the program on, at whatever place it runs out.
TEST_F(HostMemory, WhereverItRunsOutThereIsOneLineAndAFileThatCanBeRead) {
    const Arguments training{"profile",    sample("keras_mnist"),
                             "-o",         "run.tilescope",
                             "--progress", "none",
                             "--epochs",   "1",
                             "--set",      "data.train.samples=6400",
                             "--set",      "fit.steps_per_epoch=2"};
    int without_file = 0;
    int with_file = 0;
    for (const std::size_t mebibytes : {70, 80, 90, 100, 120, 140, 160, 180, 220, 260, 300}) {
        SCOPED_TRACE(mebibytes);
        for (const std::string& file : files())
            std::filesystem::remove(folder / file);
        const Outcome outcome = within(mebibytes, training);
        if (outcome.exit_code == 0 || holds(outcome.err, "error while loading shared libraries"))
            continue;
        expect_failure(outcome, 5, {"the memory of this computer does not suffice"},
                       digits_stand_in(outcome));
        if (files().empty()) {
            ++without_file;
            continue;
        }
        ++with_file;
        EXPECT_EQ(files(), std::set<std::string>{"run.tilescope"});
        const auto run = document({"report", "run.tilescope", "--format", "json"}).at("run");
        // Killed where there was no memory even to write that.
        EXPECT_TRUE(run.at("status") == "killed" || holds(run.at("error"), "the memory of this computer"))
            << run.dump();
    }
    EXPECT_GT(without_file + with_file, 1);
    EXPECT_GT(with_file, 0);
    EXPECT_EQ(within(8192, training).exit_code, 0);
}

} // namespace
} // namespace tilescope::tests
