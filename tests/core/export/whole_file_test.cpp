// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/whole_file.h"
#include "tests/temporary_folder.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

namespace tilescope::exports {
namespace {

// What ends the program while it writes cannot leave anything: there is nothing with a name yet.
TEST(WholeFile, HasNoNameUntilItIsWhole) {
    const tests::TemporaryFolder folder;
    const int nameless = open(folder.path().c_str(), O_TMPFILE | O_RDWR, 0600);
    if (nameless < 0)
        GTEST_SKIP() << "this file system has no files without a name";
    close(nameless);
    const auto files = [&] { return std::distance(std::filesystem::directory_iterator(folder.path()), {}); };
    const std::string path = folder / "a.txt";
    for (const char* text : {"first", "second"}) {
        const auto before = files();
        const auto written = write_whole_file(
            path,
            [&](std::ostream& out) {
                out << text << std::flush;
                EXPECT_EQ(files(), before);
                return Result<void>();
            },
            Replace::Any);
        ASSERT_TRUE(written) << written.error().line();
        std::string read;
        std::getline(std::ifstream(path), read);
        EXPECT_EQ(read, text);
        EXPECT_EQ(files(), 1);
    }
    const auto failed = write_whole_file(
        path, [](std::ostream&) -> Result<void> { return bad_input("no"); }, Replace::Any);
    EXPECT_FALSE(failed);
    EXPECT_EQ(files(), 1);
}

} // namespace
} // namespace tilescope::exports
