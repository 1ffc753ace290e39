// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/kernel_table.h"

/// The functions of one flavour, as its table lists them.
namespace tilescope::kernels::flavour {

void gemm(const Matrices& of, float* c, std::int64_t ldc);
void add_gemm(const Matrices& of, float scale, float* c, std::int64_t ldc);
std::span<const UnaryKernel> unary_kernels();
std::span<const BinaryKernel> binary_kernels();
std::span<const UpdateKernel> update_kernels();
float sum(const float* x, std::int64_t n);
float maximum(const float* x, std::int64_t n);
void column_sums(const float* x, std::int64_t rows, std::int64_t columns, std::int64_t stride,
                 double* totals);
void dropout(const DropoutMask& mask, const float* x, float* y, std::uint64_t first, std::int64_t n);
void conv_forward(const ConvShape& s, const float* x, const float* w, float* y, std::int64_t first,
                  std::int64_t last);
void conv_input_gradient(const ConvShape& s, const float* dy, const float* w, float* dx, std::int64_t first,
                         std::int64_t last);
void conv_filter_gradient(const ConvShape& s, const float* x, const float* dy, float* dw, std::int64_t first,
                          std::int64_t last);
void max_pool(const PoolShape& s, const float* x, float* y, std::int64_t first, std::int64_t last);
void max_pool_gradient(const PoolShape& s, const float* x, const float* dy, float* dx, std::int64_t first,
                       std::int64_t last);
void average_pool(const PoolShape& s, const float* x, float* y, std::int64_t first, std::int64_t last);
void average_pool_gradient(const PoolShape& s, const float* dy, float* dx, std::int64_t first,
                           std::int64_t last);

} // namespace tilescope::kernels::flavour
