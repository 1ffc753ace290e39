// SPDX-License-Identifier: GPL-3.0-or-later
#include "layers/einsum.h"

#include "base/try.h"
#include "layer_ops.h"

#include <algorithm>
#include <map>

namespace tilescope::keras {
namespace {

using graph::Shape;
using graph::ValueId;

/// "abc,cde->abde": a letter for each dimension of the input, the kernel and the output.
struct KernelEquation {
    std::string input, kernel, output;
};

Result<KernelEquation> equation_of(const KerasLayer& l, std::size_t rank) {
    const std::string given = text(l, "equation", "");
    if (std::count(given.begin(), given.end(), ',') != 1 || given.find("->") == std::string::npos)
        return l.fail("\"equation\" is not like \"ab,bc->ac\": \"" + given + "\"");
    const auto e = layers::parse_equation(given, {rank, std::nullopt});
    if (!e)
        return l.fail(e.error().message);
    return KernelEquation{e->operands[0], e->operands[1], e->result};
}

bool has(const std::string& part, char c) {
    return part.find(c) != std::string::npos;
}

/// The extents of all letters: those of the input, and of "output_shape", which has none for the batch.
Result<std::map<char, std::int64_t>> extents_of(const KerasLayer& l, const KernelEquation& e,
                                                const Shape& x) {
    std::map<char, std::int64_t> extents;
    for (std::size_t d = 0; d < x.size(); ++d)
        extents[e.input[d]] = x[d];
    const Json& given = setting(l, "output_shape");
    const Json list = given.is_array() ? given : Json::array({given});
    // The last extents; dimensions before them are the input's.
    for (std::size_t i = 0; i < std::min(list.size(), e.output.size()); ++i)
        if (list[list.size() - 1 - i].is_number_integer())
            extents.try_emplace(e.output[e.output.size() - 1 - i], list[list.size() - 1 - i]);
    for (const std::string* part : {&e.kernel, &e.output})
        for (const char c : *part)
            if (!extents.contains(c))
                return l.fail("\"output_shape\" " + given.dump() + " says no extent for \"" + c + "\" of \"" +
                              text(l, "equation", "") + "\"");
    for (const char c : e.input)
        if (!has(e.kernel, c) && !has(e.output, c))
            return l.unsupported("\"" + std::string(1, c) + "\" of \"" + text(l, "equation", "") +
                                     "\" is summed without a kernel, which is not supported",
                                 "sum before the layer");
    return extents;
}

Result<ValueId> einsum_dense(KerasLayer& l, const Values& in) {
    const Shape x = l.build.type(in[0]).shape;
    TRY(const auto e, equation_of(l, x.size()));
    TRY(const auto extents, extents_of(l, e, x));
    const auto shape_of = [&](const std::string& letters) {
        Shape shape;
        for (const char c : letters)
            shape.push_back(extents.at(c));
        return shape;
    };
    TRY(auto made, weight(l, {"kernel", shape_of(e.kernel), "kernel", "glorot_uniform"}));
    const KerasOps ops{l};
    TRY(const auto product, (layers::product<KerasOps>(ops, {in[0], e.input}, {made, e.kernel}, e.output)));
    TRY(auto y, layers::in_order(ops, product, e.output));
    if (const std::string axes = text(l, "bias_axes", ""); !axes.empty()) {
        Shape shape; // of the letters in the output's order, with 1 between them
        Shape own;
        for (const char c : e.output) {
            const bool biased = has(axes, c);
            if (biased)
                own.push_back(extents.at(c));
            if (biased || !shape.empty())
                shape.push_back(biased ? extents.at(c) : 1);
        }
        TRY(auto bias, weight(l, {"bias", shape, "bias", "zeros"}));
        if (own.size() != axes.size())
            return l.fail("\"bias_axes\" \"" + axes + "\" are no dimensions of \"" + e.output + "\"");
        TRY(y, l.build.emit("add", {y, bias}, {}, "BiasAdd"));
    }
    return activate(l, y);
}

} // namespace

LayerTable einsum_layers() {
    return {
        {"EinsumDense",
         {einsum_dense,
          {"equation", "output_shape", "activation", "bias_axes", "kernel_initializer", "bias_initializer",
           "kernel_regularizer", "bias_regularizer", "kernel_constraint", "bias_constraint"}}}};
}

} // namespace tilescope::keras
