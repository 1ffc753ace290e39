// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// The float loops that numerics spend their time in. They are compiled for any x86-64, for x86-64-v3
/// (AVX2, FMA) and for x86-64-v4 (AVX-512), as shared libraries, so that the linker cannot mix their inline
/// functions.
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

/// The numbers in an optimiser's formula (operators/updates.cpp), those of its kernel at least.
struct UpdateFactors {
    float rate = 0, momentum = 0, rho = 0, epsilon = 0;
    float kept_1 = 0, taken_1 = 0, kept_2 = 0, taken_2 = 0; ///< beta and 1 - beta
    float correction_1 = 1, correction_2 = 1;               ///< what the means have gathered
    float now = 0, next = 0;                                ///< Nadam's weights of g and of the mean
    float decay = 0;                                        ///< of the weights: LAMB's
    float l1 = 0, l2 = 0, shrinkage = 0;                    ///< FTRL's
    float weights_kept = 1; ///< of the weights before the update: decoupled decay
};

/// An optimiser's step on n elements of a variable, of its slots, which it has up to two of, and of the
/// gradient.
struct UpdateKernel {
    const char* name; ///< of the operator
    void (*run)(const UpdateFactors& f, float* w, float* s, float* t, const float* g, std::int64_t n);
};

/// About how long kernels take on one core, to share out work (measured with AVX2 and AVX-512, within a
/// factor of two).
constexpr double multiply_add_ns = 0.025; ///< of products and convolutions
constexpr double element_ns = 0.5;        ///< element-wise functions and updates

/// Places in the lists of kernels, which are the same in every table.
enum class Unary : std::size_t {};
enum class Binary : std::size_t {};
enum class Update : std::size_t {};

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

/// The sides of a product a[m, k] b[k, n], row-major; a transposed one is stored [k, m] or [n, k]. `lda` and
/// `ldb` are the distances between stored rows.
struct Matrices {
    std::int64_t m, n, k;
    const float* a;
    std::int64_t lda;
    bool transpose_a;
    const float* b;
    std::int64_t ldb;
    bool transpose_b;
};

/// Factors that products sum at once: their right side stays in the caches. Sums of more are added up in
/// parts.
inline constexpr std::int64_t most_factors_at_once = 384;

struct KernelTable {
    const char* name;

    /// c[m, n] = a b; `ldc` is the distance between its rows.
    void (*gemm)(const Matrices& of, float* c, std::int64_t ldc);
    /// c += scale a b. Up to most_factors_at_once it is rounded as if `gemm` had made a b first.
    void (*add_gemm)(const Matrices& of, float scale, float* c, std::int64_t ldc);
    std::span<const UnaryKernel> unary_kernels;
    std::span<const BinaryKernel> binary_kernels;
    std::span<const UpdateKernel> update_kernels;
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

    void unary(Unary kind, float alpha, const float* x, float* y, std::int64_t n) const {
        unary_kernels[static_cast<std::size_t>(kind)].run(alpha, x, y, n);
    }
    void binary(Binary kind, float alpha, const float* a, std::int64_t sa, const float* b, std::int64_t sb,
                float* y, std::int64_t n) const {
        binary_kernels[static_cast<std::size_t>(kind)].run(alpha, a, sa, b, sb, y, n);
    }
    void update(Update kind, const UpdateFactors& f, float* w, float* s, float* t, const float* g,
                std::int64_t n) const {
        update_kernels[static_cast<std::size_t>(kind)].run(f, w, s, t, g, n);
    }
};

/// The sets that this processor can run, the fastest last: "baseline", "v3" (AVX2, FMA), "v4" (AVX-512).
std::vector<const KernelTable*> able_kernels();
const KernelTable& baseline_kernels();
/// The fastest; or that which the environment variable TILESCOPE_KERNELS names, where the processor can run
/// it.
const KernelTable& best_kernels();

/// The kernel of an operator, by its name. One that has none is a bug: the program ends with its name.
Unary unary_kernel(std::string_view name);
Binary binary_kernel(std::string_view name);
Update update_kernel(std::string_view name);

} // namespace tilescope::kernels
