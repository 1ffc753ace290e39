// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/sudden_end.h"

#include "profile/profile.h"

#include <algorithm>
#include <filesystem>

namespace tilescope::tests {
namespace {

namespace fs = std::filesystem;
using profile::RunStatus;

} // namespace

void SuddenEnd::SetUp() {
    good = read_file(record_tutorial("run"));
}

void SuddenEnd::prepare_folder(bool over_good) const {
    for (const std::string& file : files())
        fs::remove(folder / file);
    if (over_good)
        write("run.tilescope", good);
}

Arguments SuddenEnd::training(std::int64_t epochs, std::int64_t evaluated) {
    return training_command("run.tilescope", epochs, "plain",
                            {"--set", "data.evaluate.samples=" + std::to_string(evaluated)});
}

std::int64_t SuddenEnd::reported(const std::string& said) {
    const std::string last_line_of_an_epoch = "20/20 [";
    std::int64_t executions = 0;
    for (std::size_t at = said.find(last_line_of_an_epoch); at != std::string::npos;
         at = said.find(last_line_of_an_epoch, at + 1))
        executions += 4;
    return executions;
}

std::int64_t SuddenEnd::expect_whole(const std::string& path) const {
    if (read_file(path) == good)
        return -1;
    const auto file = profile::Profile::open(path);
    EXPECT_TRUE(file) << file.error().line();
    if (!file)
        return 0;
    const auto checked = (*file)->query("PRAGMA integrity_check");
    EXPECT_TRUE(checked && checked->rows.at(0).at(0).text == "ok") << path;
    const auto run = (*file)->run();
    const auto executions = (*file)->query("SELECT count(*) FROM execution");
    EXPECT_TRUE(run && executions) << path;
    EXPECT_NE(run->name, "tutorial-basic") << "the good one has changed: " << path;
    EXPECT_TRUE(run->status == RunStatus::Killed || run->status == RunStatus::Complete)
        << path << ": " << to_string(run->status);
    return std::stoll(*executions->rows.at(0).at(0).text);
}

void SuddenEnd::expect_whole_files(const std::string& in, bool over_good, std::int64_t executions) const {
    const std::string name = (fs::path(in) / "run.tilescope").string();
    EXPECT_TRUE(fs::exists(name) || !over_good) << "the good profile is gone";
    std::int64_t kept = 0;
    for (const std::string& path : {name, name + ".partial"})
        if (fs::exists(path))
            kept = std::max(kept, expect_whole(path));
    EXPECT_GE(kept, executions) << "of those that the terminal told of";
    if (!over_good || !fs::exists(name) || read_file(name) == good)
        return;
    const auto run = (*profile::Profile::open(name))->run();
    EXPECT_EQ(run->status, RunStatus::Complete) << "only a whole run may take the good one's name";
}

} // namespace tilescope::tests
