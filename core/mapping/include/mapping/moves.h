// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/tile_mapping.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tilescope::mapping {

/// What one or more tiles need, and where its elements come from. Each source sends its part once, to all of
/// the receivers but itself.
struct BoxMoves {
    std::vector<std::int64_t> receivers; ///< tiles; one that needs it twice is here twice
    std::vector<TilePart> parts;         ///< by the tile that holds them, each tile once
};

/// Visits each box of `needs` (in `shape`, a shape of the tensor that `from` lays out) that has elements: who
/// needs it, and which tiles send how much of it.
void for_each_box(const TileMapping& from, const Shape& shape, const std::vector<TileNeed>& needs,
                  const std::function<void(const BoxMoves&)>& visit);

/// The same for the pieces into which boxes cut each other (pieces.h), so that each element is in one of
/// them, with all tiles that need it. Visits nothing where no two boxes overlap: the boxes are the pieces.
void for_each_piece(const TileMapping& from, const Shape& shape, const std::vector<TileNeed>& needs,
                    const std::function<void(const BoxMoves&)>& visit);

/// Needs in few numbers, tiles counted from that of the first one: for one column after another (the tile,
/// then the begin and the end in each dimension) what each number differs by from the one before, the first
/// one from 0.
struct NeedList {
    Shape shape;
    std::vector<std::int64_t> differences;
    bool operator==(const NeedList&) const = default;
};
NeedList list_of(const Shape& shape, const std::vector<TileNeed>& needs, std::int64_t tiles);
/// The needs of a list whose first one is of tile `first_tile`; nullopt where the numbers are none: not as
/// many as there are columns, or boxes outside of the shape.
std::optional<std::vector<TileNeed>> needs_of(const NeedList& list, std::int64_t first_tile,
                                              std::int64_t tiles);

/// Lists of needs, each once.
class NeedBook {
  public:
    /// The number in `lists` of that of such needs, which is made where there is none yet.
    std::int32_t add(const Shape& shape, const std::vector<TileNeed>& needs, std::int64_t tiles);
    std::vector<NeedList> lists;

  private:
    std::unordered_multimap<std::uint64_t, std::int32_t> by_hash_;
};

/// Which elements of a tensor an exchange brings where.
struct Moves {
    std::vector<Axis> axes; ///< of the mapping that they come from, and the tile that it begins with
    std::int64_t first_tile = 0;
    std::int64_t element_bytes = 1;
    std::int32_t needs = 0; ///< number of the list of needs, and the tile of its first one
    std::int64_t first_need_tile = 0;
};

} // namespace tilescope::mapping
