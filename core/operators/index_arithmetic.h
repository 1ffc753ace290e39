// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/tensor.h"
#include "operators/families.h"

#include <functional>
#include <optional>

/// What gathers and scatters share: where indices point to. Indices may count from the end (-1 is the last);
/// one outside points nowhere.
namespace tilescope::operators {

std::int64_t product(const graph::Shape& shape, std::size_t from, std::size_t to);
std::optional<std::int64_t> index_at(const graph::HostTensor& indices, std::int64_t i, std::int64_t extent);

/// `count` inputs, the second of which is int32.
Result<void> expect_indices(std::span<const graph::TensorType> in, std::size_t count);
/// Indices of x's rank that are nowhere longer than x, but along `axis`.
Result<void> expect_inside(const graph::Shape& indices, const graph::Shape& x, std::size_t axis);

/// For each element i of the indices: its place in x, itself but for the index along `axis`.
void for_each_element(const graph::HostTensor& indices, const graph::Shape& x, std::size_t axis,
                      const std::function<void(std::int64_t i, std::optional<std::int64_t> place)>& visit);
/// For each pointer [.., depth] of the indices: the first of the n elements that belong to it, and where in x
/// they are. The first `batch` dimensions of both are common.
void for_each_pointer(
    const graph::HostTensor& indices, const graph::Shape& x, std::size_t batch,
    const std::function<void(std::int64_t first, std::int64_t n, std::optional<std::int64_t> place)>& visit);

} // namespace tilescope::operators
