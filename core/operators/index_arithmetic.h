// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/tensor.h"
#include "operators/families.h"

#include <functional>
#include <optional>

/// What gathers and scatters share: where indices point to. One outside [0, extent) points nowhere, as in
/// PopLibs' multi-slice and multi-update; with the attribute `from_end`, as in ONNX, -1 is the last.
namespace tilescope::operators {

std::int64_t product(const graph::Shape& shape, std::size_t from, std::size_t to);
/// Indices and how they count.
struct Places {
    explicit Places(const graph::ComputeContext& context)
        : indices(*context.inputs[1]), from_end(context.attributes.flag("from_end")) {}

    std::optional<std::int64_t> index_at(std::int64_t i, std::int64_t extent) const;

    const graph::HostTensor& indices;
    bool from_end;
};

/// `count` inputs, the second of which is int32.
Result<void> expect_indices(std::span<const graph::TensorType> in, std::size_t count,
                            const graph::Attributes& attributes);
/// These, with indices that count as those of another operation do.
graph::Attributes counting_as(const graph::Attributes& other, graph::Attributes attributes);
/// Indices of x's rank that are nowhere longer than x, but along `axis`.
Result<void> expect_inside(const graph::Shape& indices, const graph::Shape& x, std::size_t axis);

/// For each element i of the indices: its place in x, itself but for the index along `axis`.
void for_each_element(const Places& places, const graph::Shape& x, std::size_t axis,
                      const std::function<void(std::int64_t i, std::optional<std::int64_t> place)>& visit);
/// For each pointer [.., depth] of the indices: the first of the n elements that belong to it, and where in x
/// they are. The first `batch` dimensions of both are common.
void for_each_pointer(
    const Places& places, const graph::Shape& x, std::size_t batch,
    const std::function<void(std::int64_t first, std::int64_t n, std::optional<std::int64_t> place)>& visit);

} // namespace tilescope::operators
