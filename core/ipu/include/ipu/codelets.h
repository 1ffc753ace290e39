// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

/// The vertex classes that programs are made of, and what their vertices take beside their data. A class that
/// is not listed here cannot be run.
namespace tilescope::ipu {

struct Codelet {
    const char* name;          ///< as in PopLibs
    std::int64_t instructions; ///< of 4 bytes, once on every tile that runs it
    std::int64_t fields;       ///< of 4 bytes, of one vertex: pointers and sizes
    bool counted = true;       ///< false: its instructions are an estimate

    constexpr std::int64_t code_bytes() const { return 4 * instructions; }
    constexpr std::int64_t state_bytes() const { return 4 * fields; }
};

/// What is compiled from C++, where there is no assembly whose instructions could be counted: 120, an
/// estimate.
constexpr Codelet compiled(const char* name) {
    return {name, 120, 5, false};
}

/// Instructions are counted in the public assembly of PopLibs' codelets (lib/*/codelets/asm), fields in the
/// declarations of their vertices.
namespace codelets {

// Supervisor and worker of the 16-unit form, for floats and for halves.
inline constexpr Codelet conv_1x1_float{"ConvPartial1x1Out", 226 + 124, 10};
inline constexpr Codelet conv_1x1_half{"ConvPartial1x1Out", 226 + 60, 10};
inline constexpr Codelet conv_nx1_float{"ConvPartialnx1", 218 + 179, 14};
inline constexpr Codelet conv_nx1_half{"ConvPartialnx1", 218 + 63, 14};
inline constexpr Codelet conv_slic{"ConvPartial1xNSLIC", 209, 12};
inline constexpr Codelet conv_horizontal_mac{"ConvPartialHorizontalMac", 21 + 114, 12};
inline constexpr Codelet conv_vertical_mac{"ConvPartialVerticalMac", 90 + 54, 12};
inline constexpr Codelet outer_product{"OuterProduct", 98, 4};
inline constexpr Codelet conv_reduce_add{"ConvReduceAdd", 103, 4};
// Half of ReductionSpecial01Acc, which is instantiated for each element type.
inline constexpr Codelet reduce{"Reduce", 190, 5};
inline constexpr Codelet max_pooling{"MaxPooling", 210, 10};
inline constexpr Codelet sum_pooling{"SumPooling", 210, 10};
inline constexpr Codelet max_pooling_gradient{"MaxPoolingGradient", 210, 12};
inline constexpr Codelet binary_op{"BinaryOp1D", 75, 4};
inline constexpr Codelet unary_op{"UnaryOp1D", 34 + 51, 3};
inline constexpr Codelet non_linearity_gradient{"NonLinearityGrad1D", 73, 4};
inline constexpr Codelet broadcast_vector{"BroadcastVectorInner1D", 86, 4};
inline constexpr Codelet scaled_add{"ScaledAdd", 128, 4};
inline constexpr Codelet dynamic_slice{"DynamicSlice1D", 148, 6};
inline constexpr Codelet dropout{"Dropout", 54, 5};
inline constexpr Codelet cast{"Cast1D", 90, 3};
inline constexpr Codelet fill{"Fill", 31, 2};
inline constexpr Codelet copy{"Copy", 63, 3};

inline constexpr Codelet fused = compiled("MapFused"); // popops::map generates it from an expression
inline constexpr Codelet gaussian_noise = compiled("GaussianNoise");
inline constexpr Codelet truncated_noise = compiled("TruncatedNoise");
inline constexpr Codelet dynamic_update = compiled("DynamicUpdateSlice1D");
inline constexpr Codelet multi_slice = compiled("MultiSlice");
inline constexpr Codelet multi_update = compiled("MultiUpdate");
inline constexpr Codelet multi_update_add = compiled("MultiUpdateAdd");
inline constexpr Codelet compare_and_swap = compiled("CompareAndSwapAtDistance");
// Each one vertex for what PopLibs does in several.
inline constexpr Codelet arg_max = compiled("ArgMax");
inline constexpr Codelet softmax = compiled("Softmax");
inline constexpr Codelet log_softmax = compiled("LogSoftmax");
inline constexpr Codelet softmax_gradient = compiled("SoftmaxGradient");
inline constexpr Codelet log_softmax_gradient = compiled("LogSoftmaxGradient");
inline constexpr Codelet cross_entropy = compiled("CrossEntropy");
inline constexpr Codelet cross_entropy_gradient = compiled("CrossEntropyGradient");

} // namespace codelets
} // namespace tilescope::ipu
