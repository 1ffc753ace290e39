// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/kernel_table.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" const tilescope::kernels::KernelTable* tilescope_kernels_baseline();
extern "C" const tilescope::kernels::KernelTable* tilescope_kernels_v3();
extern "C" const tilescope::kernels::KernelTable* tilescope_kernels_v4();

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

Update update_kernel(std::string_view name) {
    return Update{place_of(baseline_kernels().update_kernels, name)};
}

const KernelTable& baseline_kernels() {
    return *tilescope_kernels_baseline();
}

std::vector<const KernelTable*> able_kernels() {
    std::vector<const KernelTable*> able{&baseline_kernels()};
    if (__builtin_cpu_supports("avx2") == 0 || __builtin_cpu_supports("fma") == 0 ||
        __builtin_cpu_supports("bmi2") == 0)
        return able;
    able.push_back(tilescope_kernels_v3());
    if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
        __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
        __builtin_cpu_supports("avx512vl") != 0)
        able.push_back(tilescope_kernels_v4());
    return able;
}

const KernelTable& best_kernels() {
    static const std::vector<const KernelTable*> able = able_kernels();
    const char* wanted = std::getenv("TILESCOPE_KERNELS");
    for (const KernelTable* table : able)
        if (wanted != nullptr && std::string_view(wanted) == table->name)
            return *table;
    return *able.back();
}

} // namespace tilescope::kernels
