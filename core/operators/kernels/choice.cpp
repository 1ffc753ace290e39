// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/kernel_table.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" const tilescope::kernels::KernelTable* tilescope_kernels_baseline();
extern "C" const tilescope::kernels::KernelTable* tilescope_kernels_v3();

namespace tilescope::kernels {
namespace {

template<class Kernel>
std::size_t place_of(std::span<const Kernel> kernels, std::string_view name) {
    for (std::size_t i = 0; i < kernels.size(); ++i)
        if (kernels[i].name == name)
            return i;
    std::fprintf(stderr, "operator %s has no kernel\n", std::string(name).c_str());
    std::abort();
}

} // namespace

Unary unary_kernel(std::string_view name) {
    return Unary{place_of(baseline_kernels().unary_kernels, name)};
}

Binary binary_kernel(std::string_view name) {
    return Binary{place_of(baseline_kernels().binary_kernels, name)};
}

const KernelTable& baseline_kernels() {
    return *tilescope_kernels_baseline();
}

const KernelTable* v3_kernels() {
    const bool able = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                      __builtin_cpu_supports("bmi2") != 0;
    return able ? tilescope_kernels_v3() : nullptr;
}

const KernelTable& best_kernels() {
    const char* forced = std::getenv("TILESCOPE_KERNELS");
    if (forced != nullptr && std::string_view(forced) == "baseline")
        return baseline_kernels();
    const KernelTable* v3 = v3_kernels();
    return v3 != nullptr ? *v3 : baseline_kernels();
}

} // namespace tilescope::kernels
