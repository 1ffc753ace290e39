// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/try.h"
#include "graph/attributes.h"
#include "graph/tensor.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Einstein sums: tensors whose dimensions have letters, as transpositions, matrix products and sums.
///
/// `Ops` adds operations, as for volumes.h.
namespace tilescope::layers {

/// "ab,bc->ac": a letter for each dimension of the operands and of the result, in each no letter twice; what
/// "..." stands for has digits.
struct Equation {
    std::vector<std::string> operands;
    std::string result;
};
/// `ranks`: of the operands, nullopt for one that has what the equation names. "..." stands for what an
/// operand has beyond its letters, aligned at the last one. Without an arrow the result has the letters that
/// occur once, in order. Errors: BadInput.
Result<Equation> parse_equation(std::string text, const std::vector<std::optional<std::size_t>>& ranks);

/// A tensor with a letter for each dimension, no letter twice. Letters that tensors share have one extent.
template<class Ops>
struct Lettered {
    typename Ops::Value value;
    std::string letters;

    bool has(char letter) const { return letters.find(letter) != std::string::npos; }
};

/// The tensor with its dimensions in this order; `letters` are those that it has.
template<class Ops>
Result<typename Ops::Value> in_order(const Ops& ops, const Lettered<Ops>& x, const std::string& letters) {
    if (letters == x.letters)
        return x.value;
    std::vector<std::int64_t> permutation;
    for (const char letter : letters)
        permutation.push_back(static_cast<std::int64_t>(x.letters.find(letter)));
    return ops.emit("transpose", {x.value}, {{"permutation", permutation}});
}

/// Summed over the letters that are not among those needed.
template<class Ops>
Result<Lettered<Ops>> summed(const Ops& ops, const Lettered<Ops>& x, const std::string& needed) {
    Lettered<Ops> result{x.value, {}};
    std::vector<std::int64_t> axes;
    for (std::size_t d = 0; d < x.letters.size(); ++d)
        if (needed.find(x.letters[d]) == std::string::npos)
            axes.push_back(static_cast<std::int64_t>(d));
        else
            result.letters += x.letters[d];
    if (!axes.empty()) {
        TRY(result.value, ops.emit("reduce_sum", {x.value}, {{"axes", axes}, {"keep_dims", false}}));
    }
    return result;
}

/// The product over the letters of both that are not needed. Letters of both that are needed are the batch of
/// one matrix product; what only one has is its rows or columns.
template<class Ops>
Result<Lettered<Ops>> product(const Ops& ops, const Lettered<Ops>& first, const Lettered<Ops>& second,
                              const std::string& needed) {
    TRY(const auto a, summed(ops, first, needed + second.letters));
    TRY(const auto b, summed(ops, second, needed + first.letters));
    std::string batch, rows, inner, columns;
    for (const char letter : a.letters)
        (!b.has(letter) ? rows : needed.find(letter) != std::string::npos ? batch : inner) += letter;
    for (const char letter : b.letters)
        if (!a.has(letter))
            columns += letter;
    const auto extents = [&](const Lettered<Ops>& x, const std::string& letters) {
        graph::Shape shape;
        for (const char letter : letters)
            shape.push_back(ops.shape(x.value)[x.letters.find(letter)]);
        return shape;
    };
    const auto matrices = [&](const Lettered<Ops>& x, const std::string& high,
                              const std::string& wide) -> Result<typename Ops::Value> {
        graph::Shape shape{graph::element_count(extents(x, high)), graph::element_count(extents(x, wide))};
        if (!batch.empty())
            shape.insert(shape.begin(), graph::element_count(extents(x, batch)));
        TRY(const auto ordered, in_order(ops, x, batch + high + wide));
        return ops.emit("reshape", {ordered}, {{"shape", shape}});
    };
    TRY(const auto left, matrices(a, rows, inner));
    TRY(const auto right, matrices(b, inner, columns));
    TRY(const auto sums, ops.emit("matmul", {left, right}, {}));
    graph::Shape shape = extents(a, batch + rows);
    const graph::Shape wide = extents(b, columns);
    shape.insert(shape.end(), wide.begin(), wide.end());
    Lettered<Ops> result{{}, batch + rows + columns};
    TRY(result.value, ops.emit("reshape", {sums}, {{"shape", shape}}));
    return result;
}

/// The operands, one or more, multiplied one after another and summed over the letters that the result has
/// not. Its dimensions are in the order of its letters, each of which an operand has.
template<class Ops>
Result<typename Ops::Value> einsum(const Ops& ops, const std::vector<Lettered<Ops>>& operands,
                                   const std::string& result) {
    Lettered<Ops> made = operands.at(0);
    for (std::size_t i = 1; i < operands.size(); ++i) {
        std::string needed = result;
        for (std::size_t later = i + 1; later < operands.size(); ++later)
            needed += operands[later].letters;
        TRY(made, product(ops, made, operands[i], needed));
    }
    TRY(const auto sums, summed(ops, made, result));
    return in_order(ops, sums, result);
}

} // namespace tilescope::layers
