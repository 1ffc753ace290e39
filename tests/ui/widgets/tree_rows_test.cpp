// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/tree_rows.h"

#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

/// 0 holds 1 and 4; 1 holds 2 and 3; 4 holds 5; 6 is a second root.
const Parents family{no_row, 0, 1, 1, 0, 4, no_row};

std::vector<std::size_t> children(const TreeRows& rows, std::size_t parent) {
    std::vector<std::size_t> found;
    for (std::size_t place = 0; place < rows.count(parent); ++place)
        found.push_back(rows.child(parent, place));
    return found;
}

TEST(TreeRows, AllRowsStandAsTheyAreNumbered) {
    const TreeRows rows(family);
    EXPECT_EQ(children(rows, no_row), (std::vector<std::size_t>{0, 6}));
    EXPECT_EQ(children(rows, 0), (std::vector<std::size_t>{1, 4}));
    EXPECT_EQ(children(rows, 1), (std::vector<std::size_t>{2, 3}));
    EXPECT_EQ(rows.count(2), 0U);
    EXPECT_EQ(rows.place(4), 1U);
    EXPECT_EQ(TreeRows().count(no_row), 0U);
}

TEST(TreeRows, HiddenRowsTakeNoPlaceAndSiblingsFollowTheOrder) {
    const TreeRows rows(family, {true, true, false, true, true, false, false}, {6, 5, 4, 3, 2, 1, 0});
    EXPECT_EQ(children(rows, no_row), (std::vector<std::size_t>{0}));
    EXPECT_EQ(children(rows, 0), (std::vector<std::size_t>{4, 1}));
    EXPECT_EQ(children(rows, 1), (std::vector<std::size_t>{3}));
    EXPECT_EQ(rows.place(2), no_row);
}

TEST(TextMatch, AllWordsMustOccurAndThoseWithAMinusMustNot) {
    const TextMatch match(QStringLiteral("Dense reduce -exchange"));
    EXPECT_TRUE(match(u"dense_1/reduce"));
    EXPECT_FALSE(match(u"dense_1/matmul"));
    EXPECT_FALSE(match(u"dense_1/reduce/exchange"));
    EXPECT_TRUE(TextMatch(QStringLiteral("  - ")).empty()); // the word is still being typed
    EXPECT_FALSE(TextMatch(QStringLiteral("-a")).empty());
}

TEST(TextMatch, AWordMayBeInAnyOfSeveralTexts) {
    const TextMatch match(QStringLiteral("GRÖSSE reduce -exchange"));
    EXPECT_TRUE(match({"dense_1/reduce", "schicht/größe", "grösse"}));
    EXPECT_FALSE(match({"dense_1/reduce", "schicht"}));
    EXPECT_FALSE(match({"dense_1/reduce", "grösse", "exchange"}));
    EXPECT_FALSE(match({"dense_1/re", "duce grösse"})); // a word is in one of them, not across two
}

TEST(TreeHits, WhatIsBelowAHitIsNoHitOfItsOwn) {
    const auto hits = outermostHits(family, [](std::size_t row) { return row == 1 || row == 2 || row == 5; });
    EXPECT_EQ(hits, (std::vector<std::size_t>{1, 5}));
}

TEST(TreeHits, AHitIsShownWithWhatIsAboveAndFoldedBelowIt) {
    const ShownHits found = showHits(family, {1}, 0, 100);
    EXPECT_EQ(found.shown, (std::vector<bool>{true, true, true, true, false, false, false}));
    EXPECT_EQ(found.unfolded, (std::vector<std::size_t>{0})); // not the hit itself
    EXPECT_EQ(found.end, 1U);
}

TEST(TreeHits, NoMoreRowsAreUnfoldedThanAskedFor) {
    // 100 groups of 100 rows, all of which are hits.
    Parents parents{no_row};
    std::vector<std::size_t> hits;
    for (std::size_t group = 0; group < 100; ++group) {
        const std::size_t head = parents.size();
        parents.push_back(0);
        for (std::size_t row = 0; row < 100; ++row) {
            hits.push_back(parents.size());
            parents.push_back(head);
        }
    }
    const ShownHits found = showHits(parents, hits, 0, 2000);
    // The root, and 19 whole groups of 101 rows; then a head and its first 79.
    EXPECT_EQ(found.end, 19U * 100 + 79);
    EXPECT_EQ(found.unfolded.size() + found.end - found.first, 2000U);
    EXPECT_EQ(std::count(found.shown.begin(), found.shown.end(), true), 2000);
    const ShownHits next = showHits(parents, hits, found.end, 2000);
    EXPECT_EQ(next.first, 1979U);
    EXPECT_GT(next.end, next.first);
    const ShownHits last = showHits(parents, hits, 9999, 2000);
    EXPECT_EQ(last.end, 10000U);
    EXPECT_EQ(showHits(parents, hits, 0, 1).end, 1U); // one hit at least
}

} // namespace
} // namespace tilescope::ui
