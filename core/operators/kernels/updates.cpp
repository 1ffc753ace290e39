// SPDX-License-Identifier: GPL-3.0-or-later
#include "flavour.h"

#include <algorithm>
#include <cmath>

namespace tilescope::kernels::flavour {
namespace {

/// A kernel of f(factors, w, s, t, g) on each element; no two of the arrays overlap. Those of slots that the
/// optimiser lacks are not touched.
template<int Slots, class F>
constexpr UpdateKernel update_of(const char* name, F) {
    return {name, [](const UpdateFactors& factors, float* __restrict w, float* __restrict s,
                     float* __restrict t, const float* __restrict g, std::int64_t n) {
                const F apply{};
                const UpdateFactors f = factors; // a copy: what is written cannot be part of it
                float unused = 0;
                for (std::int64_t i = 0; i < n; ++i)
                    apply(f, w[i], Slots > 0 ? s[i] : unused, Slots > 1 ? t[i] : unused, g[i]);
            }};
}

using F = UpdateFactors;

/// By the operators' names; the formulas and their sources stand in operators/updates.cpp.
constexpr UpdateKernel table[] = {
    update_of<0>("sgd_update", [](const F& f, float& w, float&, float&, float g) { w -= f.rate * g; }),
    update_of<1>("momentum_update",
                 [](const F& f, float& w, float& v, float&, float g) {
                     v = f.momentum * v - f.rate * g;
                     w += v;
                 }),
    update_of<1>("nesterov_update",
                 [](const F& f, float& w, float& v, float&, float g) {
                     v = f.momentum * v - f.rate * g;
                     w += f.momentum * v - f.rate * g;
                 }),
    update_of<1>("accumulated_momentum_update",
                 [](const F& f, float& w, float& v, float&, float g) {
                     v = f.momentum * v + g;
                     w -= f.rate * v;
                 }),
    update_of<1>("accumulated_nesterov_update",
                 [](const F& f, float& w, float& v, float&, float g) {
                     v = f.momentum * v + g;
                     w -= f.rate * g + f.rate * f.momentum * v;
                 }),
    update_of<2>("adam_update",
                 [](const F& f, float& w, float& m, float& v, float g) {
                     m += (g - m) * f.taken_1;
                     v += (g * g - v) * f.taken_2;
                     w = w * f.weights_kept - f.rate * m / (std::sqrt(v) + f.epsilon);
                 }),
    update_of<1>("rmsprop_update",
                 [](const F& f, float& w, float& s, float&, float g) {
                     s = f.rho * s + (1 - f.rho) * g * g;
                     w -= f.rate * g / (std::sqrt(s) + f.epsilon);
                 }),
    update_of<1>("rmsprop_inside_update",
                 [](const F& f, float& w, float& s, float&, float g) {
                     s = f.rho * s + (1 - f.rho) * g * g;
                     w -= f.rate * g / std::sqrt(s + f.epsilon);
                 }),
    update_of<2>("rmsprop_momentum_update",
                 [](const F& f, float& w, float& s, float& m, float g) {
                     s = f.rho * s + (1 - f.rho) * g * g;
                     m = f.momentum * m + f.rate * g / std::sqrt(s + f.epsilon);
                     w -= m;
                 }),
    update_of<1>("adagrad_update",
                 [](const F& f, float& w, float& s, float&, float g) {
                     s += g * g;
                     w -= f.rate * g / (std::sqrt(s) + f.epsilon);
                 }),
    update_of<2>("adadelta_update",
                 [](const F& f, float& w, float& s, float& a, float g) {
                     s = f.rho * s + (1 - f.rho) * g * g;
                     const float d = g * std::sqrt(a + f.epsilon) / std::sqrt(s + f.epsilon);
                     a = f.rho * a + (1 - f.rho) * d * d;
                     w -= f.rate * d;
                 }),
    update_of<2>("ftrl_update",
                 [](const F& f, float& w, float& n, float& z, float g) {
                     const float before = std::sqrt(n);
                     n += g * g;
                     const float now = std::sqrt(n);
                     z += g + 2 * f.shrinkage * w - (now - before) / f.rate * w;
                     const float beyond = std::max(std::fabs(z) - f.l1, 0.0F);
                     w = -std::copysign(beyond, z) / (now / f.rate + 2 * f.l2);
                 }),
    update_of<2>("adamax_update",
                 [](const F& f, float& w, float& m, float& u, float g) {
                     m += (g - m) * f.taken_1;
                     u = std::max(f.kept_2 * u, std::fabs(g));
                     w -= f.rate * m / (u + f.epsilon);
                 }),
    update_of<2>("nadam_update",
                 [](const F& f, float& w, float& m, float& v, float g) {
                     m = f.kept_1 * m + f.taken_1 * g;
                     v = f.kept_2 * v + f.taken_2 * g * g;
                     w -= f.rate * (f.now * g + f.next * m) / (std::sqrt(v / f.correction_2) + f.epsilon);
                 }),
    update_of<2>("lamb_direction_update",
                 [](const F& f, float& w, float& m, float& v, float g) {
                     m = f.kept_1 * m + f.taken_1 * g;
                     v = f.kept_2 * v + f.taken_2 * g * g;
                     w = m / f.correction_1 / (std::sqrt(v / f.correction_2) + f.epsilon) + f.decay * w;
                 }),
    update_of<0>("moving_average_update", [](const F& f, float& w, float&, float&,
                                             float g) { w = w * f.momentum + g * (1 - f.momentum); }),
};

} // namespace

std::span<const UpdateKernel> update_kernels() {
    return table;
}

} // namespace tilescope::kernels::flavour
