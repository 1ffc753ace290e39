// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/units.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::mapping {

using Shape = std::vector<std::int64_t>;

/// A block of a tensor: [begin, end) in each dimension.
struct Box {
    Shape begin;
    Shape end;
    std::int64_t elements() const;
    bool operator==(const Box&) const = default;
};

/// How one dimension of a tensor is cut and dealt to tiles: in blocks, and each block in pieces. Piece j of
/// block i adds (i mod period) * stride + j * piece_stride to the tile's number. Of a part of a tensor the
/// first block may begin before it.
struct Axis {
    std::int64_t extent = 1;
    std::int64_t block = 1;
    std::int64_t stride = 0;
    std::int64_t period = 1;
    std::int64_t piece = 1;
    std::int64_t piece_stride = 0;
    std::int64_t skipped = 0; ///< elements of the first block before the first that is there

    /// Not cut at all.
    static Axis whole(std::int64_t extent) { return blocks(extent, std::max<std::int64_t>(extent, 1), 0); }
    /// Blocks of `block` elements, each on a tile of its own, `stride` tiles apart.
    static Axis blocks(std::int64_t extent, std::int64_t block, std::int64_t stride) {
        return {extent, block, stride, std::max<std::int64_t>(ceil_div(extent, block), 1), block, 0};
    }
    std::int64_t pieces_per_block() const { return ceil_div(block, piece); }
    std::int64_t parts() const { return ceil_div(extent + skipped, block) * pieces_per_block(); }
    std::int64_t part_of(std::int64_t element) const {
        const std::int64_t at = element + skipped;
        return at / block * pieces_per_block() + at % block / piece;
    }
    std::int64_t begin(std::int64_t part) const { return std::max<std::int64_t>(0, first_of(part)); }
    /// `begin` for a part that is empty since the first or the last block is smaller.
    std::int64_t end(std::int64_t part) const {
        return std::max(begin(part), std::min({extent, (part / pieces_per_block() + 1) * block - skipped,
                                               first_of(part) + piece}));
    }
    std::int64_t offset(std::int64_t part) const {
        return part / pieces_per_block() % period * stride + part % pieces_per_block() * piece_stride;
    }
    bool operator==(const Axis&) const = default;

  private:
    /// Where a part of whole blocks begins: before 0 where elements are skipped.
    std::int64_t first_of(std::int64_t part) const {
        return part / pieces_per_block() * block + part % pieces_per_block() * piece - skipped;
    }
};

/// Elements of a tensor that lie on one tile.
struct TilePart {
    std::int64_t tile;
    std::int64_t elements;
};

/// Which tile of one IPU holds which elements of a tensor: the tensor, seen as `view` (a shape with as many
/// elements), is cut along each dimension, and a block lies on tile (first + sum of its parts' offsets)
/// modulo the tiles. A linear mapping has a view of one dimension.
class TileMapping {
  public:
    TileMapping() = default;
    TileMapping(std::vector<Axis> axes, std::int64_t tiles, std::int64_t first_tile = 0);

    /// Blocks of at least `minimum_elements` and a multiple of `grain` elements, in order, over at most
    /// `tiles` tiles (PopLibs poputil/TileMapping.cpp).
    static TileMapping linear(const Shape& shape, std::int64_t tiles, std::int64_t grain,
                              std::int64_t minimum_elements, std::int64_t first_tile = 0);
    /// `blocks[d]` elements per block in dimension d, the blocks on consecutive tiles in row-major order of
    /// the grid, which must have at most `tiles` blocks.
    static TileMapping grid(const Shape& view, const Shape& blocks, std::int64_t tiles,
                            std::int64_t first_tile = 0);
    /// `count` tensors of this mapping, one after another along a new first dimension: each tile holds its
    /// part of all of them.
    TileMapping stacked(std::int64_t count) const;
    /// Where the part [begin, end) along dimension `axis` of `shape` lies, a shape of the same tensor;
    /// nothing where that is no mapping: the view has no such dimension, or its blocks come round to the
    /// first tile within the part.
    std::optional<TileMapping> part(const Shape& shape, std::size_t axis, std::int64_t begin,
                                    std::int64_t end) const;
    /// What one of `replicas` holds of it where they share the tensor: one part in so many of each tile's
    /// elements, rounded up to `grain`, on the same tile, so that nothing moves within an IPU (PopART's
    /// balanced reorder, willow/src/popx/op/collectives/collectivesx.cpp). Its boxes are those of the whole.
    TileMapping shared(std::int64_t replicas, std::int64_t grain) const;
    /// Everything on one tile.
    static TileMapping single(const Shape& shape, std::int64_t tiles, std::int64_t tile);

    const Shape& view() const { return view_; }
    const std::vector<Axis>& axes() const { return axes_; }
    std::int64_t tiles() const { return tiles_; } ///< of the IPU
    std::int64_t first_tile() const { return first_tile_; }
    std::int64_t parts() const; ///< blocks in the grid, empty ones included
    std::int64_t tile_of_part(std::int64_t part) const;
    Box box_of_part(std::int64_t part) const; ///< may be empty
    bool is_linear() const { return view_.size() == 1; }
    std::int64_t elements() const;
    /// Result[tile]: elements held.
    std::vector<std::int64_t> elements_per_tile() const;

    /// Appends the parts of `box` (in `shape`, a shape of the same tensor) as they lie on tiles; a tile may
    /// occur several times. Returns the number of contiguous runs of `box`.
    std::int64_t locate(const Shape& shape, const Box& box, std::vector<TilePart>& parts) const;
    bool operator==(const TileMapping&) const = default;

  private:
    Shape view_;
    std::vector<Axis> axes_;
    std::int64_t first_tile_ = 0;
    std::int64_t tiles_ = 1;
    std::int64_t replicas_ = 1; ///< that share the tensor
    std::int64_t grain_ = 1;    ///< of their shares
};

/// The same block of a tensor on a tile: what a compute set needs there.
struct TileNeed {
    std::int64_t tile = 0;
    Box box;
};

/// What must be where for a tensor to be read as `mapping` lays it out; a tile may occur several times.
std::vector<TileNeed> needs_of(const TileMapping& mapping);

} // namespace tilescope::mapping
