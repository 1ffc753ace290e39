// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/keras_settings.h"

#include <algorithm>

namespace tilescope::import {
namespace {

using graph::Shape;
using graph::ValueId;

Result<ValueId> flatten(KerasLayer& l, const Values& in) {
    if (auto ok = expect_channels_last(l); !ok)
        return Failure(ok.error());
    const Shape x = l.build.type(in[0]).shape;
    if (x.empty())
        return l.fail("expects an input with a batch dimension");
    const Shape shape{x[0], graph::element_count(x) / std::max<std::int64_t>(x[0], 1)};
    return one(l.build.add("reshape", in, {{"shape", shape}}, "Reshape"));
}

Result<ValueId> reshape(KerasLayer& l, const Values& in) {
    const Json& target = setting(l, "target_shape");
    if (!target.is_array())
        return l.fail("\"target_shape\" is missing");
    Shape shape{l.build.type(in[0]).shape.at(0)};
    for (const Json& extent : target) {
        if (!extent.is_number_integer())
            return l.fail("\"target_shape\" is not static: " + target.dump());
        shape.push_back(extent.get<std::int64_t>());
    }
    return one(l.build.add("reshape", in, {{"shape", shape}}, "Reshape"));
}

} // namespace

LayerTable reshaping_layers() {
    return {{"Flatten", {flatten, {}}}, {"Reshape", {reshape, {"target_shape"}}}};
}

} // namespace tilescope::import
