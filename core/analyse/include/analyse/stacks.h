// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::analyse {

/// Equal blocks of parts, one after the other: the encoder layers of a transformer.
struct Stack {
    std::size_t first = 0;  ///< part that the first block begins with
    std::size_t period = 0; ///< parts of a block
    std::size_t count = 0;  ///< blocks
    bool operator==(const Stack&) const = default;
};

/// The parts of a model, such as its layers, in the order in which they run.
struct PartSequence {
    std::vector<std::string> structure;                     ///< equal texts: equal parts
    std::vector<std::string> names;                         ///< of each part; or none at all
    std::vector<std::pair<std::size_t, std::size_t>> edges; ///< from the part that makes to one that uses
};

/// Fewer parts than these are not worth a fold of a stack into one block.
inline constexpr std::size_t least_folded_parts = 6;

/// By their first parts; none overlap. Blocks of a stack are equal where their parts are, in order, and the
/// edges within them. Where they could begin at several parts, they begin where each has a name of its own
/// then (block_name), else where the fewest edges lead from one to others.
std::vector<Stack> find_stacks(const PartSequence& parts);

/// What the names of the parts of a block begin with, up to a whole word: "layer_3" of "layer_3_attention"
/// and "layer_3_output"; "": nothing. `names`: one at least.
std::string block_name(const std::vector<std::string>& names);
/// The same of all blocks of a stack, with a star where they differ: "layer_*". `names` in order, as many as
/// parts in the stack.
std::string stack_name(const Stack& stack, const std::vector<std::string>& names);

} // namespace tilescope::analyse
