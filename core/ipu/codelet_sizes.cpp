// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/codelet_sizes.h"

#include <map>

namespace tilescope::ipu {
namespace {

struct Counted {
    std::int64_t instructions;
    std::int64_t fields;
};

const std::map<std::string, Counted>& counted() {
    static const std::map<std::string, Counted> table = {
        // supervisor and worker of the 16-unit float form; the half forms follow
        {"ConvPartial1x1Out<float,float>", {226 + 124, 10}},
        {"ConvPartial1x1Out", {226 + 60, 10}},
        {"ConvPartialnx1<float,float>", {218 + 179, 14}},
        {"ConvPartialnx1", {218 + 63, 14}},
        {"ConvPartial1xNSLIC", {209, 12}},
        {"ConvPartialHorizontalMac", {21 + 114, 12}},
        {"ConvPartialVerticalMac", {90 + 54, 12}},
        {"OuterProduct", {98, 4}},
        {"ConvReduceAdd", {103, 4}},
        {"Reduce", {190, 5}}, // half of ReductionSpecial01Acc, which is instantiated for each element type
        {"MaxPooling", {210, 10}},
        {"SumPooling", {210, 10}},
        {"MaxPoolingGradient", {210, 12}},
        {"BinaryOp1D", {75, 4}},
        {"UnaryOp1D", {34 + 51, 3}},
        {"NonLinearityGrad1D", {73, 4}},
        {"BroadcastVectorInner1D", {86, 4}},
        {"ScaledAdd", {128, 4}},
        {"DynamicSlice1D", {148, 6}},
        {"Dropout", {54, 5}},
        {"Cast1D", {90, 3}},
        {"Fill", {31, 2}},
        {"Copy", {63, 3}},
        {"LossTransform", {66, 8}},
        {"ReduceClassGather", {64, 5}},
        {"EncodeOneHot", {31, 4}},
    };
    return table;
}

} // namespace

CodeletSize codelet_size(const std::string& name) {
    constexpr std::int64_t word = 4;
    constexpr Counted compiled{120, 5};
    auto found = counted().find(name);
    if (found == counted().end())
        found = counted().find(name.substr(0, name.find('<')));
    const Counted size = found == counted().end() ? compiled : found->second;
    return {size.instructions * word, size.fields * word};
}

} // namespace tilescope::ipu
