// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/units.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace tilescope::program {

using Shape = std::vector<std::int64_t>;

/// A block of a tensor: [begin, end) in each dimension.
struct Box {
    Shape begin;
    Shape end;
    std::int64_t elements() const;
    bool operator==(const Box&) const = default;
};

/// Which tile of one IPU holds which elements of a tensor: the tensor, seen as `view` (a shape with as many
/// elements), is cut into a grid of equal blocks (the last one of a dimension may be smaller), and the
/// blocks lie on consecutive tiles from `first_tile`, around the IPU, in row-major order of the grid.
/// A linear mapping has a view of one dimension.
class TileMapping {
  public:
    TileMapping() = default;

    /// Blocks of at least `minimum_elements` and a multiple of `grain` elements, in order, over at most
    /// `tiles` tiles (PopLibs poputil/TileMapping.cpp).
    static TileMapping linear(const Shape& shape, std::int64_t tiles, std::int64_t grain,
                              std::int64_t minimum_elements, std::int64_t first_tile = 0);
    /// `blocks[d]` elements per block in dimension d. The grid must have at most `tiles` blocks.
    static TileMapping grid(const Shape& view, const Shape& blocks, std::int64_t tiles,
                            std::int64_t first_tile = 0);
    /// Everything on one tile.
    static TileMapping single(const Shape& shape, std::int64_t tiles, std::int64_t tile);

    const Shape& view() const { return view_; }
    std::int64_t tiles() const { return tiles_; } ///< of the IPU
    std::int64_t parts() const;                   ///< blocks in the grid
    std::int64_t tile_of_part(std::int64_t part) const { return (first_tile_ + part) % tiles_; }
    Box box_of_part(std::int64_t part) const;
    bool is_linear() const { return view_.size() == 1; }
    std::int64_t elements() const;
    /// Result[tile]: elements held.
    std::vector<std::int64_t> elements_per_tile() const;
    std::int64_t largest_block() const;

    /// Calls visit(tile, elements) for the parts of `box` (in `shape`, a shape of the same tensor) that lie
    /// on each tile; a tile may be visited several times. Returns the number of contiguous runs of `box`.
    std::int64_t locate(const Shape& shape, const Box& box,
                        const std::function<void(std::int64_t tile, std::int64_t elements)>& visit) const;
    bool operator==(const TileMapping&) const = default;

  private:
    void locate_in_view(const Box& box,
                        const std::function<void(std::int64_t tile, std::int64_t elements)>& visit) const;
    void locate_run(std::int64_t begin, std::int64_t end,
                    const std::function<void(std::int64_t tile, std::int64_t elements)>& visit) const;
    Shape view_;
    Shape blocks_;
    Shape parts_; ///< per dimension
    std::int64_t first_tile_ = 0;
    std::int64_t tiles_ = 1;
};

/// The same block of a tensor on a tile: what a compute set needs there.
struct TileNeed {
    std::int64_t tile = 0;
    Box box;
};

/// What must be where for a tensor to be read as `mapping` lays it out.
std::vector<TileNeed> needs_of(const TileMapping& mapping);

} // namespace tilescope::program
