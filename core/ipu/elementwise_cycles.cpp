// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/elementwise_cycles.h"

#include "base/units.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tilescope::ipu {
namespace {

struct LoopPair {
    LoopCost single; ///< float, int
    LoopCost half;
};

const std::map<std::string, LoopPair>& loops() {
    static const std::map<std::string, LoopPair> table = {
        {"add", {{3, 2}, {3, 4}}},
        {"subtract", {{3, 2}, {3, 4}}},
        {"multiply", {{3, 2}, {3, 4}}},
        {"divide", {{10, 2}, {21, 4}}},
        {"maximum", {{3, 2}, {4, 4}}},
        {"minimum", {{3, 2}, {4, 4}}},
        {"power", {{312, 1}, {325, 1}}},
        {"equal", {{14, 4}, {9, 4}}},
        {"not_equal", {{20, 4}, {11, 4}}},
        {"less", {{14, 4}, {9, 4}}},
        {"greater", {{14, 4}, {9, 4}}},
        {"less_equal", {{14, 4}, {9, 4}}},
        {"greater_equal", {{14, 4}, {9, 4}}},
        {"logical_and", {{5, 4}, {5, 4}}},
        {"logical_or", {{5, 4}, {5, 4}}},
        {"exp", {{6, 2}, {4, 4}}},
        {"log", {{12, 2}, {4, 4}}},
        {"tanh", {{12, 2}, {4, 4}}},
        {"sigmoid", {{12, 2}, {6, 4}}},
        {"relu", {{3, 2}, {3, 4}}},
        {"sqrt", {{10, 2}, {23, 4}}},
        {"rsqrt", {{8, 2}, {19, 4}}},
        {"reciprocal", {{6, 2}, {15, 4}}},
        {"square", {{2, 2}, {2, 4}}},
        {"negate", {{2, 2}, {2, 4}}},
        {"erf", {{41, 1}, {13, 1}}},
        {"gelu", {{22, 1}, {16, 1}}},
        {"sin", {{2304, 1}, {29, 1}}},
        {"cos", {{2304, 1}, {29, 1}}},
        {"abs", {{5, 1}, {5, 1}}},
        {"logical_not", {{21, 1}, {21, 1}}},
        {"select", {{5, 1}, {5, 1}}},
        {"relu_gradient", {{3, 2}, {3, 4}}},
        {"sigmoid_gradient", {{3, 2}, {3, 4}}},
        {"tanh_gradient", {{3, 2}, {3, 4}}},
    };
    return table;
}

std::int64_t per_worker(const Target& target, std::int64_t elements) {
    return ceil_div(elements, target.workers_per_tile);
}

} // namespace

LoopCost elementwise_loop(const std::string& kind, std::int64_t element_bytes, bool binary) {
    const auto found = loops().find(kind);
    if (found != loops().end())
        return element_bytes == 2 ? found->second.half : found->second.single;
    return {(binary ? 3 : 2) + 4, 8 / std::max<std::int64_t>(element_bytes, 2)};
}

std::int64_t elementwise_cycles(const Target& target, const std::string& kind, std::int64_t element_bytes,
                                bool binary, std::int64_t elements) {
    if (elements == 0)
        return 0;
    const LoopCost loop = elementwise_loop(kind, element_bytes, binary);
    const std::int64_t inner = ceil_div(per_worker(target, elements), loop.elements) * loop.cycles;
    const std::int64_t overhead = binary ? (element_bytes == 4 ? 29 : 26) : (kind == "exp" ? 33 : 17);
    return (binary ? 11 : 20) + target.workers_per_tile * (overhead + inner);
}

std::int64_t fused_elementwise_cycles(const Target& target, const std::vector<std::string>& kinds,
                                      std::int64_t element_bytes, std::int64_t elements) {
    if (elements == 0)
        return 0;
    const std::int64_t n = per_worker(target, elements);
    std::int64_t inner = 2 * ceil_div(n, target.vector_width(element_bytes)); // one load/store set
    for (const std::string& kind : kinds) {
        const LoopCost loop = elementwise_loop(kind, element_bytes, true);
        inner += ceil_div(n, loop.elements) * std::max<std::int64_t>(1, loop.cycles - 2);
    }
    return 11 + target.workers_per_tile * (29 + inner);
}

std::int64_t cast_cycles(const Target& target, std::int64_t from_bytes, std::int64_t to_bytes,
                         std::int64_t elements) {
    if (elements == 0)
        return 0;
    LoopCost loop{2, 1};
    if (from_bytes == 4 && to_bytes == 2)
        loop = {2, 4};
    else if (from_bytes == 2 && to_bytes == 4)
        loop = {1, 2};
    return 12 + target.workers_per_tile *
                    (18 + 19 + loop.cycles * ceil_div(per_worker(target, elements), loop.elements));
}

std::int64_t fill_cycles(const Target& target, std::int64_t element_bytes, std::int64_t elements) {
    if (elements == 0)
        return 0;
    return (element_bytes == 2 ? 26 : 23) + ceil_div(elements, target.vector_width(element_bytes));
}

std::int64_t copy_cycles(const Target&, std::int64_t bytes, std::int64_t atom) {
    if (bytes == 0)
        return 0;
    const double per_byte = atom % 8 == 0 ? 0.44 : atom % 4 == 0 ? 3.125 : 5.15;
    return 587 + static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) * per_byte));
}

std::int64_t slice_cycles(const Target& target, std::int64_t element_bytes, std::int64_t elements) {
    if (elements == 0)
        return 0;
    return 25 + target.workers_per_tile *
                    (39 + 24 + 2 * (per_worker(target, elements) / target.vector_width(element_bytes)));
}

std::int64_t dropout_cycles(const Target& target, std::int64_t element_bytes, std::int64_t elements) {
    return elements == 0 ? 0 : 6 + 144 + 2 * ceil_div(elements, target.vector_width(element_bytes));
}

std::int64_t normal_noise_cycles(const Target& target, std::int64_t element_bytes, std::int64_t elements) {
    if (elements == 0)
        return 0;
    return 4 + (element_bytes == 2 ? 24 : 22) * target.workers_per_tile +
           4 * ceil_div(elements, target.vector_width(element_bytes)) +
           scaled_add_cycles(target, element_bytes, elements);
}

std::int64_t scaled_add_cycles(const Target& target, std::int64_t element_bytes, std::int64_t elements) {
    if (elements == 0)
        return 0;
    const std::int64_t vectors =
        ceil_div(elements, target.workers_per_tile * target.vector_width(element_bytes));
    return 50 + target.workers_per_tile * (15 + 6 + 3 * (vectors - 1) + 3);
}

} // namespace tilescope::ipu
