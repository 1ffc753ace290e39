// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/moves.h"

#include "base/hash.h"
#include "mapping/pieces.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tilescope::mapping {
namespace {

/// A sum for each tile, of which few are not 0.
class TileSums {
  public:
    explicit TileSums(std::size_t tiles) : sums_(tiles, 0) {}
    void add(std::int64_t tile, std::int64_t n) {
        std::int64_t& sum = sums_[static_cast<std::size_t>(tile)];
        if (sum == 0 && n != 0)
            tiles_.push_back(tile);
        sum += n;
    }
    /// Moves them to `parts`, in the order in which they came.
    void take(std::vector<TilePart>& parts) {
        for (const std::int64_t tile : tiles_)
            parts.push_back({tile, std::exchange(sums_[static_cast<std::size_t>(tile)], 0)});
        tiles_.clear();
    }

  private:
    std::vector<std::int64_t> sums_, tiles_;
};

struct NeededBox {
    const Box* box;
    std::vector<std::int64_t> receivers;
};

/// The boxes of the needs that are not empty, each once.
std::vector<NeededBox> needed_boxes(const std::vector<TileNeed>& needs) {
    struct Keyed {
        std::uint64_t key; ///< of the box
        const TileNeed* need;
    };
    std::vector<Keyed> keyed;
    keyed.reserve(needs.size());
    for (const TileNeed& need : needs) {
        if (need.box.elements() <= 0)
            continue;
        std::uint64_t key = 0;
        for (const Shape* corner : {&need.box.begin, &need.box.end})
            for (const std::int64_t at : *corner)
                key = mixed(key, at);
        keyed.push_back({key, &need});
    }
    std::sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) {
        if (a.key != b.key)
            return a.key < b.key;
        return std::tie(a.need->box.begin, a.need->box.end, a.need) <
               std::tie(b.need->box.begin, b.need->box.end, b.need);
    });
    std::vector<NeededBox> boxes;
    for (const Keyed& k : keyed) {
        if (boxes.empty() || !(*boxes.back().box == k.need->box))
            boxes.push_back({&k.need->box, {}});
        boxes.back().receivers.push_back(k.need->tile);
    }
    return boxes;
}

/// Finds where boxes lie.
class Locator {
  public:
    Locator(const TileMapping& from, const Shape& shape)
        : from_(from), shape_(shape), held_(static_cast<std::size_t>(from.tiles())) {}
    void add(const Box& box) {
        located_.clear();
        from_.locate(shape_, box, located_);
        for (const TilePart& part : located_)
            held_.add(part.tile, part.elements);
    }
    /// Of all that was added since.
    void take(std::vector<TilePart>& parts) {
        parts.clear();
        held_.take(parts);
    }

  private:
    const TileMapping& from_;
    const Shape& shape_;
    std::vector<TilePart> located_;
    TileSums held_;
};

std::int64_t column(const TileNeed& need, std::size_t of, std::int64_t first_tile, std::int64_t tiles) {
    if (of == 0)
        return (need.tile - first_tile + tiles) % tiles;
    const Shape& corner = of % 2 == 1 ? need.box.begin : need.box.end;
    return corner[(of - 1) / 2];
}

std::size_t columns_of(const Shape& shape) {
    return 1 + 2 * shape.size();
}

/// The numbers of the list of some needs in order, as long as `visit` returns true; whether it did for all.
template<class Visit>
bool each_difference(const Shape& shape, const std::vector<TileNeed>& needs, std::int64_t tiles,
                     const Visit& visit) {
    for (std::size_t c = 0; c < columns_of(shape); ++c) {
        std::int64_t before = 0;
        for (const TileNeed& need : needs) {
            const std::int64_t value = column(need, c, needs.front().tile, tiles);
            if (!visit(value - std::exchange(before, value)))
                return false;
        }
    }
    return true;
}

/// Whether that is the list of these needs.
bool is_of(const NeedList& list, const Shape& shape, const std::vector<TileNeed>& needs, std::int64_t tiles) {
    auto listed = list.differences.begin();
    return list.shape == shape && list.differences.size() == needs.size() * columns_of(shape) &&
           each_difference(shape, needs, tiles,
                           [&](std::int64_t difference) { return difference == *listed++; });
}

} // namespace

void for_each_box(const TileMapping& from, const Shape& shape, const std::vector<TileNeed>& needs,
                  const std::function<void(const BoxMoves&)>& visit) {
    BoxMoves moves;
    Locator locator(from, shape);
    for (NeededBox& needed : needed_boxes(needs)) {
        moves.receivers = std::move(needed.receivers);
        locator.add(*needed.box);
        locator.take(moves.parts);
        visit(moves);
    }
}

void for_each_piece(const TileMapping& from, const Shape& shape, const std::vector<TileNeed>& needs,
                    const std::function<void(const BoxMoves&)>& visit) {
    const std::vector<NeededBox> needed = needed_boxes(needs);
    std::vector<const Box*> boxes(needed.size());
    std::transform(needed.begin(), needed.end(), boxes.begin(), [](const NeededBox& n) { return n.box; });
    const std::vector<Piece> pieces = pieces_of(boxes);
    if (std::all_of(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.of.size() == 1; }))
        return;
    BoxMoves moves;
    Locator locator(from, shape);
    for (const Piece& piece : pieces) {
        moves.receivers.clear();
        for (const std::int32_t box : piece.of) {
            const auto& receivers = needed[static_cast<std::size_t>(box)].receivers;
            moves.receivers.insert(moves.receivers.end(), receivers.begin(), receivers.end());
        }
        for (const Box& cell : piece.cells)
            locator.add(cell);
        locator.take(moves.parts);
        visit(moves);
    }
}

NeedList list_of(const Shape& shape, const std::vector<TileNeed>& needs, std::int64_t tiles) {
    NeedList list{shape, {}};
    list.differences.reserve(needs.size() * columns_of(shape));
    each_difference(shape, needs, tiles, [&](std::int64_t difference) {
        list.differences.push_back(difference);
        return true;
    });
    return list;
}

std::optional<std::vector<TileNeed>> needs_of(const NeedList& list, std::int64_t first_tile,
                                              std::int64_t tiles) {
    const std::size_t columns = columns_of(list.shape);
    const std::size_t count = list.differences.size() / columns;
    if (count * columns != list.differences.size() || tiles < 1 || first_tile < 0)
        return std::nullopt;
    std::vector<TileNeed> needs(count, {0, {Shape(list.shape.size(), 0), Shape(list.shape.size(), 0)}});
    for (std::size_t c = 0; c < columns; ++c) {
        std::uint64_t sum = 0; // a damaged list may have any differences
        const std::int64_t most = c == 0 ? tiles - 1 : list.shape[(c - 1) / 2];
        for (std::size_t i = 0; i < count; ++i) {
            sum += static_cast<std::uint64_t>(list.differences[c * count + i]);
            const auto value = static_cast<std::int64_t>(sum);
            if (value < 0 || value > most)
                return std::nullopt;
            TileNeed& need = needs[i];
            if (c == 0)
                need.tile = (value + first_tile) % tiles;
            else
                (c % 2 == 1 ? need.box.begin : need.box.end)[(c - 1) / 2] = value;
        }
    }
    return needs;
}

std::int32_t NeedBook::add(const Shape& shape, const std::vector<TileNeed>& needs, std::int64_t tiles) {
    std::uint64_t hash = needs.size();
    const auto mix = [&hash](std::int64_t n) { hash = mixed(hash, n); };
    std::for_each(shape.begin(), shape.end(), mix);
    for (const TileNeed& need : needs) {
        mix(column(need, 0, needs.front().tile, tiles));
        std::for_each(need.box.begin.begin(), need.box.begin.end(), mix);
        std::for_each(need.box.end.begin(), need.box.end.end(), mix);
    }
    for (auto [at, end] = by_hash_.equal_range(hash); at != end; ++at)
        if (is_of(lists[static_cast<std::size_t>(at->second)], shape, needs, tiles))
            return at->second;
    const auto id = static_cast<std::int32_t>(lists.size());
    by_hash_.emplace(hash, id);
    lists.push_back(list_of(shape, needs, tiles));
    return id;
}

} // namespace tilescope::mapping
