// SPDX-License-Identifier: GPL-3.0-or-later
#include "flavour.h"

extern "C" const tilescope::kernels::KernelTable* TILESCOPE_KERNELS_ENTRY();

extern "C" const tilescope::kernels::KernelTable* TILESCOPE_KERNELS_ENTRY() {
    namespace f = tilescope::kernels::flavour;
    static const tilescope::kernels::KernelTable table{TILESCOPE_KERNELS_NAME,
                                                       f::gemm,
                                                       f::add_gemm,
                                                       f::unary_kernels(),
                                                       f::binary_kernels(),
                                                       f::update_kernels(),
                                                       f::sum,
                                                       f::maximum,
                                                       f::column_sums,
                                                       f::dropout,
                                                       f::conv_forward,
                                                       f::conv_input_gradient,
                                                       f::conv_filter_gradient,
                                                       f::max_pool,
                                                       f::max_pool_gradient,
                                                       f::average_pool,
                                                       f::average_pool_gradient};
    return &table;
}
