// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

/// The innermost part of products and convolutions: a few rows of the result by a few vectors of its columns,
/// kept in registers while their sums grow. Each element is summed in the order of its factors, whatever tile
/// it is in, so results do not depend on how rows and columns are dealt to threads.
namespace tilescope::kernels::flavour {

#if defined(__AVX512F__)
constexpr std::int64_t lanes = 16;
constexpr std::int64_t tile_rows = 8;
constexpr std::int64_t tile_vectors = 3;
#elif defined(__AVX2__)
constexpr std::int64_t lanes = 8;
constexpr std::int64_t tile_rows = 6;
constexpr std::int64_t tile_vectors = 2;
#else
constexpr std::int64_t lanes = 4;
constexpr std::int64_t tile_rows = 6;
constexpr std::int64_t tile_vectors = 2;
#endif

/// Left factors that lie `step` apart, from `offset` on.
struct Run {
    std::int64_t offset, length;
};

/// out[r][j column_step] = the sum over k of left(r, k) right(k, j), or += it times `scale`. The left factors
/// of row r are those of all runs, at left[r]; row k of the right ones is at right + k stride, of whole
/// vectors.
struct Tile {
    const float* left[tile_rows];
    std::int64_t step;
    const Run* runs;
    std::int64_t run_count;
    const float* right;
    std::int64_t stride;
    float* out[tile_rows];
    std::int64_t column_step;
    std::int64_t columns; ///< of the result; the last vector may be partly unused
    bool add;             ///< to what is there
    float scale = 1;      ///< of what is added
};

/// `rows` from 1 to tile_rows; columns up to tile_vectors vectors.
void run_tile(const Tile& tile, std::int64_t rows);

/// Columns of the panel of a matrix of `columns` that begins at `first`: panels are about equally wide.
std::int64_t panel_width(std::int64_t first, std::int64_t columns);

/// Copies rows of `columns` to rows of `stride`, zeros behind them; or what is stored transposed.
void pack(const float* from, std::int64_t distance, bool transposed, std::int64_t rows, std::int64_t columns,
          std::int64_t stride, float* to);

/// Memory of this thread for `count` floats, kept from call to call; its contents are undefined. Each `use`
/// has its own.
enum class Scratch { Panel, Image, Weights };
float* scratch(Scratch use, std::int64_t count);

inline std::int64_t whole_vectors(std::int64_t columns) {
    return (columns + lanes - 1) / lanes * lanes;
}

} // namespace tilescope::kernels::flavour
