// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file_names.h"

#include <gtest/gtest.h>

using namespace tilescope;

namespace {

using Names = std::vector<std::string>;

TEST(FileNames, AreWithoutFolderAndEnding) {
    EXPECT_EQ(file_names({"runs/monday.tilescope", "/data/tuesday.tilescope"}), (Names{"monday", "tuesday"}));
}

TEST(FileNames, OfFilesOfOneNameHaveTheFoldersThatTellThemApart) {
    EXPECT_EQ(file_names({"baseline/new.tilescope", "today/new.tilescope", "old.tilescope"}),
              (Names{"baseline/new", "today/new", "old"}));
    EXPECT_EQ(file_names({"/a/run/new.tilescope", "/b/run/new.tilescope"}),
              (Names{"a/run/new", "b/run/new"}));
    EXPECT_EQ(file_names({"new.tilescope", "today/new.tilescope"}), (Names{"new", "today/new"}));
}

TEST(FileNames, OfOneFileAreTheSame) {
    EXPECT_EQ(file_names({"run.tilescope", "./run.tilescope"}), (Names{"run", "run"}));
}

} // namespace
