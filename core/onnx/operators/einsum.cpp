// SPDX-License-Identifier: GPL-3.0-or-later
#include "layers/einsum.h"

#include "base/try.h"
#include "operation.h"

#include <algorithm>
#include <cctype>
#include <map>

/// Einsum: sums of products over named dimensions.
namespace tilescope::onnx {
namespace {

using Named = layers::Lettered<OnnxOps>;

struct Equation {
    std::vector<std::string> operands;
    std::string result;
};

Result<Equation> equation_of(const OnnxOperation& op) {
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
            return refused("equation \"" + text + "\" has more than letters and commas",
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
            return refused("the result of equation \"" + text + "\" does not follow from its operands");
    return equation;
}

Result<OnnxValues> einsum(const OnnxOperation& op) {
    TRY(const Equation equation, equation_of(op));
    if (equation.operands.size() != op.inputs())
        return refused("the equation has " + std::to_string(equation.operands.size()) +
                       " operands, the node " + std::to_string(op.inputs()));
    std::map<char, std::int64_t> extents;
    std::vector<Named> operands;
    for (std::size_t i = 0; i < op.inputs(); ++i) {
        TRY(const OnnxValue input, op.in(i));
        const Named x{input, equation.operands[i]};
        if (static_cast<std::int64_t>(x.letters.size()) != x.value.rank())
            return refused("\"" + x.letters + "\" does not fit " + graph::to_string(x.value.type));
        for (std::size_t d = 0; d < x.letters.size(); ++d) {
            if (std::count(x.letters.begin(), x.letters.end(), x.letters[d]) != 1)
                return refused("\"" + x.letters + "\" takes a diagonal", "take it with other operators");
            if (extents.emplace(x.letters[d], x.value.shape()[d]).first->second != x.value.shape()[d])
                return refused(std::string("dimension \"") + x.letters[d] + "\" has several extents");
        }
        operands.push_back(x);
    }
    return values_of({layers::einsum(OnnxOps{op}, operands, equation.result)});
}

} // namespace

void add_onnx_einsum(OnnxMappings& m) {
    m["Einsum"] = einsum;
}

} // namespace tilescope::onnx
