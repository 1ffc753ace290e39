// SPDX-License-Identifier: GPL-3.0-or-later
#include "flavour.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace tilescope::kernels::flavour {
namespace {

using Array = Eigen::Map<Eigen::ArrayXf>;
using ConstArray = Eigen::Map<const Eigen::ArrayXf>;

constexpr float selu_alpha = 1.67326324F;
constexpr float selu_scale = 1.05070099F;
constexpr float sqrt_half = 0.70710678F;
constexpr float gelu_factor = 0.79788456F; // sqrt(2 / pi)
constexpr float gelu_cubic = 0.044715F;
constexpr float inverse_sqrt_2pi = 0.39894228F;

float logistic(float x) {
    return 1.0F / (1.0F + std::exp(-x));
}
float softplus(float x) {
    return std::max(x, 0.0F) + std::log1p(std::exp(-std::fabs(x)));
}

/// The larger and the smaller of two: not a number where one of them is none, as in NumPy and TensorFlow.
float larger(float u, float v) {
    return ((u > v) | (u != u)) ? u : v;
}
float smaller(float u, float v) {
    return ((u < v) | (u != u)) ? u : v;
}

/// A kernel of f(x[i], alpha).
template<class F>
constexpr UnaryKernel unary_of(const char* name, F) {
    return {name, [](float alpha, const float* x, float* y, std::int64_t n) {
                const F f{};
                for (std::int64_t i = 0; i < n; ++i)
                    y[i] = f(x[i], alpha);
            }};
}

/// A kernel of an expression of Eigen's, which works on vectors.
template<class F>
constexpr UnaryKernel array_of(const char* name, F) {
    return {name, [](float, const float* x, float* y, std::int64_t n) {
                const ConstArray in(x, n);
                Array(y, n) = F{}(in);
            }};
}

/// A kernel of f(a[i sa], b[i sb], alpha).
template<class F>
constexpr BinaryKernel binary_of(const char* name, F) {
    return {name, [](float alpha, const float* a, std::int64_t sa, const float* b, std::int64_t sb, float* y,
                     std::int64_t n) {
                const F f{};
                if (sa == 1 && sb == 1)
                    for (std::int64_t i = 0; i < n; ++i)
                        y[i] = f(a[i], b[i], alpha);
                else if (sa == 1)
                    for (std::int64_t i = 0; i < n; ++i)
                        y[i] = f(a[i], *b, alpha);
                else if (sb == 1)
                    for (std::int64_t i = 0; i < n; ++i)
                        y[i] = f(*a, b[i], alpha);
                else
                    std::fill(y, y + n, f(*a, *b, alpha));
            }};
}

/// By the operators' names. A gradient NAME_gradient takes the forward's input or output, as the row of NAME
/// in operators/elementwise.cpp says, and dy.
constexpr UnaryKernel unary_table[] = {
    unary_of("identity", [](float v, float) { return v; }),
    unary_of("stop_gradient", [](float v, float) { return v; }),
    unary_of("relu", [](float v, float) { return larger(v, 0.0F); }),
    unary_of("relu6", [](float v, float) { return std::min(std::max(v, 0.0F), 6.0F); }),
    array_of("sigmoid", [](const ConstArray& x) { return x.logistic(); }),
    array_of("tanh", [](const ConstArray& x) { return x.tanh(); }),
    array_of("exp", [](const ConstArray& x) { return x.exp(); }),
    array_of("log", [](const ConstArray& x) { return x.log(); }),
    unary_of("sqrt", [](float v, float) { return std::sqrt(v); }),
    unary_of("rsqrt", [](float v, float) { return 1.0F / std::sqrt(v); }),
    unary_of("reciprocal", [](float v, float) { return 1.0F / v; }),
    unary_of("negate", [](float v, float) { return -v; }),
    unary_of("square", [](float v, float) { return v * v; }),
    unary_of("abs", [](float v, float) { return std::fabs(v); }),
    unary_of("sign", [](float v, float) { return v > 0   ? 1.0F
                                                 : v < 0 ? -1.0F
                                                         : v; }), // 0, or not a number
    unary_of("softplus", [](float v, float) { return softplus(v); }),
    unary_of("log_sigmoid", [](float v, float) { return -softplus(-v); }),
    unary_of("softsign", [](float v, float) { return v / (1.0F + std::fabs(v)); }),
    unary_of("elu", [](float v, float alpha) { return v > 0 ? v : alpha * std::expm1(v); }),
    unary_of("selu", [](float v, float) { return selu_scale * (v > 0 ? v : selu_alpha * std::expm1(v)); }),
    unary_of("leaky_relu", [](float v, float alpha) { return v > 0 ? v : alpha * v; }),
    unary_of("gelu", [](float v, float) { return 0.5F * v * (1.0F + std::erf(v * sqrt_half)); }),
    unary_of("gelu_tanh",
             [](float v, float) {
                 return 0.5F * v * (1.0F + std::tanh(gelu_factor * (v + gelu_cubic * v * v * v)));
             }),
    array_of("swish", [](const ConstArray& x) { return x * x.logistic(); }),
    unary_of("mish", [](float v, float) { return v * std::tanh(softplus(v)); }),
    unary_of("squareplus", [](float v, float) { return 0.5F * (v + std::sqrt(v * v + 4.0F)); }),
    // Keras: clip(0.2 x + 0.5, 0, 1)
    unary_of("hard_sigmoid", [](float v, float) { return std::clamp(0.2F * v + 0.5F, 0.0F, 1.0F); }),
    unary_of("erf", [](float v, float) { return std::erf(v); }),
    unary_of("sin", [](float v, float) { return std::sin(v); }),
    unary_of("cos", [](float v, float) { return std::cos(v); }),
};

constexpr BinaryKernel binary_table[] = {
    binary_of("add", [](float u, float v, float) { return u + v; }),
    binary_of("subtract", [](float u, float v, float) { return u - v; }),
    binary_of("multiply", [](float u, float v, float) { return u * v; }),
    binary_of("divide", [](float u, float v, float) { return u / v; }),
    binary_of("maximum", [](float u, float v, float) { return larger(u, v); }),
    binary_of("minimum", [](float u, float v, float) { return smaller(u, v); }),
    binary_of("power", [](float u, float v, float) { return std::pow(u, v); }),
    binary_of("atan2", [](float u, float v, float) { return std::atan2(u, v); }),
    // Of a function's output:
    binary_of("relu_gradient", [](float u, float d, float) { return u > 0 ? d : 0.0F; }),
    binary_of("relu6_gradient", [](float u, float d, float) { return u > 0 && u < 6 ? d : 0.0F; }),
    binary_of("sigmoid_gradient", [](float u, float d, float) { return d * u * (1.0F - u); }),
    binary_of("tanh_gradient", [](float u, float d, float) { return d * (1.0F - u * u); }),
    // Of a function's input:
    binary_of("elu_gradient",
              [](float x, float d, float alpha) { return x > 0 ? d : d * alpha * std::exp(x); }),
    binary_of(
        "selu_gradient",
        [](float x, float d, float) { return d * selu_scale * (x >= 0 ? 1.0F : selu_alpha * std::exp(x)); }),
    binary_of("leaky_relu_gradient", [](float x, float d, float alpha) { return x > 0 ? d : alpha * d; }),
    binary_of("softplus_gradient", [](float x, float d, float) { return d * logistic(x); }),
    binary_of("log_sigmoid_gradient", [](float x, float d, float) { return d * logistic(-x); }),
    binary_of("softsign_gradient",
              [](float x, float d, float) {
                  const float q = 1.0F + std::fabs(x);
                  return d / (q * q);
              }),
    binary_of("gelu_gradient",
              [](float x, float d, float) {
                  return d * (0.5F * (1.0F + std::erf(x * sqrt_half)) +
                              x * inverse_sqrt_2pi * std::exp(-0.5F * x * x));
              }),
    binary_of("gelu_tanh_gradient",
              [](float x, float d, float) {
                  const float t = std::tanh(gelu_factor * (x + gelu_cubic * x * x * x));
                  const float inner = gelu_factor * (1.0F + 3.0F * gelu_cubic * x * x);
                  return d * (0.5F * (1.0F + t) + 0.5F * x * (1.0F - t * t) * inner);
              }),
    binary_of("swish_gradient",
              [](float x, float d, float) {
                  const float s = logistic(x);
                  return d * (s + x * s * (1.0F - s));
              }),
    binary_of("mish_gradient",
              [](float x, float d, float) {
                  const float t = std::tanh(softplus(x));
                  return d * (t + x * (1.0F - t * t) * logistic(x));
              }),
    binary_of("squareplus_gradient",
              [](float x, float d, float) { return 0.5F * d * (1.0F + x / std::sqrt(x * x + 4.0F)); }),
    binary_of("hard_sigmoid_gradient",
              [](float x, float d, float) { return x >= -2.5F && x <= 2.5F ? 0.2F * d : 0.0F; }),
    binary_of("abs_gradient", [](float x, float d, float) { return x > 0   ? d
                                                                   : x < 0 ? -d
                                                                           : 0.0F; }),
};

} // namespace

std::span<const UnaryKernel> unary_kernels() {
    return unary_table;
}
std::span<const BinaryKernel> binary_kernels() {
    return binary_table;
}

float sum(const float* x, std::int64_t n) {
    return ConstArray(x, n).sum();
}
float maximum(const float* x, std::int64_t n) {
    return ConstArray(x, n).maxCoeff();
}

void column_sums(const float* x, std::int64_t rows, std::int64_t columns, std::int64_t stride,
                 double* totals) {
    constexpr std::int64_t block = 16;     // columns summed at once, in registers
    constexpr std::int64_t short_run = 32; // rows summed as floats before they join the totals
    for (std::int64_t c = 0; c < columns; c += block) {
        const std::int64_t width = std::min(block, columns - c);
        for (std::int64_t r = 0; r < rows; r += short_run) {
            const std::int64_t end = std::min(rows, r + short_run);
            float sums[block] = {};
            if (width == block)
                for (std::int64_t i = r; i < end; ++i)
                    for (std::int64_t k = 0; k < block; ++k)
                        sums[k] += x[i * stride + c + k];
            else
                for (std::int64_t i = r; i < end; ++i)
                    for (std::int64_t k = 0; k < width; ++k)
                        sums[k] += x[i * stride + c + k];
            for (std::int64_t k = 0; k < width; ++k)
                totals[c + k] += static_cast<double>(sums[k]);
        }
    }
}

} // namespace tilescope::kernels::flavour
