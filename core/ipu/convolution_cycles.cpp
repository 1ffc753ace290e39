// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/convolution_cycles.h"

#include "base/units.h"

#include <algorithm>
#include <functional>

namespace tilescope::ipu {
namespace {

/// The positions that a vertex works on for one position of the kernel, row by row.
struct Rows {
    std::int64_t count = 0;
    std::int64_t length = 1;
    std::int64_t positions() const { return count * length; }
};

/// Those of the outputs that a position of the kernel reaches (lib/poplin/ConvUtilInternal.cpp,
/// partitionConvPartialByWorker). The AMP takes several rows of the kernel at once of an input whose rows
/// have their zeros written out.
Rows reached(const ConvWork& work, bool all_rows = false) {
    return {work.batch * (all_rows ? work.rows : ceil_div(work.rows, work.row_step)),
            ceil_div(work.row_length, work.step)};
}

/// The longest and the shortest that any of a tile's workers takes. Worker i of six gets the positions
/// [i N / 6, (i + 1) N / 6) of all rows, cut into pieces at row ends (lib/poplin/ConvUtilInternal.cpp);
/// `piece` gives the cycles of a piece of n positions, `whole` what a worker spends beside them.
struct Workers {
    std::int64_t most = 0;
    std::int64_t least = 0;
};
template<class Piece>
Workers deal(const Target& target, const Rows& rows, std::int64_t whole, const Piece& piece) {
    const std::int64_t positions = rows.positions();
    const std::int64_t row = rows.length;
    Workers result;
    for (std::int64_t w = 0; w < target.workers_per_tile; ++w) {
        const std::int64_t begin = w * positions / target.workers_per_tile;
        const std::int64_t end = (w + 1) * positions / target.workers_per_tile;
        std::int64_t cycles = whole;
        if (end > begin) {
            const std::int64_t first_end = std::min(end, (begin / row + 1) * row);
            cycles += piece(first_end - begin);
            const std::int64_t whole_rows = (end - first_end) / row;
            cycles += whole_rows * piece(row);
            if (const std::int64_t rest = end - first_end - whole_rows * row; rest > 0)
                cycles += piece(rest);
        }
        result.most = std::max(result.most, cycles);
        result.least = w == 0 ? cycles : std::min(result.least, cycles);
    }
    return result;
}

/// Pieces of rows that all workers get.
std::int64_t pieces(const Target& target, const Rows& rows) {
    std::int64_t count = 0;
    for (std::int64_t w = 0; w < target.workers_per_tile; ++w) {
        const std::int64_t begin = w * rows.positions() / target.workers_per_tile;
        const std::int64_t end = (w + 1) * rows.positions() / target.workers_per_tile;
        if (end > begin)
            count += (end - 1) / rows.length - begin / rows.length + 1;
    }
    return count;
}

/// Kernel rows that the AMP takes at once: several where few input channels leave room in its units.
std::int64_t weight_height(const ConvGrouping& g, const ConvTypes& types) {
    return weights_per_unit(types) / g.in_channels;
}

/// Whether a horizontal vertex is the form for kernels of one position.
bool one_position(const ConvTypes& types, const ConvWork& work) {
    return types.input_bytes == 2 && types.partial_bytes == 4 && work.kernel_height * work.kernel_width == 1;
}

/// Cycles to load the weights of one pass.
std::int64_t weight_load_cycles(const Target& target, std::int64_t units) {
    return 32 * units / target.coefficient_load_bytes_per_cycle;
}

/// Half inputs whose results leave without a second pass through the accumulators.
bool path_a(const ConvTypes& types, std::int64_t units) {
    return types.input_bytes == 2 && !(types.partial_bytes == 2 && units == 8);
}

std::int64_t item_1x1(const ConvTypes& types, std::int64_t units, std::int64_t n, bool zeroing) {
    const std::int64_t z = zeroing ? 1 : 0;
    if (path_a(types, units)) {
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

std::int64_t cycles_1x1(const Target& target, const ConvGrouping& g, const ConvTypes& types,
                        const ConvWork& work) {
    const std::int64_t passes = ceil_div(g.out_channels, g.units);
    const std::int64_t most = ceil_div(work.positions(), target.workers_per_tile);
    const std::int64_t least = work.positions() / target.workers_per_tile;
    const auto inner = [&](bool zeroing) {
        return std::max(target.workers_per_tile * item_1x1(types, g.units, most, zeroing),
                        target.workers_per_tile * item_1x1(types, g.units, least, zeroing) + 14);
    };
    const std::int64_t a = path_a(types, g.units) || types.partial_bytes == 4 ? 1 : 0;
    const std::int64_t retained =
        path_a(types, g.units) ? 6 * (7 + 3 * (work.in_groups * work.conv_groups - 1)) : 0;
    const std::int64_t load = weight_load_cycles(target, g.units);
    const std::int64_t later = 16 - a + work.out_groups * (19 + passes * (6 + load + inner(false)));
    const std::int64_t first = 11 + work.out_groups * (19 - a + passes * (7 + load + inner(true)));
    return 50 + retained + work.conv_groups * (12 + a + (work.in_groups - 1) * later + first);
}

std::int64_t item_nx1(const ConvTypes& types, std::int64_t units, std::int64_t n) {
    if (types.input_bytes == 2)
        return n == 0 ? 17 : n == 1 ? 29 : n == 2 ? 33 + (path_a(types, units) ? 1 : 0) : 34 + 4 * (n - 3);
    return n == 0 ? 17 : n == 1 ? 33 : n == 2 ? 44 : 45 + 8 * (n - 3);
}

/// Zeroing of the partial sums, priced as fp32.
std::int64_t zeroing_cycles(const Target& target, const ConvGrouping& g, const ConvWork& work) {
    const std::int64_t values = ceil_div(work.positions() * g.out_channels, target.workers_per_tile);
    return target.workers_per_tile * work.conv_groups * work.out_groups * (ceil_div(values, 2) + 14 - 9);
}

std::int64_t cycles_nx1(const Target& target, const ConvGrouping& g, const ConvTypes& types,
                        const ConvWork& work) {
    const std::int64_t height = weight_height(g, types); // 1, 2 or 4
    const std::int64_t passes = ceil_div(g.out_channels, g.units);
    const std::int64_t kernel_rows = ceil_div(work.kernel_height, height);
    const Workers workers = deal(target, reached(work, height > 1), 17 + (types.partial_bytes == 2 ? 1 : 0),
                                 [&](std::int64_t n) { return 3 + item_nx1(types, g.units, n) - 9; });
    const std::int64_t inner_loop = std::max(6 * workers.most, 6 * workers.least + 9);
    const std::int64_t load = height == 4 ? 32 * g.units / 8 : weight_load_cycles(target, g.units);
    const std::int64_t extra = height == 1 ? 15 : height == 2 ? 46 : 60;
    const std::int64_t inner = kernel_rows * (14 + work.kernel_width * (12 + passes * (load + extra + 3))) +
                               kernel_rows * work.kernel_width * passes * inner_loop;
    const std::int64_t out = work.out_groups;
    return 109 + 6 * 9 + 6 * (types.partial_bytes == 4 ? 9 : 10) +
           work.conv_groups * (17 * out + 6 * (out - 1) + 1) + 6 * (work.conv_groups - 1) + 1 +
           work.conv_groups * (16 + work.in_groups * (14 + out * (14 + inner))) +
           zeroing_cycles(target, g, work);
}

std::int64_t cycles_slic(const Target& target, const ConvGrouping& g, const ConvTypes& types,
                         const ConvWork& work) {
    const bool single = types.partial_bytes == 4;
    const std::int64_t passes = g.units == 16 && !single ? 1 : 2;
    const std::int64_t blocks = ceil_div(work.kernel_width, 4) * work.kernel_height;
    const std::int64_t load =
        g.conv_groups == 1
            ? 18 + 16
            : 9 + 6 + 6 * ((g.conv_groups == 2 ? 12 : 10) + (g.conv_groups > 4 ? 1 : 0)) + 6 + 16;
    const auto row = [&](std::int64_t n) -> std::int64_t {
        if (work.stride == 1)
            return n >= 5 ? 15 + (n - 5) : 13 + 2 * (n - 1);
        return n >= 3 ? 15 + 2 * (n - 3) : 13;
    };
    const Workers workers = deal(target, reached(work), 17, [&](std::int64_t n) {
        return 10 + (single ? 3 : 0) + passes * (row(n) - (single ? 1 : 0));
    });
    const std::int64_t inner = target.workers_per_tile * workers.most;
    return 28 + work.conv_groups * (15 + blocks * (inner + load + 20));
}

std::int64_t cycles_horizontal(const Target& target, const ConvGrouping& g, const ConvTypes& types,
                               const ConvWork& work) {
    const std::int64_t v = target.vector_width(types.input_bytes);
    std::int64_t w = v;
    while (w > 1 && g.in_channels % w != 0)
        w /= 2;
    const bool half = types.partial_bytes == 2;
    const std::int64_t k = types.input_bytes == 2 && half ? 2 : 1;
    const std::int64_t dot = 3 * k + (k == 2 ? 1 : 0) + 3 + 1 + (w < v ? k : 0) +
                             (g.in_channels / w) * (w == v ? 1 : 2) - (types.input_bytes == 2 ? 1 : 0);
    const std::int64_t outputs = half ? ceil_div(g.out_channels, 2) : g.out_channels;
    const std::int64_t kernel = work.kernel_height * work.kernel_width;
    const bool one_by_one = one_position(types, work);
    const Workers workers = deal(target, reached(work), 16 - (half ? 6 : 0), [&](std::int64_t n) {
        return one_by_one ? 14 + n * (2 + (outputs == 1 ? 0 : 5) + outputs * dot)
                          : 19 + n * (7 + outputs * dot);
    });
    return (types.partial_bytes == 4 ? 58 : 65) - (one_by_one ? 10 : 0) + 57 +
           work.conv_groups *
               (23 + work.in_groups * (15 + work.out_groups * (10 + target.workers_per_tile *
                                                                        (kernel * workers.most + 16)))) +
           zeroing_cycles(target, g, work);
}

std::int64_t cycles_vertical(const Target& target, const ConvGrouping& g, const ConvTypes& types,
                             const ConvWork& work) {
    const std::int64_t single = types.partial_bytes == 4 ? 1 : 0;
    const std::int64_t k = work.kernel_width;
    const std::int64_t outputs = ceil_div(work.positions(), target.workers_per_tile) * work.kernel_height;
    const std::int64_t worker = g.conv_groups == 4
                                    ? 18 + single + outputs * (7 + 3 + 2 * single + 3 + 2 * (k - 1))
                                    : (g.conv_groups == 8 ? 13 : 25) +
                                          (g.conv_groups == 8 ? 1 : 2) * outputs * (22 + 3 + 3 * (k - 1));
    const std::int64_t field = work.positions() * g.conv_groups;
    const std::int64_t zero = 4 + ceil_div(field, single == 1 ? 2 : 4);
    const std::int64_t reduce = 10 - single +
                                (7 + 2 * single + (single == 1 ? 2 : 1) * 5) * ceil_div(field, 6) /
                                    std::max<std::int64_t>(g.conv_groups, 1);
    return 61 + 14 + 25 + single +
           work.conv_groups * (zero + 32 + work.in_groups * (24 + target.workers_per_tile * worker) + reduce);
}

std::int64_t cycles_outer(const Target& target, const ConvGrouping& g, const ConvTypes& types,
                          const ConvWork& work) {
    const std::int64_t w = ceil_div(work.positions(), target.workers_per_tile);
    const std::int64_t c = g.out_channels;
    std::int64_t position = 0;
    if (types.input_bytes == 4)
        position = c >= 6 && c % 2 == 0 ? 6 + (c - 6) / 2 : 10 + 2 * c;
    else
        position = c >= 12 && c % 4 == 0 ? 6 + (c - 12) / 4 : 10 + ceil_div(5 * c, 2);
    return target.workers_per_tile * work.conv_groups *
           (25 + work.out_groups * ((types.input_bytes == 4 ? 11 : 10) + w * position));
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

bool loads_and_stores_at_once(ConvVertex vertex) {
    return vertex == ConvVertex::Amp1x1 || vertex == ConvVertex::AmpNx1;
}

std::int64_t peak_macs(const Target& target, const ConvGrouping& g, const ConvTypes& types) {
    const std::int64_t v = target.vector_width(types.input_bytes);
    switch (g.vertex) {
    case ConvVertex::Amp1x1:
    case ConvVertex::AmpNx1:
        return types.input_bytes == 2 ? 4 * g.units : g.units;
    case ConvVertex::Slic: // a window of four by the channels of the groups, each cycle and pass
        return 4 * g.conv_groups * g.in_channels * g.out_channels /
               (g.units == 16 && types.partial_bytes == 2 ? 1 : 2);
    case ConvVertex::HorizontalMac:
    case ConvVertex::VerticalMac:
    case ConvVertex::OuterProduct:
        break;
    }
    return v;
}

std::string to_string(ConvVertex vertex) {
    switch (vertex) {
    case ConvVertex::Amp1x1:
        return "AMP 1x1";
    case ConvVertex::AmpNx1:
        return "AMP nx1";
    case ConvVertex::Slic:
        return "SLIC";
    case ConvVertex::HorizontalMac:
        return "horizontal MAC";
    case ConvVertex::VerticalMac:
        return "vertical MAC";
    case ConvVertex::OuterProduct:
        break;
    }
    return "outer product";
}

const Codelet& conv_codelet(const ConvGrouping& grouping, const ConvTypes& types) {
    const bool floats = types.input_bytes == 4 && types.partial_bytes == 4;
    switch (grouping.vertex) {
    case ConvVertex::Amp1x1:
        return floats ? codelets::conv_1x1_float : codelets::conv_1x1_half;
    case ConvVertex::AmpNx1:
        return floats ? codelets::conv_nx1_float : codelets::conv_nx1_half;
    case ConvVertex::Slic:
        return codelets::conv_slic;
    case ConvVertex::HorizontalMac:
        return codelets::conv_horizontal_mac;
    case ConvVertex::VerticalMac:
        return codelets::conv_vertical_mac;
    case ConvVertex::OuterProduct:
        break;
    }
    return codelets::outer_product;
}

std::string codelet_types(const ConvGrouping& grouping, const ConvTypes& types) {
    const std::string in = types.input_bytes == 2 ? "half" : "float";
    const std::string partial = types.partial_bytes == 2 ? "half" : "float";
    return grouping.vertex == ConvVertex::OuterProduct ? in : in + "," + partial;
}

std::int64_t conv_partial_cycles(const Target& target, const ConvGrouping& grouping, const ConvTypes& types,
                                 const ConvWork& work) {
    switch (grouping.vertex) {
    case ConvVertex::Amp1x1:
        return cycles_1x1(target, grouping, types, work);
    case ConvVertex::AmpNx1:
        return cycles_nx1(target, grouping, types, work);
    case ConvVertex::Slic:
        return cycles_slic(target, grouping, types, work);
    case ConvVertex::HorizontalMac:
        return cycles_horizontal(target, grouping, types, work);
    case ConvVertex::VerticalMac:
        return cycles_vertical(target, grouping, types, work);
    case ConvVertex::OuterProduct:
        break;
    }
    return cycles_outer(target, grouping, types, work);
}

std::int64_t conv_list_bytes(const Target& target, const ConvGrouping& grouping, const ConvTypes& types,
                             const ConvWork& work) {
    constexpr std::int64_t pointer = 4;
    constexpr std::int64_t item = 3 * 2; // where results and inputs begin, and how many
    const std::int64_t lists = target.workers_per_tile;
    const std::int64_t groups = work.conv_groups;
    const std::int64_t windows = groups * (work.in_groups * (1 + work.out_groups) + work.out_groups);
    const auto listed = [&](std::int64_t positions_of_kernel, bool all_rows = false) {
        return positions_of_kernel * (lists * pointer + pieces(target, reached(work, all_rows)) * item);
    };
    switch (grouping.vertex) {
    case ConvVertex::Amp1x1: // one list for all
        return windows * pointer + lists * item;
    case ConvVertex::AmpNx1: {
        const std::int64_t height = weight_height(grouping, types);
        return windows * pointer +
               listed(ceil_div(work.kernel_height, height) * work.kernel_width, height > 1);
    }
    case ConvVertex::Slic: {
        const std::int64_t blocks = ceil_div(work.kernel_width, 4) * work.kernel_height;
        return groups * (2 + blocks) * pointer + listed(blocks);
    }
    case ConvVertex::HorizontalMac:
        return windows * pointer +
               (one_position(types, work) ? lists * item : listed(work.kernel_height * work.kernel_width));
    case ConvVertex::VerticalMac: // an item for each result, with the place of its weights
        return groups * (2 * work.in_groups + 1) * pointer + lists * pointer +
               work.positions() * work.kernel_height * 4 * 2;
    case ConvVertex::OuterProduct:
        break;
    }
    return groups * work.out_groups * pointer;
}

std::int64_t conv_reduce_cycles(const Target& target, const ConvTypes& types, std::int64_t outputs,
                                std::int64_t depth) {
    if (depth <= 1 || outputs == 0)
        return 0;
    const std::int64_t workers = target.workers_per_tile;
    const std::int64_t accumulators = types.partial_bytes == 4 ? 4 : 8;
    const std::int64_t overhead = types.partial_bytes == 4 ? 8 : 9;
    if (outputs % accumulators == 0) // the single-input form: the local partials are not received
        return 33 + workers * (20 + (2 * (depth - 1) + overhead) * ceil_div(outputs / accumulators, workers));
    // The pointer form: one more loop for each bit of the remainder.
    std::int64_t loops = outputs / accumulators;
    std::int64_t rest = 0;
    for (std::int64_t bit = outputs % accumulators; bit > 0; bit &= bit - 1) {
        ++loops;
        rest += 2 * depth + 12;
    }
    return workers * (32 + (3 * depth + overhead) * ceil_div(loops, workers) + rest);
}

} // namespace tilescope::ipu
