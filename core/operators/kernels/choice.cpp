// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/kernel_table.h"

#include <cstdlib>
#include <string_view>

extern "C" const tilescope::kernels::KernelTable* tilescope_kernels_baseline();
extern "C" const tilescope::kernels::KernelTable* tilescope_kernels_v3();

namespace tilescope::kernels {

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
