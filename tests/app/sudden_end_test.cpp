// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/app/sudden_end.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace tilescope::tests {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

/// What a run is doing when it is ended.
struct Moment {
    const char* name;
    Arguments arguments;
    const char* begins; ///< what it says when it begins to; "" for its start
    int longest_ms;     ///< from then on
    bool always_over_good;
};

const Moment& moment(const std::string& name) {
    static const Arguments compiling{"profile",       sample("resnet50"), "--estimate", "-o",
                                     "run.tilescope", "--progress",       "plain"};
    static const std::vector<Moment> all = {
        {"Starting", SuddenEnd::training(1'000'000), "", 400, false},
        {"Compiling", compiling, "Compiling", 1500, false},
        {"Training", SuddenEnd::training(1'000'000), "Epoch 2/", 400, false},
        {"Evaluating", SuddenEnd::training(1, 20'000), "20/20 [", 300, false},
        {"TakingTheName", SuddenEnd::training(1), "20/20 [", 60, true},
    };
    return *std::find_if(all.begin(), all.end(), [&](const Moment& each) { return each.name == name; });
}

class EndedWhile : public SuddenEnd, public testing::WithParamInterface<std::string> {
  protected:
    /// Ends runs at random moments, half of them over a good profile; calls `look(over_good, executions)` in
    /// the state that each leaves.
    template<class Look>
    void end_runs(int count, const Surroundings& in, const Look& look) const {
        const Moment& at = moment(GetParam());
        std::mt19937 random(7);
        for (int i = 0; i < count; ++i) {
            SCOPED_TRACE(i);
            const bool over_good = at.always_over_good || i % 2 == 0;
            prepare_folder(over_good);
            begin();
            Program run(at.arguments, in);
            ASSERT_TRUE(run.says(at.begins)) << run.wait().err;
            std::this_thread::sleep_for(milliseconds(random() % static_cast<unsigned>(at.longest_ms)));
            run.signal(SIGKILL);
            look(over_good, reported(run.wait().err));
        }
    }
    virtual void begin() const {}
};

const auto parameter = [](const auto& info) { return info.param; };

class KilledWhile : public EndedWhile {};

TEST_P(KilledWhile, AllFilesAreWholeAndHoldWhatWasReported) {
    const std::string in = folder.path().string();
    end_runs(ends(4, 40), {in, {}, {}, {}},
             [&](bool over_good, std::int64_t executions) { expect_whole_files(in, over_good, executions); });
    printed(training(1));
    EXPECT_EQ(files(), std::set<std::string>{"run.tilescope"})
        << "the next run leaves nothing of those before";
}

INSTANTIATE_TEST_SUITE_P(SuddenEnd, KilledWhile,
                         testing::Values("Starting", "Compiling", "Training", "Evaluating", "TakingTheName"),
                         parameter);

/// The power fails: of what was written since the last fsync, nothing is there, or any of its sectors. A
/// library that is loaded before the program keeps what each fsync makes safe (unsynced_writes.cpp).
class PowerLostWhile : public EndedWhile {
  protected:
    using Names = std::map<std::string, std::string>; ///< name to inode

    void begin() const override { // what was there before is safe
        fs::remove_all(shadow());
        fs::create_directory(shadow());
        std::ofstream names(shadow() / "names");
        for (const auto& [name, inode] : names_now()) {
            names << inode << ' ' << name << '\n';
            fs::copy_file(folder / name, shadow() / inode);
        }
    }
    fs::path shadow() const { return beside.path() / "shadow"; }
    fs::path after() const { return beside.path() / "after"; }
    Surroundings watched() const {
        return {folder.path().string(),
                {{"LD_PRELOAD", TILESCOPE_BIN_DIR "/tilescope_unsynced_writes.so"},
                 {"TILESCOPE_UNSYNCED_ROOT", folder.path().string()},
                 {"TILESCOPE_UNSYNCED_SHADOW", shadow().string()}},
                {},
                {}};
    }

    Names names_now() const {
        Names names;
        for (const std::string& name : files()) {
            struct stat status {};
            if (stat((folder / name).c_str(), &status) == 0)
                names[name] = std::to_string(status.st_ino);
        }
        return names;
    }
    /// As of the last fsync of the folder.
    Names safe_names() const {
        Names names;
        std::ifstream file(shadow() / "names");
        for (std::string inode, name; file >> inode && std::getline(file >> std::ws, name);)
            names[name] = inode;
        return names;
    }
    /// Sectors as they were safe, or, in `mixed`, as they were last written.
    std::string sectors(const std::string& name, const std::string& inode, std::mt19937* mixed) const {
        constexpr std::size_t sector = 512;
        std::string bytes = read_file(shadow() / inode);
        if (mixed == nullptr)
            return bytes;
        const std::string last = read_file(folder / name);
        if ((*mixed)() % 2 == 0) // its size has changed
            bytes.resize(last.size());
        for (std::size_t at = 0; at < std::min(bytes.size(), last.size()); at += sector)
            if ((*mixed)() % 2 == 0)
                bytes.replace(at, std::min(sector, bytes.size() - at), last, at,
                              std::min({sector, bytes.size() - at, last.size() - at}));
        return bytes;
    }
    void expect_whole_after(const Names& names, std::mt19937* mixed, bool over_good,
                            std::int64_t executions) const {
        fs::remove_all(after());
        fs::create_directory(after());
        for (const auto& [name, inode] : names)
            std::ofstream(after() / name, std::ios::binary) << sectors(name, inode, mixed);
        expect_whole_files(after().string(), over_good, executions);
    }

    const TemporaryFolder beside;
};

TEST_P(PowerLostWhile, AllFilesAreWholeAndHoldWhatWasReported) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers must be loaded first";
#endif
    std::mt19937 random(11);
    end_runs(ends(4, 67), watched(), [&](bool over_good, std::int64_t executions) {
        SCOPED_TRACE("only what was synced");
        expect_whole_after(safe_names(), nullptr, over_good, executions);
        SCOPED_TRACE("with the names of the end");
        expect_whole_after(names_now(), nullptr, over_good, executions);
        for (int mixture = 0; mixture < 3; ++mixture) {
            SCOPED_TRACE("with some of what was not synced, mixture " + std::to_string(mixture));
            expect_whole_after(names_now(), &random, over_good, executions);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(SuddenEnd, PowerLostWhile, testing::Values("Starting", "Training", "TakingTheName"),
                         parameter);

class FolderOf : public SuddenEnd {
  protected:
    Surroundings unprivileged() const {
        Surroundings in{folder.path().string(), {}, {}, {}};
        in.unprivileged = true;
        return in;
    }
    /// The executions (n) and the status of a profile, which is whole.
    nlohmann::ordered_json whole(const std::string& file) const {
        const auto row =
            document({"query", file,
                      "SELECT (SELECT count(*) FROM execution) AS n, status, integrity_check FROM "
                      "run, pragma_integrity_check",
                      "--format", "json"})
                .at(0);
        EXPECT_EQ(row.at("integrity_check"), "ok");
        return row;
    }
};

// What is open can still be written, but nothing can be made, named or removed.
TEST_F(FolderOf, ARunThatCannotBeWrittenAnyMoreKeepsBothFiles) {
    for (const bool over_good : {true, false}) {
        SCOPED_TRACE(over_good);
        prepare_folder(over_good);
        Program run(training(over_good ? 300 : 1'000'000), unprivileged());
        ASSERT_TRUE(run.says("Epoch 3/")) << run.wait().err;
        ASSERT_EQ(chmod(folder.path().c_str(), 0555), 0);
        if (!over_good)
            run.signal(SIGINT);
        const Outcome outcome = run.wait();
        EXPECT_EQ(outcome.exit_code, 5) << outcome.err;
        const std::string line = outcome.err.substr(outcome.err.rfind("tilescope: "));
        EXPECT_TRUE(over_good ? holds(line, "Permission denied") && holds(line, "run.tilescope.partial")
                              : holds(line, "cancelled"))
            << line;
        ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
        const std::string own = over_good ? "run.tilescope.partial" : "run.tilescope";
        if (over_good) {
            EXPECT_EQ(read_file(folder / "run.tilescope"), good);
        }
        const auto row = whole(own);
        EXPECT_EQ(row.at("status"), over_good ? "complete" : "cancelled");
        EXPECT_GE(row.at("n").get<std::int64_t>(), reported(outcome.err));
    }
}

// A real file system without space, where the kernel lets one be mounted.
TEST_F(FolderOf, ADiskThatIsFullKeepsTheGoodProfileAndWhatWasReported) {
    const std::string script = write("full.sh", R"(set -e
mount -t tmpfs -o size=$1k none "$2"
cp "$3" "$2/run.tilescope"
cd "$2"
shift 3
set +e
"$@" 2> "$OLDPWD/said"
echo $? > "$OLDPWD/code"
cp -r . "$OLDPWD/left"
)");
    const std::string disk = folder / "disk";
    fs::create_directory(disk);
    write("good", good);
    if (run_program({"unshare", "-rm", "mount", "-t", "tmpfs", "none", disk}).exit_code != 0)
        GTEST_SKIP() << "no file system can be mounted here";
    const auto good_kib = static_cast<std::int64_t>(good.size() >> 10);
    int full = 0;
    const int count = ends(5, 40);
    for (int i = 0; i < count; ++i) {
        const std::int64_t kib = good_kib + 16 + 1800 * i / count; // from hardly more than the good one
        SCOPED_TRACE(kib);
        fs::remove_all(folder / "left");
        Arguments command{"unshare",
                          "-rm",
                          "sh",
                          "-c",
                          "cd " + folder.path().string() + " && exec sh full.sh \"$@\"",
                          "sh",
                          std::to_string(kib),
                          disk,
                          folder / "good",
                          path_of_tilescope()};
        for (const std::string& argument : training(40))
            command.push_back(argument);
        ASSERT_EQ(run_program(command).exit_code, 0);
        const std::string said = read_file(folder / "said");
        if (read_file(folder / "code") == "0\n") {
            EXPECT_NE(read_file(folder / "left/run.tilescope"), good);
            continue;
        }
        ++full;
        EXPECT_EQ(read_file(folder / "code"), "5\n") << said;
        EXPECT_TRUE(holds(said.substr(said.rfind("tilescope: ")), "free some space") ||
                    holds(said.substr(said.rfind("tilescope: ")), "free space"))
            << said;
        EXPECT_EQ(read_file(folder / "left/run.tilescope"), good);
        const std::string own = folder / "left/run.tilescope.partial";
        if (reported(said) == 0 && !fs::exists(own))
            continue;
        const auto row = whole(own);
        EXPECT_GE(row.at("n").get<std::int64_t>(), reported(said));
        // Killed where there was no room even to write that it failed; complete where its log did not fit in.
        const std::string status = document({"report", own, "--format", "json"}).at("run").at("status");
        EXPECT_TRUE(status == "failed" || status == "complete" || status == "killed") << status;
    }
    EXPECT_GT(full, 0);
}

} // namespace
} // namespace tilescope::tests
