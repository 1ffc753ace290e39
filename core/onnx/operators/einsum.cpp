// SPDX-License-Identifier: GPL-3.0-or-later
#include "operation.h"

#include <algorithm>
#include <cctype>
#include <map>

/// Einsum: sums of products over named dimensions, as transpositions, one matrix product and sums.
namespace tilescope::onnx {
namespace {

using graph::Shape;

/// A tensor whose dimensions have letters.
struct Named {
    OnnxValue value;
    std::string letters;

    bool has(char letter) const { return letters.find(letter) != std::string::npos; }
};

struct Equation {
    std::vector<std::string> operands;
    std::string result;
};

Equation equation_of(const OnnxOperation& op) {
    std::string text = op.text("equation", "");
    std::erase(text, ' ');
    const std::size_t arrow = text.find("->");
    const std::string left = text.substr(0, arrow);
    Equation equation{{""}, {}};
    std::map<char, int> counts;
    for (const char c : left)
        if (c == ',') {
            equation.operands.emplace_back();
        } else if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
            equation.operands.back() += c;
            ++counts[c];
        } else {
            throw OnnxRefusal("equation \"" + text + "\" has more than letters and commas",
                              "write each dimension as a letter");
        }
    if (arrow != std::string::npos)
        equation.result = text.substr(arrow + 2);
    else
        for (const auto& [letter, count] : counts) // those that occur once, in order
            if (count == 1)
                equation.result += letter;
    for (const char c : equation.result)
        if (!counts.contains(c) || std::count(equation.result.begin(), equation.result.end(), c) != 1)
            throw OnnxRefusal("the result of equation \"" + text + "\" does not follow from its operands");
    return equation;
}

/// Dimensions with their letters in this order; the tensor has just these.
OnnxValue ordered(const OnnxOperation& op, const Named& x, const std::string& letters) {
    Integers permutation;
    for (const char letter : letters)
        permutation.push_back(static_cast<std::int64_t>(x.letters.find(letter)));
    return transpose(op, x.value, permutation);
}

/// Sums over the letters that nothing else needs.
Named reduced(const OnnxOperation& op, const Named& x, const std::string& needed) {
    Named result{x.value, {}};
    Integers axes;
    for (std::size_t d = 0; d < x.letters.size(); ++d)
        if (needed.find(x.letters[d]) == std::string::npos)
            axes.push_back(static_cast<std::int64_t>(d));
        else
            result.letters += x.letters[d];
    if (!axes.empty())
        result.value = reduce(op, "reduce_sum", x.value, axes, false);
    return result;
}

std::int64_t extent(const Named& x, const std::string& letters) {
    std::int64_t result = 1;
    for (const char letter : letters)
        result *= x.value.shape()[x.letters.find(letter)];
    return result;
}

/// Letters of both that stay are the batch, letters of both that go are summed over by the product.
Named product(const OnnxOperation& op, const Named& first, const Named& second, const std::string& needed) {
    const Named a = reduced(op, first, needed + second.letters);
    const Named b = reduced(op, second, needed + first.letters);
    std::string batch;
    std::string rows;
    std::string inner;
    std::string columns;
    for (const char letter : a.letters)
        (!b.has(letter) ? rows : needed.find(letter) != std::string::npos ? batch : inner) += letter;
    for (const char letter : b.letters)
        if (!a.has(letter))
            columns += letter;
    const OnnxValue left = reshape(op, ordered(op, a, batch + rows + inner),
                                   {extent(a, batch), extent(a, rows), extent(a, inner)});
    const OnnxValue right = reshape(op, ordered(op, b, batch + inner + columns),
                                    {extent(b, batch), extent(b, inner), extent(b, columns)});
    Shape shape;
    for (const char letter : batch + rows)
        shape.push_back(extent(a, std::string(1, letter)));
    for (const char letter : columns)
        shape.push_back(extent(b, std::string(1, letter)));
    return {reshape(op, op.emit("matmul", {left, right}), shape), batch + rows + columns};
}

OnnxValues einsum(const OnnxOperation& op) {
    const Equation equation = equation_of(op);
    if (equation.operands.size() != op.inputs())
        throw OnnxRefusal("the equation has " + std::to_string(equation.operands.size()) +
                          " operands, the node " + std::to_string(op.inputs()));
    std::map<char, std::int64_t> extents;
    std::vector<Named> operands;
    for (std::size_t i = 0; i < op.inputs(); ++i) {
        const Named x{op.in(i), equation.operands[i]};
        if (static_cast<std::int64_t>(x.letters.size()) != x.value.rank())
            throw OnnxRefusal("\"" + x.letters + "\" does not fit " + graph::to_string(x.value.type));
        for (std::size_t d = 0; d < x.letters.size(); ++d) {
            if (std::count(x.letters.begin(), x.letters.end(), x.letters[d]) != 1)
                throw OnnxRefusal("\"" + x.letters + "\" takes a diagonal", "take it with other operators");
            if (extents.emplace(x.letters[d], x.value.shape()[d]).first->second != x.value.shape()[d])
                throw OnnxRefusal(std::string("dimension \"") + x.letters[d] + "\" has several extents");
        }
        operands.push_back(x);
    }
    Named result = operands[0];
    for (std::size_t i = 1; i < operands.size(); ++i) {
        std::string needed = equation.result;
        for (std::size_t later = i + 1; later < operands.size(); ++later)
            needed += operands[later].letters;
        result = product(op, result, operands[i], needed);
    }
    return {ordered(op, reduced(op, result, equation.result), equation.result)};
}

} // namespace

void add_onnx_einsum(OnnxMappings& m) {
    m["Einsum"] = einsum;
}

} // namespace tilescope::onnx
