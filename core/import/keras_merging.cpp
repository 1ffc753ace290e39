// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/keras_settings.h"

namespace tilescope::import {
namespace {

using graph::ValueId;

/// Add, Subtract, Multiply, Average, Maximum, Minimum: the inputs one after another.
Result<ValueId> merge(KerasLayer& l, const Values& in) {
    const std::string kind = l.kind == "Subtract"   ? "subtract"
                             : l.kind == "Multiply" ? "multiply"
                             : l.kind == "Maximum"  ? "maximum"
                             : l.kind == "Minimum"  ? "minimum"
                                                    : "add";
    if (in.size() < 2)
        return l.fail("expects at least two inputs");
    Result<ValueId> y = in[0];
    for (std::size_t i = 1; i < in.size() && y; ++i)
        y = one(l.build.add(kind, {*y, in[i]}));
    if (y && l.kind == "Average")
        y = one(l.build.add("multiply", {*y, l.build.scalar(1.0 / static_cast<double>(in.size()), l.dtype)}));
    return y;
}

Result<ValueId> concatenate(KerasLayer& l, const Values& in) {
    const Json& axis = setting(l, "axis");
    return one(
        l.build.add("concatenate", in, {{"axis", axis.is_number_integer() ? axis.get<std::int64_t>() : -1}}));
}

} // namespace

LayerTable merging_layers() {
    LayerTable table{{"Concatenate", {concatenate, {"axis"}}}};
    for (const char* kind : {"Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum"})
        table[kind] = {merge, {}};
    return table;
}

} // namespace tilescope::import
