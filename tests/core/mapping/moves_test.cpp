// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/moves.h"
#include "mapping/pieces.h"

#include <gtest/gtest.h>
#include <map>
#include <utility>

namespace tilescope::mapping {
namespace {

constexpr std::int64_t tiles = 8;
using Pairs = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>; ///< elements by (from, to)

Pairs pairs_of(const TileMapping& from, const Shape& shape, const std::vector<TileNeed>& needs) {
    Pairs pairs;
    for_each_box(from, shape, needs, [&](const BoxMoves& box) {
        for (const TilePart& part : box.parts)
            for (const std::int64_t receiver : box.receivers)
                if (receiver != part.tile)
                    pairs[{part.tile, receiver}] += part.elements;
    });
    return pairs;
}

// Eight elements, two on each of the tiles 1 to 4. Tiles 0 and 5 need the first four, tile 2 what it has.
TEST(Moves, GoFromWhatHoldsAnElementToWhatNeedsIt) {
    const TileMapping from({Axis::blocks(8, 2, 1)}, tiles, 1);
    const std::vector<TileNeed> needs{{0, {{0}, {4}}}, {5, {{0}, {4}}}, {2, {{2}, {4}}}, {3, {{7}, {8}}}};
    EXPECT_EQ(pairs_of(from, {8}, needs),
              (Pairs{{{1, 0}, 2}, {{2, 0}, 2}, {{1, 5}, 2}, {{2, 5}, 2}, {{4, 3}, 1}}));
}

// Element by element: a matrix in blocks of rows goes to blocks of columns.
TEST(Moves, AgreeWithEachElementAlone) {
    const Shape shape{6, 5};
    const TileMapping rows = TileMapping::grid(shape, {1, 5}, tiles, 3);
    const TileMapping columns = TileMapping::grid(shape, {3, 1}, 10, 0);
    std::vector<TileNeed> needs = needs_of(columns);
    for (TileNeed& need : needs)
        need.tile %= tiles;
    Pairs expected;
    for (const TileNeed& need : needs)
        for (std::int64_t i = need.box.begin[0]; i < need.box.end[0]; ++i)
            for (std::int64_t j = need.box.begin[1]; j < need.box.end[1]; ++j)
                if (const std::int64_t holder = (3 + i) % tiles; holder != need.tile)
                    ++expected[{holder, need.tile}];
    EXPECT_EQ(pairs_of(rows, shape, needs), expected);
}

// Element by element, of boxes of all sizes that overlap as they come: each element is in one piece, which
// has the boxes that the element lies in, and pieces of the same boxes are one.
TEST(Pieces, AreTheElementsOfTheSameBoxes) {
    const Shape shape{5, 4, 3};
    std::vector<Box> boxes;
    for (std::int64_t i = 0; i < 7; ++i)
        boxes.push_back({{i % 3, i % 2, i % 2}, {i % 3 + 1 + i % 2, 2 + i % 3, 2 + i / 4}});
    std::vector<const Box*> given;
    for (const Box& box : boxes)
        given.push_back(&box);
    const auto in = [](const Box& box, const Shape& at) {
        for (std::size_t d = 0; d < at.size(); ++d)
            if (at[d] < box.begin[d] || at[d] >= box.end[d])
                return false;
        return true;
    };
    std::map<std::vector<std::int32_t>, std::int64_t> expected, found; // elements by the boxes
    const std::vector<Piece> pieces = pieces_of(given);
    Shape at(3);
    for (at[0] = 0; at[0] < shape[0]; ++at[0])
        for (at[1] = 0; at[1] < shape[1]; ++at[1])
            for (at[2] = 0; at[2] < shape[2]; ++at[2]) {
                std::vector<std::int32_t> of;
                for (std::size_t b = 0; b < boxes.size(); ++b)
                    if (in(boxes[b], at))
                        of.push_back(static_cast<std::int32_t>(b));
                if (!of.empty())
                    ++expected[of];
                for (const Piece& piece : pieces)
                    for (const Box& cell : piece.cells)
                        if (in(cell, at)) {
                            EXPECT_EQ(piece.of, of);
                            ++found[of];
                        }
            }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(pieces.size(), expected.size());
    EXPECT_GT(pieces.size(), boxes.size());
}

// Four blocks of rows, of which neighbours overlap by one: the rows come in turn.
TEST(Pieces, ComeInTheOrderOfTheTensor) {
    const std::vector<Box> rows{{{4, 0}, {7, 9}}, {{0, 0}, {3, 9}}, {{2, 0}, {5, 9}}, {{6, 0}, {8, 9}}};
    std::vector<std::vector<std::int32_t>> of;
    for (const Piece& piece : pieces_of({&rows[0], &rows[1], &rows[2], &rows[3]}))
        of.push_back(piece.of);
    EXPECT_EQ(of, (decltype(of){{1}, {1, 2}, {2}, {0, 2}, {0}, {0, 3}, {3}}));
}

bool same(const std::vector<TileNeed>& a, const std::vector<TileNeed>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const TileNeed& x, const TileNeed& y) {
        return x.tile == y.tile && x.box == y.box;
    });
}

TEST(NeedList, HasWhatItWasMadeOf) {
    const Shape shape{6, 5};
    const auto needs = needs_of(TileMapping::grid(shape, {2, 3}, tiles, 5));
    const NeedList list = list_of(shape, needs, tiles);
    const auto again = needs_of(list, 5, tiles);
    ASSERT_TRUE(again);
    EXPECT_TRUE(same(*again, needs));
    EXPECT_TRUE(needs_of(list_of(shape, {}, tiles), 0, tiles)->empty());
}

TEST(NeedBook, KeepsTheSameNeedsOnceWhereverTheyBegin) {
    const Shape shape{6, 5};
    NeedBook book;
    const auto add = [&](std::int64_t first, const Shape& block) {
        return book.add(shape, needs_of(TileMapping::grid(shape, block, tiles, first)), tiles);
    };
    EXPECT_EQ(add(0, {2, 3}), 0);
    EXPECT_EQ(add(7, {2, 3}), 0) << "around the end of the tiles, too";
    EXPECT_EQ(add(0, {3, 3}), 1);
    EXPECT_EQ(book.lists.size(), 2U);
}

TEST(NeedList, OfOtherNumbersIsNone) {
    EXPECT_FALSE(needs_of({{8}, {0, 0}}, 0, tiles)) << "not three columns";
    EXPECT_FALSE(needs_of({{8}, {8, 0, 4}}, 0, tiles)) << "a tile that there is not";
    EXPECT_FALSE(needs_of({{8}, {0, 0, 9}}, 0, tiles)) << "beyond the tensor";
    EXPECT_FALSE(needs_of({{8}, {0, -1, 4}}, 0, tiles)) << "before it";
    EXPECT_FALSE(needs_of({{8}, {0, 0, 4}}, -1, tiles));
    EXPECT_TRUE(needs_of({{8}, {0, 0, 8}}, 3, tiles));
}

} // namespace
} // namespace tilescope::mapping
