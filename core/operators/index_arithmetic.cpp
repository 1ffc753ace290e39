// SPDX-License-Identifier: GPL-3.0-or-later
#include "index_arithmetic.h"

#include "base/try.h"

namespace tilescope::operators {

using graph::Shape;
using graph::to_string;

std::int64_t product(const Shape& shape, std::size_t from, std::size_t to) {
    std::int64_t result = 1;
    for (std::size_t d = from; d < to; ++d)
        result *= shape[d];
    return result;
}

std::optional<std::int64_t> Places::index_at(std::int64_t i, std::int64_t extent) const {
    const std::int64_t given = indices.ints()[static_cast<std::size_t>(i)];
    const std::int64_t index = from_end && given < 0 ? given + extent : given;
    return index >= 0 && index < extent ? std::optional(index) : std::nullopt;
}

Result<void> expect_indices(std::span<const graph::TensorType> in, std::size_t count,
                            const graph::Attributes& attributes) {
    TRY(expect_inputs(in, count));
    if (in[1].dtype != graph::DType::Int32)
        return shape_error("int32 indices", to_string(in[1]));
    attributes.flag("from_end"); // of another type it is found here
    return {};
}

graph::Attributes counting_as(const graph::Attributes& other, graph::Attributes attributes) {
    if (other.flag("from_end"))
        attributes.set("from_end", true);
    return attributes;
}

Result<void> expect_inside(const Shape& indices, const Shape& x, std::size_t axis) {
    bool fits = indices.size() == x.size();
    for (std::size_t d = 0; fits && d < x.size(); ++d)
        fits = d == axis || indices[d] <= x[d];
    if (!fits)
        return shape_error("indices that fit " + to_string(x), to_string(indices));
    return {};
}

void for_each_element(const Places& places, const Shape& x, std::size_t axis,
                      const std::function<void(std::int64_t, std::optional<std::int64_t>)>& visit) {
    const Shape& shape = places.indices.shape();
    for (std::int64_t i = 0; i < places.indices.elements(); ++i) {
        const auto index = places.index_at(i, x[axis]);
        std::int64_t rest = i;
        std::int64_t place = 0;
        std::int64_t step = 1;
        for (std::size_t d = x.size(); d-- > 0;) {
            place += (d == axis ? index.value_or(0) : rest % shape[d]) * step;
            rest /= shape[d];
            step *= x[d];
        }
        visit(i, index ? std::optional(place) : std::nullopt);
    }
}

void for_each_pointer(
    const Places& places, const Shape& x, std::size_t batch,
    const std::function<void(std::int64_t, std::int64_t, std::optional<std::int64_t>)>& visit) {
    const std::int64_t depth = places.indices.shape().back();
    const std::size_t inner = batch + static_cast<std::size_t>(depth);
    const std::int64_t n = product(x, inner, x.size());
    const std::int64_t samples = product(x, 0, batch);
    const std::int64_t pointers = places.indices.elements() / depth;
    for (std::int64_t p = 0; p < pointers; ++p) {
        std::int64_t place = p / (pointers / samples); // of the sample
        bool inside = true;
        for (std::int64_t k = 0; k < depth; ++k) {
            const std::int64_t extent = x[batch + static_cast<std::size_t>(k)];
            const auto index = places.index_at(p * depth + k, extent);
            inside = inside && index;
            place = place * extent + index.value_or(0);
        }
        visit(p * n, n, inside ? std::optional(place * n) : std::nullopt);
    }
}

} // namespace tilescope::operators
