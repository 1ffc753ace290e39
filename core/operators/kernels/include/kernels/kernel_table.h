// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// The float loops that numerics spend their time in. They are compiled twice, for any x86-64 and for
/// x86-64-v3 (AVX2, FMA), as two shared libraries, so that the linker cannot mix their inline functions.
namespace tilescope::kernels {

/// y[i] = f(x[i]); `alpha` is the parameter of elu and leaky relu. y may be x.
struct UnaryKernel {
    const char* name; ///< of the operator
    void (*run)(float alpha, const float* x, float* y, std::int64_t n);
};

/// y[i] = f(a[i sa], b[i sb]); strides 0 or 1. Gradients take (x or y of the forward, dy).
struct BinaryKernel {
    const char* name;
    void (*run)(float alpha, const float* a, std::int64_t sa, const float* b, std::int64_t sb, float* y,
                std::int64_t n);
};

/// Places in the lists of kernels, which are the same in every table.
enum class Unary : std::size_t {};
enum class Binary : std::size_t {};

/// A convolution's geometry on the host. x: [batch, height, width, in_channels], w: [kernel_height,
/// kernel_width, in_channels / groups, out_channels], y: [batch, out_height, out_width, out_channels].
struct ConvShape {
    std::int64_t height, width, in_channels;
    std::int64_t out_height, out_width, out_channels;
    std::int64_t kernel_height, kernel_width;
    std::int64_t stride_y, stride_x, pad_top, pad_left, dilation_y, dilation_x, groups;
    std::int64_t columns() const { return kernel_height * kernel_width * (in_channels / groups); }
};

/// A pooling's geometry: x: [batch, height, width, channels], y: [batch, out_height, out_width, channels].
struct PoolShape {
    std::int64_t height, width, channels, out_height, out_width;
    std::int64_t window_y, window_x, stride_y, stride_x, pad_top, pad_left;
    bool count_padding; ///< averages divide by the whole window, not by the part inside
};

/// Which elements dropout keeps: those whose 32 random bits reach the threshold.
struct DropoutMask {
    std::uint64_t seed, stream;
    std::uint32_t threshold;
    float scale; ///< of the elements that stay
};

struct KernelTable {
    const char* name;

    /// c[m, n] = a[m, k] b[k, n], row-major; a transposed one is stored [k, m] or [n, k]. `lda`, `ldb` and
    /// `ldc` are the distances between stored rows.
    void (*gemm)(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t lda,
                 bool transpose_a, const float* b, std::int64_t ldb, bool transpose_b, float* c,
                 std::int64_t ldc);
    std::span<const UnaryKernel> unary_kernels;
    std::span<const BinaryKernel> binary_kernels;
    float (*sum)(const float* x, std::int64_t n);
    float (*maximum)(const float* x, std::int64_t n);
    /// totals[c] += the sum of x[r stride + c] over all rows r, for each column c.
    void (*column_sums)(const float* x, std::int64_t rows, std::int64_t columns, std::int64_t stride,
                        double* totals);
    /// y = x under a mask; x[0] is element `first` of the mask.
    void (*dropout)(const DropoutMask& mask, const float* x, float* y, std::uint64_t first, std::int64_t n);

    /// Images [first, last) of y.
    void (*conv_forward)(const ConvShape& s, const float* x, const float* w, float* y, std::int64_t first,
                         std::int64_t last);
    /// Images [first, last) of dx.
    void (*conv_input_gradient)(const ConvShape& s, const float* dy, const float* w, float* dx,
                                std::int64_t first, std::int64_t last);
    /// The share of images [first, last) in dw, which is overwritten.
    void (*conv_filter_gradient)(const ConvShape& s, const float* x, const float* dy, float* dw,
                                 std::int64_t first, std::int64_t last);

    void (*max_pool)(const PoolShape& s, const float* x, float* y, std::int64_t first, std::int64_t last);
    /// The gradient goes to the first largest element of each window, as in TensorFlow.
    void (*max_pool_gradient)(const PoolShape& s, const float* x, const float* dy, float* dx,
                              std::int64_t first, std::int64_t last);
    void (*average_pool)(const PoolShape& s, const float* x, float* y, std::int64_t first, std::int64_t last);
    void (*average_pool_gradient)(const PoolShape& s, const float* dy, float* dx, std::int64_t first,
                                  std::int64_t last);

    /// Adam as TensorFlow rounds it: m += (g - m) taken_1, v += (g^2 - v) taken_2, w -= rate m / (sqrt(v) +
    /// epsilon); `taken` is 1 - beta.
    void (*adam)(float* w, float* m, float* v, const float* g, float rate, float taken_1, float taken_2,
                 float epsilon, std::int64_t n);

    void unary(Unary kind, float alpha, const float* x, float* y, std::int64_t n) const {
        unary_kernels[static_cast<std::size_t>(kind)].run(alpha, x, y, n);
    }
    void binary(Binary kind, float alpha, const float* a, std::int64_t sa, const float* b, std::int64_t sb,
                float* y, std::int64_t n) const {
        binary_kernels[static_cast<std::size_t>(kind)].run(alpha, a, sa, b, sb, y, n);
    }
};

/// The fastest set that this processor can run; the environment variable TILESCOPE_KERNELS=baseline forces
/// the other.
const KernelTable& best_kernels();
const KernelTable& baseline_kernels();
/// nullptr where the processor cannot run them.
const KernelTable* v3_kernels();

/// The kernel of an operator, by its name. One that has none is a bug: the program ends with its name.
Unary unary_kernel(std::string_view name);
Binary binary_kernel(std::string_view name);

} // namespace tilescope::kernels
