// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/tile_mapping.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>

namespace tilescope::mapping {
namespace {

std::int64_t product(const Shape& shape) {
    std::int64_t result = 1;
    for (const std::int64_t extent : shape)
        result *= extent;
    return result;
}

/// Goes over the parts of a mapping's grid that a box or a run of the view touches.
class ViewWalk {
  public:
    ViewWalk(const std::vector<Axis>& axes, std::int64_t first_tile, std::int64_t tiles)
        : axes_(axes), first_tile_(first_tile), tiles_(tiles), dims_(axes.size()) {}

    /// visit(tile, elements) for each part of the box.
    template<class Visit>
    void box(const Box& box, const Visit& visit) {
        for (std::size_t d = 0; d < axes_.size(); ++d)
            if (!dims_[d].enter(axes_[d], box.begin[d], box.end[d]))
                return;
        walk(visit);
    }
    /// The same for elements [begin, end) in the order of the view.
    template<class Visit>
    void run(std::int64_t begin, std::int64_t end, const Visit& visit) {
        if (axes_.size() == 1) {
            if (dims_[0].enter(axes_[0], begin, end))
                walk(visit);
            return;
        }
        // Whole rows of the innermost dimension, cut at row ends and block ends.
        const std::int64_t row = axes_.back().extent;
        while (begin < end) {
            const std::int64_t stop = std::min(end, (begin / row + 1) * row);
            std::int64_t rest = begin / row;
            for (std::size_t d = axes_.size() - 1; d-- > 0;) {
                dims_[d].enter(axes_[d], rest % axes_[d].extent, rest % axes_[d].extent + 1);
                rest /= axes_[d].extent;
            }
            dims_.back().enter(axes_.back(), begin % row, begin % row + (stop - begin));
            walk(visit);
            begin = stop;
        }
    }
    /// What the part that is visited shares with the box.
    Box here() const {
        Box shared{Shape(dims_.size()), Shape(dims_.size())};
        for (std::size_t d = 0; d < dims_.size(); ++d) {
            shared.begin[d] = dims_[d].shared_begin;
            shared.end[d] = dims_[d].shared_end;
        }
        return shared;
    }

  private:
    /// Where the walk is along one dimension: a part of the axis, and what it shares with [begin, end).
    struct Place {
        std::int64_t begin = 0, end = 0; ///< of the box
        std::int64_t first = 0, last = 0, part = 0;
        std::int64_t offset = 0;
        std::int64_t shared_begin = 0, shared_end = 0;

        bool enter(const Axis& axis, std::int64_t from, std::int64_t to) {
            if (from >= to)
                return false;
            begin = from;
            end = to;
            first = axis.part_of(from);
            last = axis.part_of(to - 1);
            go(axis, first);
            return true;
        }
        void go(const Axis& axis, std::int64_t to) {
            part = to;
            offset = axis.offset(part);
            shared_begin = std::max(begin, axis.begin(part));
            shared_end = std::max(shared_begin, std::min(end, axis.end(part)));
        }
    };

    template<class Visit>
    void walk(const Visit& visit) {
        while (true) {
            std::int64_t tile = first_tile_;
            std::int64_t elements = 1;
            for (const Place& place : dims_) {
                tile += place.offset;
                elements *= place.shared_end - place.shared_begin;
            }
            if (elements > 0)
                visit(tile % tiles_, elements);
            std::size_t d = dims_.size();
            while (d-- > 0) {
                if (dims_[d].part < dims_[d].last) {
                    dims_[d].go(axes_[d], dims_[d].part + 1);
                    break;
                }
                if (dims_[d].part != dims_[d].first)
                    dims_[d].go(axes_[d], dims_[d].first);
            }
            if (d > dims_.size()) // every dimension wrapped around
                return;
        }
    }

    const std::vector<Axis>& axes_;
    std::int64_t first_tile_, tiles_;
    std::vector<Place> dims_;
};

} // namespace

std::int64_t Box::elements() const {
    std::int64_t result = 1;
    for (std::size_t d = 0; d < begin.size(); ++d)
        result *= end[d] - begin[d];
    return result;
}

TileMapping::TileMapping(std::vector<Axis> axes, std::int64_t tiles, std::int64_t first_tile)
    : axes_(std::move(axes)), first_tile_(first_tile % tiles), tiles_(tiles) {
    for (const Axis& axis : axes_)
        view_.push_back(axis.extent);
}

TileMapping TileMapping::linear(const Shape& shape, std::int64_t tiles, std::int64_t grain,
                                std::int64_t minimum_elements, std::int64_t first_tile) {
    const std::int64_t count = std::max<std::int64_t>(product(shape), 1);
    std::int64_t block = std::max(ceil_div(count, tiles), minimum_elements);
    block = ceil_div(block, grain) * grain;
    return grid({product(shape)}, {block}, tiles, first_tile);
}

TileMapping TileMapping::grid(const Shape& view, const Shape& blocks, std::int64_t tiles,
                              std::int64_t first_tile) {
    std::vector<Axis> axes(view.size());
    std::int64_t stride = 1;
    for (std::size_t d = view.size(); d-- > 0;) {
        axes[d] = Axis::blocks(view[d], blocks[d], stride);
        stride *= ceil_div(view[d], blocks[d]);
    }
    assert(stride <= tiles);
    return {std::move(axes), tiles, first_tile};
}

TileMapping TileMapping::shared(std::int64_t replicas, std::int64_t grain) const {
    TileMapping share = *this;
    share.replicas_ = replicas;
    share.grain_ = grain;
    return share;
}

TileMapping TileMapping::stacked(std::int64_t count) const {
    std::vector<Axis> axes{Axis::whole(count)};
    axes.insert(axes.end(), axes_.begin(), axes_.end());
    return {std::move(axes), tiles_, first_tile_};
}

std::optional<TileMapping> TileMapping::part(const Shape& shape, std::size_t axis, std::int64_t begin,
                                             std::int64_t end) const {
    const auto after = [](const Shape& extents, std::size_t d) {
        return std::accumulate(extents.begin() + static_cast<std::ptrdiff_t>(d) + 1, extents.end(),
                               std::int64_t{1}, std::multiplies<>());
    };
    std::size_t own = 0;
    while (own < view_.size() && (view_[own] != shape[axis] || after(view_, own) != after(shape, axis)))
        ++own;
    if (own == view_.size())
        return std::nullopt;
    std::vector<Axis> axes = axes_;
    Axis& cut = axes[own];
    std::int64_t first = first_tile_;
    if (cut.parts() == 1) {
        cut = Axis::whole(end - begin);
    } else {
        const std::int64_t at = begin + cut.skipped;
        const std::int64_t block = at / cut.block % cut.period;
        if (block + ceil_div(at % cut.block + end - begin, cut.block) > cut.period)
            return std::nullopt;
        first += block * cut.stride;
        cut.extent = end - begin;
        cut.skipped = at % cut.block;
    }
    return TileMapping(std::move(axes), tiles_, first);
}

TileMapping TileMapping::single(const Shape& shape, std::int64_t tiles, std::int64_t tile) {
    return {{Axis::whole(product(shape))}, tiles, tile};
}

std::int64_t TileMapping::parts() const {
    std::int64_t result = 1;
    for (const Axis& axis : axes_)
        result *= axis.parts();
    return result;
}
std::int64_t TileMapping::elements() const {
    return product(view_);
}

std::int64_t TileMapping::tile_of_part(std::int64_t part) const {
    std::int64_t tile = first_tile_;
    for (std::size_t d = axes_.size(); d-- > 0;) {
        const std::int64_t parts = axes_[d].parts();
        tile += axes_[d].offset(part % parts);
        part /= parts;
    }
    return tile % tiles_;
}

Box TileMapping::box_of_part(std::int64_t part) const {
    Box box{Shape(axes_.size()), Shape(axes_.size())};
    for (std::size_t d = axes_.size(); d-- > 0;) {
        const std::int64_t parts = axes_[d].parts();
        const std::int64_t index = part % parts;
        part /= parts;
        box.begin[d] = axes_[d].begin(index);
        box.end[d] = std::max(box.begin[d], axes_[d].end(index));
    }
    return box;
}

std::vector<std::int64_t> TileMapping::elements_per_tile() const {
    std::vector<std::int64_t> result(static_cast<std::size_t>(tiles_), 0);
    const auto add = [&](std::int64_t tile, std::int64_t elements) {
        result[static_cast<std::size_t>(tile)] += elements;
    };
    ViewWalk(axes_, first_tile_, tiles_).box(Box{Shape(view_.size(), 0), view_}, add);
    if (replicas_ > 1)
        for (std::int64_t& elements : result)
            elements = ceil_div(elements, replicas_ * grain_) * grain_;
    return result;
}

std::int64_t TileMapping::locate(const Shape& shape, const Box& box, std::vector<TilePart>& parts) const {
    const auto add = [&](std::int64_t tile, std::int64_t elements) { parts.push_back({tile, elements}); };
    // Trailing dimensions that the box covers whole are one contiguous run with the last partial one.
    std::size_t inner = shape.size();
    std::int64_t run = 1;
    while (inner > 0) {
        --inner;
        run *= box.end[inner] - box.begin[inner];
        if (box.begin[inner] != 0 || box.end[inner] != shape[inner])
            break;
    }
    std::int64_t runs = 1;
    for (std::size_t d = 0; d < inner; ++d)
        runs *= box.end[d] - box.begin[d];
    if (run == 0 || runs == 0)
        return 0;
    ViewWalk walk(axes_, first_tile_, tiles_);
    if (shape == view_) {
        walk.box(box, add);
        return runs;
    }
    Shape index(box.begin);
    for (std::int64_t r = 0; r < runs; ++r) {
        std::int64_t offset = 0;
        for (std::size_t d = 0; d < shape.size(); ++d)
            offset = offset * shape[d] + (d <= inner ? index[d] : 0);
        walk.run(offset, offset + run, add);
        for (std::size_t d = inner; d-- > 0;) {
            if (++index[d] < box.end[d])
                break;
            index[d] = box.begin[d];
        }
    }
    return runs;
}

std::vector<TileNeed> needs_of(const TileMapping& mapping) {
    std::vector<TileNeed> needs;
    needs.reserve(static_cast<std::size_t>(mapping.parts()));
    ViewWalk walk(mapping.axes(), mapping.first_tile(), mapping.tiles());
    walk.box(Box{Shape(mapping.view().size(), 0), mapping.view()}, [&](std::int64_t tile, std::int64_t) {
        needs.push_back({tile, walk.here()});
    });
    return needs;
}

} // namespace tilescope::mapping
