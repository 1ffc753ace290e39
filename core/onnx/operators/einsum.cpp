// SPDX-License-Identifier: GPL-3.0-or-later
#include "layers/einsum.h"

#include "base/try.h"
#include "operation.h"

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

/// Einsum: sums of products over named dimensions.
namespace tilescope::onnx {
namespace {

using Named = layers::Lettered<OnnxOps>;

Result<OnnxValues> einsum(const OnnxOperation& op) {
    std::vector<OnnxValue> inputs;
    std::vector<std::optional<std::size_t>> ranks;
    for (std::size_t i = 0; i < op.inputs(); ++i) {
        TRY(const OnnxValue input, op.in(i));
        inputs.push_back(input);
        ranks.emplace_back(input.shape().size());
    }
    const auto equation = layers::parse_equation(op.text("equation", ""), ranks);
    if (!equation)
        return refused(equation.error().message, equation.error().remedy);
    std::map<char, std::int64_t> extents;
    std::vector<Named> operands;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Named x{inputs[i], equation->operands[i]};
        for (std::size_t d = 0; d < x.letters.size(); ++d)
            if (extents.emplace(x.letters[d], x.value.shape()[d]).first->second != x.value.shape()[d])
                return refused(std::string("dimension \"") + x.letters[d] + "\" has several extents");
        operands.push_back(x);
    }
    return values_of({layers::einsum(OnnxOps{op}, operands, equation->result)});
}

} // namespace

void add_onnx_einsum(OnnxMappings& m) {
    m["Einsum"] = einsum;
}

} // namespace tilescope::onnx
