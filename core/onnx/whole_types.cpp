// SPDX-License-Identifier: GPL-3.0-or-later
#include "whole_types.h"

#include "base/try.h"
#include "tensor.h"

#include <set>
#include <string>

namespace tilescope::onnx {
namespace {

using graph::DType;
using Kinds = std::set<std::string>;

/// The type of an output, whole numbers on the device: that of the input that its elements come from.
std::string type_of(const OnnxOperation& op, std::size_t output, const OnnxValue& value) {
    static const Kinds counting = {"ArgMax", "ArgMin", "Shape", "Size"};
    const std::string& kind = op.kind();
    if (counting.contains(kind) || (output > 0 && (kind == "MaxPool" || kind == "TopK")))
        return "int64";
    if (kind == "Cast" && op.opset >= 6)
        return onnx_type_name(static_cast<int>(op.integer("to", 0)));
    const std::size_t from = kind == "OneHot" ? 2 : kind == "Where" || kind == "CastLike" ? 1 : 0;
    return op.has(from) ? op.in(from)->whole : value.whole;
}

Result<OnnxValue> without_upper_bits(const OnnxOperation& op, const OnnxValue& x, double kept) {
    return op.emit("bitwise_and", {x, op.scalar_like(x, kept)});
}

/// The sign is the highest of the bits that are kept.
Result<OnnxValue> with_sign_of_bits(const OnnxOperation& op, const OnnxValue& x, double above) {
    const OnnxValue places = op.scalar_like(x, above);
    return op.emit("right_shift", {op.emit("left_shift", {x, places}), places});
}

Result<OnnxValue> wrapped(const OnnxOperation& op, const OnnxValue& x, const std::string& type) {
    if (type == "uint8")
        return without_upper_bits(op, x, 255);
    if (type == "uint16")
        return without_upper_bits(op, x, 65535);
    if (type == "int8")
        return with_sign_of_bits(op, x, 24);
    if (type == "int16")
        return with_sign_of_bits(op, x, 16);
    return x;
}

} // namespace

Result<OnnxValues> in_their_types(const OnnxOperation& op, OnnxValues made) {
    static const Kinds growing = {"Add",       "CumSum",          "Mul", "Pow", "ReduceL1", "ReduceProd",
                                  "ReduceSum", "ReduceSumSquare", "Sub", "Sum"};
    static const Kinds turning = {"Abs", "Div", "Neg"};
    for (std::size_t i = 0; i < made.size(); ++i) {
        if (made[i].type.dtype != DType::Int32) {
            made[i].whole.clear();
            continue;
        }
        const std::string type = type_of(op, i, made[i]);
        const bool grows = growing.contains(op.kind());
        if (grows && type == "uint32" && made[i].computed())
            return refused("computes with uint32, of which the device has no more than int32 holds",
                           "cast to int32 before it, or to float");
        if (grows || turning.contains(op.kind())) {
            TRY(made[i], wrapped(op, made[i], type));
        }
        made[i].whole = type;
    }
    return made;
}

} // namespace tilescope::onnx
