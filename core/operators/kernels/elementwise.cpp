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

template<class F>
void each(const float* x, float* y, std::int64_t n, F f) {
    for (std::int64_t i = 0; i < n; ++i)
        y[i] = f(x[i]);
}

template<class F>
void each(const float* a, std::int64_t sa, const float* b, std::int64_t sb, float* y, std::int64_t n, F f) {
    if (sa == 1 && sb == 1)
        for (std::int64_t i = 0; i < n; ++i)
            y[i] = f(a[i], b[i]);
    else if (sa == 1)
        for (std::int64_t i = 0; i < n; ++i)
            y[i] = f(a[i], *b);
    else if (sb == 1)
        for (std::int64_t i = 0; i < n; ++i)
            y[i] = f(*a, b[i]);
    else
        std::fill(y, y + n, f(*a, *b));
}

} // namespace

void unary(Unary kind, float alpha, const float* x, float* y, std::int64_t n) {
    const ConstArray in(x, n);
    Array out(y, n);
    switch (kind) {
    case Unary::Identity:
        return each(x, y, n, [](float v) { return v; });
    case Unary::Relu:
        return each(x, y, n, [](float v) { return v > 0 ? v : 0.0F; });
    case Unary::Relu6:
        return each(x, y, n, [](float v) { return std::min(std::max(v, 0.0F), 6.0F); });
    case Unary::Sigmoid:
        out = in.logistic();
        return;
    case Unary::Tanh:
        out = in.tanh();
        return;
    case Unary::Exp:
        out = in.exp();
        return;
    case Unary::Log:
        out = in.log();
        return;
    case Unary::Sqrt:
        out = in.sqrt();
        return;
    case Unary::Rsqrt:
        return each(x, y, n, [](float v) { return 1.0F / std::sqrt(v); });
    case Unary::Reciprocal:
        return each(x, y, n, [](float v) { return 1.0F / v; });
    case Unary::Negate:
        return each(x, y, n, [](float v) { return -v; });
    case Unary::Square:
        return each(x, y, n, [](float v) { return v * v; });
    case Unary::Abs:
        return each(x, y, n, [](float v) { return std::fabs(v); });
    case Unary::Sign:
        return each(x, y, n, [](float v) { return v > 0 ? 1.0F : v < 0 ? -1.0F : 0.0F; });
    case Unary::Softplus:
        return each(x, y, n, [](float v) { return std::max(v, 0.0F) + std::log1p(std::exp(-std::fabs(v))); });
    case Unary::Softsign:
        return each(x, y, n, [](float v) { return v / (1.0F + std::fabs(v)); });
    case Unary::Elu:
        return each(x, y, n, [alpha](float v) { return v > 0 ? v : alpha * std::expm1(v); });
    case Unary::Selu:
        return each(x, y, n, [](float v) { return selu_scale * (v > 0 ? v : selu_alpha * std::expm1(v)); });
    case Unary::LeakyRelu:
        return each(x, y, n, [alpha](float v) { return v > 0 ? v : alpha * v; });
    case Unary::Gelu:
        return each(x, y, n, [](float v) { return 0.5F * v * (1.0F + std::erf(v * sqrt_half)); });
    case Unary::GeluTanh:
        return each(x, y, n, [](float v) {
            return 0.5F * v * (1.0F + std::tanh(gelu_factor * (v + gelu_cubic * v * v * v)));
        });
    case Unary::Swish:
        out = in * in.logistic();
        return;
    case Unary::HardSigmoid: // Keras: clip(0.2 x + 0.5, 0, 1)
        return each(x, y, n, [](float v) { return std::clamp(0.2F * v + 0.5F, 0.0F, 1.0F); });
    case Unary::Erf:
        return each(x, y, n, [](float v) { return std::erf(v); });
    case Unary::Sin:
        return each(x, y, n, [](float v) { return std::sin(v); });
    case Unary::Cos:
        return each(x, y, n, [](float v) { return std::cos(v); });
    }
}

void binary(Binary kind, float alpha, const float* a, std::int64_t sa, const float* b, std::int64_t sb,
            float* y, std::int64_t n) {
    const auto run = [&](auto f) { each(a, sa, b, sb, y, n, f); };
    switch (kind) {
    case Binary::Add:
        return run([](float u, float v) { return u + v; });
    case Binary::Subtract:
        return run([](float u, float v) { return u - v; });
    case Binary::Multiply:
        return run([](float u, float v) { return u * v; });
    case Binary::Divide:
        return run([](float u, float v) { return u / v; });
    case Binary::Maximum:
        return run([](float u, float v) { return u > v ? u : v; });
    case Binary::Minimum:
        return run([](float u, float v) { return u < v ? u : v; });
    case Binary::Power:
        return run([](float u, float v) { return std::pow(u, v); });
    // Of a function's output:
    case Binary::ReluGradient:
        return run([](float u, float d) { return u > 0 ? d : 0.0F; });
    case Binary::Relu6Gradient:
        return run([](float u, float d) { return u > 0 && u < 6 ? d : 0.0F; });
    case Binary::SigmoidGradient:
        return run([](float u, float d) { return d * u * (1.0F - u); });
    case Binary::TanhGradient:
        return run([](float u, float d) { return d * (1.0F - u * u); });
    // Of a function's input:
    case Binary::EluGradient:
        return run([alpha](float x, float d) { return x > 0 ? d : d * alpha * std::exp(x); });
    case Binary::SeluGradient:
        return run(
            [](float x, float d) { return d * selu_scale * (x > 0 ? 1.0F : selu_alpha * std::exp(x)); });
    case Binary::LeakyReluGradient:
        return run([alpha](float x, float d) { return x > 0 ? d : alpha * d; });
    case Binary::SoftplusGradient:
        return run([](float x, float d) { return d * logistic(x); });
    case Binary::SoftsignGradient:
        return run([](float x, float d) {
            const float q = 1.0F + std::fabs(x);
            return d / (q * q);
        });
    case Binary::GeluGradient:
        return run([](float x, float d) {
            return d *
                   (0.5F * (1.0F + std::erf(x * sqrt_half)) + x * inverse_sqrt_2pi * std::exp(-0.5F * x * x));
        });
    case Binary::GeluTanhGradient:
        return run([](float x, float d) {
            const float t = std::tanh(gelu_factor * (x + gelu_cubic * x * x * x));
            const float inner = gelu_factor * (1.0F + 3.0F * gelu_cubic * x * x);
            return d * (0.5F * (1.0F + t) + 0.5F * x * (1.0F - t * t) * inner);
        });
    case Binary::SwishGradient:
        return run([](float x, float d) {
            const float s = logistic(x);
            return d * (s + x * s * (1.0F - s));
        });
    case Binary::HardSigmoidGradient:
        return run([](float x, float d) { return x > -2.5F && x < 2.5F ? 0.2F * d : 0.0F; });
    case Binary::AbsGradient:
        return run([](float x, float d) { return x > 0 ? d : x < 0 ? -d : 0.0F; });
    }
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

void adam(float* w, float* m, float* v, const float* g, float rate, float taken_1, float taken_2,
          float epsilon, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
        m[i] += (g[i] - m[i]) * taken_1;
        v[i] += (g[i] * g[i] - v[i]) * taken_2;
        w[i] -= rate * m[i] / (std::sqrt(v[i]) + epsilon);
    }
}

} // namespace tilescope::kernels::flavour
