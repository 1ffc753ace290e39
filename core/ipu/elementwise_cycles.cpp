// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/elementwise_cycles.h"

#include "base/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

namespace tilescope::ipu {
namespace {

/// What one operation costs: by the loop of its vertex, where PopLibs has a figure for it, or by the
/// operations that it is made of, as one vertex.
struct Price {
    LoopCost single; ///< float, int
    LoopCost half;
    std::vector<std::string> parts = {};
};

Price of(std::vector<std::string> parts) {
    return {{}, {}, std::move(parts)};
}

const std::map<std::string, Price>& prices() {
    static const std::map<std::string, Price> table = {
        {"add", {{3, 2}, {3, 4}}},
        {"subtract", {{3, 2}, {3, 4}}},
        {"multiply", {{3, 2}, {3, 4}}},
        {"divide", {{10, 2}, {21, 4}}},
        {"maximum", {{3, 2}, {4, 4}}},
        {"minimum", {{3, 2}, {4, 4}}},
        {"power", {{312, 1}, {325, 1}}},
        {"atan2", {{272, 2}, {578, 4}}},
        {"fmod", {{133, 2}, {300, 4}}},
        {"equal", {{14, 4}, {9, 4}}},
        {"not_equal", {{20, 4}, {11, 4}}},
        {"less", {{14, 4}, {9, 4}}},
        {"greater", {{14, 4}, {9, 4}}},
        {"less_equal", {{14, 4}, {9, 4}}},
        {"greater_equal", {{14, 4}, {9, 4}}},
        {"logical_and", {{5, 4}, {5, 4}}},
        {"logical_or", {{5, 4}, {5, 4}}},
        {"logical_not", {{21, 1}, {21, 1}}},
        {"select", {{5, 1}, {5, 1}}},
        {"bitwise_and", {{7, 1}, {}}},
        {"bitwise_or", {{7, 1}, {}}},
        {"bitwise_xor", {{7, 1}, {}}},
        {"left_shift", {{7, 1}, {}}},
        {"right_shift", {{7, 1}, {}}},
        {"bitwise_not", {{2, 2}, {}}},  // as negate
        {"identity", {{2, 2}, {2, 4}}}, // a load and a store, as negate
        {"stop_gradient", {{2, 2}, {2, 4}}},
        {"negate", {{2, 2}, {2, 4}}},
        {"square", {{2, 2}, {2, 4}}},
        {"exp", {{6, 2, 16}, {4, 4, 16}}},
        {"log", {{12, 2}, {4, 4}}},
        {"tanh", {{12, 2}, {4, 4}}},
        {"sigmoid", {{12, 2}, {6, 4}}},
        {"relu", {{3, 2}, {3, 4}}},
        {"sqrt", {{10, 2}, {23, 4}}},
        {"rsqrt", {{8, 2}, {19, 4}}},
        {"reciprocal", {{6, 2}, {15, 4}}},
        {"erf", {{41, 1}, {13, 1}}},
        {"gelu", {{22, 1}, {16, 1}}},
        // Vertices of popnn's own (its GELU is by the tanh), 9 + 6 (29 + 2 c1 + c2 (m - 1)) for m vectors.
        {"gelu_tanh", {{10, 2, 20}, {5, 4, 15}}},
        {"gelu_tanh_gradient", {{10, 2}, {5, 4}}},
        {"swish", {{11, 2, 11}, {5, 4, 11}}},
        {"swish_gradient", {{15, 2}, {9, 4}}},
        {"sin", {{2304, 1}, {29, 1}}},
        {"cos", {{2304, 1}, {29, 1}}},
        // Without an unrolled loop: one instruction and four for each element.
        {"abs", {{5, 1}, {5, 1}}},
        {"sign", {{5, 1}, {5, 1}}},
        {"floor", {{5, 1}, {5, 1}}},
        {"ceil", {{5, 1}, {5, 1}}},
        {"round", {{5, 1}, {5, 1}}},
        {"relu_gradient", {{3, 2}, {3, 4}}},
        {"sigmoid_gradient", {{3, 2}, {3, 4}}},
        {"tanh_gradient", {{3, 2}, {3, 4}}},

        // As XLA has it: b more where something is left, and its sign is not that of b.
        {"floor_mod", of({"fmod", "not_equal", "less", "less", "not_equal", "logical_and", "add", "select"})},
        {"relu6", of({"relu", "minimum"})},
        {"relu6_gradient", of({"relu_gradient", "less", "multiply"})},
        {"leaky_relu", of({"multiply", "maximum"})},
        {"leaky_relu_gradient", of({"greater", "multiply", "select"})},
        {"elu", of({"minimum", "exp", "subtract", "multiply", "maximum", "add"})},
        {"elu_gradient", of({"exp", "multiply", "multiply", "greater", "select"})},
        {"selu", of({"elu", "multiply"})},
        {"selu_gradient", of({"elu_gradient", "multiply"})},
        {"softplus", of({"abs", "negate", "exp", "add", "log", "maximum", "add"})},
        {"softplus_gradient", of({"sigmoid", "multiply"})},
        {"log_sigmoid", of({"negate", "softplus", "negate"})},
        {"log_sigmoid_gradient", of({"negate", "sigmoid", "multiply"})},
        {"softsign", of({"abs", "add", "divide"})},
        {"softsign_gradient", of({"abs", "add", "square", "divide"})},
        {"hard_sigmoid", of({"multiply", "add", "maximum", "minimum"})},
        {"hard_sigmoid_gradient", of({"greater", "less", "logical_and", "multiply", "select"})},
        {"mish", of({"softplus", "tanh", "multiply"})},
        {"mish_gradient", of({"softplus", "tanh", "square", "subtract", "multiply", "sigmoid", "multiply",
                              "add", "multiply"})},
        {"squareplus", of({"square", "add", "sqrt", "add", "multiply"})},
        {"squareplus_gradient", of({"square", "add", "rsqrt", "multiply", "add", "multiply", "multiply"})},
        // Phi(x) + x phi(x), times dy.
        {"gelu_gradient", of({"multiply", "erf", "add", "multiply", "square", "multiply", "exp", "multiply",
                              "multiply", "add", "multiply"})},
        {"abs_gradient", of({"sign", "multiply"})},
    };
    return table;
}

const Price& price(const std::string& kind) {
    const auto found = prices().find(kind);
    if (found == prices().end()) {
        std::fprintf(stderr, "%s has no price: give it a loop or parts in elementwise_cycles.cpp\n",
                     kind.c_str());
        std::abort();
    }
    return found->second;
}

/// Of a copy by all workers on a tile, with the supervisor's call and the workers' meeting.
constexpr std::int64_t copy_call_cycles = 288;

std::int64_t per_worker(const Target& target, std::int64_t elements) {
    return ceil_div(elements, target.workers_per_tile);
}

/// Appends the loops that an operation comes down to.
void append_loops(const std::string& kind, std::int64_t element_bytes, std::vector<LoopCost>& loops) {
    const Price& own = price(kind);
    for (const std::string& part : own.parts)
        append_loops(part, element_bytes, loops);
    if (own.parts.empty())
        loops.push_back(element_bytes == 2 ? own.half : own.single);
}

/// What a worker of the vertex takes beside what all do: the most that one of its operations asks for.
std::int64_t set_up(const std::vector<LoopCost>& loops) {
    std::int64_t most = 0;
    for (const LoopCost& loop : loops)
        most = std::max(most, loop.set_up);
    return most;
}

/// Cycles of one worker for n elements: a single operation's loop, or the arithmetic of each and one set of
/// loads and stores, as many elements at a time as the narrowest of them takes.
std::int64_t inner_cycles(const std::vector<LoopCost>& loops, std::int64_t n) {
    if (loops.size() == 1)
        return ceil_div(n, loops[0].elements) * loops[0].cycles;
    constexpr std::int64_t load_and_store = 2;
    std::int64_t cycles = 0;
    std::int64_t narrowest = n;
    for (const LoopCost& loop : loops) {
        cycles += ceil_div(n, loop.elements) * std::max<std::int64_t>(1, loop.cycles - load_and_store);
        narrowest = std::min(narrowest, loop.elements);
    }
    return cycles + ceil_div(n, narrowest) * load_and_store;
}

} // namespace

bool has_elementwise_price(const std::string& kind) {
    return prices().contains(kind);
}

const std::vector<std::string>& elementwise_parts(const std::string& kind) {
    return price(kind).parts;
}

std::int64_t elementwise_cycles(const Target& target, const std::string& kind, std::int64_t element_bytes,
                                bool binary, std::int64_t elements) {
    if (elements == 0)
        return 0;
    if (!price(kind).parts.empty())
        return fused_elementwise_cycles(target, {kind}, element_bytes, elements);
    std::vector<LoopCost> loops;
    append_loops(kind, element_bytes, loops);
    const std::int64_t inner = inner_cycles(loops, per_worker(target, elements));
    const std::int64_t overhead = (binary ? (element_bytes == 4 ? 29 : 26) : 17) + set_up(loops);
    return (binary ? 11 : 20) + target.workers_per_tile * (overhead + inner);
}

std::int64_t fused_elementwise_cycles(const Target& target, const std::vector<std::string>& kinds,
                                      std::int64_t element_bytes, std::int64_t elements) {
    if (elements == 0)
        return 0;
    std::vector<LoopCost> loops;
    for (const std::string& kind : kinds)
        append_loops(kind, element_bytes, loops);
    const std::int64_t overhead = 29 + set_up(loops);
    return 11 + target.workers_per_tile * (overhead + inner_cycles(loops, per_worker(target, elements)));
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

std::int64_t byte_to_half_cycles(const Target& target, std::int64_t elements) {
    if (elements == 0)
        return 0;
    constexpr std::array<std::int64_t, 4> remainder{2, 12, 14, 22}; // of 0 to 3 elements
    const std::int64_t of_worker = per_worker(target, elements);
    const std::int64_t fours = of_worker / 4;
    const std::int64_t loop = fours > 0 ? 14 + 9 * (fours - 1) : 0;
    return 12 +
           target.workers_per_tile * (18 + 4 + loop + remainder.at(static_cast<std::size_t>(of_worker % 4)));
}

std::int64_t fill_cycles(const Target& target, std::int64_t element_bytes, std::int64_t elements) {
    if (elements == 0)
        return 0;
    return (element_bytes == 2 ? 26 : 23) + ceil_div(elements, target.vector_width(element_bytes));
}

std::int64_t copy_cycles(const Target& target, std::int64_t bytes, std::int64_t atom) {
    return bytes == 0 ? 0 : copy_call_cycles + ceil_div(bytes, std::min(target.data_path_bytes, atom));
}

std::int64_t transform_bytes(std::int64_t bytes, std::int64_t element_bytes, std::int64_t channels) {
    const bool blocks = channels % (element_bytes == 2 ? 4 : 2) == 0;
    return ceil_div(5 * bytes, blocks ? 4 : 3);
}

std::int64_t transform_cycles(const Target& target, std::int64_t bytes, std::int64_t element_bytes,
                              std::int64_t channels) {
    return copy_cycles(target, transform_bytes(bytes, element_bytes, channels), element_bytes);
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

std::int64_t normal_noise_cycles(const Target& target, std::int64_t element_bytes, std::int64_t elements,
                                 double limit) {
    if (elements == 0)
        return 0;
    const bool half = element_bytes == 2;
    std::int64_t of_worker = half ? 24 : 22;
    std::int64_t of_vector = 4;
    if (limit > 0) {
        const auto draws =
            static_cast<std::int64_t>(std::ceil(4 / -std::log10(std::erfc(limit / std::sqrt(2.0)))));
        of_worker += 4;
        of_vector = (half ? 12 : 11) * draws + 5;
    }
    return 4 + of_worker * target.workers_per_tile +
           of_vector * ceil_div(elements, target.vector_width(element_bytes)) +
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
