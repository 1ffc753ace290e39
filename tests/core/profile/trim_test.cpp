// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/profile.h"
#include "profile/trim.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace tilescope::profile {
namespace {

// At each look at the token.
TEST(Trimming, ThatIsCancelledLeavesNothingBehind) {
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope", smaller = folder / "b.tilescope";
    ASSERT_TRUE(tests::record_fixture(path));
    Trimming keep;
    keep.tiles = false;
    int cancelled = 0;
    for (std::int64_t poll = 1;; ++poll) {
        CancelToken cancel;
        cancel.cancel_at_poll(poll);
        const auto done = trim(path, smaller, keep, &cancel);
        if (done)
            break;
        ++cancelled;
        EXPECT_EQ(done.error().kind, ErrorKind::Cancelled) << done.error().line();
        EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1)
            << "poll " << poll;
    }
    EXPECT_GT(cancelled, 0);
    EXPECT_TRUE(Profile::open(smaller));
}

TEST(Trimming, GoesThroughALink) {
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope", smaller = folder / "b.tilescope",
                      link = folder / "c.tilescope";
    ASSERT_TRUE(tests::record_fixture(path));
    std::filesystem::create_symlink(smaller, link);
    ASSERT_TRUE(trim(path, link, {}));
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_TRUE(Profile::open(smaller));
}

} // namespace
} // namespace tilescope::profile
