// SPDX-License-Identifier: GPL-3.0-or-later
#include "tile.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace tilescope::kernels::flavour {
namespace {

// GCC's vectors, of the width that the flavour has. In memory they lie at any address.
using Vector = float __attribute__((vector_size(lanes * sizeof(float))));

Vector load(const float* from) {
    Vector vector;
    std::memcpy(&vector, from, sizeof(vector));
    return vector;
}

/// One vector of results that lie apart, or of which some are of no column.
void scatter(const Tile& t, std::int64_t row, std::int64_t column, Vector sums) {
    float* out = t.out[row] + column * t.column_step;
    const std::int64_t width = std::min(lanes, t.columns - column);
    for (std::int64_t i = 0; i < width; ++i) {
        float& to = out[i * t.column_step];
        to = t.add ? to + t.scale * sums[i] : sums[i];
    }
}

template<int Rows, int Vectors>
void run(const Tile& t) {
    Vector sums[Rows][Vectors] = {};
    const float* right = t.right;
    for (std::int64_t i = 0; i < t.run_count; ++i) {
        const float* left[Rows];
        for (int r = 0; r < Rows; ++r)
            left[r] = t.left[r] + t.runs[i].offset;
        const std::int64_t end = t.runs[i].length * t.step;
        for (std::int64_t at = 0; at < end; at += t.step, right += t.stride) {
            Vector factors[Vectors];
#pragma GCC unroll 3
            for (int v = 0; v < Vectors; ++v)
                factors[v] = load(right + v * lanes);
#pragma GCC unroll 8
            for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 3
                for (int v = 0; v < Vectors; ++v)
                    sums[r][v] += left[r][at] * factors[v];
        }
    }
    // Written out for whole vectors, so that the sums never leave their registers.
    if (t.column_step == 1 && t.columns == Vectors * lanes) {
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 3
            for (int v = 0; v < Vectors; ++v) {
                if (t.add)
                    sums[r][v] = load(t.out[r] + v * lanes) + t.scale * sums[r][v];
                std::memcpy(t.out[r] + v * lanes, &sums[r][v], sizeof(Vector));
            }
        return;
    }
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 3
        for (int v = 0; v < Vectors; ++v)
            scatter(t, r, v * lanes, sums[r][v]);
}

using RunTile = void (*)(const Tile&);

template<std::size_t... I>
constexpr std::array<RunTile, sizeof...(I)> all_tiles(std::index_sequence<I...>) {
    return {run<static_cast<int>(I) / tile_vectors + 1, static_cast<int>(I) % tile_vectors + 1>...};
}
constexpr auto tiles = all_tiles(std::make_index_sequence<tile_rows * tile_vectors>());

} // namespace

void run_tile(const Tile& tile, std::int64_t rows) {
    const std::int64_t vectors = (tile.columns + lanes - 1) / lanes;
    tiles[static_cast<std::size_t>((rows - 1) * tile_vectors + vectors - 1)](tile);
}

std::int64_t panel_width(std::int64_t first, std::int64_t columns) {
    const std::int64_t rest = (columns - first + lanes - 1) / lanes;
    const std::int64_t panels = (rest + tile_vectors - 1) / tile_vectors;
    return std::min(columns - first, (rest + panels - 1) / panels * lanes);
}

void pack(const float* from, std::int64_t distance, bool transposed, std::int64_t rows, std::int64_t columns,
          std::int64_t stride, float* to) {
    if (!transposed) {
        for (std::int64_t r = 0; r < rows; ++r, to += stride)
            std::fill(std::copy_n(from + r * distance, columns, to), to + stride, 0.0F);
        return;
    }
    for (std::int64_t r = 0; r < rows; ++r)
        std::fill(to + r * stride + columns, to + (r + 1) * stride, 0.0F);
    for (std::int64_t c = 0; c < columns; ++c)
        for (std::int64_t r = 0; r < rows; ++r)
            to[r * stride + c] = from[c * distance + r];
}

float* scratch(Scratch use, std::int64_t count) {
    thread_local std::array<std::vector<float>, 3> memory;
    std::vector<float>& of_use = memory[static_cast<std::size_t>(use)];
    if (static_cast<std::int64_t>(of_use.size()) < count)
        of_use.resize(static_cast<std::size_t>(count));
    return of_use.data();
}

} // namespace tilescope::kernels::flavour
