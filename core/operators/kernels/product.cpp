// SPDX-License-Identifier: GPL-3.0-or-later
#include "flavour.h"
#include "tile.h"

#include <algorithm>
#include <utility>

namespace tilescope::kernels::flavour {
namespace {

/// c = a b, or c += scale a b, with the left factors of row i at a + i row_step, `step` apart.
struct Product {
    std::int64_t m, n, k;
    const float* a;
    std::int64_t row_step, step;
    const float* b;
    std::int64_t ldb;
    bool transpose_b;
    float* c;
    std::int64_t out_row, out_column; ///< steps in the result
    bool add;
    float scale;
};

void panel(const Product& p, std::int64_t first, std::int64_t width, std::int64_t begin, std::int64_t count) {
    const float* right = p.b + (p.transpose_b ? first * p.ldb + begin : begin * p.ldb + first);
    std::int64_t stride = p.ldb;
    const bool reused = p.m > 6 * tile_rows;
    if (p.transpose_b || width % lanes != 0 || reused) {
        stride = whole_vectors(width);
        float* packed = scratch(Scratch::Panel, count * stride);
        pack(right, p.ldb, p.transpose_b, count, width, stride, packed);
        right = packed;
    }
    const Run run{0, count};
    Tile tile{{}, p.step, &run, 1, right, stride, {}, p.out_column, width, p.add || begin > 0, p.scale};
    const std::int64_t tiles = (p.m + tile_rows - 1) / tile_rows;
    for (std::int64_t t = 0; t < tiles; ++t) {
        const std::int64_t top = p.m * t / tiles;
        const std::int64_t rows = p.m * (t + 1) / tiles - top;
        for (std::int64_t r = 0; r < rows; ++r) {
            tile.left[r] = p.a + (top + r) * p.row_step + begin * p.step;
            tile.out[r] = p.c + (top + r) * p.out_row + first * p.out_column;
        }
        run_tile(tile, rows);
    }
}

void run(const Product& p) {
    if (p.k == 0 && !p.add)
        for (std::int64_t i = 0; i < p.m; ++i)
            for (std::int64_t j = 0; j < p.n; ++j)
                p.c[i * p.out_row + j * p.out_column] = 0;
    const std::int64_t parts = (p.k + most_factors_at_once - 1) / most_factors_at_once;
    for (std::int64_t part = 0; part < parts; ++part) {
        const std::int64_t begin = p.k * part / parts;
        for (std::int64_t first = 0; first < p.n;) {
            const std::int64_t width = panel_width(first, p.n);
            panel(p, first, width, begin, p.k * (part + 1) / parts - begin);
            first += width;
        }
    }
}

/// The right side is read by vectors. One that is stored transposed has to be turned, or the result is, with
/// the sides exchanged: whatever is less.
void run(const Matrices& of, float* c, std::int64_t ldc, bool add, float scale) {
    const auto& [m, n, k, a, lda, transpose_a, b, ldb, transpose_b] = of;
    if (transpose_b && m < k)
        run({n, m, k, b, ldb, 1, a, lda, !transpose_a, c, 1, ldc, add, scale});
    else
        run({m, n, k, a, transpose_a ? 1 : lda, transpose_a ? lda : 1, b, ldb, transpose_b, c, ldc, 1, add,
             scale});
}

} // namespace

void gemm(const Matrices& of, float* c, std::int64_t ldc) {
    run(of, c, ldc, false, 1);
}

void add_gemm(const Matrices& of, float scale, float* c, std::int64_t ldc) {
    run(of, c, ldc, true, scale);
}

} // namespace tilescope::kernels::flavour
