// SPDX-License-Identifier: GPL-3.0-or-later
#include "unsupported.h"

#include "base/nearest_name.h"
#include "onnx/model.h"

#include <vector>

namespace tilescope::onnx {
namespace {

/// Operators that differ from the supported ones in kind, and what to do about them.
struct Family {
    std::vector<std::string> operators;
    const char* nearest; ///< "" where none does the like
    const char* remedy;
};

const std::vector<Family>& families() {
    static const std::vector<Family> all = {
        {{"If"}, "Where", "export the model with the branch that is taken"},
        {{"Loop", "Scan", "SequenceMap"}, "LSTM", "export the model with its loops unrolled"},
        {{"QLinearConv", "ConvInteger"}, "Conv", "export the model in float or float16"},
        {{"QLinearMatMul", "MatMulInteger"}, "MatMul", "export the model in float or float16"},
        {{"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"},
         "",
         "export the model in float or float16"},
        {{"SequenceConstruct", "SequenceEmpty", "SequenceInsert", "SequenceErase", "ConcatFromSequence"},
         "Concat",
         "use tensors instead of sequences"},
        {{"SplitToSequence", "SequenceAt", "SequenceLength"}, "Split", "use tensors instead of sequences"},
        {{"Optional", "OptionalGetElement", "OptionalHasElement"},
         "Identity",
         "use tensors that are always there"},
        {{"StringNormalizer", "TfIdfVectorizer", "StringConcat", "StringSplit", "RegexFullMatch",
          "LabelEncoder"},
         "",
         "turn text into numbers before the model"},
        {{"NonMaxSuppression", "Unique", "NonZero", "Compress"},
         "",
         "the shape of its output depends on values: do this after the model"},
    };
    return all;
}

std::string with_nearest(std::string remedy, const std::string& nearest) {
    if (nearest.empty())
        return remedy;
    return (remedy.empty() ? "" : remedy + "; ") + "the nearest supported one is \"" + nearest + "\"";
}

} // namespace

std::string remedy_for_unsupported(const std::string& kind) {
    for (const Family& family : families())
        for (const std::string& name : family.operators)
            if (name == kind)
                return with_nearest(family.remedy, family.nearest);
    const std::size_t dot = kind.rfind('.');
    const bool foreign = dot != std::string::npos;
    const std::string nearest =
        nearest_name(foreign ? kind.substr(dot + 1) : kind, supported_onnx_operators());
    if (foreign)
        return with_nearest("export the model with ONNX's own operators", nearest);
    return nearest.empty() ? "page workloads lists the supported ones" : with_nearest("", nearest);
}

} // namespace tilescope::onnx
