// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/convolution_cycles.h"

#include "base/units.h"

#include <algorithm>

namespace tilescope::ipu {
namespace {

/// How a tile's output positions are dealt to its workers: worker i of six gets positions
/// [i N / 6, (i + 1) N / 6), cut into items at row ends (lib/poplin/ConvUtilInternal.cpp).
struct WorkerItems {
    std::int64_t least_positions = 0; ///< of the least busy worker
    std::int64_t most_positions = 0;
    std::int64_t most_items = 0; ///< pieces of the busiest worker
};

WorkerItems deal(const Target& target, const ConvWork& work, bool flat) {
    const std::int64_t n = work.positions();
    WorkerItems result;
    result.least_positions = n / target.workers_per_tile;
    result.most_positions = ceil_div(n, target.workers_per_tile);
    // A run of positions touches at most this many rows.
    result.most_items = flat ? 1
                             : std::min(result.most_positions,
                                        (result.most_positions + work.row_length - 2) / work.row_length + 1);
    return result;
}

/// Cycles to load the weights of one pass.
std::int64_t weight_load_cycles(const Target& target, std::int64_t units) {
    return 32 * units / target.coefficient_load_bytes_per_cycle;
}

std::int64_t item_1x1(const ConvTypes& types, std::int64_t units, std::int64_t n, bool zeroing) {
    const std::int64_t z = zeroing ? 1 : 0;
    if (types.input_bytes == 2 && !(types.partial_bytes == 2 && units == 8)) {
        const std::int64_t base = n == 0 ? 22 - z : n == 1 ? 33 - z : n == 2 ? 42 - z : 38 - z + 4 * (n - 3);
        return base - 7;
    }
    if (types.input_bytes == 2)
        return n == 0 ? 24 : n == 1 ? 39 + 4 * z : n == 2 ? 40 + 6 * z : 41 + 4 * (n - 3) + (2 + 2 * n) * z;
    const std::int64_t q = units == 16 ? 8 : 4;
    return n == 0   ? 24
           : n == 1 ? 47 + (2 + q) * z
           : n == 2 ? 46 + (2 + 2 * q) * z
                    : 46 + 8 * (n - 3) + (2 + q * n) * z;
}

std::int64_t cycles_1x1(const Target& target, const ConvTypes& types, const ConvWork& work) {
    const std::int64_t units = conv_units(target, types);
    const std::int64_t in_groups = ceil_div(work.in_channels, weights_per_unit(types));
    const std::int64_t passes = ceil_div(work.out_channels, units);
    const WorkerItems items = deal(target, work, true);
    const bool path_a = types.input_bytes == 2 && !(types.partial_bytes == 2 && units == 8);
    const auto inner = [&](bool zeroing) {
        const std::int64_t most = item_1x1(types, units, items.most_positions, zeroing);
        const std::int64_t least = item_1x1(types, units, items.least_positions, zeroing);
        return std::max(target.workers_per_tile * most, target.workers_per_tile * least + 14);
    };
    const std::int64_t a = path_a || types.partial_bytes == 4 ? 1 : 0;
    const std::int64_t retained = path_a ? 6 * (7 + 3 * (in_groups * work.conv_groups - 1)) : 0;
    const std::int64_t load = weight_load_cycles(target, units);
    return 50 + retained +
           work.conv_groups *
               (12 + a + (in_groups - 1) * (16 - a + (19 + passes * (6 + load + inner(false)))) + 11 +
                (19 - a + passes * (7 + load + inner(true))));
}

std::int64_t item_nx1(const ConvTypes& types, std::int64_t n) {
    if (types.input_bytes == 2)
        return n == 0 ? 17 : n == 1 ? 29 : n == 2 ? 34 : 34 + 4 * (n - 3);
    return n == 0 ? 17 : n == 1 ? 33 : n == 2 ? 44 : 45 + 8 * (n - 3);
}

/// Zeroing of the partial sums, priced as fp32.
std::int64_t zeroing_cycles(const Target& target, const ConvWork& work, std::int64_t out_channels) {
    const std::int64_t values = ceil_div(work.positions() * out_channels, target.workers_per_tile);
    return target.workers_per_tile * work.conv_groups * (ceil_div(values, 2) + 14 - 9);
}

std::int64_t cycles_nx1(const Target& target, const ConvTypes& types, const ConvWork& work) {
    const std::int64_t units = conv_units(target, types);
    const std::int64_t unit_weights = weights_per_unit(types);
    // With few input channels several kernel rows fill a unit: weight height 1, 2 or 4.
    std::int64_t height = 1;
    while (height < 4 && work.in_channels * height * 2 <= unit_weights && height < work.kernel_height)
        height *= 2;
    const std::int64_t in_groups = ceil_div(work.in_channels, unit_weights / height);
    const std::int64_t passes = ceil_div(work.out_channels, units);
    const std::int64_t kernel_rows = ceil_div(work.kernel_height, height);
    const WorkerItems items = deal(target, work, false);

    const std::int64_t item_positions =
        ceil_div(items.most_positions, std::max<std::int64_t>(items.most_items, 1));
    const std::int64_t worker = 17 + (types.partial_bytes == 2 ? 1 : 0) +
                                items.most_items * (3 + item_nx1(types, item_positions) - 9);
    const std::int64_t inner_loop = target.workers_per_tile * worker;
    const std::int64_t load = height == 4 ? 32 * units / 8 : weight_load_cycles(target, units);
    const std::int64_t extra = height == 1 ? 15 : height == 2 ? 46 : 60;
    const std::int64_t inner = kernel_rows * (14 + work.kernel_width * (12 + passes * (load + extra + 3))) +
                               kernel_rows * work.kernel_width * passes * inner_loop;
    return 109 + 6 * 9 + 6 * (types.partial_bytes == 4 ? 9 : 10) + work.conv_groups * 18 +
           6 * (work.conv_groups - 1) + 1 + work.conv_groups * (16 + in_groups * (14 + (14 + inner))) +
           zeroing_cycles(target, work, ceil_div(work.out_channels, units) * units);
}

std::int64_t cycles_horizontal(const Target& target, const ConvTypes& types, const ConvWork& work) {
    const std::int64_t v = target.vector_width(types.input_bytes);
    std::int64_t w = v;
    while (w > 1 && work.in_channels % w != 0)
        w /= 2;
    const std::int64_t k = types.input_bytes == 2 && types.partial_bytes == 2 ? 2 : 1;
    const std::int64_t dot = 3 * k + (k == 2 ? 1 : 0) + 3 + 1 + (w < v ? k : 0) +
                             (work.in_channels / w) * (w == v ? 1 : 2) - (types.input_bytes == 2 ? 1 : 0);
    const std::int64_t outputs =
        types.partial_bytes == 2 ? ceil_div(work.out_channels, 2) : work.out_channels;
    const std::int64_t n = ceil_div(work.positions(), target.workers_per_tile);
    const std::int64_t kernel = work.kernel_height * work.kernel_width;
    const std::int64_t worker =
        kernel * (16 - (types.partial_bytes == 2 ? 6 : 0) + 19 + n * (7 + outputs * dot)) + 16;
    return (types.partial_bytes == 4 ? 58 : 65) + 57 +
           work.conv_groups * (23 + (15 + (10 + target.workers_per_tile * worker))) +
           zeroing_cycles(target, work, work.out_channels);
}

} // namespace

std::int64_t conv_units(const Target& target, const ConvTypes& types) {
    if (types.input_bytes == 2)
        return types.partial_bytes == 2 ? target.conv_units_half : target.conv_units_half_float;
    return target.conv_units_float;
}

std::int64_t weights_per_unit(const ConvTypes& types) {
    return types.input_bytes == 2 ? 16 : 8;
}

std::int64_t conv_partial_cycles(const Target& target, ConvVertex vertex, const ConvTypes& types,
                                 const ConvWork& work) {
    switch (vertex) {
    case ConvVertex::Amp1x1:
        return cycles_1x1(target, types, work);
    case ConvVertex::AmpNx1:
        return cycles_nx1(target, types, work);
    case ConvVertex::HorizontalMac:
        break;
    }
    return cycles_horizontal(target, types, work);
}

std::int64_t conv_reduce_cycles(const Target& target, const ConvTypes& types, std::int64_t outputs,
                                std::int64_t depth) {
    if (depth <= 1 || outputs == 0)
        return 0;
    const std::int64_t accumulators = types.partial_bytes == 4 ? 4 : 8;
    const std::int64_t loop = 2;
    const std::int64_t overhead = types.partial_bytes == 4 ? 8 : 9;
    return 33 + target.workers_per_tile *
                    (20 + (loop * depth + overhead) *
                              ceil_div(ceil_div(outputs, accumulators), target.workers_per_tile));
}

} // namespace tilescope::ipu
